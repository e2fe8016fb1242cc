/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commit page as JSON. What only git knows (files, branches, fixes …) is in commit_git_json.c.
 */
#include "server/pages/commit_page.h"

#include <math.h>

#include "server/base/clock.h"
#include "server/model/commit.h"
#include "server/model/compare.h"
#include "server/pages/parts.h"

static void write_person(struct jw *w, const char *name, const struct person *p)
{
	if (!p->name && !p->email) {
		jw_null(w, name);
		return;
	}
	jw_obj(w, name);
	jw_str(w, "name", p->name);
	jw_str(w, "email", p->email);
	jw_time(w, "date", p->date);
	jw_end(w);
}

static void write_count(struct jw *w, const char *name, int64_t n)
{
	if (n < 0)
		jw_null(w, name);
	else
		jw_int(w, name, n);
}

static void write_names(struct jw *w, const char *name, const struct commit *list, size_t n)
{
	jw_arr(w, name);
	for (size_t i = 0; i < n; i++)
		jw_str(w, NULL, list[i].git_id ? list[i].git_id : list[i].name);
	jw_end(w);
}

static void write_patch(struct jw *w, const struct patch_in *p)
{
	if (!p->given)
		return;
	jw_obj(w, "patch");
	jw_str(w, "message_id", p->message_id);
	write_count(w, "version", p->version);
	write_count(w, "index", p->index);
	write_count(w, "total", p->total);
	jw_str(w, "base", p->base);
	jw_end(w);
}

static void write_commit(struct jw *w, struct arena *a, const struct commit_page *p)
{
	const struct commit *k = &p->commit;

	jw_str(w, "id", k->git_id ? k->git_id : k->name);
	jw_str(w, "name", compare_name(a, k->name));
	jw_str(w, "subject", k->subject);
	jw_str(w, "message", k->message);
	write_person(w, "author", &k->author);
	write_person(w, "committer", &k->committer);
	jw_time(w, "date", k->date);
	jw_str(w, "label", k->label);
	jw_str(w, "trees", k->trees);
	write_names(w, "parents", p->parents, p->nparents);
	write_names(w, "children", p->children, p->nchildren);
	jw_arr(w, "trailers");
	for (size_t i = 0; i < p->ntrailers; i++) {
		jw_obj(w, NULL);
		jw_str(w, "name", p->trailers[i].name);
		jw_str(w, "value", p->trailers[i].value);
		jw_end(w);
	}
	jw_end(w);
	commit_git_json(w, p->git);
	write_patch(w, &k->patch);
}

static void write_warnings(struct jw *w, const struct commit_page *p)
{
	jw_arr(w, "warnings");
	for (size_t i = 0; i < p->nbuilds; i++) {
		const struct build *b = &p->builds[i];

		for (size_t k = 0; k < b->nwarnings; k++) {
			jw_obj(w, NULL);
			jw_str(w, "file", b->warnings[k].file);
			write_count(w, "line", b->warnings[k].line);
			write_count(w, "column", b->warnings[k].column);
			jw_str(w, "message", b->warnings[k].message);
			jw_str(w, "config", b->config);
			jw_str(w, "compiler", b->compiler);
			jw_end(w);
		}
	}
	jw_end(w);
}

static void write_reports(struct jw *w, const struct commit_page *p)
{
	jw_arr(w, "reported_in");
	for (size_t i = 0; i < p->nreports; i++) {
		const struct report *x = &p->reports[i];

		jw_obj(w, NULL);
		jw_str(w, "message_id", x->message_id);
		jw_str(w, "subject", x->subject);
		jw_str(w, "url", x->url);
		jw_time(w, "date", x->date);
		jw_str(w, "metric", x->metric);
		jw_str(w, "base", x->base);
		jw_num(w, "change_pct", x->change_pct);
		jw_str(w, "verdict", x->verdict);
		jw_end(w);
	}
	jw_end(w);
}

static void write_cell(struct jw *w, const struct cell *c, bool functional)
{
	if (functional) {
		write_count(w, "fails", c->fails);
		write_count(w, "runs", c->runs);
		return;
	}
	write_count(w, "n", c->n);
	jw_num(w, "mean", c->mean);
	jw_num(w, "stddev", c->stddev);
	jw_num(w, "min", c->min);
	jw_num(w, "max", c->max);
	jw_num(w, "median", c->median);
}

static void write_printed(struct jw *w, const struct summary_cell *s)
{
	jw_num(w, "stddev_pct", s->stddev_pct);
	if (s->printed == PRINTED_NO)
		return;
	jw_obj(w, "printed");
	if (s->printed != PRINTED_BASE)
		jw_str(w, "base", s->printed_base);
	if (s->printed == PRINTED_PCT)
		jw_num(w, "change_pct", s->printed_change);
	if (s->printed == PRINTED_ABS)
		jw_num(w, "change_abs", s->printed_change);
	if (s->printed == PRINTED_REPRODUCTION)
		jw_num(w, "reproduction_pct", s->printed_change);
	jw_end(w);
}

