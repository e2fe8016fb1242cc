/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A comparison as a page: what changed in a sentence, which commits, a form to see more or less,
 * then a table for each series (compare_html_rows.c). Where the base is the younger commit all
 * words turn, so that nobody takes yesterday's slowness for today's regression.
 */
#include "server/pages/compare.h"

#include <inttypes.h>

#include "server/base/arena.h"
#include "server/pages/parts.h"
#include "server/pages/req.h"
#include "server/view/html.h"
#include "server/view/layout.h"
#include "server/view/url.h"

#define MEASURED_SHOWN 1000

struct totals {
	size_t all[VERDICT_FAILED + 1], primary[VERDICT_FAILED + 1];
	size_t nprimary, hidden;
};

static void add_up(struct totals *sum, const struct compare_table *t)
{
	for (int v = 0; v <= VERDICT_FAILED; v++) {
		sum->all[v] += t->counts[v];
		sum->primary[v] += t->primary[v];
		if (v != VERDICT_NO_DATA)
			sum->nprimary += t->primary[v];
	}
	sum->hidden += t->hidden;
}

/* "2 regressions, 1 improvement", or what that means when the words turn. */
static const char *changes_in_words(struct arena *a, const size_t *counts, bool turned)
{
	static const struct {
		enum verdict verdict;
		const char *one, *many, *turned;
	} words[] = {
		{VERDICT_REGRESSION, "regression", "regressions", "worse than in the base"},
		{VERDICT_FAILED, "failed", "failed", "failed"},
		{VERDICT_IMPROVEMENT, "improvement", "improvements", "better than in the base"},
		{VERDICT_CHANGED, "change without a known good direction",
		 "changes without a known good direction", "changed without a known direction"},
		{VERDICT_SUSPECT, "suspect", "suspects", "suspect"},
	};
	char *text = arena_str(a, "");

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = counts[words[i].verdict];

		if (n)
			text = arena_fmt(a, "%s%s%zu %s", text, *text ? ", " : "", n,
					 turned   ? words[i].turned
					 : n == 1 ? words[i].one
						  : words[i].many);
	}
	return *text ? text : NULL;
}

static void write_sentence(struct req *r, const struct compare *cmp, const struct totals *t)
{
	struct arena *a = r->ctx.arena;
	bool turned = cmp->base_is_younger || cmp->across; /* neither is about a newer commit */
	const char *primary = changes_in_words(a, t->primary, turned);
	size_t others[VERDICT_FAILED + 1];
	const char *rest;

	for (int v = 0; v <= VERDICT_FAILED; v++)
		others[v] = t->all[v] - t->primary[v];
	rest = changes_in_words(a, others, turned);
	html(r->out, "<p class=\"lead\">");
	if (t->nprimary)
		html(r->out, "%s among %s.", primary ? primary : "No change",
		     part_count(a, (int64_t)t->nprimary, "primary metric"));
	if (rest)
		html(r->out, " Among the monitors and functional checks: %s.", rest);
	if (t->all[VERDICT_SAME])
		html(r->out, " %s did not change.",
		     part_count(a, (int64_t)t->all[VERDICT_SAME], "row"));
	if (t->all[VERDICT_NO_DATA])
		html(r->out, " %s could not be compared.",
		     part_count(a, (int64_t)t->all[VERDICT_NO_DATA], "row"));
	if (cmp->next >= 0)
		html(r->out, " This counts the %zu tables on this page; there are more.",
		     cmp->ntables);
	html(r->out, "</p>\n");
}

static void write_turned(struct req *r, const struct compare *cmp)
{
	struct arena *a = r->ctx.arena;

	if (!cmp->base_is_younger)
		return;
	html(r->out,
	     "<p class=\"note\"><strong>This table reads from new to old:</strong> the base %s is "
	     "the younger commit. “Older is better” is a regression of the newer code, “older is "
	     "worse” an improvement. ",
	     cmp->commits[0].name);
	html_link(r->out, req_url_with(r, "commits", compare_names(a, cmp, 1)),
		  "Turn it round: old to new");
	html(r->out, "</p>\n");
}

/* What lies between a commit and its base, the older one first. */
static struct url *url_between(struct arena *a, const struct compare *cmp, size_t i)
{
	const struct compare_commit *k = &cmp->commits[i];
	const struct compare_commit *base = &cmp->commits[cmp->columns[i].base];
	const struct compare_commit *from = k->older ? k : base, *to = k->older ? base : k;

	return url_range(a,
			 arena_fmt(a, "%s..%s", commit_address(a, &from->commit),
				   commit_address(a, &to->commit)),
			 NULL, NULL);
}

