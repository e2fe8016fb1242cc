/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Report mails, whatever their form. What is taken must be written as native lines that are taken
 * again and mean the same; what is refused must say why. The first byte decides whether the request
 * names a commit and a machine.
 */
#include "fuzz.h"

#include "importers/formats.h"
#include "importers/native_write.h"
#include "same.h"
#include "server/base/arena.h"
#include "server/base/out.h"
#include "stream.h"

static void check_round_trip(struct arena *a, const struct submission *s)
{
	auto_out struct out first;
	struct ctx c;
	struct import in = {.ctx = &c};

	ctx_init(&c, a, NULL);
	out_init(&first, OUT_MAX_DEFAULT);
	native_write(&first, s);
	must(!first.failed && !memchr(first.p, '\n', first.len), "%s", first.p);
	if (first.len > NATIVE_DOCUMENT_MAX)
		return;
	must(import_native_line(&in, first.p, first.len) >= 0, "%s: %s in %s", c.detail,
	     c.nfaults ? c.faults[0].message : "", first.p);
	must(in.n == 1);
	same_submission(s, in.subs);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const struct pair axes[] = {{"tbox_group", "rig-1"}, {"testcase", "hackbench"}};
	auto_arena struct arena *a = arena_new();
	bool named = n && (bytes[0] & 1);
	char *text = bytes_alone(bytes, n);
	struct ctx c;
	struct import in = {.ctx = &c};

	if (named) {
		in.axes = axes;
		in.naxes = 2;
		in.commit = "v6.4";
	}
	ctx_init(&c, a, NULL);
	if (import_robot_mail(&in, text, n) < 0)
		must(c.err == E_INVALID && c.nfaults && c.faults[0].message[0], "%d", c.err);
	else
		must(in.n >= 1);
	for (size_t i = 0; c.err == E_OK && i < in.n && i < 50; i++)
		check_round_trip(a, &in.subs[i]);
	same_as_stream("robot-mail", import_robot_mail, &in, text, n);
	must(robot_mail_sniff(text, n) <= 100);
	free(text);
	return 0;
}
