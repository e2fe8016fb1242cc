/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A comparison from what was asked for: resolves the commits, finds the series that they share, and
 * has compare_table.c load each. Judging is analysis/'s business, showing that of pages/ and
 * report/. Nothing here depends on a form; the limit counts tables.
 */
#include "server/model/compare.h"

#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/model/compare_table.h"

#define NAME_DIGITS 10
#define LOOK_AHEAD  100 /* series asked for at once when axes may drop most of them */

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
	int rc = commit_resolve(c, asked, out, many);
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
	}
	return E_OK;
}

static int64_t date_of(const struct commit *k)
{
	return k->date != TIME_NONE ? k->date : k->committer.date;
}

/* Parents are certain where they are known; dates are what is left. */
static int find_older(struct ctx *c, struct compare *out)
{
	const struct commit *base = &out->commits[0].commit;

	for (size_t i = 1; i < out->ncommits; i++) {
		struct compare_commit *k = &out->commits[i];
		bool is = false;
		int rc = commit_is_ancestor(c, k->commit.id, base->id, &k->older);

		if (rc >= 0 && !k->older)
			rc = commit_is_ancestor(c, base->id, k->commit.id, &is);
		if (rc < 0)
			return rc;
		if (k->commit.id == base->id)
			k->older = false;
		else if (!k->older && !is)
			k->older = date_of(base) != TIME_NONE && date_of(&k->commit) != TIME_NONE &&
				   date_of(base) > date_of(&k->commit);
	}
	out->base_is_younger = out->ncommits > 1 && out->commits[1].older;
	return E_OK;
}

static bool has_axes(const struct series *s, const struct compare_query *q)
{
	for (size_t i = 0; i < q->naxes; i++) {
		const char *v = series_axis(s, q->axes[i].name);

		if (!v || strcmp(v, q->axes[i].value) != 0)
			return false;
	}
	return true;
}

static int add_table(struct ctx *c, const struct compare_query *q, struct compare *out,
		     const struct series *s)
{
	struct compare_table *t = &out->tables[out->ntables];
	int rc;

	*t = (struct compare_table){.series = *s};
	rc = compare_table_load(c, q, out, t);
	if (rc == COMPARE_NOTHING)
		return E_OK;
	if (rc >= 0)
		out->ntables++;
	return rc;
}

/* The series ids above after that all may have a table. */
static int shared_ids(struct ctx *c, const struct compare *out, int64_t after, size_t limit,
		      int64_t **ids, size_t *n)
{
	int64_t others[COMPARE_COMMITS_MAX];

	for (size_t i = 1; i < out->ncommits; i++)
		others[i - 1] = out->commits[i].commit.id;
	return series_shared(c, out->commits[0].commit.id, others, out->ncommits - 1, after, limit,
			     ids, n);
}

static int load_named(struct ctx *c, const struct compare_query *q, struct compare *out)
{
	struct series s;
	int64_t *ids = NULL;
	size_t n = 0;
	int rc = series_get(c, q->series, &s);

	if (rc == E_NOTFOUND) { /* a filter that nothing fits */
		ctx_clear(c);
		return E_OK;
	}
	if (rc >= 0)
		rc = shared_ids(c, out, s.id - 1, 1, &ids, &n);
	if (rc < 0)
		return rc;
	if (n == 0 || ids[0] != s.id || s.id <= q->after || !has_axes(&s, q))
		return E_OK;
	return add_table(c, q, out, &s);
}

static int load_shared(struct ctx *c, const struct compare_query *q, struct compare *out)
{
	size_t batch = q->naxes && q->limit < LOOK_AHEAD ? LOOK_AHEAD : q->limit + 1;
	int64_t after = q->after;

	for (;;) {
		int64_t *ids = NULL;
		size_t n = 0;
		int rc = shared_ids(c, out, after, batch, &ids, &n);

		for (size_t i = 0; rc >= 0 && i < n; i++) {
			struct series s;

			rc = series_get_id(c, ids[i], &s);
			if (rc < 0 || !has_axes(&s, q))
				continue;
			if (out->ntables == q->limit) {
				out->next = out->tables[q->limit - 1].series.id;
				return E_OK;
			}
			rc = add_table(c, q, out, &s);
		}
		if (rc < 0 || n < batch)
			return rc < 0 ? rc : E_OK;
		after = ids[n - 1];
	}
}

int compare_load(struct ctx *c, const struct compare_query *q, struct compare *out,
		 struct commit_list *many)
{
	int rc;

	*out = (struct compare){.next = -1};
	if (q->nasked == 0)
		return fault(c, "commits", "name at least one commit: commits=A,B");
	if (q->nasked > COMPARE_COMMITS_MAX)
		return fault(c, "commits", "at most %d commits can be compared at once",
			     COMPARE_COMMITS_MAX);
	rc = resolve_commits(c, q, out, many);
	if (rc >= 0)
		rc = find_older(c, out);
	if (rc < 0)
		return rc;
	out->tables = arena_array(c->arena, struct compare_table, q->limit ? q->limit : 1);
	if (q->limit == 0)
		return E_OK;
	return q->series ? load_named(c, q, out) : load_shared(c, q, out);
}
