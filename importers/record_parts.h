/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files behind record.h share; for nobody else. */
#ifndef IMPORTERS_RECORD_PARTS_H
#define IMPORTERS_RECORD_PARTS_H

#include "importers/block_list.h"
#include "importers/record.h"

struct metric_seen {
	const char *name, *unit;
	uint32_t hash;
	uint32_t run;          /* last run that has a value of it, counted from 1 */
	uint32_t at;           /* its place in that run */
	uint32_t distributed;  /* last run that has a distribution of it, from 1 */
	uint32_t distribution; /* its place in that run */
	uint32_t stamp;        /* piece that has its unit already, from 1 */
	bool refused;          /* its units were found to differ */
};

/* The metrics of a run in the order in which they came; runs with the same share one. */
struct run_layout {
	const uint32_t *ids;  /* of metrics */
	const uint32_t *rank; /* the i-th that came stands at rank[i] of the sorted names */
	const struct metric_names *names; /* both made for the piece, counted from 1; 0: not yet */
	uint32_t n, hash, piece;
};

struct run_distributions {
	struct distribution_in *list;
	size_t n, cap;
};

/* A finished run. There are millions of them. */
struct one_run {
	double *values;
	struct run_layout *layout;               /* NULL: it has no values */
	struct run_distributions *distributions; /* NULL */
};

/* Memory that is given out piece by piece, and used again from its beginning. */
struct run_pool {
	struct arena *a;
	struct pool_block {
		struct pool_block *next;
		size_t size, used; /* bytes behind this header */
	} * first, *last, *now;
	size_t total;
};

struct record {
	struct import *in;
	struct ctx *ctx;
	struct arena *a;       /* where it lives */
	struct submission own; /* what all its submissions have */
	const char *testcase;
	bool settled; /* see record_settled */
	bool set_up;  /* own has axes and commit as they stay */
	bool too_many;
	struct pair *axes, *info;
	size_t naxes, axis_cap, ninfo, info_cap;
	struct pair *info_list; /* as own has it: sorted, without boot */
	size_t info_room;
	bool info_changed;
	uint32_t pieces; /* submissions made of it so far */
	bool had_runs;   /* there was something to make one of */

	struct block_list metrics; /* of struct metric_seen */
	uint32_t *slots;           /* open addressing: number of a metric + 1, or 0 */
	size_t nslots;

	struct block_list runs;       /* of struct one_run: finished, not yet made a submission */
	struct run_pool values, rest; /* of those runs; rest: layouts and distributions */
	struct run_layout **layouts;  /* open addressing */
	size_t nlayouts, layout_slots;
	void *scratch;       /* for a moment */
	size_t scratch_room; /* bytes */

	/* the run being filled, which is the last in the pool of values */
	bool open;
	uint32_t begun; /* how many there were, with it */
	double *now;
	size_t n, room;
	struct run_layout *like; /* the run's before; NULL: there is none */
	size_t alike;            /* so many of its first metrics are like's */
	uint32_t *ids;           /* its metrics, when they are not all like's */
	size_t ids_room;
	struct run_distributions *distributions; /* NULL */
};

/* The number of the metric of a clean name, which is new or was met before. */
uint32_t record_metric(struct record *r, const char *name, size_t len);
static inline struct metric_seen *record_metric_at(const struct record *r, uint32_t id)
{
	return block_list_at(&r->metrics, id);
}
/* The id as the store wants it, in the arena; NULL when it is none. */
const char *record_commit_name(struct arena *a, const char *id, bool *is_hex);

/* --- record_runs.c --- */

void record_runs_init(struct record *r);
/* Closes the run being filled, and begins one. */
void record_open_run(struct record *r);
void record_close_run(struct record *r);
/* One more value of the open run. */
void record_put(struct record *r, uint32_t id, double v);
/* Room for a distribution of the open run, the n-th; lives as long as the run. */
struct distribution_in *record_put_distribution(struct record *r);
/* Bytes that live as long as the finished runs. */
void *record_rest(struct record *r, size_t n);
/* Forgets the finished runs. Their memory is used again when nobody has it any more. */
void record_forget_runs(struct record *r, bool reuse);

/* --- record_end.c --- */

/* Makes submissions of the finished runs, and forgets these. E_OK, or the failure of the import. */
int record_hand_on(struct record *r);

/* Sorts percentiles, leaves out what is no percentile, not finite or said twice (the last counts),
 * and checks the buckets. False: nothing is left, or a fault was set: buckets that do not ascend, a
 * count below 0, a minimum above the maximum, a spread below 0, more than the store takes. The new
 * list of percentiles is made in the arena. */
bool record_distribution_clean(struct ctx *c, struct arena *a, const char *name,
			       struct distribution_in *d);
/* Copies what it leads to (its metric and unit apart) with record_rest. */
void record_distribution_keep(struct record *r, struct distribution_in *d);

#endif
