/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Outputs of programs (tests/data/raw) through their importers; for tests. Included after cmocka.h.
 */
#ifndef TESTS_RAW_LAB_H
#define TESTS_RAW_LAB_H

#include <math.h>

#include "importers/import.h"
#include "server/base/arena.h"

/* cmocka's fail_msg needs its fail(), whose name is err.h's. */
#define raw_fail(...)                                                                              \
	do {                                                                                       \
		print_error(__VA_ARGS__);                                                          \
		print_error("\n");                                                                 \
		assert_true(false);                                                                \
	} while (0)

struct raw {
	struct ctx ctx;
	struct import in;
	char *bytes;
	size_t n;
};

static char *raw_load(const char *file, size_t *n)
{
	char path[256];
	char *bytes;
	FILE *f;

	snprintf(path, sizeof(path), "tests/data/raw/%s", file);
	f = fopen(path, "rb");
	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	*n = (size_t)ftell(f);
	rewind(f);
	bytes = malloc(*n + 1);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, *n, f), *n);
	bytes[*n] = '\0';
	fclose(f);
	return bytes;
}

/* Runs the importer over the bytes; testcase NULL: the request names none. */
static int raw_run(struct raw *r, const char *format, const char *bytes, size_t n,
		   const char *testcase)
{
	static struct pair axes[2];
	const struct importer *i = importer_find(format);

	assert_non_null(i);
	ctx_init(&r->ctx, arena_new(), NULL);
	axes[0] = (struct pair){"tbox_group", "box"};
	axes[1] = (struct pair){"testcase", testcase};
	r->in = (struct import){
		.ctx = &r->ctx, .axes = axes, .naxes = testcase ? 2 : 1, .commit = "a0fd217e6d6f"};
	return i->run(&r->in, bytes, n);
}

static void raw_read_as(struct raw *r, const char *format, const char *file, const char *testcase)
{
	int e;

	r->bytes = raw_load(file, &r->n);
	e = raw_run(r, format, r->bytes, r->n, testcase);
	if (e != E_OK)
		print_error("%s: %s\n", file, r->ctx.detail);
	assert_int_equal(e, E_OK);
}

__attribute__((unused)) static void raw_read(struct raw *r, const char *format, const char *file)
{
	raw_read_as(r, format, file, NULL);
}

__attribute__((unused)) static void raw_end(struct raw *r)
{
	arena_free(r->ctx.arena);
	free(r->bytes);
}

static double raw_value(const struct raw *r, size_t sub, size_t run, const char *metric)
{
	const struct submission *s = &r->in.subs[sub];
	const struct metric_names *names;

	assert_in_range(sub, 0, r->in.n - 1);
	assert_in_range(run, 0, s->nruns - 1);
	names = s->runs[run].names;
	for (size_t i = 0; i < names->n; i++) {
		if (!strcmp(names->names[i], metric))
			return s->runs[run].values[i];
	}
	return (double)NAN;
}

__attribute__((unused)) static const char *raw_unit(const struct raw *r, size_t sub,
						    const char *metric)
{
	const struct submission *s = &r->in.subs[sub];

	for (size_t i = 0; i < s->nunits; i++) {
		if (!strcmp(s->units[i].name, metric))
			return s->units[i].value;
	}
	return "";
}

static const char *raw_pair(const struct pair *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(list[i].name, name))
			return list[i].value;
	}
	return "";
}

__attribute__((unused)) static const char *raw_axis(const struct raw *r, size_t sub,
						    const char *name)
{
	return raw_pair(r->in.subs[sub].axes, r->in.subs[sub].naxes, name);
}

__attribute__((unused)) static const char *raw_info(const struct raw *r, size_t sub,
						    const char *name)
{
	return raw_pair(r->in.subs[sub].info, r->in.subs[sub].ninfo, name);
}

/* A figure that must be there; unit "": none is told. */
struct raw_figure {
	size_t run;
	const char *metric;
	double value;
	const char *unit;
};

__attribute__((unused)) static void raw_check(const struct raw *r, size_t sub,
					      const struct raw_figure *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double v = raw_value(r, sub, list[i].run, list[i].metric);

		if (!(fabs(v - list[i].value) <= 1e-12 * fabs(list[i].value)))
			raw_fail("run %zu: %s is %.17g, not %.17g", list[i].run, list[i].metric, v,
				 list[i].value);
		if (strcmp(raw_unit(r, sub, list[i].metric), list[i].unit) != 0)
			raw_fail("%s has the unit \"%s\", not \"%s\"", list[i].metric,
				 raw_unit(r, sub, list[i].metric), list[i].unit);
	}
}
#define RAW_CHECK(r, sub, list) raw_check((r), (sub), (list), sizeof(list) / sizeof((list)[0]))

/* How many metrics the run has: that nothing more was made of the file. */
__attribute__((unused)) static size_t raw_metrics(const struct raw *r, size_t sub, size_t run)
{
	assert_in_range(run, 0, r->in.subs[sub].nruns - 1);
	return r->in.subs[sub].runs[run].names->n;
}

__attribute__((unused)) static const struct distribution_in *raw_distribution(const struct raw *r,
									      size_t sub,
									      const char *metric)
{
	const struct submission *s = &r->in.subs[sub];

	for (size_t i = 0; i < s->ndistributions; i++) {
		if (!strcmp(s->distributions[i].metric, metric))
			return &s->distributions[i];
	}
	raw_fail("no distribution %s", metric);
	return NULL;
}

#endif
