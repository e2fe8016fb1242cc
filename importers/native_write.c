/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The native form, written: the mirror of native*.c. A key that was made from the content is not
 * written, since reading makes the same one again. */
#include "importers/native_write.h"

#include <math.h>

#include "server/analysis/comparison.h"
#include "server/base/clock.h"

static void text(struct jw *w, const char *name, const char *s)
{
	if (s)
		jw_str(w, name, s);
}

static void real(struct jw *w, const char *name, double v)
{
	if (!isnan(v))
		jw_num(w, name, v);
}

static void whole(struct jw *w, const char *name, int64_t v)
{
	if (v >= 0)
		jw_int(w, name, v);
}

static void when(struct jw *w, const char *name, int64_t t)
{
	if (t != TIME_NONE)
		jw_time(w, name, t);
}

static void write_person(struct jw *w, const char *name, const struct person *p)
{
	if (!p->name && !p->email && p->date == TIME_NONE)
		return;
	jw_obj(w, name);
	text(w, "name", p->name);
	text(w, "email", p->email);
	when(w, "date", p->date);
	jw_end(w);
}

static void write_patch(struct jw *w, const struct patch_in *p)
{
	if (!p->given)
		return;
	jw_obj(w, "patch");
	text(w, "message_id", p->message_id);
	whole(w, "version", p->version);
	whole(w, "index", p->index);
	whole(w, "total", p->total);
	text(w, "base", p->base);
	text(w, "diff", p->diff);
	jw_end(w);
}

void native_write_build(struct jw *w, const struct build_in *b)
{
	if (!b->given)
		return;
	jw_obj(w, "build");
	text(w, "config", b->config);
	text(w, "compiler", b->compiler);
	text(w, "status", b->status);
	if (b->nwarnings) {
		jw_arr(w, "warnings");
		for (size_t i = 0; i < b->nwarnings; i++) {
			jw_obj(w, NULL);
			text(w, "file", b->warnings[i].file);
			whole(w, "line", b->warnings[i].line);
			whole(w, "column", b->warnings[i].column);
			text(w, "message", b->warnings[i].message);
			jw_end(w);
		}
		jw_end(w);
	}
	jw_end(w);
}

static void write_commit(struct jw *w, const struct commit_in *k)
{
	jw_obj(w, "commit");
	text(w, "id", k->id);
	text(w, "subject", k->subject);
	text(w, "message", k->message);
	write_person(w, "author", &k->author);
	write_person(w, "committer", &k->committer);
	when(w, "date", k->date);
	if (k->nparents) {
		jw_arr(w, "parents");
		for (size_t i = 0; i < k->nparents; i++)
			jw_str(w, NULL, k->parents[i]);
		jw_end(w);
	}
	text(w, "tree", k->tree);
	text(w, "label", k->label);
	write_patch(w, &k->patch);
	native_write_build(w, &k->build);
	jw_end(w);
}

static void write_pairs(struct jw *w, const struct pair *pairs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		jw_str(w, pairs[i].name, pairs[i].value);
}

static void write_runs(struct jw *w, const struct submission *s)
{
	jw_arr(w, "runs");
	for (size_t i = 0; i < s->nruns; i++) {
		const struct run_in *run = &s->runs[i];

		jw_obj(w, NULL);
		for (size_t k = 0; k < run->names->n; k++)
			jw_num(w, run->names->names[k], run->values[k]);
		jw_end(w);
	}
	jw_end(w);
}

static void write_cell(struct jw *w, const struct summary_in *cell)
{
	static const char *const changes[] = {
		[PRINTED_PCT] = "change_pct",
		[PRINTED_ABS] = "change_abs",
		[PRINTED_REPRODUCTION] = "reproduction_pct",
	};

	jw_obj(w, cell->metric);
	real(w, "mean", cell->mean);
	real(w, "stddev", cell->stddev);
	real(w, "stddev_pct", cell->stddev_pct);
	whole(w, "n", cell->n);
	real(w, "min", cell->min);
	real(w, "max", cell->max);
	whole(w, "fails", cell->fails);
	whole(w, "runs", cell->runs);
	if (cell->printed != PRINTED_NO) {
		jw_obj(w, "printed");
		text(w, "base", cell->printed_base);
		if (isinf(cell->printed_change)) /* as it stands in tables, of a base that is 0 */
			jw_str(w, changes[cell->printed],
			       cell->printed_change > 0 ? "+Inf" : "-Inf");
		else if (cell->printed != PRINTED_BASE)
			jw_num(w, changes[cell->printed], cell->printed_change);
		jw_end(w);
	}
	jw_end(w);
}

static void write_results(struct jw *w, const struct submission *s)
{
	bool alone = s->ndistributions && s->nruns == 1 && !s->runs[0].names->n;

	if (s->kind == SUBMISSION_RUNS && !alone) {
		if (!s->stored || !native_write_matrix(w, s))
			write_runs(w, s);
	} else if (s->kind == SUBMISSION_SUMMARY) {
		jw_obj(w, "summary");
		for (size_t i = 0; i < s->ncells; i++)
			write_cell(w, &s->cells[i]);
		jw_end(w);
	}
}

static void write_published(struct jw *w, const struct submission *s)
{
	if (s->report.given) {
		jw_obj(w, "report");
		text(w, "message_id", s->report.message_id);
		text(w, "subject", s->report.subject);
		text(w, "url", s->report.url);
		when(w, "date", s->report.date);
		jw_end(w);
	}
	if (s->headline.given) {
		jw_obj(w, "headline");
		text(w, "metric", s->headline.metric);
		text(w, "base", s->headline.base);
		real(w, "change_pct", s->headline.change_pct);
		text(w, "verdict", s->headline.verdict);
		jw_end(w);
	}
}

void native_write(struct out *o, const struct submission *s)
{
	struct jw w;

	jw_init(&w, o);
	jw_obj(&w, NULL);
	if (s->key_given)
		jw_str(&w, "key", s->key);
	jw_obj(&w, "axes");
	write_pairs(&w, s->axes, s->naxes);
	jw_end(&w);
	write_commit(&w, &s->commit);
	when(&w, "started", s->started);
	jw_str(&w, "status", run_status_name(s->status));
	if (s->ninfo || s->boot) {
		jw_obj(&w, "info");
		text(&w, "boot", s->boot);
		write_pairs(&w, s->info, s->ninfo);
		jw_end(&w);
	}
	write_results(&w, s);
	if (s->nunits) {
		jw_obj(&w, "units");
		write_pairs(&w, s->units, s->nunits);
		jw_end(&w);
	}
	if (s->ndistributions)
		native_write_distributions(&w, s);
	text(&w, "replaces", s->replaces);
	write_published(&w, s);
	if (s->stored)
		native_write_stored(&w, s);
	jw_end(&w);
}
