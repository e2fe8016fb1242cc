/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Revisions: the grammar, checked to its last byte before anything is asked, and the steps from a
 * name to a parent. What a name means is found in revision_name.c. Nothing from outside reaches a
 * rev-parse: "@{-1}", ":/text" and "^{/re}" are no revisions here.
 */
#include "server/history/revision.h"

#include <ctype.h>

#include "db/commit_places.h"
#include "db/git_commits.h"
#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/base/num.h"
#include "server/base/utf8.h"
#include "server/history/graph.h"
#include "server/history/revision_name.h"

#define NAME_MAX_BYTES  255
#define STEPS_MAX       64
#define STEP_DIGITS_MAX 5
#define UPLOADED_UP_MAX 10000 /* parents that are followed one by one, where git does not know */
#define REVISION_SHOWN  "%.200s"

struct step {
	char kind; /* '^' the n-th parent, '~' n first parents up */
	int64_t n;
};

struct parsed {
	char name[NAME_MAX_BYTES + 1];
	struct step steps[STEPS_MAX];
	size_t nsteps;
};

/* --- grammar ------------------------------------------------------------------------------------
 */

/* One part of a ref, between slashes. */
static bool part_valid(const char *s, size_t n)
{
	return n > 0 && s[0] != '.' && (n < 5 || memcmp(s + n - 5, ".lock", 5) != 0);
}

/* The rules of git for ref names, and: valid UTF-8, and nothing that looks like an option. Ids are
 * names, too. */
static bool name_valid(const char *s, size_t n)
{
	size_t start = 0;

	if (!n || n > NAME_MAX_BYTES || s[0] == '-' || s[n - 1] == '.' || (n == 1 && s[0] == '@'))
		return false;
	for (size_t i = 0; i < n;) {
		unsigned char ch = (unsigned char)s[i];
		size_t bytes = utf8_length(s + i, n - i);

		if (!bytes || ch <= ' ' || ch == 0x7f || (bytes == 1 && strchr("~^:?*[\\", ch)))
			return false;
		if (i + 1 < n && ((ch == '.' && s[i + 1] == '.') || (ch == '@' && s[i + 1] == '{')))
			return false;
		if (ch == '/') {
			if (!part_valid(s + start, i - start))
				return false;
			start = i + 1;
		}
		i += bytes;
	}
	return part_valid(s + start, n - start);
}

static int refuse(struct ctx *c, const char *asked, const char *why)
{
	return fail(c, E_INVALID, "\"" REVISION_SHOWN "\" is no commit: %s", asked, why);
}

static int parse_steps(struct ctx *c, const char *asked, const char *p, struct parsed *out)
{
	while (*p) {
		char kind = *p++, number[STEP_DIGITS_MAX + 1] = "1";
		size_t digits = strspn(p, "0123456789");

		if (kind != '^' && kind != '~')
			return refuse(c, asked,
				      "after a name only ^, ^N, ~, ~N and ^{} may follow");
		if (kind == '^' && *p == '{') {
			size_t n = strncmp(p, "{}", 2) == 0 ? 2 : 8;

			if (n == 8 && strncmp(p, "{commit}", 8) != 0)
				return refuse(c, asked, "in ^{} only \"commit\" may stand");
			p += n;
			continue;
		}
		if (digits > STEP_DIGITS_MAX)
			return refuse(c, asked, "its steps lead too far");
		if (digits) {
			memcpy(number, p, digits);
			number[digits] = '\0';
		}
		if (out->nsteps == STEPS_MAX)
			return refuse(c, asked, "it has too many steps");
		struct step *s = &out->steps[out->nsteps++];
		s->kind = kind;
		if (!num_parse_int(number, 0, 99999, &s->n))
			return refuse(c, asked, "its steps lead too far");
		p += digits;
	}
	return E_OK;
}

static int parse(struct ctx *c, const char *asked, struct parsed *out)
{
	size_t n = strcspn(asked, "^~");

	out->nsteps = 0;
	if (!name_valid(asked, n))
		return refuse(
			c, asked,
			"neither an id of 7 to 40 hex digits nor the name of a tag or branch");
	memcpy(out->name, asked, n);
	out->name[n] = '\0';
	if (n > 40 && strspn(out->name, "0123456789abcdefABCDEF") == n)
		return refuse(c, asked, "an id has 7 to 40 hex digits");
	return parse_steps(c, asked, asked + n, out);
}

/* --- steps --------------------------------------------------------------------------------------
 */

