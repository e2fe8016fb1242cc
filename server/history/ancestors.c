/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks to measured ancestors. In git both sides go down the numbers together, so a step costs no
 * look-up. Where git does not know a commit, the first parents that uploads told are followed until
 * they end or lead into git; what uploads say may go round in circles, so that walk is short.
 */
#include "server/history/ancestors.h"

#include "db/commits.h"
#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/history/graph_inside.h"
#include "server/history/places.h"

#define UPLOADED_STEPS 1000

/* Ancestors as they are found: nearest first while walking. */
struct search {
	struct ctx *c;
	const struct graph *g;
	const struct series_places *places;
	int64_t *ids;
	size_t n, max;
	size_t looked; /* commits of git looked at */
};

static void note(struct search *s, int64_t commit_id)
{
	if (s->n < s->max)
		s->ids[s->n++] = commit_id;
}

/* Notes what was measured at p (under an id, or a tag, or both) as one commit: left counts the
 * places of by_position that are not above it. */
static void note_at(struct search *s, size_t *left, uint32_t p, bool wanted)
{
	const struct commit_place *at = s->places->by_position;

	while (*left && at[*left - 1].position > p)
		--*left;
	if (wanted && *left && at[*left - 1].position == p && at[*left - 1].has_data)
		note(s, at[*left - 1].commit_id);
	while (*left && at[*left - 1].position == p)
		--*left;
}

/* Along first parents from p on, p included. */
static void walk_first_parents(struct search *s, uint32_t p)
{
	size_t left = places_up_to(s->places, p);

	for (; p && left && s->n < s->max && s->looked < ANCESTOR_WALK_MAX; s->looked++) {
		note_at(s, &left, p, true);
		p = graph_parent(s->g, p, 1);
	}
}

/* Any ancestor of p, the one with the largest position. */
static void walk_all_parents(struct search *s, uint32_t p)
{
	auto_arena struct arena *scratch = arena_new();
	struct bits bits = bits_new(scratch, 0, p);
	size_t left = places_up_to(s->places, p), looked = 0;

	bits_set(&bits, p);
	for (uint32_t at = p; at && left && s->n < s->max && looked < ANCESTOR_WALK_MAX;
	     at = bits_below(&bits, at), looked++) {
		size_t n;
		const uint32_t *parents = graph_parents_at(s->g, at, &n);

		note_at(s, &left, at, at != p);
		for (size_t i = 0; i < n; i++)
			bits_set(&bits, parents[i]);
	}
}

/* Position of a place, 0 where the graph does not have it. */
static uint32_t in_graph(const struct search *s, const struct commit_place *k)
{
	return k->position > 0 && k->position <= graph_size(s->g) ? (uint32_t)k->position : 0;
}

/* Where the parents that uploads told lead to: *last is the commit at which they end, or the first
 * one that git knows, whose position is then in *into. */
static int walk_uploads(struct search *s, struct commit_place start, struct commit_place *last,
			uint32_t *into)
{
	*into = 0;
	*last = start;
	for (size_t i = 0; i < UPLOADED_STEPS && s->n < s->max; i++) {
		struct commit_place parent;
		int e = place_of_parent(s->c, last->commit_id, &parent);

		if (e < 0)
			return e;
		if (!parent.commit_id || parent.commit_id == start.commit_id)
			break;
		if (parent.date == TIME_NONE ||
		    (last->date != TIME_NONE && last->date < parent.date))
			parent.date = last->date;
		*last = parent;
		*into = in_graph(s, &parent);
		if (*into)
			break;
		const struct commit_place *k = places_find(s->places, parent.commit_id);
		if (k && k->has_data)
			note(s, k->commit_id);
	}
	return E_OK;
}

static int begin(struct ctx *c, int64_t series_id, struct search *s, struct series_places **places)
{
	int e = graph_get(c, &s->g);

	if (e >= 0)
		e = places_acquire(c, series_id, places);
	s->c = c;
	s->places = *places;
	return e;
}

