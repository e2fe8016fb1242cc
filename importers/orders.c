/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads corrections, machines and events. A document is small, so it is read as a whole. Selection
 * and change of a correction are also kept as the JSON that was sent, for who looks at it later.
 */
#include "importers/orders.h"

#include <limits.h>

#include "importers/import.h"
#include "importers/json_scan.h"
#include "importers/native.h"
#include "importers/order_inside.h"
#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/base/num.h"

#define REASON_MAX 1000
#define AXES_MAX   16
#define DAY        86400
#define EVERY_MIN  60
#define EVERY_MAX  ((int64_t)366 * DAY)

json_t *order_parse(struct ctx *c, const char *bytes, size_t n)
{
	const char *p = json_skip_space(bytes, bytes + n), *stop = bytes + n;
	json_error_t error;
	json_t *v;

	if (n > ORDER_BYTES_MAX) {
		fail(c, E_TOO_LARGE, "the body is larger than %zu bytes", ORDER_BYTES_MAX);
		return NULL;
	}
	if (p == bytes + n) {
		fail(c, E_SYNTAX, "line 1, column 1: the body is empty");
		return NULL;
	}
	if (json_scan_value(p, bytes + n, NATIVE_DEPTH_MAX, NATIVE_BRACKETS_MAX, &stop) ==
	    JSON_SCAN_DEEP) {
		fail(c, E_SYNTAX, "nested deeper than %d levels", NATIVE_DEPTH_MAX);
		return NULL;
	}
	v = json_loadb(bytes, n, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
	if (v)
		return v;
	for (char *s = error.text; *s; s++) /* it quotes from the input */
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			*s = '?';
	fail(c, E_SYNTAX, "line %d, column %d: %s", error.line, error.column > 0 ? error.column : 1,
	     error.text);
	return NULL;
}

static const char *dump(struct ctx *c, const json_t *v)
{
	char *text = json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY);
	const char *kept;

	if (!text)
		die("out of memory");
	kept = arena_str(c->arena, text);
	free(text);
	return kept;
}

/* --- corrections --- */

static const char *const select_keys[] = {"machine", "token", "received", "series",
					  "commit",  "run",   NULL};

static bool is_select_key(const char *key)
{
	for (size_t i = 0; select_keys[i]; i++)
		if (!strcmp(key, select_keys[i]))
			return true;
	return false;
}

/* One end of received; null leaves it open. A plain date at the upper end is the whole day. */
static int64_t read_end(struct ctx *c, const json_t *v, const struct json_at *at, bool upper)
{
	const char *s = json_string_value(v);
	int64_t t;

	if (json_is_null(v))
		return TIME_NONE;
	if (!s || !clock_parse(s, &t)) {
		json_read_fault(c, at, "must be a time like 2023-07-20T03:01:00Z, a day, or null");
		return TIME_NONE;
	}
	return upper && strlen(s) <= strlen("2023-07-20") ? t + DAY - 1 : t;
}

static void read_received(struct ctx *c, const json_t *v, const struct json_at *at,
			  struct correction_select *s)
{
	if (!v)
		return;
	if (!json_is_array(v) || json_array_size(v) != 2) {
		json_read_fault(c, at, "must be [from, to]");
		return;
	}
	s->received_from = read_end(c, json_array_get(v, 0), JSON_AT_INDEX(at, 0), false);
	s->received_to = read_end(c, json_array_get(v, 1), JSON_AT_INDEX(at, 1), true);
	if (json_is_null(json_array_get(v, 0)) && json_is_null(json_array_get(v, 1)))
		json_read_fault(c, at, "is open at both ends");
	else if (s->received_to != TIME_NONE && s->received_from > s->received_to)
		json_read_fault(c, at, "ends before it begins");
}

/* The members named info.x, beside the known ones. */
static void read_infos(const struct json_object *o, struct correction_select *s)
{
	struct pair *infos = arena_array(o->ctx->arena, struct pair, json_object_size(o->v));
	const char *key;
	json_t *v;

	json_object_foreach(o->v, key, v)
	{
		const struct json_at *at = JSON_AT_KEY(o->at, key);

		if (is_select_key(key))
			continue;
		if (strncmp(key, "info.", 5) != 0)
			json_read_fault(o->ctx, at, "unknown key");
		else if (json_read_key(o->ctx, at, key + 5, strlen(key + 5), JSON_NAME_MAX)) {
			if (json_is_string(v) && !strchr(json_string_value(v), '\n'))
				infos[s->ninfos++] = (struct pair){
					arena_str(o->ctx->arena, key + 5),
					arena_str(o->ctx->arena, json_string_value(v))};
			else
				json_read_fault(o->ctx, at, "must be a string, is %s",
						json_read_kind(v));
		}
	}
	s->infos = infos;
}

