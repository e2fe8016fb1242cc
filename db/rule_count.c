/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last count as JSON in a setting. What is damaged counts as none. */
#include "db/rule_count.h"

#include <jansson.h>

#include "db/settings.h"
#include "server/base/arena.h"
#include "server/base/clock.h"

#define SETTING "rule_count"

/* The texts of a move, by their keys. */
#define MOVE_TEXTS 9
static const char *const move_keys[MOVE_TEXTS] = {"series", "testcase", "machine", "commit", "base",
						  "metric", "role",     "before",  "after"};

static const char **move_text(struct verdict_move *m, size_t i)
{
	const char **texts[MOVE_TEXTS] = {&m->series, &m->testcase, &m->machine,
					  &m->commit, &m->base,     &m->metric,
					  &m->role,   &m->before,   &m->after};

	return texts[i];
}

static const char *text_of(struct arena *a, const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? arena_str(a, s) : "";
}

static void read_moves(struct arena *a, const json_t *list, struct rule_count *out)
{
	size_t n = json_array_size(list);

	if (n > RULE_MOVES_KEPT)
		n = RULE_MOVES_KEPT;
	out->moves = arena_array(a, struct verdict_move, n);
	for (; out->nmoves < n; out->nmoves++)
		for (size_t i = 0; i < MOVE_TEXTS; i++)
			*move_text(&out->moves[out->nmoves], i) =
				text_of(a, json_array_get(list, out->nmoves), move_keys[i]);
}

int rule_count_get(struct ctx *c, struct rule_count *out)
{
	const char *text;
	int e = setting_get(c, SETTING, &text);
	json_t *v = e >= 0 && text ? json_loads(text, 0, NULL) : NULL;

	*out = (struct rule_count){.at = TIME_NONE};
	if (!v)
		return e;
	out->from = text_of(c->arena, v, "from");
	out->to = text_of(c->arena, v, "to");
	out->at = json_integer_value(json_object_get(v, "at"));
	out->cells = json_integer_value(json_object_get(v, "cells"));
	out->cut = json_is_true(json_object_get(v, "cut"));
	out->verdicts = json_integer_value(json_object_get(v, "verdicts"));
	out->moved = json_integer_value(json_object_get(v, "moved"));
	read_moves(c->arena, json_object_get(v, "moves"), out);
	json_decref(v);
	return E_OK;
}

static json_t *must(json_t *v)
{
	if (!v)
		die("out of memory");
	return v;
}

/* Names come from outside, but were checked to be UTF-8 when they were stored. */
static json_t *text_json(const char *s)
{
	json_t *v = json_string(s ? s : "");

	return v ? v : must(json_string("?"));
}

static json_t *moves_json(const struct rule_count *k)
{
	json_t *list = must(json_array());

	for (size_t i = 0; i < k->nmoves && i < RULE_MOVES_KEPT; i++) {
		json_t *o = must(json_object());

		for (size_t t = 0; t < MOVE_TEXTS; t++)
			json_object_set_new(o, move_keys[t],
					    text_json(*move_text(&k->moves[i], t)));
		json_array_append_new(list, o);
	}
	return list;
}

int rule_count_keep(struct ctx *c, const struct rule_count *k)
{
	json_t *v = must(json_object());
	char *text;
	int e;

	json_object_set_new(v, "from", text_json(k->from));
	json_object_set_new(v, "to", text_json(k->to));
	json_object_set_new(v, "at", must(json_integer(k->at)));
	json_object_set_new(v, "cells", must(json_integer(k->cells)));
	json_object_set_new(v, "cut", json_boolean(k->cut));
	json_object_set_new(v, "verdicts", must(json_integer(k->verdicts)));
	json_object_set_new(v, "moved", must(json_integer(k->moved)));
	json_object_set_new(v, "moves", moves_json(k));
	text = json_dumps(v, JSON_COMPACT);
	if (!text)
		die("out of memory");
	e = setting_set(c, SETTING, text);
	free(text);
	json_decref(v);
	return e;
}
