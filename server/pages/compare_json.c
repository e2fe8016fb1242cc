/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A comparison as JSON, plumbline.compare/1, streamed: what is computed stands beside what was
 * printed, and what is not known is null. Fields may be added, never changed. Added so far:
 *
 * across=AXIS: "across" names the axis, and each table has "columns": [{"value", "series"}], the
 * base first; value null: the series does not have the axis. runs, boots, info_differences' values
 * and cells go by these columns, and "commits" has the one commit. "columns_left_out" counts those
 * that there was no room for.
 *
 * pairs=A1..B1,A2..B2: "pairs": [{"from", "to", "columns": [0, 1]}]. commits, runs, cells … list
 * base, change, base, change …, so that a cell still belongs to the commit at its place; a base's
 * cell has no change, and a change is one against its own base. Where the changes are versions of a
 * patch, "kept" closes the document: [{"series", "metric", "first_version", "version", "first",
 * "now", "unit", "recovered_pct", "recovered_low", "recovered_high"}]: a 95 % interval where there
 * are samples. Of three commits that are not pairs "recovered" lists the same with "by" in place of
 * the versions: what the third takes back of a regression that the second has.
 *
 * A table that is too large has "error", and no rows.
 *
 * What was a regression has there "fix": "fixed", "not fixed", "better" or "not told", by two
 * one-sided tests: "fix_margin" is what counts as back at the old level, "fix_low" and "fix_high"
 * the 90 % interval of what is left, all in the unit of first and now, and "fix_p".
 *
 * A cell of an own or functional row that changed says what other machines do, "joint"
 * ("confirmed", "contradicted", "only here", "not measured") and "others": [{"series", "machine",
 * "base_n", "n", "base_mean", "mean", "change_abs", "change_pct", "verdict", "origin"}], of
 * functional rows "reproduction_pct" in place of the numbers; "others_cut": there are more. And
 * "beside", in words, what differs besides the commit.
 *
 * A commit that was uploaded under several names, which git has at one place, has "names", the one
 * asked for first: what came under any of them stands in its cells.
 *
 * detail=1: "detail" in judged cells, all numbers behind the verdict (compare_detail_json.c).
 *
 * A judged cell says what would have been found in 4 of 5 cases, "mde_pct" (percentages: "mde_abs",
 * in points), and beside how many commits before its base it was judged, "history"; null where it
 * was not tested.
 */
#include "server/pages/compare.h"

#include <math.h>

#include "server/pages/compare_detail.h"
#include "server/pages/parts.h"
#include "server/view/json.h"

/* Where there are several. */
static void write_names(struct jw *w, const struct compare_commit *k)
{
	if (k->nnames < 2)
		return;
	jw_arr(w, "names");
	for (size_t i = 0; i < k->nnames; i++)
		jw_str(w, NULL, k->names[i].name);
	jw_end(w);
}

static void write_commits(struct jw *w, const struct compare *cmp)
{
	jw_arr(w, "commits");
	for (size_t i = 0; i < cmp->ncommits; i++) {
		const struct compare_commit *k = &cmp->commits[i];

		jw_obj(w, NULL);
		jw_str(w, "id", k->commit.git_id ? k->commit.git_id : k->commit.name);
		jw_str(w, "name", k->name);
		jw_str(w, "asked", k->asked);
		jw_str(w, "subject", k->commit.subject);
		jw_str(w, "label", k->commit.label);
		write_names(w, k);
		jw_end(w);
	}
	jw_end(w);
}

static void write_count(struct jw *w, const char *name, int64_t n)
{
	if (n < 0)
		jw_null(w, name);
	else
		jw_int(w, name, n);
}

static void write_columns(struct jw *w, const struct compare_table *t)
{
	jw_arr(w, "columns");
	for (size_t k = 0; k < t->ncols; k++) {
		jw_obj(w, NULL);
		jw_str(w, "value", t->columns[k].value);
		jw_str(w, "series", t->columns[k].series.digest);
		jw_end(w);
	}
	jw_end(w);
	if (t->left_out)
		jw_int(w, "columns_left_out", (int64_t)t->left_out);
}

