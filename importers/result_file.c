/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What files of other systems say, made fit for the store: texts without control characters and not
 * too long, optional figures and times. */
#include "importers/result_file.h"

#include "db/commits.h"
#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/base/digest.h"
#include "server/base/num.h"
#include "server/base/utf8.h"

#define DIGEST_SHOWN 16

/* A digest that tells a cut text from others with the same beginning. */
static const char *with_digest(struct arena *a, const char *cut, const char *s, size_t n)
{
	char hex[DIGEST_HEX + 1];
	struct digest_state d;
	struct digest whole;

	digest_init(&d);
	digest_add(&d, s, n);
	whole = digest_end(&d);
	digest_hex(&whole, hex);
	return arena_fmt(a, "%s#%.*s", cut, DIGEST_SHOWN, hex);
}

const char *result_clean_to(struct arena *a, const char *s, size_t n, size_t max)
{
	char *out = arena_alloc(a, (n < max ? n : max) + 1);
	size_t room = n <= max ? max : max - DIGEST_SHOWN - 1, len = 0, bytes, i;

	for (i = 0; i < n; i += bytes) {
		bool bad;

		bytes = utf8_length(s + i, n - i);
		bad = !bytes || (unsigned char)s[i] < 0x20 || s[i] == 0x7f ||
		      (bytes == 2 && utf8_is_c1(s + i));
		bytes = bytes ? bytes : 1;
		if (len + (bad ? 1 : bytes) > room)
			break;
		memcpy(out + len, bad ? "_" : s + i, bad ? 1 : bytes);
		len += bad ? 1 : bytes;
	}
	return i < n ? with_digest(a, out, s, n) : out;
}

const char *result_asked(const struct import *in, const char *axis)
{
	for (size_t i = 0; i < in->naxes; i++) {
		if (!strcmp(in->axes[i].name, axis))
			return in->axes[i].value;
	}
	return NULL;
}

double result_number(const struct json_object *o, const char *key)
{
	const json_t *v = json_read_member(o, key);

	if (!v || json_is_null(v) || (json_is_string(v) && !json_string_length(v)))
		return (double)NAN;
	return json_read_real(o, key);
}

const char *result_clean(struct arena *a, const char *s, size_t n)
{
	return result_clean_to(a, s, n, RESULT_TEXT_MAX);
}

const char *result_name(const struct json_object *o, const char *key)
{
	const char *s = result_text(o, key);

	return s ? result_clean_to(o->ctx->arena, s, strlen(s), JSON_NAME_MAX) : NULL;
}

const char *result_text(const struct json_object *o, const char *key)
{
	const json_t *v = json_read_member(o, key);

	if (!v || json_is_null(v))
		return NULL;
	if (!json_is_string(v)) {
		json_read_fault(o->ctx, JSON_AT_KEY(o->at, key), "must be a string, is %s",
				json_read_kind(v));
		return NULL;
	}
	if (!json_string_length(v))
		return NULL;
	return result_clean(o->ctx->arena, json_string_value(v), json_string_length(v));
}

int64_t result_parse_time(const char *s)
{
	char utc[64];
	int64_t t;

	if (!s)
		return TIME_NONE;
	if (clock_parse(s, &t))
		return t;
	snprintf(utc, sizeof(utc), "%sZ", s);
	return strlen(s) < sizeof(utc) - 1 && clock_parse(utc, &t) ? t : TIME_NONE;
}

int64_t result_time(const struct json_object *o, const char *key)
{
	return result_parse_time(result_text(o, key));
}

bool result_object(struct ctx *c, json_t *v, const struct json_at *at, struct json_object *o)
{
	*o = (struct json_object){.ctx = c, .v = v, .at = at};
	if (v && !json_is_null(v) && !json_is_object(v))
		json_read_fault(c, at, "must be an object, is %s", json_read_kind(v));
	return json_is_object(v);
}

bool result_array(struct ctx *c, json_t *v, const struct json_at *at)
{
	if (v && !json_is_null(v) && !json_is_array(v))
		json_read_fault(c, at, "must be an array, is %s", json_read_kind(v));
	return json_is_array(v);
}

double result_element(struct ctx *c, json_t *array, size_t i, const struct json_at *at)
{
	const json_t *v = json_array_get(array, i);

	if (json_is_number(v))
		return json_number_value(v);
	if (!json_is_null(v) && !(json_is_string(v) && !json_string_length(v)))
		json_read_fault(c, JSON_AT_INDEX(at, i), "must be a number, is %s",
				json_read_kind(v));
	return (double)NAN;
}

void result_info(struct record *r, json_t *object, const char *prefix)
{
	struct arena *a = arena_new();
	const char *key;
	json_t *v;

	json_object_foreach(object, key, v)
	{
		const char *name = result_clean_to(a, arena_fmt(a, "%s%s", prefix, key),
						   strlen(prefix) + strlen(key), JSON_NAME_MAX);
		char number[NUM_MAX + 1] = "";

		if (json_is_string(v)) {
			record_info(r, name,
				    result_clean(a, json_string_value(v), json_string_length(v)));
		} else if (json_is_number(v)) {
			number[num_shortest(json_number_value(v), number)] = '\0';
			record_info(r, name, number);
		} else if (json_is_boolean(v)) {
			record_info(r, name, json_is_true(v) ? "true" : "false");
		}
	}
	arena_free(a);
}

/* "v6.5-rc1", "6.5.0" */
static bool is_version(const char *s)
{
	static const char digits[] = "0123456789";
	size_t major;

	s += *s == 'v';
	major = strspn(s, digits);
	return major > 0 && s[major] == '.' && strchr(digits, s[major + 1]) && s[major + 1];
}

bool result_is_commit(const char *name)
{
	bool is_hex = false;

	return commit_name_valid(name, &is_hex) && (is_hex || is_version(name));
}

const char *result_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}