static void read_select(struct ctx *c, json_t *v, const struct json_at *at,
			struct correction_select *s)
{
	struct json_object o = {.ctx = c, .v = v, .at = at};

	if (!json_is_object(v)) {
		json_read_fault(c, at, "must be an object, is %s", json_read_kind(v));
		return;
	}
	if (json_object_size(v) == 0)
		json_read_fault(c, at,
				"selects everything: name at least one of machine, token, "
				"received, series, commit, run, info.<key>");
	read_infos(&o, s);
	s->machine = json_read_name(&o, "machine", JSON_TEXT_MAX);
	s->token = json_read_name(&o, "token", JSON_NAME_MAX);
	s->commit = json_read_name(&o, "commit", JSON_NAME_MAX);
	read_received(c, json_read_member(&o, "received"), JSON_AT_KEY(at, "received"), s);
	if (json_is_integer(json_read_member(&o, "series"))) /* its number or its digest */
		s->series =
			arena_fmt(c->arena, "%lld",
				  (long long)json_integer_value(json_read_member(&o, "series")));
	else
		s->series = json_read_name(&o, "series", JSON_NAME_MAX);
	if (json_read_member(&o, "run")) {
		s->run_id = json_read_whole(&o, "run");
		if (s->run_id == 0)
			json_read_fault(c, JSON_AT_KEY(at, "run"), "must be the number of a run");
	}
}

static void read_axis(struct ctx *c, json_t *v, const struct json_at *at, struct correction_in *in)
{
	static const struct json_pairs_rule rule = {JSON_NAME_MAX, JSON_TEXT_MAX, false, false};

	json_read_pairs(c, v, at, &rule, &in->axes, &in->naxes);
	if (json_is_object(v) && (json_object_size(v) == 0 || json_object_size(v) > AXES_MAX))
		json_read_fault(c, at, "must name 1 to %d axes", AXES_MAX);
}

static void read_set(struct ctx *c, json_t *v, const struct json_at *at, struct correction_in *in)
{
	static const char *const known[] = {"status", "commit", "axis", "delete", NULL};
	struct json_object o;
	const char *status;
	bool is_hex;

	if (!json_read_object(c, v, at, known, &o))
		return;
	if (json_object_size(v) != 1) {
		json_read_fault(c, at, "must be exactly one of status, commit, axis, delete");
		return;
	}
	if (json_read_member(&o, "status")) {
		in->kind = CORRECT_STATUS;
		status = json_read_name(&o, "status", JSON_NAME_MAX);
		if (status && !strcmp(status, "invalid"))
			in->status = RUN_INVALID;
		else if (status && strcmp(status, "ok") != 0)
			json_read_fault(c, JSON_AT_KEY(at, "status"),
					"must be invalid or ok, is \"%.40s\"", status);
	} else if (json_read_member(&o, "commit")) {
		in->kind = CORRECT_COMMIT;
		in->commit = native_read_commit_name(&o, "commit", &is_hex);
	} else if (json_read_member(&o, "axis")) {
		in->kind = CORRECT_AXIS;
		read_axis(c, json_read_member(&o, "axis"), JSON_AT_KEY(at, "axis"), in);
	} else if (json_read_member(&o, "delete")) {
		in->kind = CORRECT_DELETE;
		if (!json_is_true(json_read_member(&o, "delete")))
			json_read_fault(c, JSON_AT_KEY(at, "delete"), "must be true");
	}
}

bool order_read_bool(const struct json_object *o, const char *key)
{
	json_t *v = json_read_member(o, key);

	if (v && !json_is_boolean(v))
		json_read_fault(o->ctx, JSON_AT_KEY(o->at, key), "must be true or false, is %s",
				json_read_kind(v));
	return json_is_true(v);
}

int order_read_correction(struct ctx *c, const char *bytes, size_t n, struct correction_in *out)
{
	static const char *const known[] = {"select", "set", "reason", "dry_run", NULL};
	const struct json_at top = {0};
	json_t *v = order_parse(c, bytes, n);
	struct json_object o;

	*out = (struct correction_in){
		.select = {.received_from = TIME_NONE, .received_to = TIME_NONE}};
	if (!v)
		return (int)c->err;
	if (json_read_object(c, v, &top, known, &o)) {
		json_t *select = json_read_member(&o, "select"), *set = json_read_member(&o, "set");

		if (json_read_required(&o, "select")) {
			read_select(c, select, JSON_AT_KEY(&top, "select"), &out->select);
			out->selection = dump(c, select);
		}
		if (json_read_required(&o, "set")) {
			read_set(c, set, JSON_AT_KEY(&top, "set"), out);
			out->change = dump(c, set);
		}
		if (json_read_required(&o, "reason"))
			out->reason = json_read_name(&o, "reason", REASON_MAX);
		out->dry_run = order_read_bool(&o, "dry_run");
	}
	json_decref(v);
	return (int)c->err;
}

