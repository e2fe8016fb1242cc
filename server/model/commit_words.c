/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words of the commit page: trailers read out of a message, a change in the words of its kind,
 * and all results in one sentence. Pure. A "worse" here is a regression of what the test itself
 * measures or of a failure count; monitors that moved along are only counted.
 */
#include "server/model/commit.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>

#include "server/base/arena.h"

#define TRAILERS_MAX 100

/* Trailers ----------------------------------------------------------------------------------------
 */

/* Length of "Name" in "Name: value", 0 when the line has no such form. */
static size_t trailer_name_len(const char *line, size_t n)
{
	size_t i = 0;

	while (i < n && (isalnum((unsigned char)line[i]) || line[i] == '-'))
		i++;
	return i > 0 && i + 2 < n && line[i] == ':' && line[i + 1] == ' ' ? i : 0;
}

static size_t line_len(const char *s)
{
	return strcspn(s, "\n");
}

static bool line_blank(const char *s)
{
	return strspn(s, " \t\r") == line_len(s);
}

/* Where the last paragraph of the message begins; the first paragraph is the subject and never
 * counts. */
static const char *last_paragraph(const char *message)
{
	const char *start = NULL;
	bool after_blank = false;

	for (const char *s = message; *s; s += line_len(s), s += *s == '\n') {
		if (line_blank(s)) {
			after_blank = true;
		} else if (after_blank) {
			start = s;
			after_blank = false;
		}
	}
	return start;
}

struct pair *commit_trailers(struct arena *a, const char *message, size_t *n)
{
	const char *s = message ? last_paragraph(message) : NULL;
	struct pair *list = arena_array(a, struct pair, TRAILERS_MAX);

	*n = 0;
	for (; s && *s && *n < TRAILERS_MAX; s += line_len(s), s += *s == '\n') {
		size_t len = line_len(s), name;

		while (len && isspace((unsigned char)s[len - 1]))
			len--;
		if (len == 0)
			continue;
		name = trailer_name_len(s, len);
		if (name) {
			list[*n].name = arena_strn(a, s, name);
			list[*n].value = arena_strn(a, s + name + 2, len - name - 2);
			++*n;
		} else if (s[0] != '[' && s[0] != ' ' && s[0] != '\t') {
			*n = 0; /* a sentence: this paragraph is none of trailers */
			return list;
		}
	}
	return list;
}

/* Changes -----------------------------------------------------------------------------------------
 */

static const char *fails_text(struct arena *a, const struct cell *c)
{
	if (!c->present || c->runs < 0)
		return "unknown";
	return arena_fmt(a, "%" PRId64 " of %" PRId64, c->fails < 0 ? 0 : c->fails, c->runs);
}

const char *commit_change_text(struct arena *a, const struct commit_row *row)
{
	const struct cell *base = &row->base, *k = &row->now;
	bool printed = k->show_printed && k->summary;
	const char *about = !printed && k->from_rounded ? "≈ " : "";
	double v = printed ? k->summary->printed_change : k->change_pct;

	if (!k->judged)
		return "–";
	if (row->metric->facts.kind == KIND_FUNCTIONAL)
		return arena_fmt(a, "%s in %s runs, before in %s",
				 functional_word(&row->metric->facts), fails_text(a, k),
				 fails_text(a, base));
	if (printed ? k->summary->printed == PRINTED_ABS : row->metric->facts.kind == KIND_PERCENT)
		return arena_fmt(a, "%s%+.2f points", about, printed ? v : k->change_abs);
	if (isnan(v))
		return k->change_abs != 0 ? "from 0" : "–";
	if (fabs(v) >= 100000)
		return arena_fmt(a, "%s%+.2g %%", about, v);
	return arena_fmt(a, "%s%+.1f %%", about, v);
}

/* The sentence ------------------------------------------------------------------------------------
 */

static size_t own_count(const size_t by_role[ROLE_FUNCTIONAL + 1])
{
	return by_role[ROLE_PRIMARY] + by_role[ROLE_FUNCTIONAL];
}

static bool all_failed(const struct commit_result *x)
{
	return x->failed > 0 && x->n == 0 && !x->printed;
}

/* All of its runs and figures are marked invalid. */
static bool all_invalid(const struct commit_result *x)
{
	return x->failed == 0 && x->n == 0 && !x->printed;
}

static bool compared(const struct commit_result *x)
{
	return x->has_base && !x->quarantined && !all_failed(x) && !all_invalid(x);
}

static bool quarantined(const struct commit_result *x)
{
	return x->quarantined != NULL;
}

static bool alone(const struct commit_result *x)
{
	return !x->has_base && !x->quarantined && !all_failed(x) && !all_invalid(x);
}

static bool got_worse(const struct commit_result *x)
{
	return own_count(x->regressions) > 0;
}

static bool got_better(const struct commit_result *x)
{
	return own_count(x->improvements) > 0;
}

static const char *test_of(const struct commit_result *x)
{
	return x->series.testcase;
}

static const char *machine_of(const struct commit_result *x)
{
	return x->series.tbox_group;
}

