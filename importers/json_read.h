/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checked reading of a jansson tree. What is not as it must be becomes a fault that names its
 * place, and reading goes on, so that one pass over a document finds every fault. All texts are
 * copied into the arena: the tree can be freed at once.
 *
 * A member that is absent is no fault here; json_read_required says so where it is one.
 */
#ifndef IMPORTERS_JSON_READ_H
#define IMPORTERS_JSON_READ_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/submission.h"
#include "server/base/err.h"

/* A place in a document, a link for each level; lives on the stack, becomes text only in a fault.
 */
struct json_at {
	const struct json_at *up; /* NULL: this is the document */
	const char *key;          /* name of the member, or NULL: element number index */
	size_t index;
	bool quoted; /* written ["key"] whatever it holds: keys that are data, such as metrics */
};
#define JSON_AT_KEY(up, key)     (&(const struct json_at){(up), (key), 0, false})
#define JSON_AT_ENTRY(up, key)   (&(const struct json_at){(up), (key), 0, true})
#define JSON_AT_INDEX(up, index) (&(const struct json_at){(up), NULL, (index), false})

/* A fault at a place. Returns E_INVALID. */
int json_read_fault(struct ctx *c, const struct json_at *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* "a string", "null", … for messages. */
const char *json_read_kind(const json_t *v);

/* An object whose members are known by name. */
struct json_object {
	struct ctx *ctx;
	json_t *v;
	const struct json_at *at;
};
/* True when v is an object; any member that is not in the NULL-terminated list is a fault. at must
 * outlive o. */
bool json_read_object(struct ctx *c, json_t *v, const struct json_at *at, const char *const *known,
		      struct json_object *o);
/* The member or NULL. */
json_t *json_read_member(const struct json_object *o, const char *key);
/* A fault unless the member is there. */
bool json_read_required(const struct json_object *o, const char *key);

#define JSON_WHOLE_MAX  9007199254740992.0 /* 2^53: up to here every whole number is a double */
#define JSON_NAME_MAX   255  /* bytes of an axis or info name, and of other short words */
#define JSON_TEXT_MAX   4096 /* of one line */
#define JSON_METRIC_MAX 1024

/* One line of at most max bytes, without control characters (a tab is allowed). NULL when absent,
 * empty or at fault. */
const char *json_read_line(const struct json_object *o, const char *key, size_t max);
/* The same without tabs, and empty is a fault: for what becomes a name. */
const char *json_read_name(const struct json_object *o, const char *key, size_t max);
/* A text of several lines. NULL when absent, empty or at fault. */
const char *json_read_text(const struct json_object *o, const char *key);
/* TIME_NONE when absent or at fault. */
int64_t json_read_time(const struct json_object *o, const char *key);
/* A whole number of at least 0 and at most 2^53; -1 when absent or at fault. */
int64_t json_read_whole(const struct json_object *o, const char *key);
/* NAN when absent or at fault. */
double json_read_real(const struct json_object *o, const char *key);

/* Name rules for keys that are data: a fault and false when empty, too long or with control
 * characters. */
bool json_read_key(struct ctx *c, const struct json_at *at, const char *key, size_t len,
		   size_t max);
/* What an object of name -> text may hold. */
struct json_pairs_rule {
	size_t name_max, value_max; /* bytes */
	bool loose;  /* info: a value may be empty, a number or a boolean, and becomes a text */
	bool quoted; /* names are metrics: shown ["name"] in places */
};
/* Any object of name -> text, sorted by name. v may be NULL: no pairs. */
void json_read_pairs(struct ctx *c, json_t *v, const struct json_at *at,
		     const struct json_pairs_rule *rule, const struct pair **pairs, size_t *n);
void json_read_sort_pairs(struct pair *pairs, size_t n);

#endif
