/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the names of mails tell of a patch series. Pure. Known are the forms of
 *
 *	git send-email     20230720102337.2069722-3-ann@example.org    part 3 of one sending
 *	git format-patch   cover.1689848.git.ann@example.org, 0a1b2c3….1689848.git.ann@example.org
 *	b4                 20230720-less-memory-v2-1-0a1b2c3d4e5f@example.org   version 2, part 1
 */
#ifndef MODEL_MAIL_NAME_H
#define MODEL_MAIL_NAME_H

#include <stddef.h>
#include <stdint.h>

struct arena;

struct mail_name {
	const char *sending; /* equal for all mails of one version; NULL: the form is not known */
	const char *change;  /* equal for all versions; NULL: the name does not tell */
	int64_t version;     /* -1 */
};
struct mail_name mail_name_read(struct arena *a, const char *message_id);

/* "[PATCH v2 3/7]", "[RFC PATCH net-next v4]" in front of a subject: -1 where it is not told. */
struct subject_tag {
	int64_t version, index, total;
};
struct subject_tag subject_tag_read(const char *subject);
/* The subject behind its tags. */
const char *subject_bare(const char *subject);

#endif
