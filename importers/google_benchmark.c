/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Google Benchmark's JSON: <benchmark>.real_time and .cpu_time in the unit that the file names,
 * .bytes_per_second, .items_per_second and counters of the user; a repetition is a run. Aggregates
 * are left out, unless there is nothing else of a benchmark: then its mean, with the standard
 * deviation, is a summary. A benchmark that failed is <benchmark>.error. Series: the program is the
 * axis "executable"; the host is the machine, and the context may name the commit (as with
 * --benchmark_context=commit=…).
 */
#include "importers/formats.h"
#include "importers/json_parts.h"
#include "importers/program_output.h"
#include "importers/result_file.h"
#include "importers/text_map.h"
#include "server/base/arena.h"

#define BENCHMARKS_MAX 50000 /* of different names; a run may have as many metrics */

/* Means that stand alone are known when all is read. */
struct aggregate {
	const char *name, *unit;
	int64_t n;
	double real, cpu, real_stddev, cpu_stddev;
	bool has_samples;
};

struct reading {
	struct ctx *c, *own; /* own: of the benchmark being read */
	struct samples *s;
	struct text_map names;
	struct aggregate *list; /* by number in names */
	size_t cap;
};

/* Members that are no figures of the user's. */
static bool is_known(const char *key)
{
	static const char *const known[] = {"family_index",
					    "per_family_instance_index",
					    "repetitions",
					    "repetition_index",
					    "threads",
					    "iterations",
					    "real_time",
					    "cpu_time",
					    "error_occurred",
					    "big_o",
					    "cpu_coefficient",
					    "real_coefficient",
					    "rms",
					    "bytes_per_second",
					    "items_per_second",
					    NULL};

	for (size_t i = 0; known[i]; i++) {
		if (!strcmp(known[i], key))
			return true;
	}
	return false;
}

static void read_context(struct reading *g, json_t *v, const struct json_at *at)
{
	struct record *r = samples_record(g->s);
	struct json_object o;
	const char *program;

	if (!result_object(g->c, v, at, &o))
		return;
	result_info(r, v, "");
	record_submission(r)->started = result_time(&o, "date");
	record_axis(r, "tbox_group", result_text(&o, "host_name"));
	record_axis(r, "tbox_group", result_text(&o, "tbox_group"));
	record_commit(r, result_text(&o, "commit"));
	record_submission(r)->commit.tree = result_name(&o, "tree");
	program = result_text(&o, "executable");
	if (program)
		record_axis(r, "executable", result_base_name(program));
}

static struct aggregate *benchmark(struct reading *g, const char *name)
{
	bool fresh;
	size_t i = text_map_add(&g->names, name, strlen(name), &fresh);

	g->list = arena_grow(g->c->arena, g->list, &g->cap, i + 1, sizeof(*g->list));
	if (fresh)
		g->list[i] = (struct aggregate){.name = g->names.list[i].text,
						.n = -1,
						.real = (double)NAN,
						.cpu = (double)NAN,
						.real_stddev = (double)NAN,
						.cpu_stddev = (double)NAN};
	return &g->list[i];
}

static void read_aggregate(struct reading *g, const struct json_object *o, const char *kind,
			   const char *name)
{
	struct aggregate *a = benchmark(g, name);
	double real = result_number(o, "real_time"), cpu = result_number(o, "cpu_time");
	double n = result_number(o, "repetitions");

	if (!strcmp(kind, "mean")) {
		a->real = real;
		a->cpu = cpu;
		a->unit = arena_str(g->c->arena, result_text(o, "time_unit"));
		a->n = n >= 1 && n < 1e9 ? (int64_t)n : -1;
	} else if (!strcmp(kind, "stddev")) {
		a->real_stddev = real;
		a->cpu_stddev = cpu;
	}
}

/* What a name says where there is no run_type, as in versions before 1.5; its end is cut off. */
static const char *kind_by_name(char *name)
{
	static const char *const kinds[] = {"mean", "median", "stddev", "cv", "BigO", "RMS"};
	char *end = strrchr(name, '_');

	for (size_t i = 0; end && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!strcmp(end + 1, kinds[i])) {
			*end = '\0';
			return kinds[i];
		}
	}
	return NULL;
}