int ancestor_measured(struct ctx *c, int64_t commit_id, int64_t series_id, int64_t *ancestor)
{
	auto_places struct series_places *places = NULL;
	struct search s = {.ids = ancestor, .max = 1};
	struct commit_place start, last;
	uint32_t p;
	int e = begin(c, series_id, &s, &places);

	if (e >= 0)
		e = place_of_commit(c, commit_id, &start);
	if (e < 0)
		return e;
	p = in_graph(&s, &start);
	if (p) {
		walk_first_parents(&s, graph_parent(s.g, p, 1));
	} else {
		e = walk_uploads(&s, start, &last, &p);
		if (e < 0)
			return e;
		if (p)
			walk_first_parents(&s, p);
	}
	if (p && !s.n)
		walk_all_parents(&s, p);
	return s.n ? E_OK
		   : fail(c, E_NOTFOUND, "no ancestor is known to be measured in this series");
}

/* --- a line of them -----------------------------------------------------------------------------
 */

static int64_t time_of(const struct commit_place *k)
{
	return k->date != TIME_NONE ? k->date : k->first_received;
}

static int latest_first(const void *a, const void *b)
{
	const struct commit_place *x = a, *y = b;

	if (time_of(x) != time_of(y))
		return time_of(x) > time_of(y) ? -1 : 1;
	return (x->commit_id < y->commit_id) - (x->commit_id > y->commit_id);
}

/* What others are held against where uploaded parents end, at the commit last. */
struct bound {
	int64_t date;     /* of last, as far as it is known: TIME_NONE */
	int64_t received; /* without a date: what came before counts … */
	bool in_order; /* … if uploads came in the order of the commits, for all that is told */
	int64_t *descendants; /* of last, as uploads told, ascending; not necessarily all */
	size_t n;
};

#define DESCENDANTS_MAX 1000

