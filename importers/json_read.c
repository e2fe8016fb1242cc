/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checked reading of a jansson tree. Places are chains on the stack and become text only when
 * something is wrong, so a correct document pays nothing for them. Keys from outside are escaped
 * and cut in that text.
 */
#include "importers/json_read.h"

#include <math.h>
#include <stdarg.h>

#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/base/num.h"
#include "server/base/out.h"
#include "server/base/utf8.h"
#include "server/view/json.h"

#define PLACE_KEY_MAX  160 /* bytes of one key that are shown */
#define PLACE_MAX      400
#define FAULT_LINE_MAX 500

static bool is_plain(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");

	return n > 0 && n <= PLACE_KEY_MAX && s[n] == '\0';
}

/* Length of s, at most max, without half a UTF-8 character at its end. */
static size_t cut_length(const char *s, size_t max)
{
	size_t n = strnlen(s, max + 1);

	if (n <= max)
		return n;
	for (n = max; n > 0 && ((unsigned char)s[n] & 0xc0) == 0x80;)
		n--;
	return n;
}

static void write_place(struct out *o, const struct json_at *at)
{
	if (!at->up)
		return;
	write_place(o, at->up);
	if (!at->key) {
		out_fmt(o, "[%zu]", at->index);
	} else if (at->quoted || !is_plain(at->key)) {
		out_char(o, '[');
		json_quote(o, at->key, cut_length(at->key, PLACE_KEY_MAX));
		out_char(o, ']');
	} else {
		if (o->len)
			out_char(o, '.');
		out_str(o, at->key);
	}
}

int json_read_fault(struct ctx *c, const struct json_at *at, const char *fmt, ...)
{
	char text[FAULT_LINE_MAX];
	va_list ap;

	if (c->nfaults == FAULTS_MAX)
		return fault(c, "", "not kept");
	auto_out struct out place;
	out_init(&place, 16 * PLACE_MAX);
	write_place(&place, at);
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (char *p = text; *p; p++) { /* messages quote from the input and end on terminals */
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
	}
	return fault(c, place.len ? place.p : "", "%s", text);
}

const char *json_read_kind(const json_t *v)
{
	if (!v)
		return "absent";
	switch (json_typeof(v)) {
	case JSON_OBJECT:
		return "an object";
	case JSON_ARRAY:
		return "an array";
	case JSON_STRING:
		return "a string";
	case JSON_INTEGER:
	case JSON_REAL:
		return "a number";
	case JSON_TRUE:
	case JSON_FALSE:
		return "a boolean";
	case JSON_NULL:
		return "null";
	}
	return "unknown";
}

static bool is_known(const char *key, const char *const *known)
{
	for (; *known; known++) {
		if (strcmp(key, *known) == 0)
			return true;
	}
	return false;
}

bool json_read_object(struct ctx *c, json_t *v, const struct json_at *at, const char *const *known,
		      struct json_object *o)
{
	const char *key;
	json_t *member;

	*o = (struct json_object){.ctx = c, .v = v, .at = at};
	if (!json_is_object(v)) {
		json_read_fault(c, at, "must be an object, is %s", json_read_kind(v));
		return false;
	}
	json_object_foreach(v, key, member)
	{
		if (!is_known(key, known))
			json_read_fault(c, JSON_AT_KEY(at, key), "unknown key");
	}
	return true;
}

json_t *json_read_member(const struct json_object *o, const char *key)
{
	return json_object_get(o->v, key);
}

bool json_read_required(const struct json_object *o, const char *key)
{
	if (json_read_member(o, key))
		return true;
	json_read_fault(o->ctx, JSON_AT_KEY(o->at, key), "is required");
	return false;
}

enum text_kind { TEXT_NAME, TEXT_LINE, TEXT_LINES };

/* UTF-8 and the absence of NUL were checked by jansson. */
static bool check_text(struct ctx *c, const struct json_at *at, const char *s, size_t len,
		       size_t max, enum text_kind kind)
{
	if (!len && kind == TEXT_NAME) {
		json_read_fault(c, at, "must not be empty");
		return false;
	}
	if (len > max) {
		json_read_fault(c, at, "has %zu bytes, at most %zu are allowed", len, max);
		return false;
	}
	for (size_t i = 0; kind != TEXT_LINES && i < len; i++) {
		unsigned char ch = (unsigned char)s[i];

		if ((ch < 0x20 && !(ch == '\t' && kind == TEXT_LINE)) || ch == 0x7f ||
		    (ch == 0xc2 && utf8_is_c1(s + i))) {
			json_read_fault(c, at, "has a control character at byte %zu", i + 1);
			return false;
		}
	}
	return true;
}

bool json_read_key(struct ctx *c, const struct json_at *at, const char *key, size_t len, size_t max)
{
	return check_text(c, at, key, len, max, TEXT_NAME);
}