static int no_parent(struct ctx *c, const char *asked)
{
	return fail(c, E_NOTFOUND, REVISION_SHOWN " leads to a parent that is not known here",
		    asked);
}

/* In git. *position becomes that of the ancestor. */
static int step_in_git(struct ctx *c, const char *asked, const struct step *s, int64_t *position)
{
	const struct graph *g;
	int e = graph_get(c, &g);
	uint32_t p = (uint32_t)*position;

	if (e < 0)
		return e;
	if (*position > graph_size(g))
		return no_parent(c, asked);
	if (s->kind == '~')
		p = graph_up(g, p, (size_t)s->n);
	else if (s->n)
		p = graph_parent(g, p, (size_t)s->n);
	*position = p;
	return p ? E_OK : no_parent(c, asked);
}

/* By the parents that uploads told, until git knows one: how many steps are left is in s->n. */
static int step_in_uploads(struct ctx *c, const char *asked, struct step *s, struct commit *at)
{
	while (s->n && !at->position) {
		size_t nth = s->kind == '^' ? (size_t)s->n : 1, n;
		struct commit *parents;
		int e = commit_parents(c, at->id, &parents, &n);

		if (e < 0)
			return e;
		if (n < nth)
			return no_parent(c, asked);
		*at = parents[nth - 1];
		s->n = s->kind == '^' ? 0 : s->n - 1;
	}
	return E_OK;
}

static int follow(struct ctx *c, const char *asked, struct parsed *r, struct commit *at)
{
	int64_t position = at->position, row = at->id, far = 0;

	for (size_t i = 0; i < r->nsteps; i++) {
		struct step s = r->steps[i];
		int e = E_OK;

		if (!position) {
			far += s.n;
			if (far > UPLOADED_UP_MAX)
				return refuse(c, asked, "its steps lead too far");
			e = step_in_uploads(c, asked, &s, at);
			position = at->position;
			row = at->id;
		}
		if (e >= 0 && position && s.n)
			e = step_in_git(c, asked, &s, &position);
		if (e < 0)
			return e;
	}
	if (position && position != at->position)
		return revision_commit_at(c, position, at);
	return row ? commit_get(c, row, at) : E_OK;
}

int revision_commit_at(struct ctx *c, int64_t position, struct commit *out)
{
	struct git_commit k;
	int64_t row;
	int e = git_commit_at(c, position, &k);

	if (e >= 0)
		e = git_commit_row(c, position, &row);
	if (e >= 0 && row)
		e = commit_get(c, row, out);
	if (e < 0)
		return e;
	if (!row)
		*out = (struct commit){
			.kind = COMMIT_FULL,
			.name = k.id,
			.tree = "",
			.subject = k.subject,
			.author = {.date = k.author_date},
			.committer = {.date = k.date},
			.date = k.date,
			.first_received = TIME_NONE,
			.patch = {.version = -1, .index = -1, .total = -1},
		};
	out->position = position;
	out->git_id = k.id;
	return E_OK;
}

int revision_resolve(struct ctx *c, const char *asked, struct commit *out, struct commit_list *many)
{
	struct parsed r;
	struct commit_list unasked;

	if (!many)
		many = &unasked;
	*many = (struct commit_list){0};
	int e = parse(c, asked, &r);
	if (e >= 0)
		e = revision_name(c, r.name, out, many);
	return e < 0 || !r.nsteps ? e : follow(c, asked, &r, out);
}

int revision_range(struct ctx *c, const char *asked, struct revision_range *out,
		   struct commit_list *many)
{
	const char *dots = strstr(asked, "..");
	size_t n;

	*many = (struct commit_list){0};
	if (!dots)
		return fail(c, E_INVALID,
			    "\"" REVISION_SHOWN "\" is no range: write it as A..B or A...B", asked);
	n = strspn(dots, ".");
	if (n > 3 || dots == asked || !dots[n])
		return fail(c, E_INVALID,
			    "\"" REVISION_SHOWN "\" is no range: it has two sides, as A..B", asked);
	*out = (struct revision_range){
		.symmetric = n == 3,
		.from_asked = arena_strn(c->arena, asked, (size_t)(dots - asked)),
		.to_asked = arena_str(c->arena, dots + n),
	};
	struct parsed unused; /* both sides are checked before either is looked up */
	int e = parse(c, out->from_asked, &unused);
	if (e >= 0)
		e = parse(c, out->to_asked, &unused);
	if (e >= 0)
		e = revision_resolve(c, out->from_asked, &out->from, many);
	return e < 0 ? e : revision_resolve(c, out->to_asked, &out->to, many);
}
