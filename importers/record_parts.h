/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files behind record.h share; for nobody else. */
#ifndef IMPORTERS_RECORD_PARTS_H
#define IMPORTERS_RECORD_PARTS_H

#include "importers/record.h"

struct metric_seen {
	const char *name, *unit;
	uint64_t hash;
	size_t run;            /* last run that has a value of it, counted from 1 */
	uint32_t at;           /* its place in that run */
	size_t distributed;    /* last run that has a distribution of it, from 1 */
	uint32_t distribution; /* its place in that run */
	bool refused;          /* its units were found to differ */
	size_t stamp;          /* submission that has its unit already */
};

struct one_run {
	uint32_t *ids; /* of metrics, as they came; shared: the run's before, as far as n */
	double *values;
	size_t n, cap, value_cap;
	bool shared;
	struct distribution_in *distributions;
	size_t ndistributions, distribution_cap;
};

struct record {
	struct import *in;
	struct ctx *ctx;
	size_t sub; /* its submission in in->subs, which may move */
	const char *testcase;
	struct metric_seen *metrics;
	size_t nmetrics, metric_cap;
	uint32_t *slots; /* open addressing: number of a metric + 1, or 0 */
	size_t nslots;
	struct one_run *runs;
	size_t nruns, run_cap;
	struct pair *axes, *info;
	size_t naxes, axis_cap, ninfo, info_cap;
	bool distributed, too_many;
	double *scratch; /* for the values of one run */
	size_t scratch_room;
};

/* The number of the metric of a clean name, which is new or was met before. */
uint32_t record_metric(struct record *r, const char *name, size_t len);
/* The id as the store wants it, in the arena; NULL when it is none. */
const char *record_commit_name(struct arena *a, const char *id, bool *is_hex);
/* Sorts percentiles, leaves out what is no percentile, not finite or said twice (the last counts),
 * and checks the buckets. False: nothing is left, or a fault was set: buckets that do not ascend, a
 * count below 0, a minimum above the maximum, a spread below 0, more than the store takes. */
bool record_distribution_clean(struct ctx *c, const char *name, struct distribution_in *d);

#endif