/* NULL when at fault; v is there. */
static const char *copy_string(struct ctx *c, const struct json_at *at, const json_t *v, size_t max,
			       enum text_kind kind)
{
	if (!json_is_string(v)) {
		json_read_fault(c, at, "must be a string, is %s", json_read_kind(v));
		return NULL;
	}
	if (!check_text(c, at, json_string_value(v), json_string_length(v), max, kind))
		return NULL;
	return arena_strn(c->arena, json_string_value(v), json_string_length(v));
}

static const char *read_string(const struct json_object *o, const char *key, size_t max,
			       enum text_kind kind)
{
	const json_t *v = json_read_member(o, key);
	const char *s = v ? copy_string(o->ctx, JSON_AT_KEY(o->at, key), v, max, kind) : NULL;

	return s && *s ? s : NULL;
}

const char *json_read_line(const struct json_object *o, const char *key, size_t max)
{
	return read_string(o, key, max, TEXT_LINE);
}

const char *json_read_name(const struct json_object *o, const char *key, size_t max)
{
	return read_string(o, key, max, TEXT_NAME);
}

const char *json_read_text(const struct json_object *o, const char *key)
{
	return read_string(o, key, SIZE_MAX, TEXT_LINES);
}

int64_t json_read_time(const struct json_object *o, const char *key)
{
	const char *s = json_read_name(o, key, JSON_NAME_MAX);
	char text[TIME_TEXT] = "";
	int64_t t;

	if (!s)
		return TIME_NONE;
	if (clock_parse(s, &t))
		clock_rfc3339(t, text);
	if (!*text) { /* no time, or in UTC of no year with four digits: it could not be told */
		json_read_fault(o->ctx, JSON_AT_KEY(o->at, key),
				"must be a time like 2023-07-20T03:01:00Z, is \"%.40s\"", s);
		return TIME_NONE;
	}
	return t;
}

double json_read_real(const struct json_object *o, const char *key)
{
	json_t *v = json_read_member(o, key);

	if (!v)
		return NAN;
	if (!json_is_number(v)) {
		json_read_fault(o->ctx, JSON_AT_KEY(o->at, key), "must be a number, is %s",
				json_read_kind(v));
		return NAN;
	}
	return json_number_value(v);
}

int64_t json_read_whole(const struct json_object *o, const char *key)
{
	double v = json_read_real(o, key);

	if (isnan(v))
		return -1;
	if (v < 0 || v > JSON_WHOLE_MAX || v != floor(v)) {
		json_read_fault(o->ctx, JSON_AT_KEY(o->at, key),
				"must be a whole number of at least 0, is %.17g", v);
		return -1;
	}
	return (int64_t)v;
}

/* What an info value of another type reads as; NULL when it has no such form. */
static const char *scalar_text(struct arena *a, const json_t *v)
{
	char buf[NUM_MAX];
	double d;

	if (json_is_boolean(v))
		return json_is_true(v) ? "true" : "false";
	if (!json_is_number(v))
		return NULL;
	d = json_number_value(v);
	if (fabs(d) <= JSON_WHOLE_MAX && d == floor(d))
		return arena_fmt(a, "%.0f", d);
	return arena_strn(a, buf, num_shortest(d, buf));
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct pair *)a)->name, ((const struct pair *)b)->name);
}

void json_read_sort_pairs(struct pair *pairs, size_t n)
{
	if (n)
		qsort(pairs, n, sizeof(*pairs), by_name);
}

static const char *pair_value(struct ctx *c, const struct json_at *at, const json_t *v,
			      const struct json_pairs_rule *rule)
{
	const char *text = rule->loose ? scalar_text(c->arena, v) : NULL;

	if (text)
		return text;
	return copy_string(c, at, v, rule->value_max, rule->loose ? TEXT_LINE : TEXT_NAME);
}

void json_read_pairs(struct ctx *c, json_t *v, const struct json_at *at,
		     const struct json_pairs_rule *rule, const struct pair **pairs, size_t *n)
{
	struct pair *all;
	const char *key;
	json_t *member;

	*pairs = NULL;
	*n = 0;
	if (!v)
		return;
	if (!json_is_object(v)) {
		json_read_fault(c, at, "must be an object, is %s", json_read_kind(v));
		return;
	}
	all = arena_array(c->arena, struct pair, json_object_size(v));
	json_object_foreach(v, key, member)
	{
		const struct json_at place = {at, key, 0, rule->quoted};
		bool named = json_read_key(c, &place, key, strlen(key), rule->name_max);
		const char *text = pair_value(c, &place, member, rule);

		if (named && text)
			all[(*n)++] = (struct pair){arena_str(c->arena, key), text};
	}
	json_read_sort_pairs(all, *n);
	*pairs = all;
}
