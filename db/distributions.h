/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Distributions: percentiles and buckets of a latency, as a program printed them, beside the
 * samples of one run. The packed form is pure; reading and writing take SQL.
 *
 * The bytes of one distribution, numbers little-endian:
 *
 *	1	version, 1
 *	1	flags: 1 mean, 2 stddev, 4 min, 8 max, 16 n
 *	8 each	those figures in the order of their flags: doubles, n a whole number
 *	2	number of percentiles, ascending, each:
 *		1	length of its name
 *		…	the name as it was sent, "99.00"
 *		8	the value, a double
 *	4	number of buckets, ascending, each:
 *		8	the upper end, a double
 *		8	the count, a whole number
 */
#ifndef DB_DISTRIBUTIONS_H
#define DB_DISTRIBUTIONS_H

#include "db/engine.h"
#include "db/submission.h"
#include "server/base/out.h"

#define PERCENTILE_NAME_MAX 16 /* bytes of "99.999900" and the like */
#define PERCENTILES_MAX     1000
#define BUCKETS_MAX         100000

/* Whether a text is a decimal from 0 to 100 without sign or exponent; *value is it. */
bool percentile_parse(const char *name, double *value);

void distribution_pack(const struct distribution_in *d, struct out *o);
/* Everything but metric and unit; in the arena. E_INTERNAL when the bytes are damaged. */
int distribution_unpack(struct ctx *c, const void *bytes, size_t nbytes,
			struct distribution_in *out);

/* Of a run, sorted by the metric's name; units as the run's series has them. */
int distributions_of_run(struct ctx *c, int64_t run_id, struct distribution_in **out, size_t *n);
/* Writer only: stores them, and notes that the series has the metrics. */
int distributions_store(struct ctx *c, int64_t series_id, int64_t run_id,
			const struct distribution_in *list, size_t n);

#endif