static void write_head(struct jw *w, const struct compare *cmp, const struct compare_table *t)
{
	part_json_series(w, "series", &t->series, false);
	if (cmp->across)
		write_columns(w, t);
	if (t->error)
		jw_str(w, "error", t->error);
	if (cmp->base_is_younger)
		jw_bool(w, "base_is_younger", true);
	if (t->quarantined)
		jw_str(w, "quarantined", t->quarantined);
	jw_arr(w, "info_differences");
	for (size_t i = 0; i < t->ninfos; i++) {
		jw_obj(w, NULL);
		jw_str(w, "key", t->infos[i].key);
		jw_arr(w, "values");
		for (size_t k = 0; k < t->ncols; k++)
			jw_str(w, NULL, t->infos[i].values[k]);
		jw_end(w);
		jw_end(w);
	}
	jw_end(w);
	/* A report told figures but not of how many runs: that is not 0. */
	jw_arr(w, "runs");
	for (size_t k = 0; k < t->ncols; k++)
		write_count(w, NULL, t->runs[k] == 0 && t->printed[k] ? -1 : t->runs[k]);
	jw_end(w);
	jw_arr(w, "boots");
	for (size_t k = 0; k < t->ncols; k++)
		write_count(w, NULL, t->boots[k]);
	jw_end(w);
	jw_arr(w, "corrected");
	for (size_t k = 0; k < t->ncols; k++)
		jw_int(w, NULL, t->corrected ? t->corrected[k].count : 0);
	jw_end(w);
	jw_arr(w, "failed_runs");
	for (size_t k = 0; k < t->ncols; k++)
		jw_int(w, NULL, t->failed[k]);
	jw_end(w);
}

static void write_printed(struct jw *w, const struct summary_cell *s)
{
	if (isnan(s->stddev_pct))
		jw_null(w, "stddev_pct");
	else
		jw_num(w, "stddev_pct", s->stddev_pct);
	if (s->printed == PRINTED_NO)
		return;
	jw_obj(w, "printed");
	if (s->printed != PRINTED_BASE) {
		jw_str(w, "base", s->printed_base);
		jw_num(w,
		       s->printed == PRINTED_PCT   ? "change_pct"
		       : s->printed == PRINTED_ABS ? "change_abs"
						   : "reproduction_pct",
		       s->printed_change);
	}
	jw_end(w);
}

static void write_values(struct jw *w, const struct cell *c)
{
	jw_arr(w, "values");
	for (int64_t i = 0; c->values && i < c->n; i++)
		jw_num(w, NULL, c->values[i]);
	jw_end(w);
}

static void write_judgement(struct jw *w, const struct cell *c, const struct metric *m)
{
	bool functional = m->facts.kind == KIND_FUNCTIONAL;

	if (functional) {
		jw_num(w, "reproduction_pct", c->judged ? c->reproduction_pct : NAN);
	} else {
		jw_num(w, "change_abs", c->judged ? c->change_abs : NAN);
		jw_num(w, "change_pct", c->judged ? c->change_pct : NAN);
	}
	jw_prob(w, "p", c->judged ? c->p : NAN);
	jw_prob(w, "q", c->judged ? c->q : NAN);
	if (!functional) {
		jw_num(w, "cliff_delta", c->judged ? c->cliff_delta : NAN);
		jw_prob(w, m->facts.kind == KIND_PERCENT ? "mde_abs" : "mde_pct", c->mde);
		write_count(w, "history", c->history);
	}
	jw_str(w, "verdict", verdict_name(c->verdict));
	jw_str(w, "origin", c->reported ? "reported" : "judged");
	jw_str(w, "reason", c->reason);
}

static void write_cell(struct jw *w, const struct cell *c, const struct metric *m, bool first,
		       bool samples)
{
	bool functional = m->facts.kind == KIND_FUNCTIONAL;

	if (functional) {
		write_count(w, "fails", c->fails);
		write_count(w, "runs", c->runs);
	} else {
		write_count(w, "n", c->n);
		jw_num(w, "mean", c->mean);
		jw_num(w, "stddev", c->stddev);
		jw_num(w, "min", c->min);
		jw_num(w, "max", c->max);
		jw_num(w, "median", c->median);
	}
	if (c->summary)
		write_printed(w, c->summary);
	if (samples)
		write_values(w, c);
	if (!first)
		write_judgement(w, c, m);
}

void compare_json_cell(struct jw *w, const struct cell *c, const struct metric *m, bool first,
		       bool samples)
{
	if (!c->present) {
		jw_null(w, NULL);
		return;
	}
	jw_obj(w, NULL);
	write_cell(w, c, m, first, samples);
	jw_end(w);
}

void compare_json_row_begin(struct jw *w, const struct comparison_row *row, const char *unit)
{
	const struct metric *m = row->metric;

	jw_obj(w, NULL);
	jw_strn(w, "metric", m->name, m->name_len);
	jw_str(w, "unit", unit);
	jw_str(w, "direction", direction_name(m->facts.direction));
	jw_str(w, "kind", kind_name(m->facts.kind));
	jw_str(w, "role", role_name(row->role));
	jw_arr(w, "cells");
}

