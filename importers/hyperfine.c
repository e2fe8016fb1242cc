/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hyperfine --export-json: each command is a series, with the axis "command" and one for each
 * parameter; its times are runs. hyperfine.seconds, .memory_usage_bytes, .fail (1: the run's exit
 * code was not 0). Of user and system time the file has means only: hyperfine.user_time and
 * .system_time are a summary beside the runs. Without times, which older versions did not write,
 * the mean and what stands beside it is a summary too. Mean, median, spread and range of times that
 * are there are left out.
 */
#include "importers/formats.h"
#include "importers/json_parts.h"
#include "importers/program_output.h"
#include "importers/result_file.h"
#include "server/base/arena.h"
#include "server/base/num.h"

static const char *number_text(struct arena *a, double v)
{
	char text[NUM_MAX];

	return arena_strn(a, text, num_shortest(v, text));
}

static void read_parameters(struct samples *s, struct ctx *c, json_t *v, const struct json_at *at)
{
	struct record *r = samples_record(s);
	struct json_object o;
	const char *key;
	json_t *value;

	if (!result_object(c, v, at, &o))
		return;
	json_object_foreach(v, key, value)
	{
		const char *name = result_clean(c->arena, key, strlen(key)), *text;

		/* what the file calls so is no name of ours */
		if (!strcmp(key, "command") || !strcmp(key, "testcase") ||
		    !strcmp(key, "tbox_group"))
			name = arena_fmt(c->arena, "parameter_%s", key);
		text = json_is_number(value) ? number_text(c->arena, json_number_value(value))
					     : result_text(&o, key);
		if (text)
			record_axis(r, name, text);
	}
}

/* Each run's figure, and how many there are. */
static size_t read_runs(struct samples *s, struct ctx *c, json_t *v, const struct json_at *at,
			const char *metric, const char *unit)
{
	if (!result_array(c, v, at))
		return 0;
	for (size_t i = 0; i < json_array_size(v); i++)
		samples_set(s, i, unit, result_element(c, v, i, at), "%s", metric);
	return json_array_size(v);
}

/* null: it was ended by a signal. */
static void read_exit_codes(struct samples *s, struct ctx *c, json_t *v, const struct json_at *at,
			    size_t runs)
{
	if (!result_array(c, v, at))
		return;
	for (size_t i = 0; i < json_array_size(v) && i < runs; i++) {
		if (json_is_null(json_array_get(v, i)) || result_element(c, v, i, at) != 0)
			samples_set(s, i, NULL, 1, "fail");
	}
}

static void read_means(struct samples *s, const struct json_object *o, size_t runs)
{
	struct summary_in cell = RESULT_CELL;

	cell.n = runs ? (int64_t)runs : -1;
	cell.metric = "user_time";
	cell.mean = result_number(o, "user");
	samples_add_cell(s, "s", &cell);
	cell.metric = "system_time";
	cell.mean = result_number(o, "system");
	samples_add_cell(s, "s", &cell);
	if (runs)
		return;
	cell.metric = "seconds";
	cell.mean = result_number(o, "mean");
	cell.stddev = result_number(o, "stddev");
	cell.min = result_number(o, "min");
	cell.max = result_number(o, "max");
	samples_add_cell(s, "s", &cell);
}

static int read_result(struct import *in, struct ctx *c, json_t *v, const struct json_at *at)
{
	struct samples *s = samples_begin(in, "hyperfine");
	struct json_object o = {.ctx = c, .v = v, .at = at};
	const char *command = result_text(&o, "command");
	size_t runs;

	if (!command)
		json_read_fault(c, JSON_AT_KEY(at, "command"), "is missing");
	record_axis(samples_record(s), "command", command);
	read_parameters(s, c, json_read_member(&o, "parameters"), JSON_AT_KEY(at, "parameters"));
	runs = read_runs(s, c, json_read_member(&o, "times"), JSON_AT_KEY(at, "times"), "seconds",
			 "s");
	read_runs(s, c, json_read_member(&o, "memory_usage_byte"),
		  JSON_AT_KEY(at, "memory_usage_byte"), "memory_usage_bytes", "B");
	read_exit_codes(s, c, json_read_member(&o, "exit_codes"), JSON_AT_KEY(at, "exit_codes"),
			runs);
	read_means(s, &o, runs);
	json_hand_over(c, in->ctx);
	return samples_end(s);
}

int import_hyperfine(struct import *in, const char *bytes, size_t n)
{
	static const char *const keys[] = {"results"};
	const struct json_at top = {0}, *place = JSON_AT_KEY(&top, "results");
	struct ctx *c = in->ctx;
	struct json_span document, results;
	struct json_elements e;
	size_t read = 0;
	json_t *v;

	if (!json_document(c, bytes, n, &document) ||
	    !json_find_members(c, bytes, document, keys, 1, &results))
		return c->err;
	if (!results.p)
		return json_read_fault(c, place, "is missing");
	if (!json_elements_begin(&e, c, bytes, results, place))
		return c->err;
	for (; (v = json_elements_next(&e)); read++) {
		read_result(in, &e.own, v, JSON_AT_INDEX(place, e.index));
		json_decref(v);
		if (in->after_document && in->after_document(in->after_arg) < 0)
			break;
	}
	json_elements_end(&e);
	return c->err || read ? (int)c->err : json_read_fault(c, place, "is empty");
}

int hyperfine_sniff(const char *bytes, size_t n)
{
	const char *p = json_piece_find(bytes, bytes + n);

	if (!p || !sniff_finds(bytes, n, "\"results\"") || !sniff_finds(bytes, n, "\"command\""))
		return 0;
	return sniff_finds(bytes, n, "\"median\"") && sniff_finds(bytes, n, "\"system\"") ? 97 : 0;
}
