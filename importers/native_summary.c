/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Figures without samples: what a printed table, or a report, said. They are kept as they came;
 * what was left out stays unknown.
 */
#include "importers/native.h"

#include <math.h>

#include "server/analysis/comparison.h"
#include "server/base/arena.h"

/* A number, or what tables print where the base is 0. */
static double read_change(const struct json_object *o, const char *key)
{
	const char *text = json_string_value(json_read_member(o, key));

	if (text && !strcmp(text, "+Inf"))
		return (double)INFINITY;
	return text && !strcmp(text, "-Inf") ? (double)-INFINITY : json_read_real(o, key);
}

static void read_printed(struct ctx *c, json_t *v, const struct json_at *at, struct summary_in *out)
{
	static const char *const known[] = {"base", "change_pct", "change_abs", "reproduction_pct",
					    NULL};
	static const int kinds[] = {PRINTED_BASE, PRINTED_PCT, PRINTED_ABS, PRINTED_REPRODUCTION};
	struct json_object o;
	size_t changes = 0;
	bool is_hex;

	if (!json_read_object(c, v, at, known, &o))
		return;
	out->printed = PRINTED_BASE;
	out->printed_base = native_read_commit_name(&o, "base", &is_hex);
	for (size_t i = 1; known[i]; i++) {
		if (!json_read_member(&o, known[i]))
			continue;
		changes++;
		out->printed = kinds[i];
		out->printed_change = read_change(&o, known[i]);
	}
	if (!json_read_member(&o, "base") && changes)
		json_read_fault(c, at, "has a change but no base");
	else if (json_read_member(&o, "base") && changes != 1)
		json_read_fault(
			c, at,
			"has a base and %zu changes; it must have exactly one of change_pct, "
			"change_abs, reproduction_pct",
			changes);
}

/* What the figures of a cell must have among each other. */
static void check_cell(const struct json_object *o, const struct summary_in *cell)
{
	static const char *const of_values[] = {"mean", "stddev", "stddev_pct", "n", "min", "max"};
	bool functional = json_read_member(o, "fails") || json_read_member(o, "runs");
	struct ctx *c = o->ctx;

	for (size_t i = 0; functional && i < sizeof(of_values) / sizeof(of_values[0]); i++) {
		if (json_read_member(o, of_values[i]))
			json_read_fault(c, JSON_AT_KEY(o->at, of_values[i]),
					"cannot stand beside fails and runs");
	}
	if (functional) {
		json_read_required(o, "fails");
		json_read_required(o, "runs");
	} else {
		json_read_required(o, "mean");
	}
	if (json_read_member(o, "stddev") && json_read_member(o, "stddev_pct"))
		json_read_fault(c, JSON_AT_KEY(o->at, "stddev_pct"), "cannot stand beside stddev");
	if (cell->stddev < 0)
		json_read_fault(c, JSON_AT_KEY(o->at, "stddev"), "is below 0");
	if (cell->stddev_pct < 0 && cell->printed == PRINTED_NO)
		json_read_fault(c, JSON_AT_KEY(o->at, "stddev_pct"), "is below 0");
	if (cell->min > cell->max)
		json_read_fault(c, JSON_AT_KEY(o->at, "min"), "is greater than max");
	if (cell->fails >= 0 && cell->runs >= 0 && cell->fails > cell->runs)
		json_read_fault(c, JSON_AT_KEY(o->at, "fails"), "is greater than runs");
}

static void read_cell(struct ctx *c, json_t *v, const struct json_at *at, const char *metric,
		      struct summary_in *out)
{
	static const char *const known[] = {"mean", "stddev", "stddev_pct", "n",       "min",
					    "max",  "fails",  "runs",       "printed", NULL};
	struct json_object o;
	json_t *printed;

	*out = (struct summary_in){.metric = metric, .printed = PRINTED_NO, .printed_change = NAN};
	if (!json_read_object(c, v, at, known, &o))
		return;
	out->mean = json_read_real(&o, "mean");
	out->stddev = json_read_real(&o, "stddev");
	out->stddev_pct = json_read_real(&o, "stddev_pct");
	out->min = json_read_real(&o, "min");
	out->max = json_read_real(&o, "max");
	out->n = json_read_whole(&o, "n");
	out->fails = json_read_whole(&o, "fails");
	out->runs = json_read_whole(&o, "runs");
	printed = json_read_member(&o, "printed");
	if (printed)
		read_printed(c, printed, JSON_AT_KEY(at, "printed"), out);
	check_cell(&o, out);
}

static int by_metric(const void *a, const void *b)
{
	return strcmp(((const struct summary_in *)a)->metric,
		      ((const struct summary_in *)b)->metric);
}

void native_read_summary(struct native *nv, json_t *v, const struct json_at *at,
			 struct submission *s)
{
	struct ctx *c = nv->ctx;
	struct summary_in *cells;
	const char *key;
	json_t *cell;

	if (!json_is_object(v) || !json_object_size(v)) {
		json_read_fault(c, at, "must be an object with at least one metric, is %s",
				json_is_object(v) ? "empty" : json_read_kind(v));
		return;
	}
	cells = arena_array(c->arena, struct summary_in, json_object_size(v));
	json_object_foreach(v, key, cell)
	{
		const struct json_at *place = JSON_AT_ENTRY(at, key);

		json_read_key(c, place, key, strlen(key), JSON_METRIC_MAX);
		read_cell(c, cell, place, arena_str(c->arena, key), &cells[s->ncells++]);
	}
	qsort(cells, s->ncells, sizeof(*cells), by_metric);
	s->cells = cells;
}

void native_read_report(struct native *nv, json_t *v, const struct json_at *at,
			struct report_in *out)
{
	static const char *const known[] = {"message_id", "subject", "url", "date", NULL};
	struct json_object o;

	if (!json_read_object(nv->ctx, v, at, known, &o))
		return;
	out->given = true;
	out->message_id = json_read_line(&o, "message_id", JSON_TEXT_MAX);
	out->subject = json_read_line(&o, "subject", JSON_TEXT_MAX);
	out->url = json_read_line(&o, "url", JSON_TEXT_MAX);
	out->date = json_read_time(&o, "date");
}

void native_read_headline(struct native *nv, json_t *v, const struct json_at *at,
			  struct headline_in *out)
{
	static const char *const known[] = {"metric", "base", "change_pct", "verdict", NULL};
	struct json_object o;
	bool is_hex;

	if (!json_read_object(nv->ctx, v, at, known, &o))
		return;
	out->given = true;
	if (json_read_required(&o, "metric"))
		out->metric = json_read_name(&o, "metric", JSON_METRIC_MAX);
	out->base = native_read_commit_name(&o, "base", &is_hex);
	out->change_pct = json_read_real(&o, "change_pct");
	out->verdict = json_read_line(&o, "verdict", JSON_NAME_MAX);
}
