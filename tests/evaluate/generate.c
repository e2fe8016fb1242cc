/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes comparisons up. Levels, noise and sizes of changes are spread over the orders of magnitude
 * that real monitors have; no constant here was chosen by looking at a rule's figures.
 */
#include "tests/evaluate/generate.h"

#include <math.h>

const char *const shape_names[SHAPES + 1] = {
	"normal",         "heavy-tailed", "bimodal",  "integer",
	"Poisson, zeros", "constant",     "drifting", "all mixed",
};

/* What stays the same of a metric over all its commits. */
struct nature {
	enum shape shape;
	double level;
	double within;  /* of the logarithm, from run to run */
	double between; /* … and from commit to commit */
	double apart;   /* of the two modes */
	double slope;   /* from commit to commit */
	double step;    /* from run to run */
};

/* SplitMix64 (Steele, Lea, Flood 2014). */
uint64_t random_bits(struct random *r)
{
	uint64_t z = r->at += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

double random_unit(struct random *r)
{
	return ((double)(random_bits(r) >> 11) + 0.5) / 9007199254740992.0;
}

/* Box and Muller 1958; the second deviate is dropped. */
static double random_normal(struct random *r)
{
	double u = random_unit(r);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * random_unit(r));
}

/* Student's t of 3 degrees of freedom with variance 1. */
static double random_heavy(struct random *r)
{
	double z = random_normal(r), squares = 0;

	for (int i = 0; i < 3; i++) {
		double s = random_normal(r);

		squares += s * s;
	}
	return z / sqrt(squares / 3) / sqrt(3);
}

static double random_poisson(struct random *r, double mean)
{
	double product = random_unit(r), least = exp(-mean);
	int n = 0;

	while (product > least) {
		product *= random_unit(r);
		n++;
	}
	return n;
}

/* Between low and high, every order of magnitude as likely. */
static double random_log(struct random *r, double low, double high)
{
	return low * pow(high / low, random_unit(r));
}

static struct nature random_nature(struct random *r, enum shape shape)
{
	struct nature m = {.shape = shape};

	if (shape == SHAPES)
		m.shape = (enum shape)(random_bits(r) % SHAPES);
	m.level = random_log(r, 1, 1e9);
	if (m.shape == SHAPE_INTEGER)
		m.level = random_log(r, 20, 2000);
	if (m.shape == SHAPE_POISSON)
		m.level = random_log(r, 0.3, 8);
	if (m.shape == SHAPE_CONSTANT)
		m.level = random_log(r, 1000, 1e9);
	m.within = random_log(r, 0.002, 0.05);
	m.between = random_unit(r) < 0.5 ? 0 : random_unit(r) * m.within;
	m.apart = random_log(r, 0.04, 0.12);
	m.slope = (random_unit(r) - 0.5) * 0.006;
	m.step = (random_unit(r) - 0.5) * m.within;
	return m;
}

/* One run: number i of a commit whose own level is the logarithm at. */
static double random_run(struct random *r, const struct nature *m, double at, size_t i)
{
	switch (m->shape) {
	case SHAPE_HEAVY:
		return m->level * exp(at + m->within * random_heavy(r));
	case SHAPE_BIMODAL:
		at += random_unit(r) < 0.5 ? 0 : m->apart;
		return m->level * exp(at + m->within / 4 * random_normal(r));
	case SHAPE_INTEGER:
		return round(m->level * exp(at + m->within * random_normal(r)));
	case SHAPE_POISSON:
		return random_poisson(r, m->level * exp(at));
	case SHAPE_CONSTANT:
		return round(m->level * exp(at)) + (random_unit(r) < 0.01);
	case SHAPE_DRIFTING:
		at += m->step * (double)i;
		return m->level * exp(at + m->within * random_normal(r));
	default:
		return m->level * exp(at + m->within * random_normal(r));
	}
}

/* n runs of the commit that is age commits before the change; moved: the logarithm of its change.
 */
static void random_commit(struct random *r, const struct nature *m, size_t age, double moved,
			  size_t n, double *out)
{
	double at = moved;

	if (m->shape != SHAPE_CONSTANT && m->shape != SHAPE_POISSON)
		at += m->between * random_normal(r);
	if (m->shape == SHAPE_DRIFTING)
		at -= m->slope * (double)age;
	for (size_t i = 0; i < n; i++)
		out[i] = random_run(r, m, at, i);
}

static double random_change(struct random *r, const struct nature *m)
{
	double size =
		m->shape == SHAPE_POISSON ? random_log(r, 1.5, 3) - 1 : random_log(r, 0.02, 0.15);

	return random_unit(r) < 0.5 ? log1p(size) : -log1p(size);
}

void generate(struct made *out, enum shape shape, size_t n, size_t k, uint64_t seed)
{
	struct random r = {seed * 1000003 + (uint64_t)shape * 101 + n * 7 + k};

	for (size_t i = 0; i < METRICS; i++) {
		struct nature m = random_nature(&r, shape);

		out[i].moved = i % 10 == 0;
		for (size_t c = 0; c < k; c++)
			random_commit(&r, &m, k + 1 - c, 0, n, out[i].history[c]);
		random_commit(&r, &m, 1, 0, n, out[i].x);
		random_commit(&r, &m, 0, out[i].moved ? random_change(&r, &m) : 0, n, out[i].y);
	}
}
