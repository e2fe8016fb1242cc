/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pasted outputs side by side as plain text, for a mail or a terminal: a grid whose columns are as
 * wide as what stands in them. Names from outside are put on one line and cut.
 */
#include "server/pages/paste_page.h"

#include <math.h>

#include "server/report/robot_table.h"
#include "server/view/unit.h"

#define NAME_MAX_BYTES 48
#define GRID_COLUMNS   (3 * PASTE_COLUMNS_MAX + 1)

/* Cells row by row; the first column stands left, the others right. */
struct grid {
	struct arena *a;
	const char **cells;
	size_t ncols, n, cap;
};

static void put(struct grid *g, const char *text)
{
	g->cells = arena_grow(g->a, g->cells, &g->cap, g->n + 1, sizeof(*g->cells));
	g->cells[g->n++] = text;
}

/* Characters, as far as they are one place wide. */
static size_t width(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

static void pad(struct out *o, size_t n)
{
	while (n--)
		out_char(o, ' ');
}

static void write_grid(struct out *o, const struct grid *g)
{
	size_t widths[GRID_COLUMNS] = {0}, owed = 0;

	for (size_t i = 0; i < g->n; i++) {
		size_t w = width(g->cells[i]);

		widths[i % g->ncols] = w > widths[i % g->ncols] ? w : widths[i % g->ncols];
	}
	for (size_t i = 0; i < g->n; i++) {
		size_t at = i % g->ncols, space = widths[at] - width(g->cells[i]);

		if (*g->cells[i]) {
			pad(o, owed + (at ? space : 0));
			out_str(o, g->cells[i]);
			owed = (at ? 0 : space) + 2;
		} else {
			owed += widths[at] + 2; /* no spaces at the end of a line */
		}
		if (at == g->ncols - 1) {
			out_char(o, '\n');
			owed = 0;
		}
	}
}

/* On one line, without control characters, not too long. */
static const char *plain(struct arena *a, const char *s)
{
	auto_out struct out o;
	size_t n;

	out_init(&o, OUT_MAX_DEFAULT);
	robot_text(&o, s);
	n = o.len;
	if (n > NAME_MAX_BYTES)
		for (n = NAME_MAX_BYTES; n && ((unsigned char)o.p[n] & 0xc0) == 0x80; n--)
			;
	return arena_strn(a, o.p ? o.p : "", n);
}

static const char *number(struct arena *a, double v)
{
	auto_out struct out o;

	out_init(&o, 64);
	if (isnan(v))
		out_char(&o, '-');
	else
		unit_put_printed(&o, v);
	return arena_strn(a, o.p, o.len);
}

static size_t count_columns(const struct paste *p, bool verdicts)
{
	size_t n = 1;

	for (size_t i = 0; i < p->ncolumns; i++)
		n += p->columns[i].base == i ? 1 : verdicts ? 3 : 2;
	return n;
}

static void put_head(struct grid *g, const struct paste *p, const char *first, bool verdicts)
{
	g->ncols = count_columns(p, verdicts);
	put(g, first);
	for (size_t i = 0; i < p->ncolumns; i++) {
		put(g, plain(g->a, p->columns[i].label));
		if (p->columns[i].base == i)
			continue;
		put(g, "change");
		if (verdicts)
			put(g, "");
	}
}

static void put_figures(struct grid *g, const struct paste *p, const char *name,
			const double *values, const char *unit)
{
	put(g, name);
	for (size_t i = 0; i < p->ncolumns; i++) {
		double base = values[p->columns[i].base];

		put(g, number(g->a, values[i]));
		if (p->columns[i].base == i)
			continue;
		put(g, isnan(values[i]) || isnan(base)
			       ? "-"
			       : paste_change_words(g->a, base, values[i], unit));
	}
}

static void write_distribution(struct out *o, struct arena *a, const struct paste *p,
			       const struct paste_distribution *d)
{
	struct grid g = {.a = a};

	put_head(&g, p, plain(a, d->unit ? arena_fmt(a, "%s (%s)", d->metric, d->unit) : d->metric),
		 false);
	for (size_t i = 0; i < d->n; i++)
		put_figures(&g, p, arena_fmt(a, "  %sth", d->percentiles[i].name),
			    d->percentiles[i].values, d->unit);
	write_grid(o, &g);
	out_char(o, '\n');
}

static const char *cell_text(struct arena *a, const struct comparison_row *row,
			     const struct cell *c)
{
	const char *v;

	if (!c->present)
		return "-";
	if (row->metric->facts.kind == KIND_FUNCTIONAL && c->fails >= 0 && c->runs >= 0)
		return arena_fmt(a, "%lld:%lld", (long long)c->fails, (long long)c->runs);
	v = number(a, c->mean);
	if (isfinite(c->stddev_pct))
		return arena_fmt(a, "%s ±%.0f%%", v, c->stddev_pct);
	if (isfinite(c->stddev) && c->mean != 0)
		return arena_fmt(a, "%s ±%.1f%%", v, 100 * c->stddev / fabs(c->mean));
	return v;
}

static void put_row(struct grid *g, const struct paste *p, size_t at)
{
	const struct comparison_row *row = &p->all.rows[at];
	const char *unit = p->units[at];

	put(g, plain(g->a, unit ? arena_fmt(g->a, "%s (%s)", row->metric->name, unit)
				: row->metric->name));
	for (size_t i = 0; i < p->ncolumns; i++) {
		const struct cell *c = &row->cells[i];
		const char *change;

		put(g, cell_text(g->a, row, c));
		if (p->columns[i].base == i)
			continue;
		change = paste_cell_change(g->a, p, at, i);
		put(g, *change ? change : "-");
		put(g, verdict_is_change(c->verdict) ? verdict_name(c->verdict) : "");
	}
}

void paste_txt(struct out *o, struct arena *a, const struct paste *p)
{
	struct grid g = {.a = a};

	robot_text(o, p->sentence);
	out_str(o, "\n\n");
	for (size_t i = 0; i < p->ndistributions; i++)
		write_distribution(o, a, p, &p->distributions[i]);
	put_head(&g, p, "metric", true);
	for (size_t i = 0; i < p->nrows; i++)
		if (!paste_row_is_told(p, i))
			put_row(&g, p, i);
	write_grid(o, &g);
	if (p->rows_left_out)
		out_fmt(o, "and %zu more\n", p->rows_left_out);
}
