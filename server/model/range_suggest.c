/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What to run next: the suspect that halves what is left, which nobody measured and which builds.
 * How many runs: as many as the bad commit had, so that the next comparison is as sure as this one.
 */
#include "server/model/range_inside.h"

#include "db/commit_places.h"
#include "db/git_commits.h"
#include "server/base/arena.h"

#define RUNS_LEAST 3 /* a verdict needs so many a side */
#define RUNS_MOST  20

static bool is_measured(const struct range_work *w, int64_t row)
{
	for (size_t i = 0; i < w->out->history.npoints; i++)
		if (w->out->history.points[i].commit_id == row)
			return true;
	return false;
}

/* Not measured, and not known not to build. */
static int row_may_run(struct range_work *w, int64_t row, bool *yes)
{
	struct commit_facts facts;

	*yes = true;
	if (!row)
		return E_OK;
	*yes = !is_measured(w, row);
	int e = commit_facts(w->c, row, &facts);
	if (e >= 0 && facts.builds && facts.failed_builds == facts.builds)
		*yes = false;
	return e;
}

static int may_run(void *arg, uint32_t position, bool *yes)
{
	struct range_work *w = arg;
	int64_t *rows;
	size_t n;
	int e = git_commit_rows(w->c, position, &rows, &n);

	*yes = true;
	for (size_t i = 0; i < n && e >= 0 && *yes; i++)
		e = row_may_run(w, rows[i], yes);
	return e;
}

static int64_t runs_of(const struct range_step *step)
{
	int64_t n = (int64_t)(step->bad->d.n > step->good->d.n ? step->bad->d.n : step->good->d.n);

	return n < RUNS_LEAST ? RUNS_LEAST : n > RUNS_MOST ? RUNS_MOST : n;
}

static void tell(struct range_work *w, const char *id, size_t if_bad, size_t if_good)
{
	struct range_suggestion *s = &w->out->suggestion;
	bool better = w->out->step->cell->verdict == VERDICT_IMPROVEMENT;

	s->id = id;
	s->name = range_short(w->c->arena, id);
	s->runs = runs_of(w->out->step);
	s->why = arena_fmt(w->c->arena,
			   "of %zu suspects it leaves %zu if it is %s and %zu if it is %s",
			   w->out->step->nsuspects, if_bad, better ? "better, too," : "bad",
			   if_good, better ? "not" : "good");
}

/* Where git does not know them all: the middle of the suspects as they are listed. */
static int suggest_middle(struct range_work *w)
{
	const struct range_member *found = NULL;
	size_t n = 0, middle = w->out->step->nsuspects / 2, at = 0;

	for (size_t i = 0; i < w->set.n; i++) {
		bool yes;

		if (!w->suspects[i] || w->set.members[i].position)
			continue;
		int e = row_may_run(w, w->set.members[i].row, &yes);
		if (e < 0)
			return e;
		if (yes && (!found || n <= middle)) {
			found = &w->set.members[i];
			at = n;
		}
		n++;
	}
	if (!found)
		return E_OK;
	struct commit k;
	int e = commit_get(w->c, found->row, &k);
	if (e >= 0)
		tell(w, k.name, w->out->step->nsuspects - at, at);
	return e;
}

int range_suggest(struct range_work *w, const uint32_t *suspects, size_t n)
{
	struct commit_place bad;
	struct range_halving half;
	struct git_commit k;
	int e = place_of_commit(w->c, w->out->step->bad->commit_id, &bad);

	if (e < 0)
		return e;
	if (!n)
		return suggest_middle(w);
	e = range_halve(w->c, suspects, n, (uint32_t)bad.position, may_run, w, &half);
	if (e < 0 || !half.position)
		return e;
	e = git_commit_at(w->c, half.position, &k);
	if (e >= 0)
		tell(w, k.id, half.if_bad, half.if_good);
	return e;
}
