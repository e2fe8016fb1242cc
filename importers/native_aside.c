/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of a copy of a store that are no submissions: a file of a run, its bytes compressed as they
 * are stored and in base64; what was told of a machine; an event told by hand. Only the command
 * line may bring them.
 */
#include "importers/native.h"

#include <sodium.h>

#include "db/artifacts.h"
#include "server/base/arena.h"

/* The line's compressed bytes; a file that a line before told has none. */
static void read_bytes(const struct json_object *o, struct import_aside *out)
{
	const json_t *v = json_read_member(o, "data");
	const struct json_at *at = JSON_AT_KEY(o->at, "data");
	size_t n = json_string_length(v), len = 0;
	unsigned char *bytes;

	if (!v)
		return;
	out->file.encoding = json_read_name(o, "encoding", JSON_NAME_MAX);
	if (!out->file.encoding || (strcmp(out->file.encoding, "zstd") != 0 &&
				    strcmp(out->file.encoding, "identity") != 0))
		json_read_fault(o->ctx, JSON_AT_KEY(o->at, "encoding"), "must be zstd or identity");
	if (!json_is_string(v)) {
		json_read_fault(o->ctx, at, "must be a string, is %s", json_read_kind(v));
		return;
	}
	bytes = arena_alloc(o->ctx->arena, n / 4 * 3 + 3);
	if (sodium_base642bin(bytes, n / 4 * 3 + 3, json_string_value(v), n, NULL, &len, NULL,
			      sodium_base64_VARIANT_ORIGINAL) != 0)
		json_read_fault(o->ctx, at, "is no base64");
	out->file.data = bytes;
	out->file.ndata = len;
}

static void check_file(const struct json_object *o, struct import_aside *out)
{
	const char *bytes;

	if (!out->file.data || o->ctx->err)
		return;
	if (artifact_unpack(o->ctx, &out->file, &bytes) < 0) {
		ctx_clear(o->ctx);
		json_read_fault(o->ctx, JSON_AT_KEY(o->at, "data"),
				"does not unpack to the bytes of its digest");
	}
}

static void read_file(struct ctx *c, json_t *v, const struct json_at *at, struct import_aside *out)
{
	static const char *const known[] = {"series", "key",  "position", "name", "received", "by",
					    "digest", "size", "encoding", "data", NULL};
	static const char *const required[] = {"series",   "key",    "position", "name",
					       "received", "digest", "size",     NULL};
	struct json_object o;
	const char *hex, *wrong;

	if (!json_read_object(c, v, at, known, &o))
		return;
	for (size_t i = 0; required[i]; i++)
		json_read_required(&o, required[i]);
	out->series = json_read_name(&o, "series", JSON_NAME_MAX);
	out->key = json_read_name(&o, "key", JSON_METRIC_MAX);
	out->name = json_read_name(&o, "name", JSON_NAME_MAX);
	out->by = json_read_line(&o, "by", JSON_NAME_MAX);
	out->position = json_read_whole(&o, "position");
	out->received = json_read_time(&o, "received");
	out->file.size = json_read_whole(&o, "size");
	hex = json_read_name(&o, "digest", JSON_NAME_MAX);
	if (hex && !artifact_parse(hex, &out->file.digest))
		json_read_fault(c, JSON_AT_KEY(at, "digest"), "must be %d hex digits",
				ARTIFACT_HEX);
	if (out->name && (wrong = artifact_name_fault(out->name)))
		json_read_fault(c, JSON_AT_KEY(at, "name"), "%s", wrong);
	read_bytes(&o, out);
	check_file(&o, out);
}

static void read_machine(struct ctx *c, json_t *v, const struct json_at *at,
			 struct import_aside *out)
{
	static const char *const known[] = {"name",         "description", "state",
					    "expect_every", "changed",     NULL};
	static const char *const required[] = {"name", "state", "changed", NULL};
	struct json_object o;

	if (!json_read_object(c, v, at, known, &o))
		return;
	for (size_t i = 0; required[i]; i++)
		json_read_required(&o, required[i]);
	out->machine = (struct machine){
		.name = json_read_name(&o, "name", JSON_TEXT_MAX),
		.description = json_read_text(&o, "description"),
		.state = json_read_name(&o, "state", JSON_NAME_MAX),
		.expect_every = json_read_whole(&o, "expect_every"),
	};
	out->received = json_read_time(&o, "changed");
	if (out->machine.state && !machine_state_valid(out->machine.state))
		json_read_fault(c, JSON_AT_KEY(at, "state"), "is no state of a machine");
}

static void read_event(struct ctx *c, json_t *v, const struct json_at *at, struct import_aside *out)
{
	static const char *const known[] = {"machine", "at", "key",     "old", "new",
					    "note",    "by", "created", NULL};
	static const char *const required[] = {"machine", "at", "key", "created", NULL};
	struct json_object o;

	if (!json_read_object(c, v, at, known, &o))
		return;
	for (size_t i = 0; required[i]; i++)
		json_read_required(&o, required[i]);
	out->event = (struct event){
		.machine = json_read_name(&o, "machine", JSON_TEXT_MAX),
		.at = json_read_time(&o, "at"),
		.key = json_read_name(&o, "key", JSON_TEXT_MAX),
		.old_value = json_read_text(&o, "old"),
		.new_value = json_read_text(&o, "new"),
		.note = json_read_text(&o, "note"),
	};
	out->by = json_read_line(&o, "by", JSON_NAME_MAX);
	out->received = json_read_time(&o, "created");
}

bool native_read_aside(struct native *nv, json_t *v)
{
	static const struct {
		const char *name;
		void (*read)(struct ctx *c, json_t *v, const struct json_at *at,
			     struct import_aside *out);
	} kinds[] = {
		[ASIDE_FILE] = {"artifact", read_file},
		[ASIDE_MACHINE] = {"machine", read_machine},
		[ASIDE_EVENT] = {"event", read_event},
	};
	const struct json_at top = {0};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct json_at *at = JSON_AT_KEY(&top, kinds[i].name);
		json_t *part = json_object_get(v, kinds[i].name);

		if (json_object_size(v) != 1 || !part)
			continue;
		if (!nv->in->is_copy) {
			json_read_fault(nv->ctx, at, "is taken by `plumbline import` alone");
			return true;
		}
		nv->in->aside = arena_array(nv->ctx->arena, struct import_aside, 1);
		nv->in->aside->kind = i;
		kinds[i].read(nv->ctx, part, at, nv->in->aside);
		return true;
	}
	return false;
}
