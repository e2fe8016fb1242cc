/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the boxes of the invented year measured: which commits, how often, and every value as
 * level x surroundings x planted changes x noise. Only sums, products and rounding, so that the
 * values are the same everywhere.
 */
#include "deploy/sample/invent_year.h"

#include <math.h>
#include <string.h>

/* What a number of chance is for: the first argument after the seed. */
enum {
	FOR_COVERAGE = 30,
	FOR_RUNS,
	FOR_BOOTS,
	FOR_START,
	FOR_STATUS,
	FOR_PLACE,
	FOR_MICROCODE,
	FOR_COMMIT,
	FOR_RUN,
	FOR_MODE,
	FOR_COUNT,
	FOR_FAIL,
	FOR_PART
};

static uint64_t place(size_t box, size_t test, size_t m)
{
	return (uint64_t)box << 32 | (uint64_t)test << 16 | (uint64_t)m;
}

/* Tells a patch from every commit of the line. */
static uint64_t commit_number(struct year_commit k)
{
	return k.patch >= 0 ? 1000 + (uint64_t)k.patch : (uint64_t)k.position;
}

static bool covered(uint64_t seed, size_t box, size_t test, struct year_commit k)
{
	if (!(year_tests[test].boxes >> box & 1) || (k.patch < 0 && k.position == UNBUILT))
		return false;
	if (k.patch >= 0) /* on the two best boxes, and only what it is about */
		return box < 2 && year_patches[k.patch].test == (int)test;
	return invent_uniform(seed, FOR_COVERAGE, box, test, commit_number(k)) <
	       year_boxes[box].coverage;
}

/* Three to six runs; a quarter of them is split over two boots, days apart. */
struct year_boot year_boot(uint64_t seed, size_t box, size_t test, struct year_commit k, int number)
{
	struct year_boot b = {.box = box, .test = test, .commit = k, .number = number};
	uint64_t where = place(box, test, 0), commit = commit_number(k);
	int runs = 3 + (int)(4 * invent_uniform(seed, FOR_RUNS, where, commit, 0));
	int second = invent_uniform(seed, FOR_BOOTS, where, commit, 0) < .25 ? runs / 2 : 0;
	double late = invent_uniform(seed, FOR_START, where, commit, (uint64_t)number);
	double fate = invent_uniform(seed, FOR_STATUS, where, commit, (uint64_t)number);

	b.started = year_commit_date(seed, k.position) + 7200 + (int64_t)(late * 72000) +
		    number * 259200 + (k.patch >= 0 ? 259200 : 0);
	if (!covered(seed, box, test, k) ||
	    (box == SILENT_BOX && b.started >= year_commit_date(seed, SILENT_FROM)))
		return b;
	b.runs = number ? second : runs - second;
	if (k.patch < 0 && k.position == UNBOOTED)
		b.status = YEAR_FAILED;
	else if (k.patch < 0)
		b.status = fate < .015 ? YEAR_FAILED : fate < .03 ? YEAR_INCOMPLETE : YEAR_OK;
	return b;
}

bool year_event_holds(uint64_t seed, size_t event, size_t box, int64_t time)
{
	const struct year_event *e = &year_events[event];

	return e->box == (int)box && time >= year_commit_date(seed, e->at) &&
	       (e->until == YEAR_ALL || time < year_commit_date(seed, e->until));
}

double year_microcode_factor(uint64_t seed, size_t test, size_t m)
{
	char name[64];
	enum year_shape shape = year_metric(test, m, name).shape;
	double size = .02 + .06 * invent_uniform(seed, FOR_MICROCODE, test, m, 0);

	if ((shape != SHAPE_LEVEL && shape != SHAPE_WHOLE) ||
	    invent_uniform(seed, FOR_MICROCODE, test, m, 1) < .5)
		return 1;
	/* in thousandths, as the truth prints it */
	size = floor(size * 1000 + .5) / 1000;
	return invent_uniform(seed, FOR_MICROCODE, test, m, 2) < .7 ? 1 - size : 1 + size;
}

/* --- planted changes --- */

static bool concerns(int box, int test, const char *metric, const struct year_boot *b,
		     const char *name)
{
	return (box == YEAR_ALL || box == (int)b->box) && test == (int)b->test &&
	       strcmp(metric, name) == 0;
}