static void write_commits(struct req *r, const struct compare *cmp)
{
	struct arena *a = r->ctx.arena;

	html(r->out, "<ol class=\"commits\">\n");
	for (size_t i = 0; i < cmp->ncommits; i++) {
		const struct compare_commit *k = &cmp->commits[i];

		html(r->out, "<li>");
		html_link_class(r->out, "commit", url_commit(a, commit_address(a, &k->commit)),
				k->name);
		if (k->commit.subject)
			html(r->out, " <span class=\"subject\">%s</span>", k->commit.subject);
		if (k->commit.label)
			html(r->out, " <span class=\"label\">(%s)</span>", k->commit.label);
		if (k->nnames > 1)
			html(r->out, " <small>with what came as ");
		for (size_t n = 1; n < k->nnames; n++)
			html(r->out, "%s<b>%s</b>", n == 1 ? "" : ", ",
			     compare_name(a, k->names[n].name));
		if (k->nnames > 1)
			html(r->out, "</small>");
		if (cmp->columns[i].base == i && cmp->ncommits > 1)
			html(r->out, " <span class=\"base\">base</span>");
		else if (k->older)
			html(r->out, " <em>older than %s base</em>", cmp->pairs ? "its" : "the");
		if (i > 0 && !cmp->pairs) {
			html(r->out, " · ");
			html_link(r->out, req_url_with(r, "commits", compare_names(a, cmp, i)),
				  "make it the base");
		}
		if (cmp->columns[i].base != i) {
			html(r->out, " · ");
			html_link(r->out, url_between(a, cmp, i), "commits between");
		}
		html(r->out, "\n");
	}
	html(r->out, "</ol>\n");
}

static void write_option(struct out *o, const char *value, const char *text, bool chosen)
{
	html(o, "<option value=\"%s\"%s>%s</option>", value, chosen ? " selected" : "", text);
}

static void write_hidden(struct out *o, const char *name, const char *value)
{
	if (value && *value)
		html(o, "<input type=\"hidden\" name=\"%s\" value=\"%s\">", name, value);
}

/* What the form does not ask for itself stays as it is in the address. */
static void write_kept_params(struct req *r)
{
	static const char *const kept[] = {"commits", "commit", "pairs", "across",
					   "base",    "series", "since", "until"};

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		write_hidden(r->out, kept[i], req_param(r, kept[i]));
	for (size_t i = 0; i < r->nparams; i++)
		if (strncmp(r->params[i].name, "axis.", 5) == 0 ||
		    strncmp(r->params[i].name, "info.", 5) == 0)
			write_hidden(r->out, r->params[i].name, r->params[i].value);
}

static void write_form(struct req *r, const struct compare_query *q)
{
	static const char *const orders[] = {"robot", "change", "name", "confidence"};
	static const char *const order_words[] = {"as the test robot", "worst first", "by name",
						  "surest first"};
	struct out *o = r->out;

	html(o, "<form class=\"filter\" action=\"");
	html_url(o, url_path(r->ctx.arena, "/compare"));
	html(o, "\">");
	write_kept_params(r);
	html(o,
	     "\n<label>Metric <input name=\"metric\" value=\"%s\" placeholder=\"fio.*clat*\">"
	     "</label>\n<label>Role <select name=\"role\">",
	     q->metric_glob ? q->metric_glob : "");
	write_option(o, "", "any", q->role < 0);
	for (int i = ROLE_PRIMARY; i <= ROLE_FUNCTIONAL; i++)
		write_option(o, role_name((enum metric_role)i), role_name((enum metric_role)i),
			     q->role == i);
	html(o, "</select></label>\n<label>Rows <select name=\"changed\">");
	write_option(o, "1", "that changed", q->changed_only);
	write_option(o, "0", "all", !q->changed_only);
	html(o, "</select></label>\n<label>Order <select name=\"sort\">");
	for (int i = ORDER_ROBOT; i <= ORDER_CONFIDENCE; i++)
		write_option(o, orders[i], order_words[i], (int)q->order == i);
	html(o, "</select></label>\n<button>Show</button>\n</form>\n");
}

/* No series has the base and another one: then what has each of them? */
static int explain_nothing(struct req *r, const struct compare_query *q, const struct compare *cmp)
{
	struct arena *a = r->ctx.arena;

	html(r->out, "<p class=\"empty\">%s%s</p>\n<ul>\n",
	     cmp->across         ? "No two series of this commit differ in that axis alone."
	     : cmp->pairs        ? "No series was measured on both commits of a pair."
	     : cmp->ncommits > 1 ? "No series was measured on the base and on another of these "
				   "commits, so there is nothing to compare."
				 : "Nothing was measured on this commit.",
	     q->series || q->naxes || q->ninfos || q->since || q->until
		     ? " Only the series and runs that were asked for were looked at."
		     : "");
	for (size_t i = 0; i < cmp->ncommits; i++) {
		const struct compare_commit *k = &cmp->commits[i];
		int64_t runs;
		size_t n;
		int rc = compare_measured(&r->ctx, k, MEASURED_SHOWN, &n, &runs);

		if (rc < 0)
			return rc;
		html(r->out, "<li>");
		html_link_class(r->out, "commit", url_commit(a, k->commit.name), k->name);
		html(r->out, " has results in %s%s, %s\n", n == MEASURED_SHOWN ? "at least " : "",
		     part_count(a, (int64_t)n, "series"), part_count(a, runs, "run"));
	}
	html(r->out, "</ul>\n");
	return E_OK;
}

