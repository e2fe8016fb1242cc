/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The line of a chart: the first parents of a ref, with what is measured on it, and beside it what
 * is measured elsewhere. Each commit's nearest ancestor on the line is found for all commits in one
 * pass up the numbers. What git does not know hangs where the parents that uploads told lead to,
 * else stands by its date.
 */
#include "server/history/line.h"

#include "db/git_commits.h"
#include "db/repos.h"
#include "db/runs.h"
#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/history/graph_inside.h"
#include "server/history/places.h"
#include "server/history/revision.h"

#define UPLOADED_STEPS 1000

/* A commit of the list while it is placed. */
struct entry {
	struct commit_place at;
	uint32_t anchor; /* the nearest commit of the line that it has, or is; 0: none */
	bool in_git, on_line;
	size_t given; /* its place in the list */
};

struct placing {
	struct ctx *c;
	const struct graph *g;
	const struct series_places *places;
	struct entry *entries;
	size_t n;
	uint32_t tip;
	uint32_t *anchors; /* by position, up to the highest of the entries */
	uint32_t highest;
};

/* --- which line ---------------------------------------------------------------------------------
 */

/* How many measured commits are on the first parents of tip. */
static size_t count_on(const struct placing *l, uint32_t tip)
{
	const struct commit_place *at = l->places->by_position;
	size_t left = places_up_to(l->places, tip), n = 0;

	for (uint32_t p = tip; p && left; p = graph_parent(l->g, p, 1)) {
		while (left && at[left - 1].position > p)
			left--;
		n += left && at[left - 1].position == p;
		while (left && at[left - 1].position == p)
			left--;
	}
	return n;
}

static const char *short_ref(const char *ref)
{
	if (strncmp(ref, "refs/heads/", 11) == 0)
		return ref + 11;
	return strncmp(ref, "refs/tags/", 10) == 0 ? ref + 10 : ref;
}

/* Of all repositories' lines the one that has most of the commits. */
static int find_line(struct placing *l, const char **name)
{
	struct repo *repos;
	size_t n, most = 0;
	int e = repo_list(l->c, false, &repos, &n);

	for (size_t i = 0; e >= 0 && i < n; i++) {
		struct repo_ref *refs;
		size_t nrefs, on;

		if (!repos[i].line)
			continue;
		e = repo_refs_named(l->c, repos[i].id, repos[i].line, &refs, &nrefs);
		if (e < 0 || !nrefs || refs[0].gone != TIME_NONE ||
		    refs[0].position > graph_size(l->g))
			continue;
		on = count_on(l, (uint32_t)refs[0].position);
		if (on <= most)
			continue;
		most = on;
		l->tip = (uint32_t)refs[0].position;
		*name = arena_fmt(l->c->arena, "%s/%s", repos[i].name, short_ref(repos[i].line));
	}
	return e;
}

/* No repository has any of them on its line: the newest of them has one of its own. */
static int take_newest(struct placing *l, const char **name)
{
	const struct commit_place *newest = &l->places->by_position[l->places->npositions - 1];
	struct git_commit k;
	int e = git_commit_at(l->c, newest->position, &k);

	if (e < 0)
		return e;
	l->tip = (uint32_t)newest->position;
	*name = arena_strn(l->c->arena, k.id, 12);
	return E_OK;
}

static int take_ref(struct placing *l, const char *ref, const char **name)
{
	struct commit k;
	int e = revision_resolve(l->c, ref, &k, NULL);

	if (e < 0)
		return e;
	if (!k.position || k.position > graph_size(l->g))
		return fail(l->c, E_INVALID,
			    "git does not know \"%.200s\", so it has no line to follow", ref);
	l->tip = (uint32_t)k.position;
	*name = ref;
	return E_OK;
}

static int choose_line(struct placing *l, const char *ref, const char **name)
{
	*name = NULL;
	if (ref)
		return take_ref(l, ref, name);
	if (!l->places->npositions)
		return E_OK;
	int e = find_line(l, name);
	return e < 0 || l->tip ? e : take_newest(l, name);
}

/* --- where each commit hangs --------------------------------------------------------------------
 */

/* anchors[p]: the nearest commit of the line that p has as an ancestor, or is; 0: none. */
static void find_anchors(struct placing *l)
{
	uint32_t *anchors = arena_array(l->c->arena, uint32_t, (size_t)l->highest + 1);
	uint32_t p = l->tip;

	while (p > l->highest)
		p = graph_parent(l->g, p, 1);
	for (; p; p = graph_parent(l->g, p, 1))
		anchors[p] = p;
	for (p = 1; p <= l->highest; p++) {
		size_t n;
		const uint32_t *parents = graph_parents_at(l->g, p, &n);

		for (size_t i = 0; i < n && anchors[p] != p; i++)
			if (anchors[parents[i]] > anchors[p])
				anchors[p] = anchors[parents[i]];
	}
	l->anchors = anchors;
}

