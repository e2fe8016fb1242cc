/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checkouts and builds of a KCIDB document, and what of them a submission carries: architecture,
 * compiler and configuration are axes, the commit has the tree, the patches and how the build went.
 * Warnings are those that stand in the excerpt of the build's log.
 */
#include "importers/kcidb.h"

#include "db/commits.h"
#include "importers/formats.h"
#include "server/base/arena.h"
#include "server/base/clock.h"

#define PATCH_DIGITS 12

/* Patches on a commit are no commit of git's: "patches-<digest>-on-<commit>", based on it. */
static void take_patches(struct arena *a, struct kcidb_checkout *out, const char *patchset)
{
	struct commit_in *commit = &out->commit;
	bool is_hex = false;
	const char *name = arena_fmt(a, "patches-%.*s-on-%.*s", PATCH_DIGITS, patchset,
				     PATCH_DIGITS, commit->id);

	commit->patch.given = true;
	commit->patch.base = commit->id;
	if (!commit_name_valid(name, &is_hex) || is_hex)
		return;
	commit->id = name;
	commit->is_hex = false;
}

/* The id as the store wants it; a fault when it is none. */
static void take_hash(const struct json_object *o, struct kcidb_checkout *out, const char *hash)
{
	char *id = arena_str(o->ctx->arena, hash);

	for (char *p = id; *p; p++)
		*p = *p >= 'A' && *p <= 'F' ? (char)(*p | 0x20) : *p;
	if (strlen(id) < 7 || strlen(id) > 40 || strspn(id, "0123456789abcdef") != strlen(id)) {
		json_read_fault(o->ctx, JSON_AT_KEY(o->at, "git_commit_hash"),
				"must be 7 to 40 hex digits");
		return;
	}
	out->commit.id = id;
	out->commit.is_hex = true;
}

size_t kcidb_note(struct kcidb *k, struct kcidb_places *places, const char *id, const char *begin)
{
	bool fresh;
	size_t i = text_map_add(&places->ids, id, strlen(id), &fresh);

	places->begin =
		arena_grow(k->own, places->begin, &places->cap, i + 1, sizeof(*places->begin));
	places->begin[i] = begin;
	return i;
}

/* False: it has no id. */
static bool read_checkout(const struct json_object *o, struct kcidb_checkout *out)
{
	const char *id = result_text(o, "id"), *hash = result_text(o, "git_commit_hash");
	const char *patchset = result_text(o, "patchset_hash");

	if (!id) {
		json_read_fault(o->ctx, JSON_AT_KEY(o->at, "id"), "is missing");
		return false;
	}
	*out = (struct kcidb_checkout){
		.id = id,
		.describe = result_text(o, "git_commit_name"),
		.branch = result_text(o, "git_repository_branch"),
		.url = result_text(o, "git_repository_url"),
		.origin = result_text(o, "origin"),
		.commit = {.tree = result_name(o, "tree_name"),
			   .author.date = TIME_NONE,
			   .committer.date = TIME_NONE,
			   .date = TIME_NONE,
			   .patch = {.version = -1, .index = -1, .total = -1}},
	};
	out->commit.patch.message_id = result_text(o, "message_id");
	out->commit.patch.given = out->commit.patch.message_id != NULL;
	if (hash)
		take_hash(o, out, hash);
	if (out->commit.id && patchset)
		take_patches(o->ctx->arena, out, patchset);
	return true;
}

void kcidb_check_checkout(struct kcidb *k, const struct json_object *o, const char *begin)
{
	struct kcidb_checkout checkout;

	if (read_checkout(o, &checkout))
		kcidb_note(k, &k->checkouts, checkout.id, begin);
}

/* What the importer of build logs makes of the excerpt. */
static void take_warnings(struct arena *a, struct build_in *out, const char *log)
{
	static const struct pair axes[] = {{"tbox_group", "x"}};
	struct ctx own;
	struct import in = {.ctx = &own, .axes = axes, .naxes = 1, .commit = "v0.1"};

	ctx_init(&own, a, NULL);
	if (!log || import_build_log(&in, log, strlen(log)) != E_OK || !in.n)
		return;
	out->warnings = in.subs[0].commit.build.warnings;
	out->nwarnings = in.subs[0].commit.build.nwarnings;
}

/* v5 has a status, v4 whether it is valid. */
static const char *status_of(const struct json_object *o)
{
	const char *status = result_name(o, "status");
	const json_t *valid = json_read_member(o, "valid");
	char *word;

	if (!status && json_is_boolean(valid))
		return json_is_true(valid) ? "ok" : "failed";
	if (!status)
		return NULL;
	if (!strcmp(status, "PASS"))
		return "ok";
	if (!strcmp(status, "FAIL"))
		return "failed";
	word = arena_str(o->ctx->arena, status);
	for (char *p = word; *p; p++)
		*p = *p >= 'A' && *p <= 'Z' ? (char)(*p | 0x20) : *p;
	return word;
}

