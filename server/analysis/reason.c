/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Words for verdicts. A page with all rows needs thousands of these sentences and printf would take
 * longer for them than all the statistics, so numbers are put down by hand here, with the few
 * digits that a reader wants.
 */
#include "server/analysis/reason.h"

#include <math.h>

#include "server/base/arena.h"

struct sentence {
	char text[256]; /* the longest sentence has about 150 bytes; what is over is cut */
	size_t n;
};

static void put_bytes(struct sentence *s, const char *p, size_t n)
{
	if (n > sizeof(s->text) - s->n)
		n = sizeof(s->text) - s->n;
	memcpy(s->text + s->n, p, n);
	s->n += n;
}

static void put(struct sentence *s, const char *text)
{
	put_bytes(s, text, strlen(text));
}

static void put_int(struct sentence *s, int64_t v)
{
	char buf[24];
	size_t at = sizeof(buf);
	uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

	do {
		buf[--at] = (char)('0' + u % 10);
		u /= 10;
	} while (u);
	if (v < 0)
		buf[--at] = '-';
	put_bytes(s, buf + at, sizeof(buf) - at);
}

/* 0.043 from 43 and 3. */
static void put_fixed(struct sentence *s, int64_t scaled, int decimals)
{
	int64_t unit = 1;
	char digits[8];

	for (int i = 0; i < decimals; i++)
		unit *= 10;
	put_int(s, scaled / unit);
	put(s, ".");
	scaled %= unit;
	for (int i = decimals; i > 0; i--, scaled /= 10)
		digits[i - 1] = (char)('0' + scaled % 10);
	put_bytes(s, digits, (size_t)decimals);
}

/* +4.3, -12.5, +1e+09 */
static void put_signed(struct sentence *s, double v)
{
	char buf[32];

	if (!(fabs(v) < 1e6)) {
		snprintf(buf, sizeof(buf), "%+.2g", v);
		put(s, buf);
		return;
	}
	put(s, signbit(v) ? "-" : "+");
	put_fixed(s, llround(fabs(v) * 10), 1);
}

/* 0.31, 0.043, 2e-07 */
static void put_probability(struct sentence *s, double p)
{
	int exponent;
	long digit;

	if (p >= 0.1) {
		put_fixed(s, llround(p * 100), 2);
	} else if (p >= 0.001) {
		put_fixed(s, llround(p * 1000), 3);
	} else if (p < 1e-99) {
		put(s, "below 1e-99");
	} else {
		exponent = (int)-floor(log10(p));
		digit = lround(p * pow(10, exponent));
		if (digit > 9) {
			digit = 1;
			exponent--;
		}
		put_int(s, digit);
		put(s, exponent < 10 ? "e-0" : "e-");
		put_int(s, exponent);
	}
}

static const char *keep(struct arena *a, const struct sentence *s)
{
	return arena_strn(a, s->text, s->n);
}

static void put_change(struct sentence *s, double change, bool points)
{
	if (isnan(change)) {
		put(s, "from 0");
		return;
	}
	put_signed(s, change);
	put(s, points ? " points" : " %");
}

/* What it comes to, where all gates were passed. */
static void put_verdict(struct sentence *s, const struct comparison_row *r, enum verdict v)
{
	if (v == VERDICT_REGRESSION)
		put(s, ": a regression (");
	else if (v == VERDICT_IMPROVEMENT)
		put(s, ": an improvement (");
	else
		put(s, ": a change (");
	put(s, direction_words(r->metric->facts.direction));
	put(s, ")");
}

static void put_tests(struct sentence *s, double q, const struct comparison_row *r, size_t tests)
{
	put(s, "q ");
	put_probability(s, q);
	put(s, " over ");
	put_int(s, (int64_t)tests);
	put(s, " ");
	put(s, role_name(r->role));
	put(s, tests == 1 ? " metric" : " metrics");
}

static void put_p(struct sentence *s, double p)
{
	put(s, ", p ");
	put_probability(s, p);
}

const char *reason_judged(struct arena *a, const struct comparison_row *r, const struct cell *base,
			  const struct cell *c, enum gate gate, size_t tests)
{
	bool points = r->metric->facts.kind == KIND_PERCENT;
	struct sentence s = {.n = 0};

	put_int(&s, base->n);
	put(&s, " against ");
	put_int(&s, c->n);
	put(&s, " runs, ");
	put_change(&s, points ? c->change_abs : c->change_pct, points);
	switch (gate) {
	case GATE_SIZE:
		put(&s, points ? ": less than 1 point" : ": less than 1 %");
		break;
	case GATE_ONE_RUN:
		put(&s, ": one run on a side is too few to judge");
		break;
	case GATE_P:
		put(&s, ", ");
		put_tests(&s, c->q, r, tests);
		put(&s, ": within the noise (q above 0.05)");
		break;
	case GATE_Q:
		put_p(&s, c->p);
		put(&s, " but ");
		put_tests(&s, c->q, r, tests);
		put(&s, ": suspect, more runs would tell");
		break;
	case GATE_RUNS:
		put_p(&s, c->p);
		put(&s, ": suspect, a verdict needs 3 runs on both sides");
		break;
	default:
		put(&s, ", ");
		put_tests(&s, c->q, r, tests);
		put_verdict(&s, r, c->verdict);
	}
	return keep(a, &s);
}

const char *reason_functional(struct arena *a, const struct comparison_row *r,
			      const struct cell *base, const struct cell *c, enum gate gate)
{
	struct sentence s = {.n = 0};

	put(&s, r->metric->facts.direction == DIRECTION_HIGHER ? "passed in " : "seen in ");
	put_int(&s, base->fails);
	put(&s, " of ");
	put_int(&s, base->runs);
	put(&s, " runs, then in ");
	put_int(&s, c->fails);
	put(&s, " of ");
	put_int(&s, c->runs);
	if (gate == GATE_SIZE)
		put(&s, ": about as often");
	else if (gate == GATE_FAILS)
		put(&s, ": suspect, a verdict needs a difference of 2");
	else
		put_verdict(&s, r, c->verdict);
	return keep(a, &s);
}

const char *reason_reported(struct arena *a, const struct comparison_row *r, const struct cell *c,
			    enum gate gate, double change, bool points)
{
	struct sentence s = {.n = 0};

	if (gate == GATE_UNKNOWN)
		return "not enough was printed to tell";
	put(&s, c->show_printed ? "the table said " : "");
	put_change(&s, change, points);
	if (c->from_rounded)
		put(&s, " by the rounded means");
	put(&s, ", without samples to judge");
	if (gate == GATE_SIZE)
		put(&s, points ? ": less than 1 point" : ": less than 1 %");
	else
		put_verdict(&s, r, c->verdict);
	return keep(a, &s);
}