static void read_figures(struct reading *g, const struct json_object *o, const char *name)
{
	const char *unit = result_text(o, "time_unit"), *label = result_text(o, "label"), *key;
	json_t *v;

	benchmark(g, name)->has_samples = true;
	if (json_is_true(json_read_member(o, "error_occurred"))) {
		samples_add(g->s, NULL, 1, "%s.error", name);
		return;
	}
	samples_add(g->s, unit, result_number(o, "real_time"), "%s.real_time", name);
	samples_add(g->s, unit, result_number(o, "cpu_time"), "%s.cpu_time", name);
	samples_add(g->s, "B/s", result_number(o, "bytes_per_second"), "%s.bytes_per_second", name);
	samples_add(g->s, "1/s", result_number(o, "items_per_second"), "%s.items_per_second", name);
	json_object_foreach(o->v, key, v)
	{
		if (json_is_number(v) && !is_known(key))
			samples_add(g->s, NULL, json_number_value(v), "%s.%s", name, key);
	}
	if (label)
		record_info(samples_record(g->s), arena_fmt(g->own->arena, "label.%.200s", name),
			    label);
}

static void read_benchmark(struct reading *g, json_t *v, const struct json_at *at)
{
	struct json_object o = {.ctx = g->own, .v = v, .at = at};
	const char *name = result_text(&o, "run_name"), *type = result_text(&o, "run_type");
	const char *kind = result_text(&o, "aggregate_name"), *full = result_text(&o, "name");

	if (!name && !full) {
		json_read_fault(g->own, JSON_AT_KEY(at, "name"), "is missing");
		return;
	}
	if (json_is_true(json_read_member(&o, "skipped")))
		return;
	if (!type) {
		char *cut = arena_str(g->own->arena, full ? full : name);

		kind = kind_by_name(cut);
		name = name ? name : cut;
		type = kind ? "aggregate" : "iteration";
	}
	name = name ? name : full;
	if (!strcmp(type, "aggregate"))
		read_aggregate(g, &o, kind ? kind : "", name);
	else
		read_figures(g, &o, name);
}

static void add_means(struct reading *g)
{
	for (size_t i = 0; i < g->names.n; i++) {
		const struct aggregate *a = &g->list[i];
		struct summary_in cell = RESULT_CELL;

		if (a->has_samples)
			continue;
		cell.n = a->n;
		cell.metric = arena_fmt(g->c->arena, "%s.real_time", a->name);
		cell.mean = a->real;
		cell.stddev = a->real_stddev;
		samples_add_cell(g->s, a->unit, &cell);
		cell.metric = arena_fmt(g->c->arena, "%s.cpu_time", a->name);
		cell.mean = a->cpu;
		cell.stddev = a->cpu_stddev;
		samples_add_cell(g->s, a->unit, &cell);
	}
}

int import_google_benchmark(struct import *in, const char *bytes, size_t n)
{
	static const char *const keys[] = {"context", "benchmarks"};
	const struct json_at top = {0}, *place = JSON_AT_KEY(&top, "benchmarks");
	struct reading g = {.c = in->ctx};
	struct json_span document, found[2];
	struct json_elements e;
	json_t *v;

	if (!json_document(g.c, bytes, n, &document) ||
	    !json_find_members(g.c, bytes, document, keys, 2, found))
		return g.c->err;
	if (!found[1].p)
		return json_read_fault(g.c, place, "is missing");
	g.s = samples_begin(in, "google-benchmark");
	text_map_init(&g.names, g.c->arena);
	v = json_span_object(g.c, bytes, found[0], JSON_AT_KEY(&top, "context"));
	read_context(&g, v, JSON_AT_KEY(&top, "context"));
	json_decref(v);
	if (!json_elements_begin(&e, g.c, bytes, found[1], place))
		return g.c->err;
	g.own = &e.own;
	while (g.names.n <= BENCHMARKS_MAX && (v = json_elements_next(&e))) {
		read_benchmark(&g, v, JSON_AT_INDEX(place, e.index));
		json_decref(v);
	}
	json_elements_end(&e);
	if (g.names.n > BENCHMARKS_MAX)
		return fail(g.c, E_TOO_LARGE,
			    "it has more than %d different benchmarks: import it in parts",
			    BENCHMARKS_MAX);
	add_means(&g);
	return samples_end(g.s);
}

int google_benchmark_sniff(const char *bytes, size_t n)
{
	if (!json_piece_find(bytes, bytes + n) || !sniff_finds(bytes, n, "\"context\"") ||
	    !sniff_finds(bytes, n, "\"benchmarks\""))
		return 0;
	return sniff_finds(bytes, n, "\"executable\"") || (sniff_finds(bytes, n, "\"real_time\"") &&
							   sniff_finds(bytes, n, "\"time_unit\""))
		       ? 97
		       : 0;
}
