/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A comparison in Markdown, in the tables that issue trackers know (GFM) and that can be read in a
 * mail as they are. Whatever came from outside is escaped: no pipe ends a cell, no line begins in
 * the middle of one, no markup or HTML comes alive. A verdict is a word.
 */
#include "server/report/markdown_table.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>

#include "server/base/arena.h"
#include "server/base/utf8.h"
#include "server/view/url.h"

/* An underscore inside a word is no markup, and names are full of them. */
static bool is_inside_word(const char *text, const char *s)
{
	return s > text && isalnum((unsigned char)s[-1]) && isalnum((unsigned char)s[1]);
}

void markdown_text(struct out *o, const char *s)
{
	for (const char *text = s; *s; s++) {
		unsigned char c = (unsigned char)*s;
		size_t more = utf8_is_c1(s) && s[1] ? 1 : utf8_turns_text(s) ? 2 : 0;

		if (c < 0x20 || c == 0x7f || more) {
			out_char(o, '?');
			s += more;
			continue;
		}
		if (strchr("\\`*[]<>|~&#@", c) || (c == '_' && !is_inside_word(text, s)))
			out_char(o, '\\');
		out_char(o, (char)c);
	}
}

/* The text, as a link where addresses are known. */
static void put_link(struct out *o, struct arena *a, const char *public_url, const struct url *u,
		     const char *text)
{
	if (!*public_url) {
		markdown_text(o, text);
		return;
	}
	out_char(o, '[');
	markdown_text(o, text);
	out_fmt(o, "](<%s>)", url_absolute(a, public_url, u));
}

static void put_axes(struct out *o, const struct compare *cmp, const struct series *s)
{
	bool first = true;

	for (size_t i = 0; i < s->naxes; i++) {
		const char *name = s->axes[i].name;

		if (!strcmp(name, "testcase") || !strcmp(name, "tbox_group") ||
		    (cmp->across && !strcmp(name, cmp->across)))
			continue;
		out_str(o, first ? "" : ", ");
		markdown_text(o, name);
		out_char(o, '=');
		markdown_text(o, s->axes[i].value);
		first = false;
	}
	out_str(o, first ? "" : "\n\n");
}

static void put_heading(struct out *o, struct arena *a, const struct compare *cmp,
			const struct compare_table *t, const char *public_url)
{
	bool boxes = cmp->across && !strcmp(cmp->across, "tbox_group");
	const char *title =
		boxes ? t->series.testcase
		      : arena_fmt(a, "%s on %s", t->series.testcase, t->series.tbox_group);

	out_str(o, "### ");
	put_link(o, a, public_url, url_series(a, t->series.digest), title);
	out_str(o, "\n\n");
	put_axes(o, cmp, &t->series);
}

static void put_commits(struct out *o, struct arena *a, const struct compare *cmp,
			const char *public_url)
{
	for (size_t i = 0; i < cmp->ncommits; i++) {
		const struct compare_commit *k = &cmp->commits[i];

		out_str(o, "- ");
		put_link(o, a, public_url, url_commit(a, k->commit.name), k->name);
		if (k->commit.subject) {
			out_char(o, ' ');
			markdown_text(o, k->commit.subject);
		}
		if (k->commit.label) {
			out_str(o, " (");
			markdown_text(o, k->commit.label);
			out_char(o, ')');
		}
		if (cmp->ncommits > 1 && cmp->columns[i].base == i)
			out_str(o, " — base");
		else if (k->older)
			out_str(o, " — older than the base");
		out_char(o, '\n');
	}
	out_char(o, '\n');
}

static void put_infos(struct out *o, const struct compare_table *t)
{
	for (size_t i = 0; i < t->ninfos; i++) {
		out_str(o, "- differs: ");
		markdown_text(o, t->infos[i].key);
		for (size_t k = 0; k < t->ncols; k++) {
			const char *v = t->infos[i].values[k];

			out_str(o, k ? ", " : ": ");
			markdown_text(o, t->columns[k].name);
			out_str(o, " ");
			markdown_text(o, v ? v : "not told");
		}
		out_char(o, '\n');
	}
	out_str(o, t->ninfos ? "\n" : "");
}