static int by_number(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static bool is_descendant(const struct bound *b, int64_t id)
{
	return b->n && bsearch(&id, b->descendants, b->n, sizeof(id), by_number);
}

static bool is_listed(const int64_t *ids, size_t n, int64_t id)
{
	for (size_t i = 0; i < n; i++)
		if (ids[i] == id)
			return true;
	return false;
}

/* With a date: what has an earlier one; and what has none but was measured before that moment, so
 * that it is older. Without: what has none either and was uploaded earlier. */
static bool may_be_before(const struct bound *b, const struct commit_place *k)
{
	if (b->date != TIME_NONE)
		return time_of(k) < b->date;
	return b->in_order && k->date == TIME_NONE && k->first_received < b->received;
}

/* When the series got the commit, if it did; else when it was first heard of. */
static int64_t received(const struct search *s, const struct commit_place *k)
{
	const struct commit_place *here = places_find(s->places, k->commit_id);

	return here ? here->first_received : k->first_received;
}

/* A child that came before its parent tells that others may have, too. */
static void look_at_order(const struct search *s, const struct commit_place *start,
			  const struct commit_place *last, struct bound *b)
{
	int64_t own = b->received;

	if (places_find(s->places, last->commit_id) && received(s, last) > own)
		b->in_order = false;
	for (size_t i = 0; i < b->n && b->in_order; i++) {
		const struct commit_place *k = places_find(s->places, b->descendants[i]);

		if (k && k->commit_id != start->commit_id && k->first_received < own &&
		    !is_listed(s->ids, s->n, k->commit_id))
			b->in_order = false;
	}
}

static bool is_main_name(const struct search *s, const struct commit_place *k)
{
	size_t n;
	const struct commit_place *names = places_names(s->places, k, &n);

	return names[n - 1].commit_id == k->commit_id;
}

/* What may be before by dates or times alone, the latest first. */
static size_t find_candidates(const struct search *s, const struct commit_place *start,
			      const struct bound *b, struct commit_place *list)
{
	size_t n = 0;

	for (size_t i = 0; i < s->places->n; i++) {
		const struct commit_place *k = &s->places->by_commit[i];

		if (k->has_data && k->commit_id != start->commit_id && may_be_before(b, k) &&
		    !is_listed(s->ids, s->n, k->commit_id) && is_main_name(s, k))
			list[n++] = *k;
	}
	if (n)
		qsort(list, n, sizeof(*list), latest_first);
	return n;
}

/* Where nothing more is known of parents: what is older for all that is known. Descendants never
 * are, whatever their dates say. */
static int take_older(struct search *s, const struct commit_place *start,
		      const struct commit_place *last)
{
	struct commit_place *list = arena_array(s->c->arena, struct commit_place, s->places->n);
	struct bound b = {.date = last->date, .received = received(s, start), .in_order = true};
	size_t n = s->n < s->max ? find_candidates(s, start, &b, list) : 0;
	int e;

	if (!n)
		return E_OK;
	b.descendants = arena_array(s->c->arena, int64_t, DESCENDANTS_MAX);
	e = place_descendants(s->c, last->commit_id, DESCENDANTS_MAX, b.descendants, &b.n,
			      &b.in_order);
	if (e < 0)
		return e;
	if (b.n)
		qsort(b.descendants, b.n, sizeof(*b.descendants), by_number);
	if (b.date == TIME_NONE)
		look_at_order(s, start, last, &b);
	for (size_t i = 0; i < n && s->n < s->max; i++)
		if (may_be_before(&b, &list[i]) && !is_descendant(&b, list[i].commit_id))
			note(s, list[i].commit_id);
	return E_OK;
}

/* Fills ids, the nearest last. */
static int find_before(struct search *s, int64_t commit_id)
{
	struct commit_place start, last;
	int e = place_of_commit(s->c, commit_id, &start);
	uint32_t p;

	if (e < 0)
		return e;
	p = in_graph(s, &start);
	if (p) {
		walk_first_parents(s, graph_parent(s->g, p, 1));
	} else {
		e = walk_uploads(s, start, &last, &p);
		if (e < 0)
			return e;
		if (p)
			walk_first_parents(s, p);
		else if ((e = take_older(s, &start, &last)) < 0)
			return e;
	}
	for (size_t i = 0; i < s->n / 2; i++) {
		int64_t far = s->ids[s->n - 1 - i];

		s->ids[s->n - 1 - i] = s->ids[i];
		s->ids[i] = far;
	}
	return E_OK;
}

int measured_before(struct ctx *c, int64_t series_id, int64_t commit_id, size_t max, int64_t *ids,
		    size_t *n)
{
	auto_places struct series_places *places = NULL;
	struct search s = {.ids = ids, .max = max};
	int e = begin(c, series_id, &s, &places);

	if (e >= 0)
		e = find_before(&s, commit_id);
	*n = e < 0 ? 0 : s.n;
	return e;
}

/* Whether both are one commit, by whatever names. */
static bool is_same(const struct commit_place *a, const struct commit_place *b)
{
	return a->commit_id == b->commit_id || (a->position && a->position == b->position);
}

static struct measured_rows rows_of(struct arena *a, const struct series_places *s,
				    const struct commit_place *k)
{
	size_t n;
	const struct commit_place *names = places_names(s, k, &n);
	int64_t *ids = arena_array(a, int64_t, n);

	for (size_t i = 0; i < n; i++)
		ids[i] = names[n - 1 - i].commit_id;
	return (struct measured_rows){ids, n};
}

int measured_without(struct ctx *c, int64_t series_id, int64_t commit_id, int64_t other, size_t max,
		     struct measured_rows *out, size_t *n)
{
	auto_places struct series_places *places = NULL;
	struct search s = {.ids = arena_array(c->arena, int64_t, max), .max = max};
	struct commit_place without;
	int e = begin(c, series_id, &s, &places);

	*n = 0;
	if (e >= 0)
		e = find_before(&s, commit_id);
	if (e >= 0)
		e = place_of_commit(c, other, &without);
	for (size_t i = 0; e >= 0 && i < s.n; i++) {
		const struct commit_place *k = places_find(places, s.ids[i]);

		if (!is_same(k, &without))
			out[(*n)++] = rows_of(c->arena, places, k);
	}
	return e;
}

/* --- yes or no ----------------------------------------------------------------------------------
 */

int ancestor_is(struct ctx *c, int64_t a, int64_t b, bool *is)
{
	struct search s = {.c = c, .max = 1};
	static const struct series_places none;
	struct commit_place of_a, of_b, last;
	uint32_t pa, pb;
	int e = graph_get(c, &s.g);

	*is = false;
	s.places = &none;
	if (a == b || e < 0)
		return e;
	if ((e = place_of_commit(c, a, &of_a)) < 0 || (e = place_of_commit(c, b, &of_b)) < 0)
		return e;
	pa = in_graph(&s, &of_a);
	pb = in_graph(&s, &of_b);
	if (pa && !pb) {
		e = walk_uploads(&s, of_b, &last, &pb);
		if (e < 0)
			return e;
	}
	if (pa && pb) {
		*is = graph_reaches(s.g, pa, pb);
		return E_OK;
	}
	return commit_is_ancestor(c, a, b, is);
}