/* A cell with what was looked at besides. */
static void write_whole_cell(struct jw *w, const struct compare_answer *x,
			     const struct compare_table *t, size_t at, size_t col)
{
	const struct comparison_row *row = &t->rows[at];
	const struct cell *c = &row->cells[col];
	bool first = t->columns[col].base == col;

	if (first || !c->present) {
		compare_json_cell(w, c, row->metric, first, x->samples);
		return;
	}
	jw_obj(w, NULL);
	write_cell(w, c, row->metric, false, x->samples);
	if (t->besides && t->besides[col] && row->role != ROLE_MONITOR &&
	    verdict_is_change(c->verdict))
		jw_str(w, "beside", t->besides[col]);
	if (verdict_is_change(c->verdict) || x->detail)
		compare_others_json(w, t, at, col);
	if (x->detail && at < COMPARE_DETAIL_MAX)
		compare_detail_json(w, x->cmp, t, at, col);
	jw_end(w);
}

static void write_row(struct jw *w, const struct compare_answer *x, const struct compare_table *t,
		      size_t at)
{
	const struct comparison_row *row = &t->rows[at];

	compare_json_row_begin(w, row, t->units[at]);
	for (size_t i = 0; i < t->ncols; i++)
		write_whole_cell(w, x, t, at, i);
	jw_end(w);
	jw_end(w);
}

static void write_pairs(struct jw *w, const struct compare *cmp)
{
	jw_arr(w, "pairs");
	for (size_t i = 0; i + 1 < cmp->ncommits; i += 2) {
		jw_obj(w, NULL);
		jw_str(w, "from", cmp->commits[i].commit.name);
		jw_str(w, "to", cmp->commits[i + 1].commit.name);
		jw_arr(w, "columns");
		jw_int(w, NULL, (int64_t)i);
		jw_int(w, NULL, (int64_t)i + 1);
		jw_end(w);
		jw_end(w);
	}
	jw_end(w);
}

/* Of what was a regression. */
static void write_fix(struct jw *w, const struct compare_kept *k)
{
	if (!k->was_regression)
		return;
	jw_str(w, "fix", fix_state_name(k->fix.state));
	jw_num(w, "fix_margin", k->fix.margin);
	jw_num(w, "fix_low", k->fix.low);
	jw_num(w, "fix_high", k->fix.high);
	jw_prob(w, "fix_p", k->fix.p);
}

void compare_json_kept(struct jw *w, const struct compare_kept *k)
{
	jw_str(w, "series", k->series.digest);
	jw_str(w, "metric", k->metric->name);
	if (k->by) {
		jw_str(w, "by", k->by);
	} else {
		jw_int(w, "first_version", k->first_version);
		jw_int(w, "version", k->version);
	}
	jw_num(w, "first", k->first);
	jw_num(w, "now", k->now);
	jw_str(w, "unit", k->points ? "points" : "%");
	jw_num(w, "recovered_pct", 100 * k->recovered.share);
	jw_num(w, "recovered_low", 100 * k->recovered.low);
	jw_num(w, "recovered_high", 100 * k->recovered.high);
	write_fix(w, k);
}

static void write_kept(struct jw *w, const struct compare *cmp)
{
	jw_arr(w, cmp->versions ? "kept" : "recovered");
	for (size_t i = 0; i < cmp->nkept; i++) {
		jw_obj(w, NULL);
		compare_json_kept(w, &cmp->kept[i]);
		jw_end(w);
	}
	jw_end(w);
}

void compare_json_head(struct jw *w, const struct compare *cmp)
{
	jw_str(w, "schema", "plumbline.compare/1");
	jw_str(w, "rule", rule_version_name(cmp->rule));
	write_commits(w, cmp);
	if (cmp->across)
		jw_str(w, "across", cmp->across);
	if (cmp->pairs)
		write_pairs(w, cmp);
}

void compare_json_tail(struct jw *w, const struct compare *cmp)
{
	if (cmp->versions || cmp->recovers)
		write_kept(w, cmp);
}

int compare_json(struct compare_answer *x)
{
	const struct compare *cmp = x->cmp;
	struct compare_table t;
	struct jw w;
	int rc;

	jw_init(&w, x->o);
	jw_obj(&w, NULL);
	compare_json_head(&w, cmp);
	jw_arr(&w, "tables");
	while ((rc = compare_answer_next(x, &t)) == COMPARE_TABLE) {
		jw_obj(&w, NULL);
		write_head(&w, cmp, &t);
		jw_arr(&w, "rows");
		for (size_t k = 0; k < t.nrows; k++)
			write_row(&w, x, &t, k);
		jw_end(&w);
		jw_end(&w);
	}
	jw_end(&w);
	part_json_next(&w, cmp->next);
	compare_json_tail(&w, cmp);
	jw_end(&w);
	return rc;
}