/* How many different names the results that take part have. At most COMMIT_RESULTS_MAX squared. */
static int64_t distinct(const struct commit_result *results, size_t n,
			bool (*takes_part)(const struct commit_result *),
			const char *(*name)(const struct commit_result *))
{
	int64_t seen = 0;

	for (size_t i = 0; i < n; i++) {
		bool is_new = takes_part(&results[i]);

		for (size_t k = 0; k < i && is_new; k++)
			is_new = !takes_part(&results[k]) ||
				 strcmp(name(&results[k]), name(&results[i])) != 0;
		seen += is_new;
	}
	return seen;
}

static const char *counted(struct arena *a, int64_t n, const char *noun)
{
	return arena_fmt(a, "%" PRId64 " %s%s", n, noun, n == 1 ? "" : "s");
}

/* The first row of all lists that is a regression (or an improvement) of what a test itself
 * measures. */
static const struct commit_row *first_row(const struct commit_result *results, size_t n,
					  enum verdict v)
{
	const struct commit_row *first = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct row_list *l =
			v == VERDICT_REGRESSION ? &results[i].worst : &results[i].best;

		for (size_t k = 0; k < l->n; k++) {
			const struct commit_row *row = &l->rows[k];

			if (row->now.verdict != v || row->role == ROLE_MONITOR)
				continue;
			if (!first || commit_row_compare(row, first) < 0)
				first = row;
		}
	}
	return first;
}

static const char *moved_text(struct arena *a, const struct commit_result *results, size_t n,
			      enum verdict v)
{
	bool bad = v == VERDICT_REGRESSION;
	bool (*moved)(const struct commit_result *) = bad ? got_worse : got_better;
	const struct commit_row *row = first_row(results, n, v);
	const char *joint,
		*text = arena_fmt(
			a, "%s in %" PRId64 " of %s on %" PRId64 " of %s", bad ? "worse" : "better",
			distinct(results, n, moved, test_of),
			counted(a, distinct(results, n, compared, test_of), "test"),
			distinct(results, n, moved, machine_of),
			counted(a, distinct(results, n, compared, machine_of), "machine"));

	if (!row)
		return text;
	text = arena_fmt(a, "%s, %s %s %s%s", text, bad ? "worst" : "best",
			 commit_change_text(a, row), row->metric->name,
			 row->now.reported ? " (as reported)" : "");
	joint = row->others && row->others->measured ? others_words(a, row->others) : NULL;
	return joint ? arena_fmt(a, "%s, %s", text, joint) : text;
}

/* "1 test on 2 machines", of the results that take part. */
static const char *where_text(struct arena *a, const struct commit_result *results, size_t n,
			      bool (*takes_part)(const struct commit_result *))
{
	return arena_fmt(a, "%s on %s",
			 counted(a, distinct(results, n, takes_part, test_of), "test"),
			 counted(a, distinct(results, n, takes_part, machine_of), "machine"));
}

static const char *compared_text(struct arena *a, const struct commit_result *results, size_t n)
{
	bool worse = distinct(results, n, got_worse, test_of) > 0;
	bool better = distinct(results, n, got_better, test_of) > 0;
	size_t same = 0, monitors = 0, suspects = 0;
	const char *text;

	for (size_t i = 0; i < n; i++) {
		same += results[i].counts[VERDICT_SAME];
		suspects += results[i].counts[VERDICT_SUSPECT];
		monitors += results[i].regressions[ROLE_MONITOR] +
			    results[i].improvements[ROLE_MONITOR] +
			    results[i].counts[VERDICT_CHANGED];
	}
	if (worse)
		text = moved_text(a, results, n, VERDICT_REGRESSION);
	else /* what is suspect may be worse: more runs would tell */
		text = arena_fmt(a, "%s in %s",
				 suspects ? "nothing proven to be worse" : "not worse",
				 where_text(a, results, n, compared));
	if (better)
		text = arena_fmt(a, "%s; %s", text, moved_text(a, results, n, VERDICT_IMPROVEMENT));
	if (suspects)
		text = arena_fmt(a, "%s; %s suspect", text,
				 counted(a, (int64_t)suspects, "metric"));
	if (monitors)
		text = arena_fmt(a, "%s; %s moved along", text,
				 counted(a, (int64_t)monitors, "other metric"));
	if (same)
		text = arena_fmt(a, "%s; no change in %s", text,
				 counted(a, (int64_t)same, "metric"));
	return text;
}

const char *commit_sentence(struct arena *a, const struct commit_result *results, size_t n)
{
	const char *failed = "", *text = "";

	if (n == 0)
		return "nothing was measured on this commit";
	if (distinct(results, n, all_failed, test_of) > 0)
		failed = arena_fmt(a, "no run ended well in %s",
				   where_text(a, results, n, all_failed));
	if (distinct(results, n, compared, test_of) > 0)
		text = compared_text(a, results, n);
	else if (distinct(results, n, alone, test_of) > 0)
		text = arena_fmt(a, "measured in %s, with no measured ancestor to compare with",
				 where_text(a, results, n, alone));
	if (distinct(results, n, all_invalid, test_of) > 0)
		text = arena_fmt(a, "%s%sall results are marked invalid in %s", text,
				 *text ? "; " : "", where_text(a, results, n, all_invalid));
	if (distinct(results, n, quarantined, test_of) > 0)
		text = arena_fmt(a, "%s%snot judged, for quarantine, in %s", text,
				 *text ? "; " : "", where_text(a, results, n, quarantined));
	return arena_fmt(a, "%s%s%s", failed, *failed && *text ? "; " : "", text);
}
