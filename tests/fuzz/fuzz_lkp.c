/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The robot's files: the bytes as stats.json, matrix.json and a monitor's, as job.yaml, and as a
 * folder, whose files are separated by a NUL: job.yaml, stats.json, last_state, matrix.json. What
 * is taken must be written as native lines that mean the same; what is refused must say why.
 */
#include "fuzz.h"

#include "importers/formats.h"
#include "importers/lkp.h"
#include "importers/native_write.h"
#include "same.h"
#include "server/base/arena.h"
#include "server/base/out.h"

static void check_refusal(const struct ctx *c)
{
	must(c->detail[0], "refused without a word");
	must(c->err != E_INVALID || c->nfaults, "%s", c->detail);
	must(c->err == E_SYNTAX || c->err == E_TOO_LARGE || c->err == E_INVALID, "%d", c->err);
	for (size_t i = 0; i < c->nfaults; i++)
		must(c->faults[i].path && (c->faults[i].message[0] || c->faults[i].path[0]),
		     "fault %zu", i);
}

static void check_round_trip(struct arena *a, const struct submission *s)
{
	auto_out struct out line;
	struct ctx c;
	struct import in = {.ctx = &c};

	ctx_init(&c, a, NULL);
	out_init(&line, OUT_MAX_DEFAULT);
	native_write(&line, s);
	must(!memchr(line.p, '\n', line.len), "%s", line.p);
	must(import_native_line(&in, line.p, line.len) >= 0, "%s: %s in %s", c.detail,
	     c.nfaults ? c.faults[0].message : "", line.p);
	must(in.n == 1);
	same_submission(s, in.subs);
}

static void check(struct import *in, int e)
{
	must(e == (int)in->ctx->err, "%d %d", e, (int)in->ctx->err);
	if (e < 0)
		check_refusal(in->ctx);
	for (size_t i = 0; e >= 0 && i < in->n && i < 20; i++)
		check_round_trip(in->ctx->arena, &in->subs[i]);
}

static void begin(struct import *in, struct ctx *c, struct arena *a)
{
	static const struct pair axes[] = {{"tbox_group", "box"}, {"testcase", "t"}};

	ctx_init(c, a, NULL);
	*in = (struct import){.ctx = c, .axes = axes, .naxes = 2, .commit = "1234567"};
}

static void run_files(struct arena *a, const char *text, size_t n)
{
	static const char *const sources[] = {NULL, "/r/t/p/b/r/k/c/1234567/1/stats.json",
					      "/r/t/p/b/r/k/c/1234567/avg.json"};
	int (*const importers[])(struct import *, const char *,
				 size_t) = {import_lkp_stats, import_lkp_matrix, import_lkp_json};

	for (size_t k = 0; k < 9; k++) {
		struct import in;
		struct ctx c;

		begin(&in, &c, a);
		in.source = sources[k / 3];
		check(&in, importers[k % 3](&in, text, n));
	}
	lkp_stats_sniff(text, n);
	lkp_matrix_sniff(text, n);
	lkp_json_sniff(text, n);
}

static void run_folder(struct arena *a, const char *text, size_t n)
{
	static const char *const names[] = {"job.yaml", "stats.json", "last_state", "matrix.json"};
	const char *p = text, *end = text + n;
	struct import_part parts[4];
	char *copies[4];
	struct import in;
	struct ctx c;
	size_t k = 0;

	while (k < 4 && p <= end) {
		const char *stop = memchr(p, '\0', (size_t)(end - p));

		if (!stop)
			stop = end;
		copies[k] = bytes_alone(p, (size_t)(stop - p));
		parts[k] = (struct import_part){names[k], copies[k], (size_t)(stop - p)};
		p = stop + 1;
		k++;
	}
	begin(&in, &c, a);
	check(&in, folder_lkp_result(&in, "/r/t/4-x/b/r/k/c/1234567/1", parts, k));
	begin(&in, &c, a);
	in.axes = NULL;
	in.naxes = 0;
	check(&in, folder_lkp_result(&in, "/somewhere", parts, k));
	while (k-- > 0)
		free(copies[k]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	auto_arena struct arena *a = arena_new();
	char *text = bytes_alone(bytes, n);

	run_files(a, text, n);
	run_folder(a, text, n);
	free(text);
	return 0;
}
