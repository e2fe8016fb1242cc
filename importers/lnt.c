/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LNT's test reports, versions 2 and 5, which names the commit and the run's fields otherwise:
 * <test>.<metric> of each test; a list of numbers is a list of runs,
 * and so is a test that is told again. Units as LNT fixes them: seconds for execution_time and
 * compile_time, bytes for mem_bytes and code_size. A *_status that is not 0 is <test>.<what>.fail,
 * and 0 is <test>.<what>.pass. Other texts (hashes, profiles) are left out. The machine and the
 * commit are named by the file: the commit is the run's order field, of which several names are
 * known, or else the only field that holds 40 hex digits and is no digest.
 */
#include "importers/formats.h"
#include "importers/json_parts.h"
#include "importers/program_output.h"
#include "importers/result_file.h"
#include "importers/text_map.h"
#include "server/base/arena.h"
#include "server/base/num.h"

static void read_machine(struct samples *s, struct ctx *c, json_t *v, const struct json_at *at)
{
	struct record *r = samples_record(s);
	struct json_object o;

	if (!result_object(c, v, at, &o))
		return;
	record_axis(r, "tbox_group", result_text(&o, "name"));
	result_info(r, v, "machine.");
}

/* Fields such as cc_exec_hash are digests of a program's bytes. */
static const char *only_id(json_t *run)
{
	const char *found = NULL, *key;
	json_t *v;

	json_object_foreach(run, key, v)
	{
		const char *text = json_string_value(v);

		if (!text || strstr(key, "hash") || strlen(text) != 40 ||
		    strspn(text, "0123456789abcdefABCDEF") != 40)
			continue;
		if (found && strcmp(found, text) != 0)
			return NULL;
		found = text;
	}
	return found;
}

static void read_run(struct samples *s, struct ctx *c, json_t *v, const struct json_at *at)
{
	static const char *const orders[] = {
		"git_sha",     "git_commit",     "commit",  "llvm_project_revision", "revision",
		"git_version", "kernel_version", "version", "inferred_run_order"};
	struct record *r = samples_record(s);
	struct json_object o;

	if (!result_object(c, v, at, &o))
		return;
	result_info(r, v, "run.");
	record_submission(r)->started = result_time(&o, "start_time");
	record_submission(r)->commit.tree = result_name(&o, "tree");
	record_commit(r, only_id(v));
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		const char *name = json_string_value(json_read_member(&o, orders[i]));

		if (name && result_is_commit(name)) {
			record_commit(r, name);
			return;
		}
	}
}

static const char *unit_of(const char *metric)
{
	if (!strcmp(metric, "execution_time") || !strcmp(metric, "compile_time"))
		return "s";
	return !strcmp(metric, "mem_bytes") || !strcmp(metric, "code_size") ? "B" : NULL;
}

struct figure {
	const char *test, *metric;
	size_t run;    /* that the first value belongs to */
	size_t status; /* length of the metric without "_status", or 0 */
};

static void add_figure(struct samples *s, const struct figure *f, size_t i, double v)
{
	if (isnan(v))
		return;
	if (f->status)
		samples_set(s, f->run + i, NULL, 1, "%s.%.*s.%s", f->test, (int)f->status,
			    f->metric, v != 0 ? "fail" : "pass");
	else
		samples_set(s, f->run + i, unit_of(f->metric), v, "%s.%s", f->test, f->metric);
}

/* A metric's value or values; how many. */
static size_t read_metric(struct samples *s, struct ctx *c, const struct figure *f, json_t *v,
			  const struct json_at *at)
{
	double number;

	if (json_is_array(v)) {
		for (size_t i = 0; i < json_array_size(v); i++)
			add_figure(s, f, i, result_element(c, v, i, at));
		return json_array_size(v);
	}
	if (json_is_number(v)) {
		add_figure(s, f, 0, json_number_value(v));
	} else if (json_is_string(v)) {
		if (num_parse_real(json_string_value(v), &number))
			add_figure(s, f, 0, number);
	} else if (!json_is_null(v)) {
		json_read_fault(c, at, "must be a number, a text or an array of numbers, is %s",
				json_read_kind(v));
	}
	return 1;
}

