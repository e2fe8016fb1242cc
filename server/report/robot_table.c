/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The robot's table. Scripts and people read it by its columns, so every width is fixed: a cell of
 * the first commit has 16 columns, each further one 28 (12 of change, 16 of value), and the
 * metric's name follows after two spaces. What came printed is printed again as it came; what is
 * absent is blank. Text from outside cannot start a line or send a terminal a command.
 */
#include "server/report/robot_table.h"

#include <math.h>

#include "server/base/utf8.h"

#define FIRST_HEAD 16
#define LATER_HEAD 27
#define SHORT_ID   10
#define CELL       "                " /* 16 blanks */
#define CHANGE     "            "     /* 12 blanks */
#define RULE       "---------------------------"
#define DOUBLE_RULE                                                                                \
	"==========================================================="                              \
	"=============================="

/* Text from outside on one line: what would control a terminal, or turn what follows round, becomes
 * '?'. */
void robot_text(struct out *o, const char *s)
{
	const char *from = s;

	while (*s) {
		unsigned char c = (unsigned char)*s;
		size_t len = utf8_is_c1(s) && s[1] ? 2 : utf8_turns_text(s) ? 3 : 1;

		if (c >= 0x20 && c != 0x7f && len == 1) {
			s++;
			continue;
		}
		out_bytes(o, from, (size_t)(s - from));
		out_char(o, '?');
		s += len;
		from = s;
	}
	out_bytes(o, from, (size_t)(s - from));
}

void robot_mean(struct out *o, double v)
{
	if (isnan(v))
		out_str(o, "          ");
	else if (fabs(v) < 1000)
		out_fmt(o, "%10.2f", v);
	else if (fabs(v) > 1e8)
		out_fmt(o, "%10.4g", v);
	else
		out_fmt(o, "%10d", (int)v);
}

/* Whole percents are exact in the table although dividing left a last bit: two 1 of ten runs have
 * 200 %, not 199.99999999999997. */
static double settle_percent(double pct)
{
	double whole = round(pct);

	return fabs(pct - whole) <= 1e-12 * whole ? whole : pct;
}

/* A stddev in percent of the mean, whatever its size. */
static void put_percent_of_mean(struct out *o, double pct)
{
	out_fmt(o, pct < 1e6 ? " ±%3.0f%%" : " ±%3.0e%%", trunc(pct));
}

void robot_stddev(struct out *o, double pct)
{
	if (pct > 2)
		put_percent_of_mean(o, pct);
	else
		out_str(o, "      ");
}

void robot_change(struct out *o, double change, bool percent)
{
	if (isnan(change))
		out_str(o, "          ");
	else if (isinf(change))
		out_str(o, change > 0 ? "      +Inf" : "      -Inf");
	else
		out_fmt(o, fabs(change) < 100000 ? "%+10.1f" : "%+10.2g", change);
	out_str(o, percent && !isnan(change) ? "% " : "  ");
}

/* The stddev of a cell as the robot shows it: of the population, in percent of the mean. */
static double stddev_percent(const struct cell *c)
{
	double stddev = isnan(c->stddev_pop) ? c->stddev : c->stddev_pop;

	if (!isnan(c->stddev_pct))
		return c->stddev_pct;
	return c->n == 1 || c->mean == 0 ? NAN : settle_percent(100 * stddev / fabs(c->mean));
}

static void put_value(struct out *o, const struct cell *c)
{
	if (!c->present) {
		out_str(o, CELL);
		return;
	}
	robot_mean(o, c->mean);
	if (c->summary && c->summary->printed != PRINTED_NO && !isnan(c->stddev_pct))
		put_percent_of_mean(o, c->stddev_pct);
	else
		robot_stddev(o, stddev_percent(c));
}

static void put_change(struct out *o, const struct comparison_row *r, const struct cell *c)
{
	bool percent = r->metric->facts.kind != KIND_PERCENT;
	double change = percent ? c->change_pct : c->change_abs;

	if (!c->judged) {
		out_str(o, CHANGE);
		return;
	}
	if (percent && isnan(change) && !isnan(c->change_abs))
		change = c->change_abs > 0 ? INFINITY : -INFINITY;
	if (c->show_printed) {
		percent = c->summary->printed != PRINTED_ABS;
		change = c->summary->printed_change;
	}
	robot_change(o, change, percent);
}

static void put_fails(struct out *o, const struct cell *c)
{
	if (!c->present || c->fails < 0) {
		out_str(o, CELL);
		return;
	}
	if (c->fails)
		out_fmt(o, "%11lld", (long long)c->fails);
	else
		out_str(o, "           ");
	if (c->runs >= 0)
		out_fmt(o, ":%-4lld", (long long)c->runs);
	else
		out_str(o, ":    ");
}

static void put_reproduction(struct out *o, const struct cell *c)
{
	double change = c->show_printed ? c->summary->printed_change : c->reproduction_pct;

	if (!c->judged || isnan(change))
		out_str(o, CHANGE);
	else
		out_fmt(o, "%10.0f%% ", change);
}

static void put_row(struct out *o, const struct comparison_row *r, size_t ncols, bool fails)
{
	for (size_t c = 0; c < ncols; c++) {
		const struct cell *cell = &r->cells[c];

		if (fails) {
			if (c)
				put_reproduction(o, cell);
			put_fails(o, cell);
		} else {
			if (c)
				put_change(o, r, cell);
			put_value(o, cell);
		}
	}
	out_str(o, "  ");
	robot_text(o, r->metric->name);
	out_char(o, '\n');
}

