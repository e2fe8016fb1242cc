/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What importers of other systems' result files share: a metric has one or more samples, and the
 * i-th sample of each is the i-th run. Where the file gives a mean instead of samples it is kept as
 * a summary. Optional members of JSON.
 *
 * in->after_document is asked as samples come, not only after documents: a small file may hold
 *many.
 *
 *	struct samples *s = samples_begin(in, "lnt");
 *	samples_add(s, "s", 0.5, "%s.%s", test, "execution_time");
 *	return samples_end(s);
 */
#ifndef IMPORTERS_RESULT_FILE_H
#define IMPORTERS_RESULT_FILE_H

#include <math.h>
#include <stdint.h>

#include "importers/json_read.h"
#include "importers/record.h"

struct samples;
struct arena;

/* A new submission; of its record's axes and commit all must be said before samples_end, and it is
 * gone then as a record is. Names of metrics begin with the testcase (the request's, else this one)
 * and a
 * '.'; NULL: the request must name it. */
struct samples *samples_begin(struct import *in, const char *testcase);
/* The same with names as the file has them. */
struct samples *samples_begin_bare(struct import *in, const char *testcase);
struct record *samples_record(struct samples *s);
/* The next sample of the metric. An empty name is that of the testcase alone. Dropped when v is not
 * finite. */
void samples_add(struct samples *s, const char *unit, double v, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The number of a metric; SAMPLES_NO_METRIC as in record_name. And whether a run has a sample of
 * it.
 */
#define SAMPLES_NO_METRIC RECORD_NO_METRIC
uint32_t samples_metric(struct samples *s, const char *name);
bool samples_has(const struct samples *s, uint32_t metric, size_t run);
/* The sample of a run, from 0. A second one of the same metric and run replaces it. */
void samples_set(struct samples *s, size_t run, const char *unit, double v, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
#define RESULT_CELL                                                                                \
	{                                                                                          \
		.mean = (double)NAN, .stddev = (double)NAN, .stddev_pct = (double)NAN,             \
		.min = (double)NAN, .max = (double)NAN, .n = -1, .fails = -1, .runs = -1,          \
		.printed_change = (double)NAN                                                      \
	}
/* A mean without samples. A file's cells become a submission of their own beside its runs, of the
 * same setup. metric: without the testcase. */
void samples_add_cell(struct samples *s, const char *unit, const struct summary_in *cell);
/* Makes the runs and seals; fails as record_end does. */
int samples_end(struct samples *s);

/* The axis as the request names it, or NULL. */
const char *result_asked(const struct import *in, const char *axis);
/* Of an optional member. NAN when absent, null or a NaN; a fault when it is something else. */
double result_number(const struct json_object *o, const char *key);
/* NULL when absent, null or empty; a fault when it is no string. Control characters become '_', and
 * a text that is too long is cut and carries a digest, so that two that differ do not become one.
 */
const char *result_text(const struct json_object *o, const char *key);
/* The same of at most JSON_NAME_MAX bytes. */
const char *result_name(const struct json_object *o, const char *key);
/* A time in RFC 3339, or without a zone, which is UTC then; TIME_NONE when absent or another. */
int64_t result_time(const struct json_object *o, const char *key);
int64_t result_parse_time(const char *s); /* s: NULL too */
/* The same text cleaning for any bytes. */
const char *result_clean(struct arena *a, const char *s, size_t n);
/* To at most so many bytes. */
const char *result_clean_to(struct arena *a, const char *s, size_t n, size_t max);
#define RESULT_TEXT_MAX 1024 /* bytes that result_clean leaves */
/* True when v is an object; a fault when it is there, not null, and none. */
bool result_object(struct ctx *c, json_t *v, const struct json_at *at, struct json_object *o);
/* True when v is an array; a fault when it is there, not null, and none. */
bool result_array(struct ctx *c, json_t *v, const struct json_at *at);
/* An element of an array of numbers; NAN for null or NaN, and for a fault. */
double result_element(struct ctx *c, json_t *array, size_t i, const struct json_at *at);
/* Every text, number and boolean of an object as info "<prefix><key>". */
void result_info(struct record *r, json_t *object, const char *prefix);
/* Whether a name that somebody gave a run is meant as a commit: 7 to 40 hex digits, or a version as
 * tags have it, v6.5-rc1 or 6.5. */
bool result_is_commit(const char *name);
/* "/a/b" -> "b". */
const char *result_base_name(const char *path);

#endif
