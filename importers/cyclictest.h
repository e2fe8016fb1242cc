/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The threads of a run of cyclictest, whatever form they were printed in. */
#ifndef IMPORTERS_CYCLICTEST_H
#define IMPORTERS_CYCLICTEST_H

#include "importers/program_output.h"

#define CYCLIC_THREADS_MAX 1024
#define CYCLIC_BUCKETS_MAX 1000000 /* of all threads of a run */

struct cyclic_thread {
	double pid, cycles, overflows; /* -1: not said */
	double min, act, avg, max;     /* NAN */
	struct bucket_in *buckets;
	size_t nbuckets, bucket_cap;
};

struct cyclictest {
	struct program_output *o;
	struct arena *own, *buckets; /* of the list of threads; of this run's buckets */
	struct cyclic_thread *threads;
	size_t n, cap;
	size_t nbuckets; /* of all threads of this run */
	bool histogram;  /* rows were begun */
	bool ns;         /* all is in nanoseconds */
};

/* The thread, and those before it; NULL: there are too many. Later calls may move it. */
struct cyclic_thread *cyclic_thread(struct cyclictest *c, size_t number);
/* Nothing for a count of 0. A failure when there are too many. */
void cyclic_bucket(struct cyclictest *c, struct cyclic_thread *t, double us, double count);
/* Writes the run, and is ready for the next. */
void cyclic_flush(struct cyclictest *c);
/* False: the bytes are no file of --json (some text and then a '{' at the beginning of a line). */
bool cyclic_json(struct cyclictest *c, const char *bytes, size_t n);

#endif
