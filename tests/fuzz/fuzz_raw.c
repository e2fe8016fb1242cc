/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every importer but the native one. The first byte chooses it; the one that is surest of the rest
 * is tried too, so that an input keeps its worth when the table of formats changes. With
 * --format=NAME it is that one alone, whatever the first byte says: all the time for one format.
 * What is taken must be written in the native form, which must be taken again and mean the same,
 * and be the same when it is handed on piece by piece; what is refused must say why.
 */
#include "fuzz.h"

#include "importers/import.h"
#include "importers/native_write.h"
#include "same.h"
#include "server/base/arena.h"
#include "server/base/out.h"
#include "stream.h"

#define LOOKED_AT 20 /* submissions of an input that are held against the native form */

static void check_refusal(const struct importer *i, const struct ctx *c)
{
	must(c->detail[0], "%s refused without a word", i->name);
	must(c->err == E_SYNTAX || c->err == E_TOO_LARGE || c->err == E_INVALID, "%s: %d", i->name,
	     c->err);
	for (size_t k = 0; k < c->nfaults; k++)
		must(c->faults[k].message[0] && c->faults[k].path, "%s: fault %zu", i->name, k);
}

static void check_native(const struct importer *i, struct arena *a, const struct submission *s)
{
	auto_out struct out o;
	struct ctx c;
	struct import in = {.ctx = &c};

	ctx_init(&c, a, NULL);
	out_init(&o, OUT_MAX_DEFAULT);
	native_write(&o, s);
	must(!memchr(o.p, '\n', o.len), "%s: %s", i->name, o.p);
	if (o.len > NATIVE_DOCUMENT_MAX)
		return;
	must(import_native_line(&in, o.p, o.len) >= 0, "%s: %s: %s in %s", i->name, c.detail,
	     c.nfaults ? c.faults[0].message : "", o.p);
	must(in.n == 1);
	same_submission(s, in.subs);
}

static void run(const struct importer *i, const char *text, size_t n)
{
	static const struct pair axes[] = {{"tbox_group", "rig"}, {"testcase", "t"}};
	auto_arena struct arena *a = arena_new();
	struct ctx c;
	struct import in = {
		.ctx = &c, .axes = axes, .naxes = 2, .commit = "a0fd217e6d6f", .source = "f"};
	int e;

	ctx_init(&c, a, NULL);
	e = i->run(&in, text, n);
	if (e < 0)
		check_refusal(i, &c);
	for (size_t k = 0; e >= 0 && k < in.n && k < LOOKED_AT; k++)
		check_native(i, a, &in.subs[k]);
	same_as_stream(i->name, i->run, &in, text, n);
}

static int ask(const struct importer *i, const char *text, size_t n)
{
	int sure = i->sniff ? i->sniff(text, n) : 0;

	must(sure >= 0 && sure <= 100, "%s is %d sure", i->name, sure);
	return sure;
}

static bool is_tried(const struct importer *i)
{
	return strcmp(i->name, "native") != 0;
}

static void run_chosen(uint8_t byte, const char *text, size_t n)
{
	size_t count = 0, chosen, at = 0;
	const struct importer *surest = NULL;
	int most = 0;

	for (size_t i = 0; i < importer_count(); i++)
		count += is_tried(importer_at(i));
	chosen = count ? byte % count : 0;
	for (size_t i = 0; i < importer_count(); i++) {
		const struct importer *one = importer_at(i);
		int sure = ask(one, text, n);

		if (!is_tried(one))
			continue;
		if (sure > most) {
			most = sure;
			surest = one;
		}
		if (at++ == chosen)
			run(one, text, n);
	}
	if (surest)
		run(surest, text, n);
}

static const struct importer *the_one; /* NULL: what the first byte says */

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const char option[] = "--format=";

	for (int i = 1; i < *argc; i++) {
		const char *arg = (*argv)[i];

		if (strncmp(arg, option, sizeof(option) - 1) == 0) {
			the_one = importer_find(arg + sizeof(option) - 1);
			must(the_one, "%s", arg);
		}
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	char *text;

	if (!n)
		return 0;
	text = bytes_alone(bytes + 1, n - 1);
	if (the_one) {
		ask(the_one, text, n - 1);
		run(the_one, text, n - 1);
	} else {
		run_chosen(bytes[0], text, n - 1);
	}
	free(text);
	return 0;
}
