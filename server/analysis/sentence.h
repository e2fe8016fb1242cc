/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of the reasons: a sentence that is put together piece by piece, without printf, which
 * would take longer for thousands of them than all the statistics. */
#ifndef ANALYSIS_SENTENCE_H
#define ANALYSIS_SENTENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

struct sentence {
	char text[512]; /* the longest has about 350 bytes; what is over is cut */
	size_t n;
};

void put(struct sentence *s, const char *text);
void put_int(struct sentence *s, int64_t v);
void put_signed(struct sentence *s, double v);             /* +4.3, -12.5, +1e+09 */
void put_figure(struct sentence *s, double v, int digits); /* 479043, 3.117, 2e-07 */
void put_probability(struct sentence *s, double p);        /* 0.31, 0.043, 2e-07 */
/* "+4.3 %", "-1.2 points", "from 0" for NAN */
void put_change(struct sentence *s, double change, bool points);
/* "3 metrics", "1 metric" */
void put_count(struct sentence *s, int64_t n, const char *what);
const char *sentence_keep(struct arena *a, const struct sentence *s);

#endif
