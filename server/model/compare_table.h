/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of model/compare: one table of a comparison. */
#ifndef MODEL_COMPARE_TABLE_H
#define MODEL_COMPARE_TABLE_H

#include "server/model/compare.h"

/* Loads and judges the cells of t's columns, and fills the rest of t. Returns COMPARE_NOTHING when
 * of the runs that were chosen none are left to hold against each other. */
#define COMPARE_NOTHING 2
int compare_table_load(struct ctx *c, const struct compare_query *q, struct compare_table *t);
/* Only loads and judges all rows, with own_only all but monitors; E_TOO_LARGE: it has more than so
 * many values, too. Of what load fills it fills runs, boots, failed, printed and all. cells: one a
 * column, from the arena. */
int compare_table_judge(struct ctx *c, const struct compare_query *q, struct compare_table *t,
			size_t room, bool own_only, struct cell_data *cells);
/* After the rows are picked: what other machines say of them, and what differs besides. c->arena is
 * that of the table. */
int compare_load_others(struct ctx *c, const struct compare_query *q, struct compare *cmp,
			struct compare_table *t);
/* What differs between two columns of t whose infos are filled, in words; NULL: nothing. The rows
 * of commits that each column is of. */
struct compare_rows {
	const int64_t *ids;
	size_t n;
};
int compare_besides(struct ctx *c, const struct compare_table *t, size_t base, size_t col,
		    struct compare_rows base_rows, struct compare_rows rows, const char **text);
int compare_load_besides(struct ctx *c, struct compare_table *t);
/* Whether a row of it that is no monitor changed in the column. */
bool compare_column_changed(const struct compare_table *t, size_t col);
/* Whether the query asks for some runs only, and leaving the others out of a cell. */
bool compare_chooses_runs(const struct compare_query *q);
int compare_choose_runs(struct ctx *c, const struct compare_query *q, int64_t series_id,
			const struct compare_commit *commit, struct cell_data *cell);
/* What the runs' surroundings differ in; a cell for each column. */
void compare_infos(struct arena *a, const struct cell_data *cells, struct compare_table *t);

/* compare_gather.c: a commit by all of its names. Fills them. */
int compare_find_names(struct ctx *c, struct compare_commit *k);
bool compare_same_commit(const struct commit *a, const struct commit *b);
/* The rows of all names of n commits. */
const int64_t *compare_rows_of(struct arena *a, const struct compare_commit *commits, size_t n,
			       size_t *nrows);
/* Sorts them and leaves each once; returns how many there are, at most limit. */
size_t compare_merge_ids(int64_t *ids, size_t n, size_t limit);
/* series_shared (db/series.h), around_peers, by machine for one name and by id for several, and
 * around_span (db/around.h). */
int compare_shared(struct ctx *c, const struct compare_commit *base, const int64_t *others,
		   size_t nothers, int64_t after, size_t limit, int64_t **ids, size_t *n);
int compare_peers(struct ctx *c, int64_t series_id, const struct compare_commit *base,
		  const struct compare_commit *commit, size_t limit, int64_t **ids, size_t *n);
int compare_span(struct ctx *c, int64_t series_id, const int64_t *rows, size_t n, int64_t *first,
		 int64_t *last);

/* Whether the series has the axes that were asked for. */
bool compare_has_axes(const struct compare_query *q, const struct series *s);
/* Names the series without one of its axes. */
struct digest compare_rest_digest(struct arena *a, const struct series *s, const char *axis);
/* Across an axis: the groups of series equal but for it, and the next of them as a table. */
int compare_find_groups(struct ctx *c, const struct compare_query *q, struct compare *cmp);
int compare_next_group(struct ctx *c, const struct compare_query *q, struct compare *cmp,
		       struct compare_table *t);

/* Whether the pairs' changes are versions of a patch; what later ones kept, noted table by table.
 */
void compare_find_versions(struct compare *cmp);
void compare_note_kept(struct compare *cmp, const struct compare_table *t);

#endif
