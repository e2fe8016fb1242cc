/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Patches under test: commits that an upload told the mail of. */
#ifndef DB_PATCHES_H
#define DB_PATCHES_H

#include "db/engine.h"

struct patch_row {
	int64_t commit_id;
	const char *message_id;        /* as told, without <> */
	const char *subject, *author;  /* of the commit; author: the address. NULL: not known */
	int64_t version, index, total; /* -1 */
};

#define PATCHES_RECENT_MAX 20000

/* Those of one mail, whether it was told with <> or without; by commit. */
int patches_of_mail(struct ctx *c, const char *message_id, struct patch_row **out, size_t *n);
/* The newest of all, newest first; at most PATCHES_RECENT_MAX. */
int patches_recent(struct ctx *c, struct patch_row **out, size_t *n);

#endif
