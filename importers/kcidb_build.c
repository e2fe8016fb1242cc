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
static void take_patches(struct kcidb *k, struct kcidb_checkout *out, const char *patchset)
{
	struct commit_in *commit = &out->commit;
	bool is_hex = false;
	const char *name = arena_fmt(k->c->arena, "patches-%.*s-on-%.*s", PATCH_DIGITS, patchset,
				     PATCH_DIGITS, commit->id);

	commit->patch.given = true;
	commit->patch.base = commit->id;
	if (!commit_name_valid(name, &is_hex) || is_hex)
		return;
	commit->id = name;
	commit->is_hex = false;
}

/* The id as the store wants it; a fault when it is none. */
static void take_hash(struct kcidb *k, struct kcidb_checkout *out, const char *hash,
		      const struct json_at *at)
{
	char *id = arena_str(k->c->arena, hash);

	for (char *p = id; *p; p++)
		*p = *p >= 'A' && *p <= 'F' ? (char)(*p | 0x20) : *p;
	if (strlen(id) < 7 || strlen(id) > 40 || strspn(id, "0123456789abcdef") != strlen(id)) {
		json_read_fault(k->c, JSON_AT_KEY(at, "git_commit_hash"),
				"must be 7 to 40 hex digits");
		return;
	}
	out->commit.id = id;
	out->commit.is_hex = true;
}

void kcidb_read_checkout(struct kcidb *k, json_t *v, const struct json_at *at)
{
	struct json_object o = {.ctx = k->c, .v = v, .at = at};
	const char *id = result_text(&o, "id"), *hash = result_text(&o, "git_commit_hash");
	const char *patchset = result_text(&o, "patchset_hash");
	struct kcidb_checkout *out;
	bool fresh;
	size_t i;

	if (!id) {
		json_read_fault(k->c, JSON_AT_KEY(at, "id"), "is missing");
		return;
	}
	i = text_map_add(&k->checkout_ids, id, strlen(id), &fresh);
	k->checkouts = arena_grow(k->c->arena, k->checkouts, &k->checkout_cap, i + 1, sizeof(*out));
	out = &k->checkouts[i];
	*out = (struct kcidb_checkout){
		.id = id,
		.describe = result_text(&o, "git_commit_name"),
		.branch = result_text(&o, "git_repository_branch"),
		.url = result_text(&o, "git_repository_url"),
		.origin = result_text(&o, "origin"),
		.commit = {.tree = result_name(&o, "tree_name"),
			   .author.date = TIME_NONE,
			   .committer.date = TIME_NONE,
			   .date = TIME_NONE,
			   .patch = {.version = -1, .index = -1, .total = -1}},
	};
	out->commit.patch.message_id = result_text(&o, "message_id");
	out->commit.patch.given = out->commit.patch.message_id != NULL;
	if (hash)
		take_hash(k, out, hash, at);
	if (out->commit.id && patchset)
		take_patches(k, out, patchset);
}

/* What the importer of build logs makes of the excerpt. */
static void take_warnings(struct kcidb *k, struct build_in *out, const char *log)
{
	static const struct pair axes[] = {{"tbox_group", "x"}};
	struct ctx own;
	struct import in = {.ctx = &own, .axes = axes, .naxes = 1, .commit = "v0.1"};

	ctx_init(&own, k->c->arena, NULL);
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

void kcidb_read_build(struct kcidb *k, json_t *v, const struct json_at *at)
{
	struct json_object o = {.ctx = k->c, .v = v, .at = at};
	const char *id = result_text(&o, "id"), *checkout = result_text(&o, "checkout_id");
	struct kcidb_build *b;
	bool fresh;
	size_t i;

	if (!id)
		json_read_fault(k->c, JSON_AT_KEY(at, "id"), "is missing");
	if (!checkout)
		json_read_fault(k->c, JSON_AT_KEY(at, "checkout_id"), "is missing");
	if (!id)
		return;
	i = text_map_add(&k->build_ids, id, strlen(id), &fresh);
	k->builds = arena_grow(k->c->arena, k->builds, &k->build_cap, i + 1, sizeof(*b));
	b = &k->builds[i];
	*b = (struct kcidb_build){
		.id = id,
		.arch = result_text(&o, "architecture"),
		.config_url = result_text(&o, "config_url"),
		.command = result_text(&o, "command"),
		.origin = origin_of(&o, id),
		.started = result_time(&o, "start_time"),
		.checkout = checkout ? text_map_find(&k->checkout_ids, checkout, strlen(checkout))
				     : TEXT_MAP_NONE,
		.build = {.given = true,
			  .config = result_text(&o, "config_name"),
			  .compiler = result_text(&o, "compiler"),
			  .status = status_of(&o)},
	};
	take_warnings(k, &b->build, json_string_value(json_read_member(&o, "log_excerpt")));
	if (checkout && b->checkout == TEXT_MAP_NONE && (k->any_checkout || !k->in->commit))
		json_read_fault(k->c, JSON_AT_KEY(at, "checkout_id"),
				"there is no checkout \"%.200s\" in the file", checkout);
}

size_t kcidb_bare_build(struct kcidb *k, const char *id)
{
	bool fresh;
	size_t i = text_map_add(&k->build_ids, id, strlen(id), &fresh);

	k->builds = arena_grow(k->c->arena, k->builds, &k->build_cap, i + 1, sizeof(*k->builds));
	if (fresh)
		k->builds[i] = (struct kcidb_build){
			.id = id, .checkout = TEXT_MAP_NONE, .started = TIME_NONE};
	return i;
}

void kcidb_describe(const struct kcidb *k, const struct kcidb_build *b, struct record *r)
{
	struct commit_in *commit = &record_submission(r)->commit;
	const struct kcidb_checkout *checkout;

	record_axis(r, "arch", b->arch);
	record_axis(r, "compiler", b->build.compiler);
	record_axis(r, "kconfig", b->build.config);
	record_info(r, "kcidb.build", b->id);
	record_info(r, "kcidb.build.origin", b->origin);
	record_info(r, "kcidb.build.config_url", b->config_url);
	record_info(r, "kcidb.build.command", b->command);
	if (b->checkout == TEXT_MAP_NONE) {
		commit->build = b->build;
		return;
	}
	checkout = &k->checkouts[b->checkout];
	*commit = checkout->commit;
	commit->build = b->build;
	record_info(r, "kcidb.checkout", checkout->id);
	record_info(r, "kcidb.checkout.describe", checkout->describe);
	record_info(r, "kcidb.checkout.branch", checkout->branch);
	record_info(r, "kcidb.checkout.url", checkout->url);
}