/* runs: of each test so far, as info of the names that were seen */
struct tests {
	struct text_map names;
	size_t *runs;
	size_t cap;
};

static void read_test(struct samples *s, struct ctx *c, struct tests *seen, json_t *v,
		      const struct json_at *at)
{
	static const char status[] = "_status";
	struct json_object o = {.ctx = c, .v = v, .at = at};
	const char *name = result_text(&o, "name"), *key;
	size_t test, most = 0;
	bool fresh;
	json_t *value;

	if (!name) {
		json_read_fault(c, JSON_AT_KEY(at, "name"), "is missing");
		return;
	}
	test = text_map_add(&seen->names, name, strlen(name), &fresh);
	seen->runs =
		arena_grow(seen->names.a, seen->runs, &seen->cap, test + 1, sizeof(*seen->runs));
	json_object_foreach(v, key, value)
	{
		size_t len = strlen(key), end = sizeof(status) - 1, n;
		bool is_status = len > end && !strcmp(key + len - end, status);
		struct figure f = {name, key, seen->runs[test], is_status ? len - end : 0};

		if (!strcmp(key, "name"))
			continue;
		n = read_metric(s, c, &f, value, JSON_AT_ENTRY(at, key));
		most = n > most ? n : most;
	}
	seen->runs[test] += most;
}

/* Version 5: {"value": "<id>", …}. */
static void read_value(struct samples *s, struct ctx *c, json_t *v, const struct json_at *at)
{
	struct json_object o;
	const char *id;

	if (!result_object(c, v, at, &o))
		return;
	id = result_text(&o, "value");
	if (id && result_is_commit(id))
		record_commit(samples_record(s), id);
}

static bool is_word(struct json_span v, const char *word)
{
	return v.p && (size_t)(v.end - v.p) == strlen(word) && !memcmp(v.p, word, strlen(word));
}

int import_lnt(struct import *in, const char *bytes, size_t n)
{
	enum { MACHINE, RUN, TESTS, VERSION, COMMIT, PARAMETERS, KEYS };
	static const char *const keys[KEYS] = {"machine",        "run",    "tests",
					       "format_version", "commit", "run_parameters"};
	static const struct {
		int key;
		void (*read)(struct samples *s, struct ctx *c, json_t *v, const struct json_at *at);
	} parts[] = {
		{MACHINE, read_machine},
		{RUN, read_run},
		{PARAMETERS, read_run},
		{COMMIT, read_value},
	};
	const struct json_at top = {0}, *place = JSON_AT_KEY(&top, "tests");
	struct json_span document, found[KEYS];
	struct ctx *c = in->ctx;
	struct tests seen = {0};
	struct json_elements e;
	struct samples *s;
	json_t *v;

	if (!json_document(c, bytes, n, &document) ||
	    !json_find_members(c, bytes, document, keys, KEYS, found))
		return c->err;
	if (!is_word(found[VERSION], "\"2\"") && !is_word(found[VERSION], "\"5\""))
		return json_read_fault(c, JSON_AT_KEY(&top, keys[VERSION]),
				       "must be \"2\" or \"5\"");
	if (!found[TESTS].p)
		return json_read_fault(c, place, "is missing");
	s = samples_begin(in, "lnt");
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const struct json_at *at = JSON_AT_KEY(&top, keys[parts[i].key]);

		v = json_span_object(c, bytes, found[parts[i].key], at);
		parts[i].read(s, c, v, at);
		json_decref(v);
	}
	if (!json_elements_begin(&e, c, bytes, found[TESTS], place))
		return c->err;
	text_map_init(&seen.names, c->arena);
	while ((v = json_elements_next(&e))) {
		read_test(s, &e.own, &seen, v, JSON_AT_INDEX(place, e.index));
		json_decref(v);
	}
	json_elements_end(&e);
	return samples_end(s);
}

int lnt_sniff(const char *bytes, size_t n)
{
	if (!json_piece_find(bytes, bytes + n) || !sniff_finds(bytes, n, "\"format_version\""))
		return 0;
	return sniff_finds(bytes, n, "\"tests\"") || sniff_finds(bytes, n, "\"machine\"") ? 97 : 0;
}
