/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GET /run/<n> - one execution: all that it measured, primary metrics first, and where, when and by
 * whom. HTML and JSON. The number is the run's own, as the upload's answer gave it.
 */
#include "server/pages/run.h"

#include <inttypes.h>

#include "db/metrics.h"
#include "server/base/clock.h"
#include "server/base/num.h"
#include "server/pages/corrections.h"
#include "server/pages/pages.h"
#include "server/view/html.h"
#include "server/view/layout.h"
#include "server/view/url.h"

static int role_rank(enum metric_role role)
{
	return role == ROLE_PRIMARY ? 0 : role == ROLE_FUNCTIONAL ? 1 : 2;
}

static int by_role_and_name(const void *x, const void *y)
{
	const struct run_value *a = x, *b = y;
	int d = role_rank(a->role) - role_rank(b->role);

	return d ? d : strcmp(a->metric->name, b->metric->name);
}

static int by_metric_name(const void *name, const void *entry)
{
	return strcmp(name, ((const struct series_metric *)entry)->metric->name);
}

static int load_values(struct ctx *c, struct run_page *p)
{
	struct series_metric *list;
	size_t n, nvalues = p->run.n;
	int e = series_metrics(c, p->series.id, &list, &n);

	if (e < 0)
		return e;
	p->values = arena_array(c->arena, struct run_value, nvalues);
	for (size_t i = 0; i < nvalues; i++) {
		const struct metric *m = p->run.metrics[i];
		const struct series_metric *own =
			n ? bsearch(m->name, list, n, sizeof(*list), by_metric_name) : NULL;

		p->values[i] = (struct run_value){
			.metric = m,
			.role = metric_role_in(&m->facts, m->name, p->series.testcase),
			.unit = own ? own->unit : m->facts.unit,
			.value = p->run.values[i],
		};
	}
	if (nvalues > 1)
		qsort(p->values, nvalues, sizeof(*p->values), by_role_and_name);
	return E_OK;
}

static int load(struct ctx *c, int64_t id, struct run_page *p)
{
	int e = run_get(c, id, &p->run);

	if (e >= 0)
		e = series_get_id(c, p->run.series_id, &p->series);
	if (e >= 0)
		e = commit_get(c, p->run.commit_id, &p->commit);
	if (e >= 0)
		e = load_values(c, p);
	if (e >= 0)
		e = run_replaced(c, p->run.submission_id, &p->replaced);
	if (e >= 0)
		e = corrections_of_run(c, id, &p->corrections, &p->ncorrections);
	if (e >= 0)
		e = distributions_of_run(c, id, &p->distributions, &p->ndistributions);
	if (e >= 0)
		e = artifacts_of_run(c, id, &p->artifacts, &p->nartifacts);
	return e;
}

/* {"key", "runs"} of what counts instead, or null. */
static void write_replaced(struct jw *w, const struct run_replaced *k)
{
	if (!k->by) {
		jw_null(w, "replaced_by");
		return;
	}
	jw_obj(w, "replaced_by");
	jw_str(w, "key", k->by);
	jw_arr(w, "runs");
	for (size_t i = 0; i < k->nruns; i++)
		jw_int(w, NULL, k->runs[i]);
	jw_end(w);
	jw_end(w);
}

static int write_json(struct req *r, const struct run_page *p)
{
	const struct run *run = &p->run;
	struct jw w;

	jw_init(&w, r->out);
	jw_obj(&w, NULL);
	jw_int(&w, "id", run->id);
	part_json_series(&w, "series", &p->series, false);
	part_json_commit(&w, r->ctx.arena, "commit", &p->commit);
	jw_str(&w, "commit_as", run->commit_as);
	jw_str(&w, "status", run_status_name(run->status));
	jw_str(&w, "key", run->key);
	jw_int(&w, "position", run->position);
	jw_str(&w, "boot", run->boot);
	jw_time(&w, "started", run->started);
	jw_time(&w, "received", run->received);
	jw_str(&w, "token", run->token);
	write_replaced(&w, &p->replaced);
	jw_arr(&w, "corrections");
	for (size_t i = 0; i < p->ncorrections; i++)
		part_json_correction(&w, NULL, &p->corrections[i]);
	jw_end(&w);
	part_json_pairs(&w, "info", run->info, run->ninfo);
	jw_obj(&w, "values");
	for (size_t i = 0; i < run->n; i++)
		jw_num(&w, p->values[i].metric->name, p->values[i].value);
	jw_end(&w);
	jw_obj(&w, "units");
	for (size_t i = 0; i < run->n; i++)
		if (p->values[i].unit)
			jw_str(&w, p->values[i].metric->name, p->values[i].unit);
	jw_end(&w);
	run_json_distributions(&w, p);
	run_json_artifacts(&w, r->ctx.arena, p);
	jw_end(&w);
	return 200;
}

static void write_replaced_by(struct req *r, const struct run_replaced *k)
{
	struct arena *a = r->ctx.arena;

	if (!k->by)
		return;
	html(r->out, "<tr><th scope=\"row\">Replaced by<td>the upload <code>%s</code>", k->by);
	for (size_t i = 0; i < k->nruns && i < 20; i++) {
		html(r->out, "%s", i ? ", " : ": run ");
		html_link(r->out, url_run(a, k->runs[i]), arena_fmt(a, "%" PRId64, k->runs[i]));
	}
	html(r->out, "\n");
}

