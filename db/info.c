/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Info of runs. The text is JSON so that an operator can read it in the database; the digest is
 * over the pairs, so that finding a row that is there makes no JSON at all.
 */
#include "db/info.h"

#include <jansson.h>

#include "server/base/arena.h"
#include "server/base/digest.h"

SQL(info_row, "SELECT data FROM info WHERE info_id = $1")

int info_get(struct ctx *c, int64_t info_id, const struct pair **out, size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, &info_row);
	const char *key;
	json_t *value;

	*out = NULL;
	*n = 0;
	bind_int(st, 1, info_id);
	int r = stmt_step(st);
	if (r < 0)
		return r;
	json_t *root = r == STMT_ROW ? json_loads(col_text_peek(st, 0), 0, NULL) : NULL;
	if (!json_is_object(root)) {
		json_decref(root);
		return fail(c, E_INTERNAL, "the info %lld is not there or damaged",
			    (long long)info_id);
	}
	struct pair *pairs = arena_array(c->arena, struct pair, json_object_size(root));
	json_object_foreach(root, key, value)
	{
		const char *s = json_string_value(value);

		pairs[(*n)++] =
			(struct pair){arena_str(c->arena, key), arena_str(c->arena, s ? s : "")};
	}
	json_decref(root);
	*out = pairs;
	return E_OK;
}

/* The caller frees it. */
static char *info_text(const struct pair *info, size_t n)
{
	json_t *root = json_object();

	for (size_t i = 0; root && i < n; i++)
		if (json_object_set_new(root, info[i].name, json_string(info[i].value)) != 0)
			break; /* not UTF-8, or no memory */
	char *data = json_object_size(root) == n ? json_dumps(root, JSON_COMPACT | JSON_SORT_KEYS)
						 : NULL;
	json_decref(root);
	return data;
}

SQL(info_find, "SELECT info_id FROM info WHERE digest = $1")
SQL(info_insert, "INSERT INTO info (digest, data) VALUES ($1, $2) RETURNING info_id")

int info_ensure(struct ctx *c, const struct pair *info, size_t n, int64_t *info_id)
{
	struct digest_state d;

	*info_id = -1;
	if (!n)
		return E_OK;
	digest_init(&d);
	for (size_t i = 0; i < n; i++) {
		digest_add_str(&d, info[i].name);
		digest_add_str(&d, info[i].value);
	}
	struct digest digest = digest_end(&d);
	auto_stmt struct stmt *find = db_stmt(c, &info_find);
	bind_blob(find, 1, digest.b, DIGEST_LEN);
	int r = stmt_step(find);
	if (r == STMT_ROW)
		*info_id = col_int(find, 0);
	if (r != STMT_DONE)
		return r < 0 ? r : E_OK;

	char *data = info_text(info, n);
	if (!data)
		return fail(c, E_INTERNAL, "the info of a run cannot be written as JSON");
	auto_stmt struct stmt *st = db_stmt(c, &info_insert);
	bind_blob(st, 1, digest.b, DIGEST_LEN);
	bind_text(st, 2, data);
	if (stmt_step(st) == STMT_ROW)
		*info_id = col_int(st, 0);
	int e = stmt_status(st);
	stmt_reset(st);
	free(data);
	return e;
}
