/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the two files of a copy hand each other; for nobody else. */
#ifndef DB_COPY_COMMIT_H
#define DB_COPY_COMMIT_H

#include "db/engine.h"
#include "db/submission.h"

/* What a submission was uploaded for. */
struct copy_place {
	int64_t series_id, commit_id, report_id; /* report -1 */
};

/* Fills out->commit, whose id is set; at its first mention all that is known of the commit. */
int copy_commit(struct ctx *c, int64_t commit_id, bool first, struct submission *out,
		struct stored_in *in);
int copy_build(struct ctx *c, int64_t build_id, struct build_in *out);

#endif
