/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Distributions of pasted outputs, metric by metric: a row for each percentile that any column has.
 * A column of several runs shows the mean of their percentiles, which is what its rows of single
 * percentiles show as well. Buckets are left out: shares of buckets stand among the figures.
 */
#include "server/model/paste.h"

#include <math.h>

#include "db/distributions.h"
#include "server/base/arena.h"

static struct paste_distribution *find(struct paste *p, const char *metric)
{
	for (size_t i = 0; i < p->ndistributions; i++) {
		if (!strcmp(p->distributions[i].metric, metric))
			return &p->distributions[i];
	}
	return NULL;
}

static struct paste_distribution *add(struct arena *a, struct paste *p,
				      const struct distribution_in *in)
{
	struct paste_distribution *d = find(p, in->metric);

	if (d)
		return d;
	if (p->ndistributions == PASTE_DISTRIBUTIONS_MAX) {
		p->distributions_left_out++;
		return NULL;
	}
	d = &p->distributions[p->ndistributions++];
	*d = (struct paste_distribution){
		.metric = in->metric,
		.unit = in->unit,
		.figures = arena_array(a, struct paste_figures, p->ncolumns),
		.percentiles = arena_array(a, struct paste_percentile, PASTE_PERCENTILES_MAX),
	};
	for (size_t i = 0; i < p->ncolumns; i++)
		d->figures[i] = (struct paste_figures){NAN, NAN, NAN, NAN};
	return d;
}

/* "50.000000" of JSON is "50.00" of text: zeros at the end go down to two digits. */
static const char *short_name(struct arena *a, const char *name)
{
	const char *point = strchr(name, '.');
	size_t n = strlen(name), least = point ? (size_t)(point - name) + 3 : n;

	while (n > least && name[n - 1] == '0')
		n--;
	return arena_strn(a, name, n);
}

/* The row of a percentile, in its place; NULL: there are too many. */
static struct paste_percentile *row_of(struct arena *a, const struct paste *p,
				       struct paste_distribution *d, const char *name)
{
	double at;
	size_t i = 0;

	if (!percentile_parse(name, &at))
		return NULL;
	while (i < d->n && d->percentiles[i].at < at)
		i++;
	if (i < d->n && d->percentiles[i].at == at)
		return &d->percentiles[i];
	if (d->n == PASTE_PERCENTILES_MAX)
		return NULL;
	memmove(&d->percentiles[i + 1], &d->percentiles[i], (d->n - i) * sizeof(*d->percentiles));
	d->percentiles[i] =
		(struct paste_percentile){.name = short_name(a, name),
					  .at = at,
					  .values = arena_array(a, double, p->ncolumns)};
	for (size_t k = 0; k < p->ncolumns; k++)
		d->percentiles[i].values[k] = (double)NAN;
	d->n++;
	return &d->percentiles[i];
}

/* The mean of what was there, of before runs, and one more. */
static double mean_with(double mean, double v, size_t before)
{
	return before && isfinite(mean) ? mean + (v - mean) / (double)(before + 1) : v;
}

static void take_figures(struct paste_figures *f, const struct distribution_in *in, size_t before)
{
	if (isfinite(in->mean))
		f->mean = mean_with(f->mean, in->mean, before);
	f->stddev = before ? (double)NAN : in->stddev;
	f->min = fmin(f->min, in->min);
	f->max = fmax(f->max, in->max);
}

/* before: how many runs of the column were taken already. */
static void take(struct arena *a, struct paste *p, size_t col, const struct distribution_in *in,
		 size_t before)
{
	struct paste_distribution *d = in->npercentiles ? add(a, p, in) : NULL;

	if (!d)
		return;
	take_figures(&d->figures[col], in, before);
	for (size_t i = 0; i < in->npercentiles; i++) {
		struct paste_percentile *row = row_of(a, p, d, in->percentiles[i].name);

		if (row)
			row->values[col] =
				mean_with(row->values[col], in->percentiles[i].value, before);
	}
}

static bool is_in_several(const struct paste *p, const struct paste_distribution *d)
{
	size_t told = 0;

	for (size_t k = 0; k < p->ncolumns; k++) {
		for (size_t i = 0; i < d->n; i++) {
			if (isfinite(d->percentiles[i].values[k])) {
				told++;
				break;
			}
		}
	}
	return told > 1;
}

/* What can be held against something comes first, else as they came. */
static void put_common_first(struct arena *a, struct paste *p)
{
	struct paste_distribution *ordered =
		arena_array(a, struct paste_distribution, p->ndistributions);
	size_t n = 0;

	for (int several = 1; several >= 0; several--) {
		for (size_t i = 0; i < p->ndistributions; i++) {
			if (is_in_several(p, &p->distributions[i]) == several)
				ordered[n++] = p->distributions[i];
		}
	}
	p->distributions = ordered;
}

void paste_distributions(struct arena *a, struct paste *p)
{
	p->distributions = arena_array(a, struct paste_distribution, PASTE_DISTRIBUTIONS_MAX);
	for (size_t i = 0; i < p->ncolumns; i++) {
		const struct paste_column *col = &p->columns[i];

		for (size_t k = 0; k < col->nsubs; k++)
			for (size_t m = 0; m < col->subs[k]->ndistributions; m++)
				take(a, p, i, &col->subs[k]->distributions[m], k);
	}
	put_common_first(a, p);
}

/* Whether name is what the distribution's metric becomes with a percentile in it. */
static bool is_percentile_of(const struct paste_distribution *d, const char *name)
{
	size_t n = strlen(d->metric), u = d->unit ? strlen(d->unit) : 0, digits;
	double v;

	if (!u || n < u + 2 || d->metric[n - u - 1] != '_' || strncmp(name, d->metric, n - u) != 0)
		return false;
	name += n - u;
	digits = strspn(name, "0123456789.");
	if (!digits || digits > PERCENTILE_NAME_MAX || name[digits] != '%' ||
	    name[digits + 1] != '_' || strcmp(name + digits + 2, d->unit) != 0)
		return false;
	v = strtod(name, NULL);
	for (size_t i = 0; i < d->n; i++) {
		if (d->percentiles[i].at == v)
			return true;
	}
	return false;
}

bool paste_row_is_told(const struct paste *p, size_t row)
{
	const char *name = p->all.rows[row].metric->name;

	for (size_t i = 0; i < p->ncolumns; i++) {
		if (p->columns[i].nruns > 1)
			return false;
	}
	for (size_t i = 0; i < p->ndistributions; i++) {
		if (is_percentile_of(&p->distributions[i], name))
			return true;
	}
	return false;
}
