/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cyclictest --json. Documents behind one another are a run each; members of another type are left
 * out. One is at most 4 MiB: what is larger, or cut off, ends the reading. */
#include "importers/cyclictest.h"

#include <jansson.h>
#include <math.h>

#include "importers/json_scan.h"
#include "server/base/arena.h"
#include "server/base/num.h"

#define DEPTH_MAX    32
#define BRACKETS_MAX 20000

struct slot {
	double us, count;
};

static int by_us(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return (x->us > y->us) - (x->us < y->us);
}

static void read_histogram(struct cyclictest *c, struct cyclic_thread *t, json_t *histogram)
{
	struct slot *slots = arena_array(c->buckets, struct slot, json_object_size(histogram));
	const char *key;
	json_t *count;
	size_t n = 0;
	double us;

	json_object_foreach(histogram, key, count)
	{
		if (num_parse_real(key, &us) && json_is_number(count))
			slots[n++] = (struct slot){us, json_number_value(count)};
	}
	if (n)
		qsort(slots, n, sizeof(*slots), by_us);
	for (size_t i = 0; i < n; i++)
		cyclic_bucket(c, t, slots[i].us, slots[i].count);
}

static double figure(const json_t *object, const char *key, double otherwise)
{
	const json_t *v = json_object_get(object, key);

	return json_is_number(v) ? json_number_value(v) : otherwise;
}

static void read_document(struct cyclictest *c, json_t *doc)
{
	static const char *const told[][3] = {{NULL, "cmdline:", "command"},
					      {NULL, "cmdline", "command"},
					      {NULL, "rt_test_version:", "program_version"},
					      {NULL, "rt_test_version", "program_version"},
					      {NULL, "start_time", "start_time"},
					      {"sysinfo", "nodename", "hostname"},
					      {"sysinfo", "release", "kernel"},
					      {"sysinfo", "machine", "machine"}};
	json_t *thread;
	const char *key;
	int64_t number;

	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		json_t *from = told[i][0] ? json_object_get(doc, told[i][0]) : doc;
		const char *s = json_string_value(json_object_get(from, told[i][1]));

		if (s)
			output_info(c->o, told[i][2], s);
	}
	c->ns = figure(doc, "resolution_in_ns", 0) > 0;
	json_object_foreach(json_object_get(doc, "thread"), key, thread)
	{
		struct cyclic_thread *t;

		if (!num_parse_int(key, 0, CYCLIC_THREADS_MAX - 1, &number) ||
		    !json_is_object(thread))
			continue;
		t = cyclic_thread(c, (size_t)number);
		t->cycles = figure(thread, "cycles", -1);
		t->min = figure(thread, "min", (double)NAN);
		t->avg = figure(thread, "avg", (double)NAN);
		t->max = figure(thread, "max", (double)NAN);
		read_histogram(c, t, json_object_get(thread, "histogram"));
	}
}

/* The first '{' at the beginning of a line; NULL. */
static const char *first_document(const char *bytes, size_t n)
{
	const char *end = bytes + n, *p = bytes;

	while (p < end) {
		while (p < end && (*p == ' ' || *p == '\t'))
			p++;
		if (p < end && *p == '{')
			return p;
		p = memchr(p, '\n', (size_t)(end - p));
		if (!p)
			return NULL;
		p++;
	}
	return NULL;
}

bool cyclic_json(struct cyclictest *c, const char *bytes, size_t n)
{
	const char *p = first_document(bytes, n), *end = bytes + n;

	if (!p)
		return false;
	while (p) {
		const char *stop;
		json_t *doc;

		if (json_scan_value(p, end, DEPTH_MAX, BRACKETS_MAX, &stop) != JSON_SCAN_OK ||
		    (size_t)(stop - p) > NATIVE_DOCUMENT_MAX)
			break;
		doc = json_loadb(p, (size_t)(stop - p), JSON_DECODE_INT_AS_REAL, NULL);
		if (doc)
			read_document(c, doc);
		json_decref(doc);
		cyclic_flush(c);
		p = first_document(stop, (size_t)(end - stop));
	}
	return true;
}