/* What other machines say of the row; the whole is with their own results. */
static void write_others(struct jw *w, const struct others *o)
{
	jw_str(w, "joint", joint_name(o->joint));
	jw_arr(w, "others");
	for (size_t i = 0; i < o->n; i++) {
		const struct other *x = &o->list[i];
		bool judged = x->now && x->now->judged;

		jw_obj(w, NULL);
		jw_str(w, "series", x->series->digest);
		jw_str(w, "machine", x->series->tbox_group);
		jw_num(w, "change_pct", judged ? x->now->change_pct : NAN);
		jw_str(w, "verdict", verdict_name(x->now ? x->now->verdict : VERDICT_NO_DATA));
		jw_str(w, "origin", x->now && x->now->reported ? "reported" : "judged");
		jw_end(w);
	}
	jw_end(w);
}

static void write_row(struct jw *w, const struct commit_row *row)
{
	const struct metric_facts *f = &row->metric->facts;
	const struct cell *k = &row->now;
	bool functional = f->kind == KIND_FUNCTIONAL;

	jw_obj(w, NULL);
	jw_str(w, "metric", row->metric->name);
	jw_str(w, "unit", row->unit);
	jw_str(w, "direction", direction_name(f->direction));
	jw_str(w, "kind", kind_name(f->kind));
	jw_str(w, "role", role_name(row->role));
	if (row->base.present) {
		jw_obj(w, "base");
		write_cell(w, &row->base, functional);
		jw_end(w);
	} else {
		jw_null(w, "base");
	}
	write_cell(w, k, functional);
	if (k->summary)
		write_printed(w, k->summary);
	jw_num(w, "change_abs", k->judged ? k->change_abs : NAN);
	jw_num(w, "change_pct", k->judged ? k->change_pct : NAN);
	if (functional)
		jw_num(w, "reproduction_pct", k->judged ? k->reproduction_pct : NAN);
	jw_prob(w, "p", k->judged ? k->p : NAN);
	jw_prob(w, "q", k->judged ? k->q : NAN);
	jw_num(w, "cliff_delta", k->judged ? k->cliff_delta : NAN);
	jw_prob(w, f->kind == KIND_PERCENT ? "mde_abs" : "mde_pct", k->mde);
	if (k->history < 0)
		jw_null(w, "history");
	else
		jw_int(w, "history", k->history);
	jw_str(w, "verdict", verdict_name(k->verdict));
	jw_str(w, "origin", k->reported ? "reported" : "judged");
	jw_str(w, "reason", k->reason);
	if (row->others)
		write_others(w, row->others);
	jw_end(w);
}

static void write_rows(struct jw *w, const char *name, const struct row_list *l)
{
	jw_arr(w, name);
	for (size_t i = 0; i < l->n; i++)
		write_row(w, &l->rows[i]);
	jw_end(w);
}

static void write_result(struct jw *w, const struct commit_result *x)
{
	jw_obj(w, NULL);
	part_json_series(w, "series", &x->series, false);
	jw_int(w, "n", x->n);
	jw_int(w, "failed", x->failed);
	if (x->quarantined)
		jw_str(w, "quarantined", x->quarantined);
	if (x->too_large)
		jw_str(w, "error", x->too_large);
	jw_str(w, "measured_as", x->address);
	jw_str(w, "base", x->has_base ? x->base.name : NULL);
	if (x->beside)
		jw_str(w, "beside", x->beside);
	write_rows(w, "worst", &x->worst);
	jw_int(w, "worst_in_all", (int64_t)x->worst.seen);
	write_rows(w, "best", &x->best);
	jw_int(w, "best_in_all", (int64_t)x->best.seen);
	jw_int(w, "same", (int64_t)x->counts[VERDICT_SAME]);
	write_rows(w, "primary_same", &x->steady);
	jw_end(w);
}

void commit_page_json(struct req *r, const struct commit_page *p)
{
	struct jw w;

	jw_init(&w, r->out);
	jw_obj(&w, NULL);
	write_commit(&w, r->ctx.arena, p);
	write_warnings(&w, p);
	write_reports(&w, p);
	jw_str(&w, "sentence", p->sentence);
	jw_str(&w, "rule", rule_version_name(p->rule));
	jw_arr(&w, "results");
	for (size_t i = 0; i < p->nresults; i++)
		write_result(&w, &p->results[i]);
	jw_end(&w);
	jw_bool(&w, "results_cut", p->cut);
	jw_arr(&w, "findings");
	jw_end(&w);
	jw_end(&w);
}