static void put_fail_heads(struct out *o, size_t ncols)
{
	out_str(o, "       fail:runs");
	for (size_t c = 1; c < ncols; c++)
		out_str(o, "  %reproduction    fail:runs");
	out_str(o, "\n           |    ");
	for (size_t c = 1; c < ncols; c++)
		out_str(o, "         |             |    ");
	out_char(o, '\n');
}

static void put_value_heads(struct out *o, size_t ncols)
{
	out_str(o, "         %stddev");
	for (size_t c = 1; c < ncols; c++)
		out_str(o, "     %change         %stddev");
	out_str(o, "\n             \\  ");
	for (size_t c = 1; c < ncols; c++)
		out_str(o, "        |                \\  ");
	out_char(o, '\n');
}

/* The rows of one part with its heads; nothing when the part has no rows. */
static void put_part(struct out *o, const struct compare_table *t, size_t ncols, bool fails)
{
	bool begun = false;

	for (size_t i = 0; i < t->nrows; i++) {
		if (row_counts_fails(&t->rows[i], ncols) != fails)
			continue;
		if (!begun && fails)
			put_fail_heads(o, ncols);
		else if (!begun)
			put_value_heads(o, ncols);
		begun = true;
		put_row(o, &t->rows[i], ncols, fails);
	}
}

/* True when the reader named the commit by a ref, which is then shown as he wrote it. */
static bool asked_by_ref(const struct compare_commit *k)
{
	const char *s = k->asked;

	if (k->commit.kind == COMMIT_REF)
		return true;
	return s && s[strspn(s, "0123456789abcdefABCDEF")] != '\0' && !strpbrk(s, "^~");
}

static const char *commit_shown(const struct compare_commit *k)
{
	bool plain = k->asked && !strpbrk(k->asked, "^~");

	return asked_by_ref(k) && plain ? k->asked : k->commit.name;
}

/* "7bc162d5cc ("subject")", or the whole name where the subject is not known. */
static void put_commit(struct out *o, const struct compare_commit *k)
{
	out_str(o, "  ");
	if (k->commit.subject && !asked_by_ref(k))
		out_fmt(o, "%.*s", SHORT_ID, k->commit.name);
	else
		robot_text(o, commit_shown(k));
	if (k->commit.subject) {
		out_str(o, " (\"");
		robot_text(o, k->commit.subject);
		out_str(o, "\")");
	}
	if (k->commit.label) {
		out_str(o, "  (");
		robot_text(o, k->commit.label);
		out_char(o, ')');
	}
	out_char(o, '\n');
}

/* The first width characters of the text, to the right. An axis' value may hold anything: what is
 * not ASCII would take another width in each terminal. */
static void put_head(struct out *o, const char *s, size_t width)
{
	size_t n = strnlen(s, width);

	for (size_t i = n; i < width; i++)
		out_char(o, ' ');
	for (size_t i = 0; i < n; i++)
		out_char(o, s[i] < 0x20 || s[i] > 0x7e ? '?' : s[i]);
	out_char(o, ' ');
}

/* Ids cut to the column, shorter names to its right. */
static void put_column_heads(struct out *o, const struct compare *cmp,
			     const struct compare_table *t)
{
	for (size_t c = 0; c < t->ncols; c++) {
		const struct compare_column *col = &t->columns[c];

		put_head(o, cmp->across ? col->name : commit_shown(col->commit),
			 c ? LATER_HEAD : FIRST_HEAD);
	}
	out_char(o, '\n');
	for (size_t c = 0; c < t->ncols; c++)
		out_fmt(o, "%.*s ", c ? LATER_HEAD : FIRST_HEAD, RULE);
	out_char(o, '\n');
}

/* The axes of the series, names then values. Across an axis it and the commit change places: the
 * commit is what all columns have in common. */
static void put_axes(struct out *o, const struct compare *cmp, const struct series *s)
{
	for (int values = 0; values < 2; values++) {
		bool begun = false;

		out_str(o, values ? ":\n  " : "");
		for (size_t i = 0; i < s->naxes; i++) {
			if (cmp->across && !strcmp(s->axes[i].name, cmp->across))
				continue;
			out_str(o, begun ? "/" : "");
			robot_text(o, values ? s->axes[i].value : s->axes[i].name);
			begun = true;
		}
		if (cmp->across) {
			out_str(o, begun ? "/" : "");
			robot_text(o, values ? commit_shown(&cmp->commits[0]) : "commit");
		}
	}
	out_char(o, '\n');
}

static void put_columns(struct out *o, const struct compare *cmp, const struct compare_table *t)
{
	out_char(o, '\n');
	robot_text(o, cmp->across ? cmp->across : "commit");
	out_str(o, ": \n");
	for (size_t c = 0; c < t->ncols; c++) {
		if (!cmp->across) {
			put_commit(o, t->columns[c].commit);
			continue;
		}
		out_str(o, "  ");
		robot_text(o, t->columns[c].name);
		out_char(o, '\n');
	}
	if (t->left_out)
		out_fmt(o, "  (%zu more are not shown)\n", t->left_out);
	out_char(o, '\n');
}

void robot_table(struct out *o, const struct compare *cmp, const struct compare_table *t)
{
	out_str(o, DOUBLE_RULE "\n");
	put_axes(o, cmp, &t->series);
	put_columns(o, cmp, t);
	put_column_heads(o, cmp, t);
	if (t->error) {
		robot_text(o, t->error);
		out_char(o, '\n');
	}
	put_part(o, t, t->ncols, true);
	put_part(o, t, t->ncols, false);
}
