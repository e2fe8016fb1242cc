/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is seen in pasted outputs, in one sentence: of a latency's percentiles first, since they
 * tell more than any mean; else of the figure that changed most among the test's own. It says what
 * the figures are, and speaks of regressions only where runs were judged.
 */
#include "server/model/paste.h"

#include <math.h>

#include "server/base/arena.h"
#include "server/base/out.h"
#include "server/view/unit.h"

#define MEDIAN 50.0

static const char *number(struct arena *a, double v, bool sign)
{
	auto_out struct out o;

	out_init(&o, 64);
	if (sign && v > 0)
		out_char(&o, '+');
	unit_put_printed(&o, v);
	return arena_strn(a, o.p, o.len);
}

/* " us", or "". */
static const char *with_unit(struct arena *a, const char *unit)
{
	return unit && *unit ? arena_fmt(a, " %s", unit) : "";
}

/* A difference has no more digits than make sense of it. */
static double shortened(double v)
{
	double step = v != 0 && isfinite(v) ? pow(10, floor(log10(fabs(v))) - 4) : 1;

	return step < 1 && step > 0 ? round(v / step) * step : v;
}

const char *paste_change_words(struct arena *a, double before, double now, const char *unit)
{
	const char *by = number(a, shortened(now - before), true), *u = with_unit(a, unit);

	if (before == 0)
		return arena_fmt(a, "%s%s", by, u);
	return arena_fmt(a, "%s%s, %+.1f %%", by, u, 100 * (now - before) / fabs(before));
}

const char *paste_cell_change(struct arena *a, const struct paste *p, size_t row, size_t col)
{
	const struct comparison_row *line = &p->all.rows[row];
	const struct cell *c = &line->cells[col], *base = &line->cells[p->columns[col].base];

	if (!c->judged || !c->present || !base->present)
		return "";
	if (line->metric->facts.kind == KIND_FUNCTIONAL)
		return arena_fmt(a, "%+.0f %% of runs", c->reproduction_pct);
	if (c->show_printed && c->summary)
		return arena_fmt(a, "%+.1f %s", c->summary->printed_change,
				 c->summary->printed == PRINTED_ABS ? "points" : "%");
	if (line->metric->facts.kind == KIND_PERCENT)
		return arena_fmt(a, "%+.2f points", c->change_abs);
	return paste_change_words(a, base->mean, c->mean, p->units[row]);
}

/* "fio.read_clat_us" in us -> "read_clat". */
static const char *short_name(struct arena *a, const char *metric, const char *unit)
{
	const char *dot = strchr(metric, '.');
	const char *name = dot && dot[1] ? dot + 1 : metric;
	size_t n = strlen(name), u = unit ? strlen(unit) : 0;

	if (u && n > u + 1 && name[n - u - 1] == '_' && !strcmp(name + n - u, unit))
		n -= u + 1;
	return arena_strn(a, name, n);
}

/* --- percentiles --- */

struct shift {
	size_t both, up, down; /* percentiles that both columns have */
	double least;          /* smallest difference by size, signed */
	const struct paste_percentile *median;
};

static struct shift shift_of(const struct paste_distribution *d, size_t base, size_t now)
{
	struct shift s = {.least = NAN};

	for (size_t i = 0; i < d->n; i++) {
		const struct paste_percentile *row = &d->percentiles[i];
		double by = row->values[now] - row->values[base];

		if (!isfinite(by))
			continue;
		s.both++;
		s.up += by > 0;
		s.down += by < 0;
		if (isnan(s.least) || fabs(by) < fabs(s.least))
			s.least = by;
		if (row->at == MEDIAN)
			s.median = row;
	}
	return s;
}

/* How much a distribution tells: completion latencies before all latencies before others. */
static int weight_of(const struct paste_distribution *d, size_t base, size_t now)
{
	if (!shift_of(d, base, now).both)
		return 0;
	return strstr(d->metric, "clat") ? 3 : strstr(d->metric, "slat") ? 1 : 2;
}

static const struct paste_distribution *choose(const struct paste *p, size_t base, size_t now)
{
	const struct paste_distribution *best = NULL;

	for (size_t i = 0; i < p->ndistributions; i++) {
		const struct paste_distribution *d = &p->distributions[i];
		int weight = weight_of(d, base, now);

		if (weight && (!best || weight > weight_of(best, base, now)))
			best = d;
	}
	return best;
}