/* The product of all factors; for what is added, *sum gets the sum. */
static double planted(uint64_t seed, const struct year_boot *b, size_t m, const char *name,
		      double *sum)
{
	int at = b->commit.position;
	double f = 1;

	*sum = 0;
	for (size_t i = 0; i < year_nsteps; i++) {
		const struct year_step *s = &year_steps[i];

		if (at >= s->at && (s->reverted == YEAR_ALL || at < s->reverted) &&
		    concerns(s->box, s->test, s->metric, b, name)) {
			f *= s->change;
			*sum += s->change;
		}
	}
	for (size_t i = 0; i < year_ndrifts; i++) {
		const struct year_drift *d = &year_drifts[i];
		int way = at < d->to ? at - d->from : d->to - d->from;

		if (way > 0 && concerns(d->box, d->test, d->metric, b, name))
			f *= 1 + d->slope * way;
	}
	if (b->commit.patch >= 0) {
		const struct year_patch *p = &year_patches[b->commit.patch];

		if (concerns(YEAR_ALL, p->test, p->metric, b, name))
			f *= p->change;
	}
	if (year_event_holds(seed, EVENT_MICROCODE, b->box, b->started))
		f *= year_microcode_factor(seed, b->test, m);
	return f;
}

/* --- values --- */

/* exp(-x) for x in 0..8, by its series: libm's last digit differs between machines. */
static double exp_minus(double x)
{
	double sum = 1, term = 1;

	for (int k = 1; k < 60; k++) {
		term *= x / k;
		sum += term;
	}
	return 1 / sum;
}

/* Poisson by inversion. */
static double count_of(double mean, double u)
{
	double p = exp_minus(mean), sum = p;
	int k = 0;

	while (u > sum && k < 100) {
		p *= mean / ++k;
		sum += p;
	}
	return k;
}

static double to_places(double v, double scale)
{
	return floor(v * scale + .5) / scale;
}

static double points(double level, double noise)
{
	double v = to_places(level + noise, 100);

	return v < 0 ? 0 : v > 100 ? 100 : v;
}

/* No two boxes are alike in proportion. */
static double box_level(uint64_t seed, const struct year_boot *b, size_t m,
			const struct year_metric *k)
{
	double own = invent_uniform(seed, FOR_PLACE, place(b->box, b->test, m), 0, 0);
	double speed = year_boxes[b->box].speed;

	return k->level * (k->speed > 0 ? speed : k->speed < 0 ? 1 / speed : 1) * (.9 + .2 * own);
}

/* Incomplete runs lost their second half, and of failed ones only the last state is known. */
static bool is_lost(uint64_t seed, const struct year_boot *b, size_t m)
{
	return b->status == YEAR_FAILED ||
	       (b->status == YEAR_INCOMPLETE &&
		invent_uniform(seed, FOR_PART, place(b->box, b->test, m), commit_number(b->commit),
			       0) < .5);
}

bool year_value(uint64_t seed, const struct year_boot *b, int run, size_t m, double *v)
{
	char name[64];
	const struct year_metric k = year_metric(b->test, m, name);
	uint64_t where = place(b->box, b->test, m), commit = commit_number(b->commit);
	uint64_t nth = (uint64_t)(b->number * 8 + run);
	double scale = year_boxes[b->box].noise, sum;
	double factor = planted(seed, b, m, k.name, &sum);
	double between = scale * k.between * invent_noise(seed, FOR_COMMIT, where, commit);
	double within = scale * k.within * invent_noise(seed, FOR_RUN, where, commit * 64 + nth);
	bool is_bad = year_event_holds(seed, EVENT_BAD_RIG, b->box, b->started);
	double level = box_level(seed, b, m, &k) * factor;

	if (is_lost(seed, b, m))
		return false;
	switch (k.shape) {
	case SHAPE_CONSTANT:
		*v = k.level;
		return true;
	case SHAPE_FAILS:
		*v = 1;
		return invent_uniform(seed, FOR_FAIL, where, commit, nth) < k.level + sum;
	case SHAPE_RARE:
		*v = count_of(k.level * factor,
			      invent_uniform(seed, FOR_COUNT, where, commit, nth));
		return true;
	case SHAPE_PERCENT:
		*v = points(k.level + sum, between + within);
		return true;
	case SHAPE_MODES:
		if (invent_uniform(seed, FOR_MODE, where, commit, nth) < 1. / 3)
			level *= .88;
		break;
	case SHAPE_LEVEL:
	case SHAPE_WHOLE:
		break;
	}
	*v = level * (1 + between) * (1 + within) * (is_bad ? BAD_FACTOR : 1);
	if (k.shape != SHAPE_LEVEL)
		*v = floor(*v + .5);
	return true;
}
