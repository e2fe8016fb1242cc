/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Native JSON as a document and as a line. What is taken must be written as a line that is taken
 * again and means the same; what is refused must say why.
 */
#include "fuzz.h"

#include "importers/import.h"
#include "importers/native_write.h"
#include "same.h"
#include "server/base/arena.h"
#include "server/base/out.h"
#include "stream.h"

static void check_refusal(const struct ctx *c)
{
	must(c->detail[0], "refused without a word");
	must(c->err != E_INVALID || c->nfaults, "%s", c->detail);
	must(c->err == E_SYNTAX || c->err == E_TOO_LARGE || c->err == E_INVALID, "%d", c->err);
	for (size_t i = 0; i < c->nfaults; i++)
		must(c->faults[i].message[0] && c->faults[i].path, "fault %zu", i);
}

static void check_round_trip(struct arena *a, const struct submission *s)
{
	auto_out struct out first, second;
	struct ctx c;
	struct import in = {.ctx = &c};

	ctx_init(&c, a, NULL);
	out_init(&first, OUT_MAX_DEFAULT);
	out_init(&second, OUT_MAX_DEFAULT);
	native_write(&first, s);
	must(!memchr(first.p, '\n', first.len), "%s", first.p);
	if (first.len > NATIVE_DOCUMENT_MAX)
		return; /* numbers may be longer than they came */
	must(import_native_line(&in, first.p, first.len) >= 0, "%s: %s in %s", c.detail,
	     c.nfaults ? c.faults[0].message : "", first.p);
	must(in.n == 1);
	native_write(&second, in.subs);
	must(first.len == second.len && !memcmp(first.p, second.p, first.len), "%s\n%s", first.p,
	     second.p);
	same_submission(s, in.subs);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	auto_arena struct arena *a = arena_new();
	char *text = bytes_alone(bytes, n);

	for (int line = 0; line < 2; line++) {
		struct ctx c;
		struct import in = {.ctx = &c};

		ctx_init(&c, a, NULL);
		int e = (line ? import_native_line : import_native)(&in, text, n);
		if (e < 0)
			check_refusal(&c);
		else
			must(in.n >= 1);
		for (size_t i = 0; e >= 0 && i < in.n && i < 20; i++)
			check_round_trip(a, &in.subs[i]);
		if (!line)
			same_as_stream("native", import_native, &in, text, n);
	}
	free(text);
	return 0;
}
