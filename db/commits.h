/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commits: full ids, stubs (a prefix is all that was ever said) and tags. A stub that one full id
 * fits becomes that commit, and its old name stays as an alias; two stubs never merge. Parents as
 * uploaded stand in for git.
 */
#ifndef DB_COMMITS_H
#define DB_COMMITS_H

#include "db/engine.h"
#include "db/submission.h"

enum commit_kind { COMMIT_FULL, COMMIT_STUB, COMMIT_REF };

struct commit {
	int64_t id; /* row, inside only; 0: git alone knows it */
	enum commit_kind kind;
	const char *name;  /* 40 digits, a prefix, or the ref */
	const char *tree;  /* of a ref; "" for ids */
	const char *trees; /* all trees it was uploaded from, joined by ", ", or NULL */
	const char *subject, *message, *label; /* NULL: not known */
	struct person author, committer;
	int64_t date, first_received;
	int64_t position;   /* in git's index, db/git_commits.h; 0: git does not know it */
	const char *git_id; /* its 40 digits there, also of a tag; NULL */
	struct patch_in patch;
};

/* What people see of a name: ids cut to 12 digits, refs whole. */
const char *commit_short(struct arena *a, const struct commit *k);

/* What leads to this commit in an address: its name, of a ref of a tree "tree/name". */
const char *commit_address(struct arena *a, const struct commit *k);
/* The same where several commits fit its name: a ref of no tree goes by the id that git knows. */
const char *commit_address_among(struct arena *a, const struct commit *k);
/* The row of a ref in a tree; *id 0: there is none. */
int commit_in_tree(struct ctx *c, const char *tree, const char *name, int64_t *id);

/* True when the text has the form of a commit id or of a ref name that API.md accepts. is_hex says
 * which. */
bool commit_name_valid(const char *s, bool *is_hex);

/* Resolves what a reader asked for: an exact name (id, stub, alias, ref) wins over prefixes (at
 * least 7 digits); any number of ^ and ~N after it follow first (or N-th: ^2) parents. E_NOTFOUND
 * names what is unknown; E_AMBIGUOUS: the candidates are then in *many (may be NULL). */
struct commit_list {
	struct commit *commits;
	size_t n;
};
int commit_resolve(struct ctx *c, const char *asked, struct commit *out, struct commit_list *many);
int commit_get(struct ctx *c, int64_t id, struct commit *out);
/* Parents, first first. Children: commits that name it as a parent. */
int commit_parents(struct ctx *c, int64_t id, struct commit **out, size_t *n);
int commit_children(struct ctx *c, int64_t id, struct commit **out, size_t *n);
/* The nearest ancestor (by first parents, at most 1000 steps) that has data in the series.
 * E_NOTFOUND. */
int commit_measured_ancestor(struct ctx *c, int64_t commit_id, int64_t series_id,
			     int64_t *ancestor);
/* 1 when a is an ancestor of b by known parents (bounded walk), 0 when not or not known. */
int commit_is_ancestor(struct ctx *c, int64_t a, int64_t b, bool *is);
/* Commits whose name begins with, or subject, patch Message-Id contain, the text; newest first. */
int commit_search(struct ctx *c, const char *text, size_t limit, struct commit **out, size_t *n);
/* The last commits that results came for, newest received first. */
int commit_recent(struct ctx *c, size_t limit, struct commit **out, size_t *n);

struct build {
	int64_t id;
	const char *config, *compiler, *status; /* NULL: not told */
	int64_t received;
	const struct warning *warnings;
	size_t nwarnings;
};
int commit_builds(struct ctx *c, int64_t commit_id, struct build **out, size_t *n);

/* Reports that named the commit, and what they claimed. */
struct report {
	const char *message_id, *subject, *url;
	int64_t date;
	const char *metric, *base, *verdict; /* headline, NULL without */
	double change_pct;                   /* NAN */
};
int commit_reports(struct ctx *c, int64_t commit_id, struct report **out, size_t *n);

/* Writer only: finds, creates or completes the commit, merges its texts (the first non-empty wins),
 * notes parents, tree, patch and build. build_id is -1 when none came. */
int commit_ensure(struct ctx *c, const struct commit_in *in, int64_t now, int64_t *commit_id,
		  int64_t *build_id);

#endif