/* --- machines --- */

/* Seconds as a number, or "90m", "6h", "2d", "1w". False: neither. */
static bool read_every(const json_t *v, int64_t *seconds)
{
	static const struct {
		char unit;
		int64_t seconds;
	} units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', DAY}, {'w', 7 * DAY}};
	const char *s = json_string_value(v);
	size_t len = s ? strlen(s) : 0;
	char digits[12];
	int64_t count;

	if (json_is_integer(v)) {
		*seconds = json_integer_value(v);
		return true;
	}
	if (len < 2 || len > sizeof(digits))
		return false;
	memcpy(digits, s, len - 1);
	digits[len - 1] = '\0';
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (s[len - 1] == units[i].unit && num_parse_int(digits, 1, INT32_MAX, &count)) {
			*seconds = count * units[i].seconds;
			return true;
		}
	}
	return false;
}

static void read_expectation(const struct json_object *o, struct machine_change *out)
{
	const json_t *v = json_read_member(o, "expect_every");

	out->sets_every = v != NULL;
	out->expect_every = -1;
	if (!v || json_is_null(v))
		return;
	if (!read_every(v, &out->expect_every))
		json_read_fault(o->ctx, JSON_AT_KEY(o->at, "expect_every"),
				"must be a number of seconds, a text like 90m, 6h, 2d or 1w, or "
				"null");
	else if (out->expect_every < EVERY_MIN || out->expect_every > EVERY_MAX)
		json_read_fault(o->ctx, JSON_AT_KEY(o->at, "expect_every"),
				"must be between a minute and 366 days");
}

int order_read_machine(struct ctx *c, const char *bytes, size_t n, struct machine_change *out)
{
	static const char *const known[] = {"description", "state", "expect_every", NULL};
	const struct json_at top = {0};
	json_t *v = order_parse(c, bytes, n);
	struct json_object o;

	*out = (struct machine_change){.state = NULL};
	if (!v)
		return (int)c->err;
	if (json_read_object(c, v, &top, known, &o)) {
		const json_t *description = json_read_member(&o, "description");

		if (json_object_size(v) == 0)
			json_read_fault(c, &top,
					"says nothing: name description, state or "
					"expect_every");
		out->sets_description = description != NULL;
		if (description && !json_is_null(description))
			out->description = json_read_line(&o, "description", JSON_TEXT_MAX);
		out->state = json_read_name(&o, "state", JSON_NAME_MAX);
		if (out->state && !machine_state_valid(out->state))
			json_read_fault(c, JSON_AT_KEY(&top, "state"),
					"must be active, quarantined or retired, is \"%.40s\"",
					out->state);
		read_expectation(&o, out);
	}
	json_decref(v);
	return (int)c->err;
}

/* --- events --- */

/* Not there, or an empty text. */
static bool is_unsaid(const struct json_object *o, const char *key)
{
	const json_t *v = json_read_member(o, key);

	return !v || (json_is_string(v) && json_string_length(v) == 0);
}

int order_read_event(struct ctx *c, const char *bytes, size_t n, struct event *out)
{
	static const char *const known[] = {"machine", "at", "key", "old", "new", "note", NULL};
	const struct json_at top = {0};
	json_t *v = order_parse(c, bytes, n);
	struct json_object o;

	*out = (struct event){.at = TIME_NONE};
	if (!v)
		return (int)c->err;
	if (json_read_object(c, v, &top, known, &o)) {
		if (json_read_required(&o, "machine"))
			out->machine = json_read_name(&o, "machine", JSON_TEXT_MAX);
		if (json_read_required(&o, "key"))
			out->key = json_read_name(&o, "key", JSON_NAME_MAX);
		out->at = json_read_time(&o, "at");
		out->old_value = json_read_line(&o, "old", JSON_TEXT_MAX);
		out->new_value = json_read_line(&o, "new", JSON_TEXT_MAX);
		out->note = json_read_line(&o, "note", JSON_TEXT_MAX);
		if (is_unsaid(&o, "old") && is_unsaid(&o, "new") && is_unsaid(&o, "note"))
			json_read_fault(c, &top, "says nothing: give old, new or note");
	}
	json_decref(v);
	return (int)c->err;
}