static const char *where_words(struct arena *a, const struct shift *s)
{
	if (s->up == s->both)
		return "higher at every percentile";
	if (s->down == s->both)
		return "lower at every percentile";
	if (!s->up && !s->down)
		return "the same at every percentile";
	if (s->up >= s->down)
		return arena_fmt(a, "higher at %zu of %zu percentiles", s->up, s->both);
	return arena_fmt(a, "lower at %zu of %zu percentiles", s->down, s->both);
}

static const char *say_distribution(struct arena *a, const struct paste_distribution *d,
				    size_t base, size_t now)
{
	const struct shift s = shift_of(d, base, now);
	const char *text =
		arena_fmt(a, "%s is %s", short_name(a, d->metric, d->unit), where_words(a, &s));

	if (s.median) {
		double before = s.median->values[base], after = s.median->values[now];

		text = arena_fmt(a, "%s: median %s -> %s%s (%s)", text, number(a, before, false),
				 number(a, after, false), with_unit(a, d->unit),
				 paste_change_words(a, before, after, d->unit));
	}
	if (s.both > 1 && (s.up == s.both || s.down == s.both))
		text = arena_fmt(a, "%s, and %s%s or more at each of the %zu", text,
				 number(a, s.least, true), with_unit(a, d->unit), s.both);
	return text;
}

/* --- figures --- */

/* The test's own figure that changed most, of those where more or less is better, and judged ones
 * first; NULL: none is on both sides. */
static const struct comparison_row *choose_row(const struct paste *p, size_t now, size_t *unit)
{
	const struct comparison_row *best = NULL;
	double most = -1;

	for (size_t i = 0; i < p->nrows; i++) {
		const struct comparison_row *row = &p->all.rows[i];
		const struct cell *c = &row->cells[now];
		double size = isfinite(c->change_pct) ? fabs(c->change_pct) : 0;

		if (!c->present || !c->judged || row->metric->facts.kind != KIND_VALUE)
			continue;
		size += 1e6 * verdict_weight(c->verdict) * verdict_is_change(c->verdict);
		size += row->metric->facts.direction != DIRECTION_NONE ? 1e12 : 0;
		size += row->role == ROLE_PRIMARY ? 1e15 : 0;
		if (size > most) {
			best = row;
			most = size;
			*unit = i;
		}
	}
	return best;
}

static const char *say_row(struct arena *a, const struct paste *p, size_t base, size_t now)
{
	size_t at = 0;
	const struct comparison_row *row = choose_row(p, now, &at);
	const struct cell *before, *after;
	const char *unit;

	if (!row)
		return NULL;
	before = &row->cells[base];
	after = &row->cells[now];
	unit = p->units[at];
	return arena_fmt(a, "%s is %s: %s -> %s%s (%s)%s%s", row->metric->name,
			 after->mean > before->mean   ? "higher"
			 : after->mean < before->mean ? "lower"
						      : "the same",
			 number(a, before->mean, false), number(a, after->mean, false),
			 with_unit(a, unit), paste_cell_change(a, p, at, now),
			 verdict_is_change(after->verdict) ? ", " : "",
			 verdict_is_change(after->verdict) ? verdict_name(after->verdict) : "");
}

static const char *say_pair(struct arena *a, const struct paste *p, size_t base, size_t now)
{
	const struct paste_distribution *d = choose(p, base, now);

	return d ? say_distribution(a, d, base, now) : say_row(a, p, base, now);
}

/* Two columns without a common figure. */
static const char *say_nothing(struct arena *a, const struct paste *p)
{
	const char *one = p->columns[0].subs[0]->testcase, *other = p->columns[1].subs[0]->testcase;

	if (!one || !other || !strcmp(one, other))
		return "No figure is in both outputs";
	return arena_fmt(a, "One is of %.100s, the other of %.100s: no figure is in both", one,
			 other);
}

void paste_say(struct arena *a, struct paste *p)
{
	const char *text = NULL;
	size_t base = 0, now = 0;

	/* first what stands in two texts, then what one of them tells twice */
	for (size_t i = 1; i < 2 * p->ncolumns && !text; i++) {
		size_t k = i % p->ncolumns;
		bool apart = p->columns[k].text != p->columns[p->columns[k].base].text;

		if (p->columns[k].base == k || apart != (i < p->ncolumns))
			continue;
		now = k;
		base = p->columns[k].base;
		text = say_pair(a, p, base, now);
	}
	if (!now)
		p->sentence = "There is one output: paste another one to compare it with";
	else if (p->ncolumns == 2)
		p->sentence = text ? text : say_nothing(a, p);
	else
		p->sentence = text ? arena_fmt(a, "%s against %s: %s", p->columns[now].label,
					       p->columns[base].label, text)
				   : "No figure is in two of the outputs";
}
