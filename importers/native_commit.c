/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commit of a submission: its name and what the uploader knows of it, patch and build included.
 */
#include "importers/native.h"

#include "db/commits.h"
#include "server/base/arena.h"
#include "server/base/clock.h"

const char *native_commit_name(struct ctx *c, const struct json_at *at, const char *s, bool *is_hex)
{
	char *name = arena_str(c->arena, s);

	*is_hex = false;
	if (strspn(name, "0123456789abcdefABCDEF") == strlen(name)) {
		for (char *p = name; *p; p++) {
			if (*p >= 'A' && *p <= 'F')
				*p += 'a' - 'A';
		}
	}
	if (commit_name_valid(name, is_hex))
		return name;
	json_read_fault(
		c, at,
		"\"%.80s\" is neither a commit id of 7 to 40 hex digits nor a ref name of at "
		"least 3 bytes with a digit in it",
		s);
	return NULL;
}

const char *native_read_commit_name(const struct json_object *o, const char *key, bool *is_hex)
{
	const char *s = json_read_name(o, key, JSON_NAME_MAX);

	*is_hex = false;
	return s ? native_commit_name(o->ctx, JSON_AT_KEY(o->at, key), s, is_hex) : NULL;
}

static void read_person(struct ctx *c, json_t *v, const struct json_at *at, struct person *out)
{
	static const char *const known[] = {"name", "email", "date", NULL};
	struct json_object o;

	if (!v || !json_read_object(c, v, at, known, &o))
		return;
	out->name = json_read_line(&o, "name", JSON_NAME_MAX);
	out->email = json_read_line(&o, "email", JSON_NAME_MAX);
	out->date = json_read_time(&o, "date");
}

static void read_parents(struct ctx *c, json_t *v, const struct json_at *at, struct commit_in *out)
{
	const char **parents;

	if (!v)
		return;
	if (!json_is_array(v)) {
		json_read_fault(c, at, "must be an array, is %s", json_read_kind(v));
		return;
	}
	parents = arena_array(c->arena, const char *, json_array_size(v));
	for (size_t i = 0; i < json_array_size(v); i++) {
		const struct json_at *place = JSON_AT_INDEX(at, i);
		const json_t *parent = json_array_get(v, i);
		bool is_hex = false;
		const char *name;

		if (!json_is_string(parent)) {
			json_read_fault(c, place, "must be a string, is %s",
					json_read_kind(parent));
			continue;
		}
		name = native_commit_name(c, place, json_string_value(parent), &is_hex);
		if (name && !is_hex)
			json_read_fault(c, place, "must be 7 to 40 hex digits, is \"%.80s\"", name);
		parents[out->nparents++] = name;
	}
	out->parents = parents;
}

static void read_patch(struct ctx *c, json_t *v, const struct json_at *at, struct patch_in *out)
{
	static const char *const known[] = {"message_id", "version", "index", "total",
					    "base",       "diff",    NULL};
	struct json_object o;
	bool is_hex;

	if (!v || !json_read_object(c, v, at, known, &o))
		return;
	out->given = true;
	out->message_id = json_read_line(&o, "message_id", JSON_TEXT_MAX);
	out->version = json_read_whole(&o, "version");
	out->index = json_read_whole(&o, "index");
	out->total = json_read_whole(&o, "total");
	out->base = native_read_commit_name(&o, "base", &is_hex);
	out->diff = json_read_text(&o, "diff");
	if (out->index >= 0 && out->total >= 0 && out->index > out->total)
		json_read_fault(c, JSON_AT_KEY(at, "index"), "is greater than total");
}

static void read_warning(struct ctx *c, json_t *v, const struct json_at *at, struct warning *out)
{
	static const char *const known[] = {"file", "line", "column", "message", NULL};
	struct json_object o;

	*out = (struct warning){.line = -1, .column = -1};
	if (!json_read_object(c, v, at, known, &o))
		return;
	out->file = json_read_line(&o, "file", JSON_TEXT_MAX);
	out->line = json_read_whole(&o, "line");
	out->column = json_read_whole(&o, "column");
	if (!json_read_required(&o, "message"))
		return;
	out->message = json_read_text(&o, "message");
	if (!out->message && json_is_string(json_read_member(&o, "message")))
		json_read_fault(c, JSON_AT_KEY(at, "message"), "must not be empty");
}

void native_read_build(struct ctx *c, json_t *v, const struct json_at *at, struct build_in *out)
{
	static const char *const known[] = {"config", "compiler", "status", "warnings", NULL};
	const struct json_at *place = JSON_AT_KEY(at, "warnings");
	struct warning *warnings;
	struct json_object o;
	json_t *list;

	if (!v || !json_read_object(c, v, at, known, &o))
		return;
	out->given = true;
	out->config = json_read_line(&o, "config", JSON_TEXT_MAX);
	out->compiler = json_read_line(&o, "compiler", JSON_TEXT_MAX);
	out->status = json_read_line(&o, "status", JSON_NAME_MAX);
	list = json_read_member(&o, "warnings");
	if (!list)
		return;
	if (!json_is_array(list)) {
		json_read_fault(c, place, "must be an array, is %s", json_read_kind(list));
		return;
	}
	out->nwarnings = json_array_size(list);
	out->warnings = warnings = arena_array(c->arena, struct warning, out->nwarnings);
	for (size_t i = 0; i < out->nwarnings; i++)
		read_warning(c, json_array_get(list, i), JSON_AT_INDEX(place, i), &warnings[i]);
}

/* The commit's name; where the document has none, the one that the request or command line gave. */
static void read_id(struct native *nv, const struct json_object *o, const struct json_at *at,
		    struct commit_in *out)
{
	const char *given = nv->in->commit;

	if (o->v && json_read_member(o, "id"))
		out->id = native_read_commit_name(o, "id", &out->is_hex);
	else if (given)
		out->id = native_commit_name(nv->ctx, JSON_AT_KEY(at, "id"), given, &out->is_hex);
	else
		json_read_fault(nv->ctx, JSON_AT_KEY(at, "id"), "is required");
}

void native_read_commit(struct native *nv, json_t *v, const struct json_at *at,
			struct commit_in *out)
{
	static const char *const known[] = {"id",        "subject", "message", "author",
					    "committer", "date",    "parents", "tree",
					    "label",     "patch",   "build",   NULL};
	struct json_object o = {.ctx = nv->ctx, .at = at};
	struct ctx *c = nv->ctx;

	if (v && !json_read_object(c, v, at, known, &o))
		return;
	read_id(nv, &o, at, out);
	if (v) {
		out->subject = json_read_line(&o, "subject", JSON_TEXT_MAX);
		out->message = json_read_text(&o, "message");
		out->tree = json_read_name(&o, "tree", JSON_NAME_MAX);
		out->label = json_read_line(&o, "label", JSON_NAME_MAX);
		out->date = json_read_time(&o, "date");
		read_person(c, json_read_member(&o, "author"), JSON_AT_KEY(at, "author"),
			    &out->author);
		read_person(c, json_read_member(&o, "committer"), JSON_AT_KEY(at, "committer"),
			    &out->committer);
		read_parents(c, json_read_member(&o, "parents"), JSON_AT_KEY(at, "parents"), out);
		read_patch(c, json_read_member(&o, "patch"), JSON_AT_KEY(at, "patch"), &out->patch);
		native_read_build(c, json_read_member(&o, "build"), JSON_AT_KEY(at, "build"),
				  &out->build);
	}
	if (!out->tree)
		out->tree = nv->in->tree;
}
