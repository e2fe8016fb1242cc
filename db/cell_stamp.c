/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the head of each run of a cell, not its samples: some microseconds for six runs.
 */
#include "db/cell_stamp.h"

#include "server/base/digest.h"

#define RUNS_MAX 100000

SQL(cell_run_ids, "SELECT run_id FROM run WHERE series_id = $1 AND commit_id = $2 AND status = 0"
		  " ORDER BY run_id LIMIT $3")

int cell_stamp(struct ctx *c, int64_t series_id, int64_t commit_id, uint64_t *stamp)
{
	auto_stmt struct stmt *st = db_stmt(c, &cell_run_ids);

	*stamp = 0;
	bind_int(st, 1, series_id);
	bind_int(st, 2, commit_id);
	bind_int(st, 3, RUNS_MAX);
	while (stmt_step(st) == STMT_ROW) {
		uint64_t both[2] = {*stamp, (uint64_t)col_int(st, 0)};

		*stamp = hash_bytes(both, sizeof(both));
	}
	return stmt_status(st);
}
