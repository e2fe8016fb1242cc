/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "stored": what `plumbline export` adds to a submission so that a copy of a store is the store
 * again: when and by whom it was received, the digest of the upload as it came, what became of its
 * runs, and with a commit's first submission all that is known of the commit. It would let a rig
 * write history, so only the command line may bring it.
 */
#include "importers/native.h"

#include "server/base/arena.h"
#include "server/base/clock.h"

static bool read_hex(const char *hex, struct digest *d)
{
	size_t n;

	return strlen(hex) == DIGEST_HEX &&
	       sodium_hex2bin(d->b, DIGEST_LEN, hex, DIGEST_HEX, NULL, &n, NULL) == 0 &&
	       n == DIGEST_LEN;
}

static void read_content(const struct json_object *o, struct stored_in *out)
{
	const char *hex = json_read_required(o, "content")
				  ? json_read_name(o, "content", JSON_NAME_MAX)
				  : NULL;

	if (hex && !read_hex(hex, &out->content))
		json_read_fault(o->ctx, JSON_AT_KEY(o->at, "content"), "must be %d hex digits",
				DIGEST_HEX);
}

/* The member as an array; NULL when it is absent or at fault. */
static json_t *read_array(const struct json_object *o, const char *key)
{
	json_t *v = json_read_member(o, key);

	if (v && !json_is_array(v))
		json_read_fault(o->ctx, JSON_AT_KEY(o->at, key), "must be an array, is %s",
				json_read_kind(v));
	return json_is_array(v) ? v : NULL;
}

static const char *const *read_texts(const struct json_object *o, const char *key, size_t *n)
{
	json_t *v = read_array(o, key);
	const char **list = arena_array(o->ctx->arena, const char *, json_array_size(v));

	for (size_t i = 0; i < json_array_size(v); i++) {
		const char *s = json_string_value(json_array_get(v, i));

		if (s && *s)
			list[(*n)++] = arena_str(o->ctx->arena, s);
		else
			json_read_fault(o->ctx, JSON_AT_INDEX(JSON_AT_KEY(o->at, key), i),
					"must be a text");
	}
	return list;
}

static void read_statuses(const struct json_object *o, struct stored_in *out, size_t *n)
{
	const struct json_at *at = JSON_AT_KEY(o->at, "statuses");
	json_t *v = read_array(o, "statuses");
	enum run_status *list;

	*n = json_array_size(v);
	if (!v)
		return;
	out->statuses = list = arena_array(o->ctx->arena, enum run_status, *n);
	for (size_t i = 0; i < *n; i++) {
		const char *s = json_string_value(json_array_get(v, i));
		int status = s ? run_status_find(s) : -1;

		if (status < 0)
			json_read_fault(o->ctx, JSON_AT_INDEX(at, i), "is no status");
		else
			list[i] = (enum run_status)status;
	}
}

static void read_builds(const struct json_object *o, struct stored_in *out)
{
	static const char *const known[] = {"received", "build", NULL};
	const struct json_at *at = JSON_AT_KEY(o->at, "builds");
	json_t *v = read_array(o, "builds");
	struct stored_build *list =
		arena_array(o->ctx->arena, struct stored_build, json_array_size(v));

	out->builds = list;
	for (size_t i = 0; i < json_array_size(v); i++) {
		const struct json_at *place = JSON_AT_INDEX(at, i);
		struct json_object one;

		if (!json_read_object(o->ctx, json_array_get(v, i), place, known, &one))
			continue;
		if (json_read_required(&one, "received") && json_read_required(&one, "build")) {
			struct stored_build *b = &list[out->nbuilds++];

			b->received = json_read_time(&one, "received");
			native_read_build(o->ctx, json_read_member(&one, "build"),
					  JSON_AT_KEY(place, "build"), &b->build);
		}
	}
}

static void read_commit(struct ctx *c, json_t *v, const struct json_at *at, struct stored_in *out)
{
	static const char *const known[] = {"name", "aliases", "trees", "builds", NULL};
	struct json_object o;
	bool is_hex;

	if (!v || !json_read_object(c, v, at, known, &o) || !json_read_required(&o, "name"))
		return;
	out->commit_name = native_read_commit_name(&o, "name", &is_hex);
	out->aliases = read_texts(&o, "aliases", &out->naliases);
	out->trees = read_texts(&o, "trees", &out->ntrees);
	read_builds(&o, out);
}

void native_read_stored(struct native *nv, json_t *v, const struct json_at *at,
			struct submission *s, size_t *nstatuses)
{
	static const char *const known[] = {"received", "by",     "content",
					    "statuses", "commit", NULL};
	struct stored_in *out = arena_array(nv->ctx->arena, struct stored_in, 1);
	struct json_object o;

	if (!nv->in->is_copy) {
		json_read_fault(nv->ctx, at, "is taken by `plumbline import` alone");
		return;
	}
	if (!json_read_object(nv->ctx, v, at, known, &o))
		return;
	if (json_read_required(&o, "received"))
		out->received = json_read_time(&o, "received");
	out->by = json_read_line(&o, "by", JSON_NAME_MAX);
	read_content(&o, out);
	read_statuses(&o, out, nstatuses);
	read_commit(nv->ctx, json_read_member(&o, "commit"), JSON_AT_KEY(at, "commit"), out);
	if (!s->key_given)
		json_read_fault(nv->ctx, JSON_AT_KEY(at, "content"), "needs a key");
	s->stored = out;
}
