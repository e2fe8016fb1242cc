/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads two cells as columns of a comparison, the way the compare page has them. */
#include "server/model/cell_pair.h"

#include "server/base/arena.h"
#include "server/model/printed.h"
#include "server/model/quarantine.h"

static int load_column(struct ctx *c, struct cell_pair *p, const struct compare_commit *k,
		       bool infos)
{
	struct comparison_column *col = &p->cols[p->ncols];
	struct cell_data *data = &p->data[p->ncols];
	size_t room = COMPARISON_VALUES_MAX;
	int e = cell_load_names(c, p->series->id, k->rows, k->nnames, infos, &room, data);

	if (e < 0)
		return e;
	*col = data->column;
	col->boots = data->boots;
	col->failed = data->failed;
	p->ncols++;
	return E_OK;
}

int cell_pair_load(struct ctx *c, const struct series *series, const struct compare_commit *base,
		   const struct compare_commit *commit, bool infos, struct cell_pair *out)
{
	int e = E_OK;

	*out = (struct cell_pair){.series = series};
	if (base)
		e = load_column(c, out, base, infos);
	if (e >= 0)
		e = load_column(c, out, commit, infos);
	if (e < 0 || !base)
		return e;
	out->cols[1].cells =
		printed_match(c->arena, &out->cols[1], base->names, base->nnames, NULL);
	e = judge_history_load(c, series->id, base->commit.id, commit->commit.id, &out->history);
	out->cols[1].history = &out->history.history;
	return e;
}

int cell_pair_judge(struct ctx *c, const struct cell_pair *p, const struct comparison_judging *by,
		    struct comparison *out, const char **quarantined)
{
	if (!comparison_build_by(c->arena, by, p->series->testcase, p->cols, p->ncols, out))
		return fail(c, E_TOO_LARGE,
			    "series %lld has more rows and values than can be compared at once",
			    (long long)p->series->id);
	return quarantine_hold(c, p->series->tbox_group, out, p->ncols - 1, quarantined);
}

void cell_pair_release(struct cell_pair *p)
{
	judge_history_release(&p->history);
}