/* A table of some runs must not pass for one of all. */
static void write_chosen_runs(struct req *r, const struct compare_query *q)
{
	const char *since = req_param(r, "since"), *until = req_param(r, "until");

	if (!q->ninfos && !q->since && !q->until)
		return;
	html(r->out, "<p class=\"note\">Only some runs are counted and judged here: those");
	for (size_t i = 0; i < q->ninfos; i++)
		html(r->out, "%s told %s <code>%s</code>", i ? " and" : "", q->infos[i].name,
		     q->infos[i].value);
	if (q->since)
		html(r->out, " since %s", since);
	if (q->until)
		html(r->out, " before %s", until);
	html(r->out, ". What reports printed is left out.</p>\n");
}

static void write_hidden_note(struct req *r, const struct totals *t)
{
	if (t->hidden == 0)
		return;
	html(r->out, "<p class=\"hidden-rows\">%s hidden because %s did not change%s. ",
	     part_count(r->ctx.arena, (int64_t)t->hidden, "row"), t->hidden == 1 ? "it" : "they",
	     t->all[VERDICT_NO_DATA] ? " or could not be compared" : "");
	html_link(r->out, req_url_with(r, "changed", "0"), "Show all rows");
	html(r->out, "</p>\n");
}

void compare_html_head(struct req *r, const struct compare_query *q, const struct compare *cmp)
{
	write_turned(r, cmp);
	write_chosen_runs(r, q);
	write_commits(r, cmp);
}

static void write_matrix_link(struct req *r, const struct compare_query *q,
			      const struct compare *cmp)
{
	if (q->series || cmp->across || cmp->ncommits < 2 || (cmp->ntables < 2 && cmp->next < 0))
		return;
	html(r->out, "<p>");
	html_link(r->out, req_url_with(r, "view", "matrix"), "All series as a matrix of machines");
	html(r->out, "</p>\n");
}

/* What later versions of a patch keep of a change, or a third commit takes back of it. */
static void write_kept(struct req *r, const struct compare *cmp)
{
	struct arena *a = r->ctx.arena;

	if (cmp->nkept == 0)
		return;
	html(r->out, "<ul class=\"kept\">\n");
	for (size_t i = 0; i < cmp->nkept; i++)
		html(r->out, "<li>%s: <strong>%s</strong>%s%s\n",
		     compare_kept_place(a, &cmp->kept[i]), compare_kept_words(a, &cmp->kept[i]),
		     compare_kept_interval(a, &cmp->kept[i]), compare_kept_fix(a, &cmp->kept[i]));
	html(r->out, "</ul>\n");
}

/* The tables into an answer of their own: what stands above them is known when they are written. */
static int write_tables(struct req *r, struct compare_answer *x, struct totals *sum)
{
	struct compare_table t;
	int rc;

	while ((rc = compare_answer_next(x, &t)) == COMPARE_TABLE) {
		struct req of_table = *r;

		add_up(sum, &t);
		of_table.out = x->o;
		of_table.ctx.arena = x->scratch;
		compare_html_rows(&of_table, x->cmp, &t);
	}
	return rc;
}

int compare_html(struct req *r, struct compare_answer *x)
{
	const struct compare_query *q = x->q;
	const struct compare *cmp = x->cmp;
	struct totals sum = {0};
	auto_out struct out tables;
	int rc;

	out_init(&tables, r->out->max);
	x->o = &tables;
	rc = write_tables(r, x, &sum);
	if (rc < 0)
		return rc;
	if (cmp->ntables && (cmp->ncommits > 1 || cmp->across))
		write_sentence(r, cmp, &sum);
	compare_html_head(r, q, cmp);
	if (cmp->ntables == 0)
		return explain_nothing(r, q, cmp);
	write_matrix_link(r, q, cmp);
	write_form(r, q);
	write_hidden_note(r, &sum);
	out_bytes(r->out, tables.p, tables.len);
	r->out->failed |= tables.failed;
	part_pager(r, cmp->next);
	html(r->out, "<p class=\"legend\">▼ regression, ▲ improvement, ◆ changed without a known "
		     "good direction, ? suspect, = same, ≈ computed from rounded means, – not "
		     "measured: ");
	html_link(r->out, url_path(r->ctx.arena, "/help/reading"), "how to read this table");
	html(r->out, ".</p>\n");
	write_kept(r, cmp);
	return E_OK;
}
