/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The message of a commit in pieces: what of it leads somewhere. */
#ifndef MODEL_COMMIT_TEXT_H
#define MODEL_COMMIT_TEXT_H

#include "server/base/err.h"

enum text_kind {
	TEXT_PLAIN,
	TEXT_ADDRESS, /* http:// or https:// */
	TEXT_COMMIT,  /* digits of an id that is known here; target: its whole name */
	TEXT_MAIL,    /* a Message-Id without its <> */
};

struct text_piece {
	enum text_kind kind;
	const char *s;
	size_t n;
	const char *target; /* what the link is made from; NULL of plain text */
};

#define TEXT_IDS_MAX 60 /* ids that are looked up; more stay plain */

/* All of the text, in order, none empty. Ids are words of 7 to 40 hex digits that one commit has;
 * Message-Ids are told from addresses of people by the name of their line ("Message-Id:",
 * "In-Reply-To:"). */
int commit_text_cut(struct ctx *c, const char *text, struct text_piece **out, size_t *n);

#endif