/* Those that were undone too: they say so. */
static void write_corrections(struct req *r, const struct run_page *p)
{
	for (size_t i = 0; i < p->ncorrections; i++) {
		const struct correction *k = &p->corrections[i];

		html(r->out, "<tr><th scope=\"row\">Corrected<td class=\"corrected\">%s%s: ",
		     k->runs > 1 ? "with others: " : "",
		     correction_words(r->ctx.arena, k, k->runs, k->summaries, false));
		part_correction(r, k);
		html(r->out, "\n");
	}
}

static void write_facts(struct req *r, const struct run_page *p)
{
	struct arena *a = r->ctx.arena;
	const struct run *run = &p->run;
	struct url *others = url_path(a, "/runs");

	url_param(a, others, "series", p->series.digest);
	url_param(a, others, "commit", p->commit.name);
	html(r->out, "<table class=\"pairs\">\n<tr><th scope=\"row\">Series<td>");
	html_link(r->out, url_series(a, p->series.digest), part_series_title(a, &p->series));
	html(r->out, "<br><span class=\"setup\">%s</span>\n<tr><th scope=\"row\">Commit<td>",
	     part_series_rest(a, &p->series));
	part_commit(r, &p->commit);
	if (run->commit_as && strcmp(run->commit_as, p->commit.name) != 0)
		html(r->out, ", uploaded as %s", run->commit_as);
	html(r->out, "\n<tr><th scope=\"row\">Status<td class=\"status-%s\">%s\n",
	     run_status_name(run->status), run_status_name(run->status));
	write_replaced_by(r, &p->replaced);
	write_corrections(r, p);
	html(r->out, "<tr><th scope=\"row\">Boot<td>%s\n", run->boot ? run->boot : "not told");
	html(r->out, "<tr><th scope=\"row\">Started<td>");
	layout_time(r->out, run->started);
	html(r->out, "\n<tr><th scope=\"row\">Received<td>");
	layout_time(r->out, run->received);
	html(r->out, "\n<tr><th scope=\"row\">Uploaded by<td>%s\n",
	     run->token ? run->token : "the command line");
	html(r->out,
	     "<tr><th scope=\"row\">Upload key<td><code>%s</code>, run number %" PRId64
	     " in it\n</table>\n<p>",
	     run->key, run->position + 1);
	html_link(r->out, others, "All runs of this series on this commit");
	html(r->out, "</p>\n");
}

static void write_value(struct req *r, const struct run_page *p, const struct run_value *v)
{
	struct arena *a = r->ctx.arena;
	char exact[NUM_MAX];

	html(r->out, "<tr><td>");
	html_link(r->out, url_metric(a, v->metric->name), v->metric->name);
	html(r->out, "<td>%s<td class=\"direction\">%s<td class=\"num\">", role_name(v->role),
	     direction_words(v->metric->facts.direction));
	layout_quantity(r->out, v->value, v->unit);
	html(r->out, "<td class=\"num\">");
	html_text(r->out, exact, num_shortest(v->value, exact));
	html(r->out, "<td>");
	html_link(r->out, url_history(a, p->series.digest, v->metric->name), "history");
	html(r->out, "\n");
}

static int write_html(struct req *r, const struct run_page *p)
{
	struct arena *a = r->ctx.arena;

	req_page_begin(
		r, arena_fmt(a, "Run %" PRId64 ": %s", p->run.id, part_series_title(a, &p->series)),
		"runs");
	write_facts(r, p);
	html(r->out, "<h2>What it measured</h2>\n");
	if (p->run.n == 0) {
		html(r->out, "<p class=\"empty\">No values came with this run.</p>\n");
	} else {
		html(r->out, "<table class=\"metrics\">\n<thead><tr><th scope=\"col\">Metric"
			     "<th scope=\"col\">Role<th scope=\"col\">Direction"
			     "<th scope=\"col\" class=\"num\">Value"
			     "<th scope=\"col\" class=\"num\">As uploaded"
			     "<th scope=\"col\">Over commits</thead>\n<tbody>\n");
		for (size_t i = 0; i < p->run.n; i++)
			write_value(r, p, &p->values[i]);
		html(r->out, "</tbody></table>\n");
	}
	run_html_distributions(r, p);
	run_html_artifacts(r, p);
	html(r->out, "<h2>Surroundings</h2>\n");
	if (p->run.ninfo)
		part_pairs_table(r, p->run.info, p->run.ninfo);
	else
		html(r->out,
		     "<p class=\"empty\">The upload told nothing beyond the setup (info).</p>\n");
	return req_page_end(r, 200);
}

int page_run(struct req *r)
{
	struct run_page p = {.values = NULL};
	const char *text = req_name(r, 0, "run");
	int64_t id;
	int e;

	if (!text || !num_parse_int(text, 1, INT64_MAX, &id))
		return fail(&r->ctx, E_NOTFOUND, "a run has a number: /run/17");
	e = load(&r->ctx, id, &p);
	if (e < 0)
		return e;
	return r->form == FORM_JSON ? write_json(r, &p) : write_html(r, &p);
}
