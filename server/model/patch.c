/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A patch's page: its parts, what each of them did, what it takes back, and its versions against
 * each other. */
#include "server/model/patch.h"

#include "db/series.h"
#include "server/base/arena.h"
#include "server/history/revision.h"
#include "server/model/commit.h"
#include "server/model/patch_inside.h"

#define PART_RESULTS_MAX 20 /* series of a part that are judged */

int patch_base_row(struct ctx *c, const char *base, int64_t *row)
{
	struct commit k;
	int e = base ? revision_resolve(c, base, &k, NULL) : E_NOTFOUND;

	*row = e >= 0 ? k.id : 0;
	if (e != E_NOTFOUND && e != E_AMBIGUOUS && e != E_INVALID)
		return e;
	ctx_clear(c);
	return E_OK;
}

static int judge_part(struct ctx *c, struct arena *scratch, struct patch_part *part)
{
	struct arena *keep = c->arena;
	struct commit_page p = {.commit = part->commit};
	int e;

	c->arena = scratch;
	e = patch_base_row(c, part->base, &p.against);
	if (e >= 0)
		e = commit_results_load(c, PART_RESULTS_MAX, &p);
	if (e >= 0)
		part->sentence = arena_str(keep, commit_sentence(scratch, p.results, p.nresults));
	c->arena = keep;
	arena_reset(scratch);
	return e;
}

static int load_results(struct ctx *c, struct patch_page *out)
{
	auto_arena struct arena *scratch = arena_new();
	size_t judged = 0;
	int e = E_OK;

	for (size_t i = 0; i < out->nparts && e >= 0; i++) {
		struct measured *m;
		size_t n;

		e = measured_of_commit(c, out->parts[i].commit.id, 1, &m, &n);
		out->parts[i].measured = e >= 0 && n > 0;
		if (out->parts[i].measured && judged++ < PATCH_JUDGED_MAX)
			e = judge_part(c, scratch, &out->parts[i]);
	}
	return e;
}

int patch_page_load(struct ctx *c, const char *message_id, struct patch_page *out)
{
	size_t n = strlen(message_id);
	int e;

	*out = (struct patch_page){0};
	if (n > 2 && message_id[0] == '<' && message_id[n - 1] == '>')
		message_id = arena_strn(c->arena, message_id + 1, n - 2);
	e = patch_find(c, message_id, out);
	if (e >= 0)
		e = load_results(c, out);
	if (e >= 0)
		e = patch_find_recovered(c, out);
	return e < 0 ? e : patch_steps(c, out);
}
