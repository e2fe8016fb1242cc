/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A comparison from what was asked for: resolves the commits, finds the series that they share, and
 * has compare_table.c load one after the other. Judging is analysis/'s business, showing that of
 * pages/ and report/. Nothing here depends on a form; the limit counts tables.
 */
#include "server/model/compare.h"

#include "db/rule_setting.h"
#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/history/ancestors.h"
#include "server/history/revision.h"
#include "server/model/compare_table.h"

#define NAME_DIGITS 10
#define LOOK_AHEAD  100 /* series asked for at once */

const char *compare_name(struct arena *a, const char *name)
{
	bool hex = false;

	if (commit_name_valid(name, &hex) && hex && strlen(name) > NAME_DIGITS)
		return arena_strn(a, name, NAME_DIGITS);
	return name;
}

/* A word that could be a branch, perhaps with steps to a parent, is unknown rather than wrong,
 * although no stored name looks like it. */
static bool is_word(const char *s)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._/-^~";

	return *s && !strchr("-^~", *s) && s[strspn(s, letters)] == '\0';
}

int compare_resolve(struct ctx *c, const char *asked, struct commit *out, struct commit_list *many)
{
	int rc = revision_resolve(c, asked, out, many);
	size_t digits = strspn(asked, "0123456789abcdefABCDEF");

	if (rc != E_INVALID || !is_word(asked))
		return rc;
	ctx_clear(c);
	return fail(c, E_NOTFOUND, "commit %.200s is not known here%s", asked,
		    digits < 7 && asked[digits] == '\0' ? "; a prefix of an id needs 7 digits"
							: "");
}

static int resolve_commits(struct ctx *c, const struct compare_query *q, struct compare *out,
			   struct commit_list *many)
{
	out->commits = arena_array(c->arena, struct compare_commit, q->nasked);
	for (size_t i = 0; i < q->nasked; i++) {
		struct compare_commit *k = &out->commits[i];
		int rc = compare_resolve(c, q->asked[i], &k->commit, many);

		if (rc < 0)
			return rc;
		k->asked = q->asked[i];
		k->name = compare_name(c->arena, k->commit.name);
		out->ncommits = i + 1;
		rc = compare_find_names(c, k);
		if (rc < 0)
			return rc;
	}
	return E_OK;
}

static int64_t date_of(const struct commit *k)
{
	return k->date != TIME_NONE ? k->date : k->committer.date;
}

/* Commits without a row are not compared, so their order does not matter. */
static int older_by_parents(struct ctx *c, int64_t a, int64_t b, bool *is)
{
	*is = false;
	return a && b ? ancestor_is(c, a, b, is) : E_OK;
}

/* Whether commit i is older than commit base. Parents are certain where they are known; dates are
 * what is left. */
static int find_older(struct ctx *c, struct compare *out, size_t base, size_t i)
{
	const struct commit *b = &out->commits[base].commit;
	struct compare_commit *k = &out->commits[i];
	bool is = false;
	int rc = older_by_parents(c, k->commit.id, b->id, &k->older);

	if (rc >= 0 && !k->older)
		rc = older_by_parents(c, b->id, k->commit.id, &is);
	if (rc < 0)
		return rc;
	if (compare_same_commit(&k->commit, b))
		k->older = false;
	else if (!k->older && !is)
		k->older = date_of(b) != TIME_NONE && date_of(&k->commit) != TIME_NONE &&
			   date_of(b) > date_of(&k->commit);
	return E_OK;
}

static int make_columns(struct ctx *c, struct compare *out)
{
	out->columns = arena_array(c->arena, struct compare_column, out->ncommits);
	for (size_t i = 0; i < out->ncommits; i++) {
		struct compare_column *col = &out->columns[i];
		int rc;

		col->commit = &out->commits[i];
		col->name = out->commits[i].name;
		col->base = out->pairs ? i - i % 2 : 0;
		rc = col->base == i ? E_OK : find_older(c, out, col->base, i);
		if (rc < 0)
			return rc;
	}
	out->base_is_younger = !out->pairs && out->ncommits > 1 && out->commits[1].older;
	return E_OK;
}

bool compare_has_axes(const struct compare_query *q, const struct series *s)
{
	for (size_t i = 0; i < q->naxes; i++) {
		const char *v = series_axis(s, q->axes[i].name);

		if (!v || strcmp(v, q->axes[i].value) != 0)
			return false;
	}
	return true;
}

/* Series above after that some pair has both sides of: each pair's own list is whole up to its
 * limit, so the smallest of all lists are, too. */
static int paired_ids(struct ctx *c, const struct compare *cmp, int64_t after, size_t limit,
		      int64_t **ids, size_t *n)
{
	size_t total = 0;
	int64_t *all = arena_array(c->arena, int64_t, cmp->ncommits / 2 * limit);

	for (size_t i = 0; i + 1 < cmp->ncommits; i += 2) {
		const struct compare_commit *changed = &cmp->commits[i + 1];
		int rc = compare_shared(c, &cmp->commits[i], changed->rows, changed->nnames, after,
					limit, ids, n);

		if (rc < 0)
			return rc;
		for (size_t k = 0; k < *n; k++)
			all[total++] = (*ids)[k];
	}
	*ids = all;
	*n = compare_merge_ids(all, total, limit);
	return E_OK;
}