/* Ids begin with it too. */
static const char *origin_of(const struct json_object *o, const char *id)
{
	const char *origin = result_text(o, "origin"), *colon = strchr(id, ':');

	return origin || !colon ? origin : arena_strn(o->ctx->arena, id, (size_t)(colon - id));
}

/* False: it has no id. */
static bool read_build(const struct json_object *o, struct kcidb_build *out)
{
	const char *id = result_text(o, "id"), *checkout = result_text(o, "checkout_id");

	if (!id)
		json_read_fault(o->ctx, JSON_AT_KEY(o->at, "id"), "is missing");
	if (!checkout)
		json_read_fault(o->ctx, JSON_AT_KEY(o->at, "checkout_id"), "is missing");
	if (!id)
		return false;
	*out = (struct kcidb_build){
		.id = id,
		.checkout = checkout,
		.arch = result_text(o, "architecture"),
		.config_url = result_text(o, "config_url"),
		.command = result_text(o, "command"),
		.origin = origin_of(o, id),
		.started = result_time(o, "start_time"),
		.build = {.given = true,
			  .config = result_text(o, "config_name"),
			  .compiler = result_text(o, "compiler"),
			  .status = status_of(o)},
	};
	return true;
}

void kcidb_check_build(struct kcidb *k, const struct json_object *o, const char *begin)
{
	struct kcidb_build b;

	if (!read_build(o, &b))
		return;
	kcidb_note(k, &k->builds, b.id, begin);
	if (b.checkout && (k->any_checkout || !k->in->commit) &&
	    text_map_find(&k->checkouts.ids, b.checkout, strlen(b.checkout)) == TEXT_MAP_NONE)
		json_read_fault(o->ctx, JSON_AT_KEY(o->at, "checkout_id"),
				"there is no checkout \"%.200s\" in the file", b.checkout);
}

static void load_checkout(struct kcidb *k, const char *id)
{
	size_t i = text_map_find(&k->checkouts.ids, id, strlen(id));
	struct json_object o = {.ctx = &k->read_again, .at = &(const struct json_at){0}};

	if (i == TEXT_MAP_NONE)
		return;
	o.v = json_read_again(&k->read_again, k->checkouts.begin[i], k->end);
	if (o.v)
		read_checkout(&o, &k->checkout);
	json_decref(o.v);
}

void kcidb_load(struct kcidb *k, size_t build)
{
	struct json_object o = {.ctx = &k->read_again, .at = &(const struct json_at){0}};

	if (k->loaded == build)
		return;
	arena_reset(k->read_again.arena);
	ctx_init(&k->read_again, k->read_again.arena, NULL);
	k->loaded = build;
	k->checkout = (struct kcidb_checkout){0};
	k->build = (struct kcidb_build){.id = k->builds.ids.list[build].text, .started = TIME_NONE};
	if (!k->builds.begin[build])
		return;
	o.v = json_read_again(&k->read_again, k->builds.begin[build], k->end);
	if (o.v && read_build(&o, &k->build)) {
		take_warnings(o.ctx->arena, &k->build.build,
			      json_string_value(json_read_member(&o, "log_excerpt")));
		if (k->build.checkout)
			load_checkout(k, k->build.checkout);
	}
	json_decref(o.v);
}

/* What the loaded ones say of the commit, to live as long as the submission. */
static void set_commit(const struct kcidb *k, struct record *r)
{
	struct commit_in *to = &record_submission(r)->commit;
	struct arena *a = record_arena(r);
	struct build_in *b = &to->build;
	struct warning *warnings;

	if (k->checkout.id) {
		*to = k->checkout.commit;
		to->id = arena_str(a, to->id);
		to->tree = arena_str(a, to->tree);
		to->patch.base = arena_str(a, to->patch.base);
		to->patch.message_id = arena_str(a, to->patch.message_id);
	}
	*b = k->build.build;
	b->config = arena_str(a, b->config);
	b->compiler = arena_str(a, b->compiler);
	b->status = arena_str(a, b->status);
	b->warnings = warnings = arena_array(a, struct warning, b->nwarnings);
	for (size_t i = 0; i < b->nwarnings; i++) {
		warnings[i] = k->build.build.warnings[i];
		warnings[i].file = arena_str(a, warnings[i].file);
		warnings[i].message = arena_str(a, warnings[i].message);
	}
}

void kcidb_describe(const struct kcidb *k, struct record *r)
{
	const struct kcidb_checkout *checkout = &k->checkout;
	const struct kcidb_build *b = &k->build;

	record_axis(r, "arch", b->arch);
	record_axis(r, "compiler", b->build.compiler);
	record_axis(r, "kconfig", b->build.config);
	record_info(r, "kcidb.build", b->id);
	record_info(r, "kcidb.build.origin", b->origin);
	record_info(r, "kcidb.build.config_url", b->config_url);
	record_info(r, "kcidb.build.command", b->command);
	set_commit(k, r);
	record_info(r, "kcidb.checkout", checkout->id);
	record_info(r, "kcidb.checkout.describe", checkout->describe);
	record_info(r, "kcidb.checkout.branch", checkout->branch);
	record_info(r, "kcidb.checkout.url", checkout->url);
}
