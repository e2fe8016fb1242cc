/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Other machines, and all numbers behind a verdict, as members of a cell. What is not known is
 * null. Percentages are in points where others are in percent: then a name ends in _abs, not in
 * _pct.
 */
#include "server/pages/compare_detail.h"

#include <math.h>

#include "server/analysis/detail.h"

static void write_count(struct jw *w, const char *name, int64_t n)
{
	if (n < 0)
		jw_null(w, name);
	else
		jw_int(w, name, n);
}

static void write_other(struct jw *w, const struct other *o, const struct metric *m)
{
	const struct cell *c = o->now, *base = o->base;
	bool functional = m->facts.kind == KIND_FUNCTIONAL, judged = c && c->judged;

	jw_obj(w, NULL);
	jw_str(w, "series", o->series->digest);
	jw_str(w, "machine", o->series->tbox_group);
	if (o->quarantined)
		jw_str(w, "quarantined", o->quarantined);
	if (!functional) {
		write_count(w, "base_n", base && base->present ? base->n : -1);
		write_count(w, "n", c && c->present ? c->n : -1);
		jw_num(w, "base_mean", base && base->present ? base->mean : NAN);
		jw_num(w, "mean", c && c->present ? c->mean : NAN);
		jw_num(w, "change_abs", judged ? c->change_abs : NAN);
		jw_num(w, "change_pct", judged ? c->change_pct : NAN);
	} else {
		jw_num(w, "reproduction_pct", judged ? c->reproduction_pct : NAN);
	}
	jw_str(w, "verdict", verdict_name(c ? c->verdict : VERDICT_NO_DATA));
	jw_str(w, "origin", c && c->reported ? "reported" : "judged");
	jw_end(w);
}

void compare_others_json(struct jw *w, const struct compare_table *t, size_t row, size_t col)
{
	const struct others *o = compare_others_of(t, row, col);

	if (!o)
		return;
	jw_str(w, "joint", joint_name(o->joint));
	jw_arr(w, "others");
	for (size_t i = 0; i < o->n; i++)
		write_other(w, &o->list[i], t->rows[row].metric);
	jw_end(w);
	if (o->more)
		jw_bool(w, "others_cut", true);
}

static void write_side(struct jw *w, const char *name, const struct detail_side *s)
{
	jw_obj(w, name);
	jw_int(w, "n", (int64_t)s->d.n);
	write_count(w, "boots", s->boots);
	jw_num(w, "mean", s->d.mean);
	jw_num(w, "stddev", s->d.stddev);
	jw_num(w, "stddev_population", s->d.stddev_pop);
	jw_num(w, "min", s->d.min);
	jw_num(w, "quartile_1", s->quartiles.first);
	jw_num(w, "median", s->d.median);
	jw_num(w, "quartile_3", s->quartiles.third);
	jw_num(w, "max", s->d.max);
	jw_num(w, "mad", s->deviation);
	jw_end(w);
}

static void write_tests(struct jw *w, const struct detail *d)
{
	jw_obj(w, "welch");
	jw_num(w, "t", d->welch.t);
	jw_num(w, "df", d->welch.df);
	jw_num(w, "p", d->welch.p);
	jw_end(w);
	jw_obj(w, "mann_whitney");
	jw_num(w, "u", d->ranks.u_b);
	jw_num(w, "p", d->ranks.p);
	jw_bool(w, "exact", d->ranks.exact);
	jw_end(w);
	jw_obj(w, "hodges_lehmann");
	jw_num(w, "shift", d->shift.median);
	jw_num(w, "low", d->shift.low);
	jw_num(w, "high", d->shift.high);
	jw_end(w);
	jw_num(w, "hedges_g", d->hedges_g);
}

static void write_rule(struct jw *w, const struct detail *d, const struct cell *c)
{
	jw_num(w, "cliff_delta", c->cliff_delta);
	jw_str(w, "scale", c->rule ? scale_name(d->scale) : NULL);
	jw_num(w, d->points ? "run_noise_abs" : "run_noise_pct", d->run_noise);
	jw_num(w, d->points ? "standard_error_abs" : "standard_error_pct", d->error);
	jw_num(w, "t", d->t);
	jw_num(w, "df", d->df);
	jw_prob(w, "p_within", d->p_within);
	write_count(w, "history", c->history);
	jw_num(w, "level", d->level);
	jw_num(w, "between_ratio", d->between);
	jw_prob(w, d->points ? "mde_abs" : "mde_pct", c->mde);
}

void compare_detail_json(struct jw *w, const struct compare *cmp, const struct compare_table *t,
			 size_t row, size_t col)
{
	const struct comparison_row *of = &t->rows[row];
	const struct cell *c = &of->cells[col], *base = &of->cells[t->columns[col].base];
	struct detail d;

	if (!c->judged)
		return;
	d = detail_of(of, base, c);
	jw_obj(w, "detail");
	jw_str(w, "rule", rule_version_name(cmp->rule));
	jw_str(w, "gate", gate_name(c));
	jw_prob(w, "p", c->p);
	jw_prob(w, "q", c->q);
	if (d.tested) {
		write_side(w, "base", &d.base);
		write_side(w, "now", &d.now);
		write_tests(w, &d);
		write_rule(w, &d, c);
	} else if (base->fails >= 0 && c->fails >= 0) {
		jw_obj(w, "fisher");
		jw_num(w, "more", d.fisher.more);
		jw_num(w, "fewer", d.fisher.fewer);
		jw_num(w, "both", d.fisher.both);
		jw_end(w);
	}
	jw_end(w);
}