/* Where the parents that uploads told lead into git; 0: nowhere. */
static int lead_into_git(struct placing *l, int64_t commit_id, uint32_t *position)
{
	int64_t at = commit_id;

	*position = 0;
	for (size_t i = 0; i < UPLOADED_STEPS; i++) {
		struct commit_place parent;
		int e = place_of_parent(l->c, at, &parent);

		if (e < 0)
			return e;
		at = parent.commit_id;
		if (!at || at == commit_id)
			break;
		if (parent.position > 0 && parent.position <= graph_size(l->g)) {
			*position = (uint32_t)parent.position;
			break;
		}
	}
	return E_OK;
}

static int find_entries(struct placing *l, const int64_t *ids)
{
	uint32_t *into = arena_array(l->c->arena, uint32_t, l->n);

	l->entries = arena_array(l->c->arena, struct entry, l->n);
	for (size_t i = 0; i < l->n; i++) {
		struct entry *x = &l->entries[i];
		const struct commit_place *k = places_find(l->places, ids[i]);
		int e = E_OK;

		x->given = i;
		if (k)
			x->at = *k;
		else
			e = place_of_commit(l->c, ids[i], &x->at);
		if (e < 0)
			return e;
		x->in_git = x->at.position > 0 && x->at.position <= graph_size(l->g);
		into[i] = x->in_git ? (uint32_t)x->at.position : 0;
		if (l->tip && !x->in_git)
			e = lead_into_git(l, ids[i], &into[i]);
		if (e < 0)
			return e;
		l->highest = into[i] > l->highest ? into[i] : l->highest;
	}
	if (!l->tip || !l->highest)
		return E_OK;
	find_anchors(l);
	for (size_t i = 0; i < l->n; i++) {
		struct entry *x = &l->entries[i];

		if (into[i])
			x->anchor = l->anchors[into[i]];
		x->on_line = x->in_git && x->anchor == into[i];
		x->in_git |= into[i] != 0;
	}
	return E_OK;
}

/* --- the order ----------------------------------------------------------------------------------
 */

/* Along the line, and behind each of its commits what hangs there, in git's order, then what git
 * does not know. */
static int along(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->in_git != y->in_git)
		return x->in_git ? -1 : 1;
	if (x->in_git && x->anchor != y->anchor)
		return x->anchor < y->anchor ? -1 : 1;
	if (x->in_git && x->on_line != y->on_line)
		return x->on_line ? -1 : 1;
	if (x->in_git && x->at.position != y->at.position) {
		if (!x->at.position || !y->at.position)
			return x->at.position ? -1 : 1;
		return x->at.position < y->at.position ? -1 : 1;
	}
	return (x->given > y->given) - (x->given < y->given);
}

static int64_t time_of(const struct entry *x)
{
	return x->at.date != TIME_NONE ? x->at.date : x->at.first_received;
}

static void put(const struct entry *x, int64_t last_on_line, struct line_place *out)
{
	*out = (struct line_place){
		.commit_id = x->at.commit_id,
		.on_line = x->on_line,
		.hangs = x->in_git && !x->on_line,
		.given = x->given,
		.beside_of = x->on_line || !x->anchor ? 0 : last_on_line,
	};
}

/* The two parts, each in its order, merged by date. Behind a commit of the line stand those that
 * hang there, so the last one seen is what they are beside of. */
static void merge(const struct placing *l, struct line_place *out)
{
	size_t known = 0, n = 0;
	int64_t last_on_line = 0;

	while (known < l->n && l->entries[known].in_git)
		known++;
	for (size_t i = 0, k = known; n < l->n;) {
		bool dated = i == known ||
			     (k < l->n && time_of(&l->entries[k]) < time_of(&l->entries[i]));
		const struct entry *x = dated ? &l->entries[k++] : &l->entries[i++];

		if (x->on_line)
			last_on_line = x->at.commit_id;
		put(x, last_on_line, &out[n++]);
	}
}

int history_line_of(struct ctx *c, int64_t series_id, const int64_t *ids, size_t n, const char *ref,
		    struct line_place **out, const char **line_name)
{
	auto_places struct series_places *places = NULL;
	struct placing l = {.c = c, .n = n};
	int e = graph_get(c, &l.g);

	*out = arena_array(c->arena, struct line_place, n);
	if (e >= 0)
		e = places_acquire(c, series_id, &places);
	l.places = places;
	if (e >= 0)
		e = choose_line(&l, ref, line_name);
	if (e >= 0)
		e = find_entries(&l, ids);
	if (e < 0)
		return e;
	if (l.tip && n)
		qsort(l.entries, n, sizeof(*l.entries), along);
	if (l.tip)
		merge(&l, *out);
	for (size_t i = 0; !l.tip && i < n; i++)
		(*out)[i] = (struct line_place){.commit_id = ids[i], .given = i};
	return E_OK;
}

int history_line(struct ctx *c, int64_t series_id, const char *ref, struct line_place **out,
		 size_t *n, const char **line_name)
{
	struct history_commit *commits;
	int64_t *ids;
	int e = history_commits(c, series_id, 0, &commits, n);

	*out = NULL;
	if (e < 0)
		return e;
	ids = arena_array(c->arena, int64_t, *n);
	for (size_t i = 0; i < *n; i++)
		ids[i] = commits[i].commit_id;
	return history_line_of(c, series_id, ids, *n, ref, out, line_name);
}
