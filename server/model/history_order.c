/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of a history's points: along the first parents of a ref where git knows them, what
 * hangs beside behind its ancestor, all else as uploads told it; or by first upload. Points of
 * series that are joined stand in one order, and where the setup changes that is noted.
 */
#include "server/model/history_order.h"

#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/history/line.h"

const char *history_place_name(enum history_place p)
{
	static const char *const names[] = {"date", "line", "beside"};

	return names[p];
}

/* --- which series -------------------------------------------------------------------------------
 */

static bool may_differ(const struct history_query *q, const char *axis)
{
	for (size_t i = 0; i < q->njoin; i++)
		if (strcmp(q->join[i], axis) == 0)
			return true;
	return false;
}

/* Every axis of a is in b with the same value, but for those that may differ. */
static bool covers(const struct history_query *q, const struct series *a, const struct series *b)
{
	for (size_t i = 0; i < a->naxes; i++) {
		const char *v = series_axis(b, a->axes[i].name);

		if (!may_differ(q, a->axes[i].name) && (!v || strcmp(v, a->axes[i].value) != 0))
			return false;
	}
	return true;
}

int history_join(struct ctx *c, const struct history_query *q, struct history *h)
{
	struct series *near = NULL;
	size_t n = 0;
	int e = E_OK;

	for (size_t i = 0; i < q->njoin; i++)
		if (axis_class_of(q->join[i]) == AXIS_TEST || strcmp(q->join[i], "tbox_group") == 0)
			return fail(c, E_INVALID,
				    "\"%.100s\" tells what was measured or where: series that "
				    "differ in it are not joined",
				    q->join[i]);
	if (q->njoin)
		e = series_neighbours(c, &h->series, &near, &n);
	if (e < 0)
		return e;
	h->joined = arena_array(c->arena, struct series, n + 1);
	h->joined[h->njoined++] = h->series;
	for (size_t i = 0; i < n; i++)
		if (covers(q, &h->series, &near[i]) && covers(q, &near[i], &h->series))
			h->joined[h->njoined++] = near[i];
	return E_OK;
}

/* --- order --------------------------------------------------------------------------------------
 */

static int by_upload(const void *x, const void *y)
{
	const struct history_point *a = x, *b = y;

	if (a->first_received != b->first_received)
		return a->first_received < b->first_received ? -1 : 1;
	if (a->commit_id != b->commit_id)
		return a->commit_id < b->commit_id ? -1 : 1;
	return (a->series > b->series) - (a->series < b->series);
}

static int64_t time_of(const struct history_point *p)
{
	return p->date != TIME_NONE ? p->date : p->first_received;
}

/* All points, each series in its own order, the earlier first. */
static struct history_point *merge_parts(struct arena *a, const struct history *parts,
					 size_t nparts, size_t *n)
{
	size_t *next = arena_array(a, size_t, nparts), total = 0;
	struct history_point *all;

	for (size_t i = 0; i < nparts; i++)
		total += parts[i].npoints;
	all = arena_array(a, struct history_point, total);
	for (*n = 0; *n < total; ++*n) {
		size_t best = nparts;

		for (size_t i = 0; i < nparts; i++)
			if (next[i] < parts[i].npoints &&
			    (best == nparts || time_of(&parts[i].points[next[i]]) <
						       time_of(&parts[best].points[next[best]])))
				best = i;
		all[*n] = parts[best].points[next[best]++];
		all[*n].series = best;
	}
	return all;
}

/* Along the line of the query's ref. */
static int order_by_commit(struct ctx *c, const struct history_query *q,
			   const struct history_point *all, struct history *h)
{
	int64_t *ids = arena_array(c->arena, int64_t, h->npoints);
	struct line_place *places;
	int e;

	for (size_t i = 0; i < h->npoints; i++)
		ids[i] = all[i].commit_id;
	e = history_line_of(c, h->series.id, ids, h->npoints, q->ref, &places, &h->line);
	for (size_t i = 0; e >= 0 && i < h->npoints; i++) {
		struct history_point *p = &h->points[i];

		*p = all[places[i].given];
		p->place = places[i].on_line ? HISTORY_LINE
			   : places[i].hangs ? HISTORY_BESIDE
					     : HISTORY_DATED;
	}
	return e;
}

/* --- what each is held against ------------------------------------------------------------------
 */

static const char *text_of(const char *value)
{
	return value ? value : "none";
}

/* "ucode 0x1 -> 0x2, rootfs a -> b" */
static const char *setup_change(struct arena *a, const struct history_query *q,
				const struct series *was, const struct series *is)
{
	char *text = NULL;

	for (size_t i = 0; i < q->njoin; i++) {
		const char *x = series_axis(was, q->join[i]), *y = series_axis(is, q->join[i]);

		if (strcmp(text_of(x), text_of(y)) != 0)
			text = arena_fmt(a, "%s%s%s %s → %s", text ? text : "", text ? ", " : "",
					 q->join[i], text_of(x), text_of(y));
	}
	return text;
}

/* A point beside the line is held against the line, and nothing against it. */
static void find_previous(struct arena *a, const struct history_query *q, struct history *h)
{
	size_t last = HISTORY_NO_POINT, last_on_line = HISTORY_NO_POINT;

	for (size_t i = 0; i < h->npoints; i++) {
		struct history_point *p = &h->points[i];

		p->prev = last;
		if (p->place == HISTORY_BESIDE) {
			p->prev = last_on_line;
			if (last_on_line != HISTORY_NO_POINT)
				p->beside = h->points[last_on_line].name;
			continue;
		}
		if (p->place == HISTORY_LINE && last_on_line != HISTORY_NO_POINT)
			p->prev = last_on_line;
		if (p->prev != HISTORY_NO_POINT && h->points[p->prev].series != p->series)
			p->change = setup_change(a, q, &h->joined[h->points[p->prev].series],
						 &h->joined[p->series]);
		last = i;
		if (p->place == HISTORY_LINE)
			last_on_line = i;
	}
}

int history_put_in_order(struct ctx *c, const struct history_query *q, const struct history *parts,
			 struct history *h)
{
	struct history_point *all = merge_parts(c->arena, parts, h->njoined, &h->npoints);
	int e = E_OK;

	h->points = arena_array(c->arena, struct history_point, h->npoints);
	if (q->order == HISTORY_BY_COMMIT) {
		e = order_by_commit(c, q, all, h);
	} else if (h->npoints) {
		memcpy(h->points, all, h->npoints * sizeof(*all));
		qsort(h->points, h->npoints, sizeof(*h->points), by_upload);
	}
	if (e >= 0)
		find_previous(c->arena, q, h);
	return e;
}
