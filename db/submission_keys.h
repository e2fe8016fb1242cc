/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which submissions are here already, asked by their keys before anything of them is read. */
#ifndef DB_SUBMISSION_KEYS_H
#define DB_SUBMISSION_KEYS_H

#include "db/engine.h"

#define SUBMISSION_KEYS_MAX 20000

/* Keys that begin with a text, which ends with '/': what follows the text in each; at most
 * SUBMISSION_KEYS_MAX. One range of an index for each series that is asked. */
struct key_list {
	const char **rests;
	size_t n;
	int64_t series_id; /* of the last of them */
};
int submission_keys_of_series(struct ctx *c, int64_t series_id, const char *text,
			      struct key_list *out);
/* The same in all series of a machine and a test. */
int submission_keys_of_test(struct ctx *c, const char *tbox_group, const char *testcase,
			    const char *text, struct key_list *out);

#endif
