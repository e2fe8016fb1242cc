/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Figures of one name that two outputs tell in different units. Times are brought into the unit of
 * the first output that has the name; other units cannot be held against each other, which is a
 * fault, as it is when they are stored.
 */
#include "server/model/paste.h"

#include <math.h>

#include "importers/text_map.h"
#include "server/base/arena.h"

#define FAULTS_TOLD 20

struct align {
	struct ctx *c;
	struct paste *p;
	struct text_map seen; /* metrics */
	const char **units;   /* by number: of the first column that has one */
	size_t cap;
	double *factors; /* of the column, by number; those that were new there have none */
	size_t nfactors;
};

/* In nanoseconds; 0: no time. */
static double time_size(const char *unit)
{
	static const struct {
		const char *name;
		double ns;
	} times[] = {{"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}};

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		if (!strcmp(unit, times[i].name))
			return times[i].ns;
	}
	return 0;
}

/* Binary fractions would show: 44.17 us is 44170 ns. */
static double rescaled(double v, double factor)
{
	char text[40];

	snprintf(text, sizeof(text), "%.15g", v * factor);
	return strtod(text, NULL);
}

/* What the column's values of the metric, in this unit, are multiplied with; 0: a fault. */
static double factor_for(struct align *k, size_t text, const char *metric, const char *unit)
{
	bool fresh;
	size_t i = text_map_add(&k->seen, metric, strlen(metric), &fresh);
	double from, to;

	k->units = arena_grow(k->c->arena, k->units, &k->cap, i + 1, sizeof(*k->units));
	if (fresh)
		k->units[i] = unit;
	if (!strcmp(k->units[i], unit))
		return 1;
	from = time_size(unit);
	to = time_size(k->units[i]);
	if (from > 0 && to > 0)
		return k->factors[i] = from / to;
	if (k->c->nfaults < FAULTS_TOLD)
		fault(k->c, arena_fmt(k->c->arena, "text[%zu]", text),
		      "%.200s is in \"%.40s\", in an output before in \"%.40s\"", metric, unit,
		      k->units[i]);
	return 0;
}

/* Of the metric in the column whose factors are set. */
static double factor_of(const struct align *k, const char *metric)
{
	size_t i = text_map_find(&k->seen, metric, strlen(metric));

	return i < k->nfactors && k->factors[i] > 0 ? k->factors[i] : 1;
}

static void scale_run(const struct align *k, const struct run_in **run)
{
	const struct metric_names *names = (*run)->names;
	struct run_in *own = arena_copy(k->c->arena, *run, sizeof(*own));
	double *values = arena_copy(k->c->arena, own->values, names->n * sizeof(*values));

	for (size_t i = 0; i < names->n; i++) {
		double factor = factor_of(k, names->names[i]);

		if (factor != 1)
			values[i] = rescaled(values[i], factor);
	}
	own->values = values;
	*run = own;
}

static void scale_cells(const struct align *k, const struct submission **sub)
{
	struct submission *own = arena_copy(k->c->arena, *sub, sizeof(*own));
	struct summary_in *cells =
		arena_copy(k->c->arena, own->cells, own->ncells * sizeof(*cells));

	for (size_t i = 0; i < own->ncells; i++) {
		struct summary_in *cell = &cells[i];
		double factor = factor_of(k, cell->metric);

		if (factor == 1)
			continue;
		cell->mean = rescaled(cell->mean, factor);
		cell->stddev = rescaled(cell->stddev, factor);
		cell->min = rescaled(cell->min, factor);
		cell->max = rescaled(cell->max, factor);
	}
	own->cells = cells;
	*sub = own;
}

static void align_column(struct align *k, struct paste_column *col)
{
	const struct submission *first = col->subs[0];
	bool any = false;

	k->nfactors = k->seen.n;
	k->factors = arena_array(k->c->arena, double, k->nfactors);
	for (size_t i = 0; i < first->nunits; i++) {
		double factor =
			factor_for(k, col->text, first->units[i].name, first->units[i].value);

		any |= factor > 0 && factor != 1;
	}
	for (size_t i = 0; any && i < col->nruns; i++)
		scale_run(k, &col->runs[i]);
	if (any && first->ncells)
		scale_cells(k, &col->subs[0]);
}

int paste_align_units(struct ctx *c, struct paste *p)
{
	struct align k = {.c = c, .p = p};

	text_map_init(&k.seen, c->arena);
	for (size_t i = 0; i < p->ncolumns; i++)
		align_column(&k, &p->columns[i]);
	return c->err;
}
