/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the process counts about itself. http/ raises the figures from many threads; the pages of
 * health.c print them. They say what happened since the start and are lost with the process.
 */
#ifndef PAGES_COUNTERS_H
#define PAGES_COUNTERS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

typedef _Atomic int64_t counter;

#define COUNTERS_ROUTES 100

struct route_counter {
	const char *method, *pattern; /* pattern "" counts what no row took */
	counter by_class[6];          /* [2]: answers 200 to 299 … */
	counter us;                   /* sum of the time from head to last byte */
};

struct counters {
	int64_t started; /* time */
	struct route_counter routes[COUNTERS_ROUTES];
	size_t nroutes;
	counter bytes_sent, not_modified;
	counter cache_hits, cache_misses, cache_bytes, cache_pages;
	counter connections; /* open now */
	counter reaped;      /* closed because they were too slow */
	counter suspended;   /* requests that wait for a worker or the writer now */
	counter body_bytes;  /* of request bodies in memory now */
	counter refused;     /* requests answered 503 because something was full */
};

#endif
