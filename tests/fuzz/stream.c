/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stream.h"

#include "fuzz.h"
#include "same.h"
#include "server/base/arena.h"

struct reading {
	const char *name;
	const struct import *whole;
	size_t at; /* submissions so far */
};

static int take(struct import *in, void *arg)
{
	struct reading *r = arg;
	const struct import *whole = r->whole;

	for (size_t i = 0; i < in->n && !whole->ctx->err; i++) {
		must(r->at < whole->n, "%s: more than %zu", r->name, whole->n);
		same_submission(&whole->subs[r->at++], &in->subs[i]);
	}
	return E_OK;
}

void same_as_stream(const char *name, int (*run)(struct import *, const char *, size_t),
		    const struct import *whole, const char *bytes, size_t n)
{
	auto_arena struct arena *a = arena_new(), *records = arena_new(), *made = arena_new();
	struct reading r = {.name = name, .whole = whole};
	struct import_stream stream = {.take = take, .arg = &r, .records = records, .made = made};
	struct ctx c;
	struct import in = {
		.ctx = &c,
		.stream = &stream,
		.axes = whole->axes,
		.naxes = whole->naxes,
		.commit = whole->commit,
		.source = whole->source,
	};
	int e;

	ctx_init(&c, a, NULL);
	e = run(&in, bytes, n);
	if (e >= 0)
		e = import_take(&in);
	must(e == (int)whole->ctx->err, "%s: %d and not %d: %s", name, e, (int)whole->ctx->err,
	     c.detail);
	must(e < 0 || r.at == whole->n, "%s: %zu of %zu", name, r.at, whole->n);
}