static void put_head(struct out *o, const struct compare_table *t)
{
	out_str(o, "| metric |");
	for (size_t i = 0; i < t->ncols; i++) {
		bool base = t->columns[i].base == i;

		out_char(o, ' ');
		markdown_text(o, t->columns[i].name);
		if (t->runs[i])
			out_fmt(o, " (%" PRId64 " run%s)", t->runs[i], t->runs[i] == 1 ? "" : "s");
		if (t->failed[i])
			out_fmt(o, " (%" PRId64 " failed)", t->failed[i]);
		out_str(o, base ? " |" : " | change | verdict |");
	}
	out_str(o, "\n|:---|");
	for (size_t i = 0; i < t->ncols; i++)
		out_str(o, t->columns[i].base == i ? "---:|" : "---:|---:|:---|");
	out_char(o, '\n');
}

/* Six digits, a whole number whole: what people compare with a mail's table. */
static void put_number(struct out *o, double v)
{
	if (fabs(v) >= 1000 && fabs(v) < 1e15)
		out_fmt(o, "%.0f", v);
	else
		out_fmt(o, "%.4g", v);
}

static void put_value(struct out *o, const struct comparison_row *row, const struct cell *c)
{
	if (!c->present) {
		out_str(o, " – |");
		return;
	}
	if (row->metric->facts.kind == KIND_FUNCTIONAL) {
		if (c->fails < 0 || c->runs < 0)
			out_str(o, " unknown |");
		else
			out_fmt(o, " %" PRId64 " of %" PRId64 " |", c->fails, c->runs);
		return;
	}
	out_char(o, ' ');
	put_number(o, c->mean);
	if (!isnan(c->stddev_pct))
		out_fmt(o, " ± %.0f %%", c->stddev_pct);
	else if (!isnan(c->stddev) && c->mean != 0)
		out_fmt(o, " ± %.1f %%", 100 * c->stddev / fabs(c->mean));
	out_str(o, " |");
}

static void put_change(struct out *o, const struct comparison_row *row, const struct cell *c)
{
	bool points = row->metric->facts.kind == KIND_PERCENT;

	if (!c->present || !c->judged)
		out_str(o, " – |");
	else if (row->metric->facts.kind == KIND_FUNCTIONAL)
		out_fmt(o, " %+.0f %% of runs |", c->reproduction_pct);
	else if (c->show_printed)
		out_fmt(o, " %+.1f %s |", c->summary->printed_change,
			c->summary->printed == PRINTED_ABS ? "points" : "%");
	else if (points)
		out_fmt(o, " %+.2f points |", c->change_abs);
	else if (isnan(c->change_pct))
		out_str(o, " from 0 |");
	else
		out_fmt(o, " %+.1f %% |", c->change_pct);
}

static void put_verdict(struct out *o, const struct cell *c, bool older)
{
	bool bad = c->verdict == VERDICT_REGRESSION, good = c->verdict == VERDICT_IMPROVEMENT;
	const char *word = older && bad    ? "older is worse"
			   : older && good ? "older is better"
					   : verdict_name(c->verdict);

	out_fmt(o, bad && !older ? " **%s** |" : " %s |", word);
}

static void put_row(struct out *o, struct arena *a, const struct compare_table *t, size_t at,
		    const char *public_url)
{
	const struct comparison_row *row = &t->rows[at];

	out_str(o, "| ");
	put_link(o, a, public_url, url_history(a, t->series.digest, row->metric->name),
		 row->metric->name);
	if (t->units[at]) {
		out_str(o, " (");
		markdown_text(o, t->units[at]);
		out_char(o, ')');
	}
	out_str(o, " |");
	for (size_t i = 0; i < t->ncols; i++) {
		put_value(o, row, &row->cells[i]);
		if (t->columns[i].base == i)
			continue;
		put_change(o, row, &row->cells[i]);
		put_verdict(o, &row->cells[i], t->columns[i].commit->older);
	}
	out_char(o, '\n');
}

void markdown_table(struct out *o, struct arena *a, const struct compare *cmp,
		    const struct compare_table *t, const char *public_url)
{
	put_heading(o, a, cmp, t, public_url);
	put_commits(o, a, cmp, public_url);
	put_infos(o, t);
	if (t->error) {
		markdown_text(o, t->error);
		out_char(o, '\n');
		return;
	}
	if (t->nrows == 0) {
		out_str(o, t->hidden ? "No row that could be compared changed.\n"
				     : "No metric fits the filter.\n");
		return;
	}
	put_head(o, t);
	for (size_t i = 0; i < t->nrows; i++)
		put_row(o, a, t, i, public_url);
}
