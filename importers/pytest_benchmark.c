/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pytest-benchmark's JSON: <fullname>.seconds of each test, its rounds are runs. Without the rounds
 * (they are only kept on request) mean, standard deviation, range and number of rounds are a
 * summary. Machine, commit, its date and the time of the run are named by the file. Extra info of
 * tests is kept as info.
 */
#include "importers/formats.h"
#include "importers/json_parts.h"
#include "importers/program_output.h"
#include "importers/result_file.h"
#include "server/base/arena.h"

static void read_machine(struct samples *s, struct ctx *c, json_t *v, const struct json_at *at)
{
	struct record *r = samples_record(s);
	struct json_object o;

	if (!result_object(c, v, at, &o))
		return;
	record_axis(r, "tbox_group", result_text(&o, "node"));
	result_info(r, v, "");
	result_info(r, json_read_member(&o, "cpu"), "cpu.");
}

static void read_commit(struct samples *s, struct ctx *c, json_t *v, const struct json_at *at)
{
	struct record *r = samples_record(s);
	struct json_object o;

	if (!result_object(c, v, at, &o))
		return;
	record_commit(r, result_text(&o, "id"));
	record_submission(r)->commit.date = result_time(&o, "time");
	record_info(r, "commit.branch", result_text(&o, "branch"));
	record_info(r, "commit.project", result_text(&o, "project"));
	if (json_is_true(json_read_member(&o, "dirty")))
		record_info(r, "commit.dirty", "true");
}

static void read_stats(struct samples *s, struct ctx *c, json_t *v, const struct json_at *at,
		       const char *name)
{
	const struct json_at *place = JSON_AT_KEY(at, "data");
	struct summary_in cell = RESULT_CELL;
	struct json_object o;
	json_t *data;
	double rounds;

	if (!result_object(c, v, at, &o))
		return;
	data = json_read_member(&o, "data");
	if (result_array(c, data, place) && json_array_size(data)) {
		for (size_t i = 0; i < json_array_size(data); i++)
			samples_set(s, i, "s", result_element(c, data, i, place), "%s.seconds",
				    name);
		return;
	}
	rounds = result_number(&o, "rounds");
	cell.metric = arena_fmt(c->arena, "%s.seconds", name);
	cell.mean = result_number(&o, "mean");
	cell.stddev = result_number(&o, "stddev");
	cell.min = result_number(&o, "min");
	cell.max = result_number(&o, "max");
	cell.n = rounds >= 1 && rounds < 1e15 ? (int64_t)rounds : -1;
	samples_add_cell(s, "s", &cell);
}

static void read_benchmark(struct samples *s, struct ctx *c, json_t *v, const struct json_at *at)
{
	struct json_object o = {.ctx = c, .v = v, .at = at};
	const char *full = result_text(&o, "fullname"), *name = result_text(&o, "name");

	name = full ? full : name;
	if (!name) {
		json_read_fault(c, JSON_AT_KEY(at, "name"), "is missing");
		return;
	}
	if (!json_read_member(&o, "stats"))
		json_read_fault(c, JSON_AT_KEY(at, "stats"), "is missing");
	read_stats(s, c, json_read_member(&o, "stats"), JSON_AT_KEY(at, "stats"), name);
	result_info(samples_record(s), json_read_member(&o, "extra_info"),
		    arena_fmt(c->arena, "%.200s.", name));
}

/* A text at the top of the document. */
static const char *top_text(struct ctx *c, struct json_span v)
{
	if (!v.p || v.end - v.p < 2 || *v.p != '"')
		return NULL;
	return arena_strn(c->arena, v.p + 1, (size_t)(v.end - v.p) - 2);
}

int import_pytest_benchmark(struct import *in, const char *bytes, size_t n)
{
	static const char *const keys[] = {"machine_info", "commit_info", "benchmarks", "datetime",
					   "version"};
	const struct json_at top = {0}, *place = JSON_AT_KEY(&top, "benchmarks");
	struct json_span document, found[5];
	struct ctx *c = in->ctx;
	struct json_elements e;
	struct samples *s;
	json_t *v;

	if (!json_document(c, bytes, n, &document) ||
	    !json_find_members(c, bytes, document, keys, 5, found))
		return c->err;
	if (!found[2].p)
		return json_read_fault(c, place, "is missing");
	s = samples_begin(in, "pytest-benchmark");
	v = json_span_object(c, bytes, found[0], JSON_AT_KEY(&top, keys[0]));
	read_machine(s, c, v, JSON_AT_KEY(&top, keys[0]));
	json_decref(v);
	v = json_span_object(c, bytes, found[1], JSON_AT_KEY(&top, keys[1]));
	read_commit(s, c, v, JSON_AT_KEY(&top, keys[1]));
	json_decref(v);
	record_submission(samples_record(s))->started = result_parse_time(top_text(c, found[3]));
	record_info(samples_record(s), "program_version", top_text(c, found[4]));
	if (!json_elements_begin(&e, c, bytes, found[2], place))
		return c->err;
	while ((v = json_elements_next(&e))) {
		read_benchmark(s, &e.own, v, JSON_AT_INDEX(place, e.index));
		json_decref(v);
	}
	json_elements_end(&e);
	return samples_end(s);
}

int pytest_benchmark_sniff(const char *bytes, size_t n)
{
	if (!json_piece_find(bytes, bytes + n) || !sniff_finds(bytes, n, "\"machine_info\""))
		return 0;
	return sniff_finds(bytes, n, "\"commit_info\"") || sniff_finds(bytes, n, "\"benchmarks\"")
		       ? 97
		       : 0;
}