/* The series ids above after that all may have a table. */
static int shared_ids(struct ctx *c, const struct compare *cmp, int64_t after, size_t limit,
		      int64_t **ids, size_t *n)
{
	const int64_t *others;
	size_t nothers;

	if (cmp->pairs)
		return paired_ids(c, cmp, after, limit, ids, n);
	others = compare_rows_of(c->arena, cmp->commits + 1, cmp->ncommits - 1, &nothers);
	return compare_shared(c, &cmp->commits[0], others, nothers, after, limit, ids, n);
}

/* One series was asked for by name: it is the only one there may be. */
static int find_named(struct ctx *c, const struct compare_query *q, struct compare *cmp)
{
	struct series s;
	int64_t *ids = NULL;
	size_t n = 0;
	int rc = series_get(c, q->series, &s);

	cmp->nids = 0;
	if (rc == E_NOTFOUND) { /* a filter that nothing fits */
		ctx_clear(c);
		return E_OK;
	}
	if (rc >= 0)
		rc = shared_ids(c, cmp, s.id - 1, 1, &ids, &n);
	if (rc < 0)
		return rc;
	if (n && ids[0] == s.id && s.id > q->after) {
		cmp->ids = ids;
		cmp->nids = 1;
	}
	return E_OK;
}

int compare_load(struct ctx *c, const struct compare_query *q, struct compare *out,
		 struct commit_list *many)
{
	int rc;

	*out = (struct compare){.next = -1,
				.pairs = q->pairs,
				.across = q->across,
				.arena = c->arena,
				.limit = q->limit,
				.after = q->after};
	if (q->nasked == 0)
		return fault(c, "commits", "name at least one commit: commits=A,B");
	if (q->nasked > COMPARE_COMMITS_MAX)
		return fault(c, "commits", "at most %d commits can be compared at once",
			     COMPARE_COMMITS_MAX);
	if (q->across && q->nasked > 1)
		return fault(c, "across", "series side by side are those of one commit: commit=C");
	rc = rule_in_force(c, &out->rule);
	if (rc >= 0)
		rc = resolve_commits(c, q, out, many);
	if (rc >= 0)
		rc = make_columns(c, out);
	if (rc >= 0)
		compare_find_versions(out);
	if (rc >= 0 && q->across)
		rc = compare_find_groups(c, q, out);
	else if (rc >= 0 && q->series)
		rc = find_named(c, q, out);
	return rc;
}

/* Fetches more ids when all are done. False: there are no more, or it failed. */
static bool more_ids(struct ctx *c, const struct compare_query *q, struct compare *cmp, int *rc)
{
	if (cmp->at < cmp->nids)
		return true;
	if (cmp->ended || q->series)
		return false;
	cmp->at = 0;
	cmp->nids = 0;
	*rc = shared_ids(c, cmp, cmp->after, LOOK_AHEAD, &cmp->ids, &cmp->nids);
	if (*rc < 0)
		return false;
	cmp->ended = cmp->nids < LOOK_AHEAD;
	if (cmp->nids)
		cmp->after = cmp->ids[cmp->nids - 1];
	return cmp->nids > 0;
}

/* Each column of every table is of this series. */
static void give_columns(struct compare *cmp, struct arena *scratch, struct compare_table *t)
{
	struct compare_column *columns = arena_array(scratch, struct compare_column, cmp->ncommits);

	for (size_t i = 0; i < cmp->ncommits; i++) {
		columns[i] = cmp->columns[i];
		columns[i].series = t->series;
	}
	t->columns = columns;
	t->ncols = cmp->ncommits;
}

/* c->arena is the scratch arena. */
static int next_series(struct ctx *c, const struct compare_query *q, struct compare *cmp,
		       struct compare_table *t)
{
	int rc = E_OK;

	for (;;) {
		struct arena *scratch = c->arena;
		bool more;

		c->arena = cmp->arena; /* the ids outlive the table */
		more = more_ids(c, q, cmp, &rc);
		c->arena = scratch;
		if (!more)
			return rc < 0 ? rc : COMPARE_END;
		arena_reset(scratch);
		*t = (struct compare_table){0};
		rc = series_get_id(c, cmp->ids[cmp->at++], &t->series);
		if (rc < 0)
			return rc;
		if (!compare_has_axes(q, &t->series))
			continue;
		if (cmp->ntables >= cmp->limit) {
			cmp->next = cmp->last;
			return COMPARE_END;
		}
		give_columns(cmp, scratch, t);
		rc = compare_table_load(c, q, t);
		if (rc != COMPARE_NOTHING)
			break;
	}
	cmp->last = t->series.id;
	if (rc >= 0 && q->others && !t->error)
		rc = compare_load_others(c, q, cmp, t);
	if (rc >= 0 && q->others && !t->error)
		rc = compare_load_besides(c, t);
	return rc < 0 ? rc : COMPARE_TABLE;
}

int compare_next(struct ctx *c, const struct compare_query *q, struct compare *cmp,
		 struct arena *scratch, struct compare_table *t)
{
	struct arena *keep = c->arena;
	int rc;

	arena_reset(scratch);
	c->arena = scratch;
	rc = cmp->across ? compare_next_group(c, q, cmp, t) : next_series(c, q, cmp, t);
	c->arena = keep;
	if (rc != COMPARE_TABLE)
		return rc;
	cmp->ntables++;
	if (cmp->versions || cmp->recovers)
		compare_note_kept(cmp, t);
	return rc;
}

void compare_stop(struct compare *cmp)
{
	cmp->limit = cmp->ntables;
}
