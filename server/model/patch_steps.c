/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Versions against each other: each part of a version and the same part of the version before it,
 * the same by subject, else by its number. Their results are compared as /compare?pairs= does.
 */
#include "server/model/patch_inside.h"

#include "db/series.h"
#include "server/base/arena.h"
#include "server/model/mail_name.h"

#define TABLES_MAX 50 /* of one comparison */

static bool same_part(const struct patch_part *a, const struct patch_part *b)
{
	if (a->subject && b->subject)
		return git_subject_key(a->subject) == git_subject_key(b->subject);
	return a->index == b->index;
}

/* The same part in the latest earlier version; measured ones first, then the last that was tested.
 */
static const struct patch_part *earlier(const struct patch_page *p, const struct patch_part *part)
{
	const struct patch_part *best = NULL;

	for (size_t i = 0; i < p->nparts; i++) {
		const struct patch_part *k = &p->parts[i];

		if (k->version >= part->version || !same_part(k, part))
			continue;
		if (!best || k->version > best->version ||
		    (k->version == best->version && k->measured >= best->measured))
			best = k;
	}
	return best;
}

static const char *diff_of(struct ctx *c, const struct patch_part *p, int *e)
{
	struct object_commit k;

	if (p->commit.patch.diff && *p->commit.patch.diff)
		return p->commit.patch.diff;
	if (!p->commit.position || p->commit.kind != COMMIT_FULL)
		return NULL;
	*e = object_commit_read(c, p->commit.name, true, &k);
	return *e < 0 || k.problem || k.nlines == 0 ? NULL : interdiff_text(c->arena, &k);
}

static int make_interdiff(struct ctx *c, struct patch_step *s)
{
	int e = E_OK;
	const char *first = diff_of(c, s->before, &e);
	const char *second = e >= 0 ? diff_of(c, s->after, &e) : NULL;

	s->has_diffs = e >= 0 && first && second;
	if (s->has_diffs)
		interdiff_make(c->arena, first, second, &s->interdiff);
	return e;
}

static int compare_step(struct ctx *c, struct patch_step *s)
{
	auto_arena struct arena *scratch = arena_new();
	const char *asked[] = {s->before->base, s->before->commit.name, s->after->base,
			       s->after->commit.name};
	struct compare_query q = {.asked = asked,
				  .nasked = 4,
				  .pairs = true,
				  .own_only = true,
				  .role = -1,
				  .limit = TABLES_MAX};
	struct commit_list many;
	struct compare cmp;
	struct compare_table t;
	int e = compare_load(c, &q, &cmp, &many);

	while (e >= 0 && (e = compare_next(c, &q, &cmp, scratch, &t)) == COMPARE_TABLE)
		;
	if (e == E_NOTFOUND || e == E_AMBIGUOUS || e == E_INVALID) {
		ctx_clear(c); /* a base that nobody knows by that name */
		s->compare = NULL;
		return E_OK;
	}
	s->kept = cmp.kept;
	s->nkept = cmp.nkept;
	return e;
}

static int make_step(struct ctx *c, struct patch_page *out, const struct patch_part *before,
		     const struct patch_part *after, size_t *compared)
{
	struct patch_step *s = &out->steps[out->nsteps++];
	int e;

	*s = (struct patch_step){.before = before, .after = after};
	e = make_interdiff(c, s);
	if (e < 0 || !before->base || !after->base)
		return e;
	s->one_base = strcmp(before->base, after->base) == 0;
	s->compare = arena_fmt(c->arena, "%s..%s,%s..%s", before->base, before->commit.name,
			       after->base, after->commit.name);
	if (before->measured && after->measured && (*compared)++ < PATCH_COMPARED_MAX)
		e = compare_step(c, s);
	return e;
}

/* One step for each part of a version, however often it was tested. */
static bool stepped(const struct patch_page *p, const struct patch_part *part)
{
	for (size_t i = 0; i < p->nsteps; i++)
		if (p->steps[i].after->version == part->version &&
		    same_part(p->steps[i].after, part))
			return true;
	return false;
}

int patch_steps(struct ctx *c, struct patch_page *out)
{
	size_t compared = 0;
	int e = E_OK;

	out->steps = arena_array(c->arena, struct patch_step, PATCH_PAIRS_MAX);
	for (size_t i = out->nparts; i-- > 0 && e >= 0;) {
		const struct patch_part *after = &out->parts[i];
		const struct patch_part *before = earlier(out, after);

		if (!before || stepped(out, after))
			continue;
		out->steps_seen++;
		if (out->nsteps < PATCH_PAIRS_MAX)
			e = make_step(c, out, before, after, &compared);
	}
	return e;
}
