/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pieces of sentences. A page with all rows needs thousands of sentences with ten numbers each, so
 * numbers are put down by hand here, with the few digits that a reader wants.
 */
#include "server/analysis/sentence.h"

#include <math.h>

#include "server/base/arena.h"

static const double tens[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};

static void put_bytes(struct sentence *s, const char *p, size_t n)
{
	if (n > sizeof(s->text) - s->n)
		n = sizeof(s->text) - s->n;
	memcpy(s->text + s->n, p, n);
	s->n += n;
}

void put(struct sentence *s, const char *text)
{
	put_bytes(s, text, strlen(text));
}

void put_int(struct sentence *s, int64_t v)
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

/* 0.043 from 43 and 3; short_form: without zeros at the end. */
static void put_fixed(struct sentence *s, int64_t scaled, int decimals, bool short_form)
{
	int64_t unit;
	char digits[10];

	while (short_form && decimals > 0 && scaled % 10 == 0) {
		scaled /= 10;
		decimals--;
	}
	unit = (int64_t)tens[decimals];
	put_int(s, scaled / unit);
	if (!decimals)
		return;
	put(s, ".");
	scaled %= unit;
	for (int i = decimals; i > 0; i--, scaled /= 10)
		digits[i - 1] = (char)('0' + scaled % 10);
	put_bytes(s, digits, (size_t)decimals);
}

void put_signed(struct sentence *s, double v)
{
	char buf[32];

	if (!(fabs(v) < 1e6)) {
		snprintf(buf, sizeof(buf), "%+.2g", v);
		put(s, buf);
		return;
	}
	put(s, signbit(v) ? "-" : "+");
	put_fixed(s, llround(fabs(v) * 10), 1, false);
}

void put_figure(struct sentence *s, double v, int digits)
{
	double size = fabs(v);
	int decimals = digits;
	char buf[32];

	if (size != 0 && !(size >= 1e-3 && size < 1e15)) {
		snprintf(buf, sizeof(buf), "%.*g", digits, v);
		put(s, buf);
		return;
	}
	/* As many decimals as leave so many digits; whole numbers are not cut. */
	for (double above = 1; decimals > 0 && size >= above; above *= 10)
		decimals--;
	for (double below = 0.1; decimals < 6 && size < below && size > 0; below /= 10)
		decimals++;
	if (v < 0)
		put(s, "-");
	put_fixed(s, llround(size * tens[decimals]), decimals, true);
}

void put_probability(struct sentence *s, double p)
{
	int exponent;
	long digit;

	if (p >= 0.1) {
		put_fixed(s, llround(p * 100), 2, false);
	} else if (p >= 0.001) {
		put_fixed(s, llround(p * 1000), 3, false);
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

void put_change(struct sentence *s, double change, bool points)
{
	if (isnan(change)) {
		put(s, "from 0");
		return;
	}
	put_signed(s, change);
	put(s, points ? " points" : " %");
}

void put_count(struct sentence *s, int64_t n, const char *what)
{
	put_int(s, n);
	put(s, " ");
	put(s, what);
	if (n != 1)
		put(s, "s");
}

const char *sentence_keep(struct arena *a, const struct sentence *s)
{
	return arena_strn(a, s->text, s->n);
}
