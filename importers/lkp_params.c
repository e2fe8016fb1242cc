/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which scalars of a job are the test's parameters: those whose values spell path_params. First in
 * the order of their names, as the robot writes it, by a table over (candidate, place in
 * path_params) that finds the spelling with the most known names; then in any order, for paths
 * that others made, by trying with a bound. Only candidates whose value stands between two '-' of
 * path_params come that far, so both are small.
 */
#include "importers/lkp.h"

#include "importers/json_read.h"
#include "server/base/arena.h"

#define PIECE_MAX      31 /* characters of a value that path_params keeps */
#define CANDIDATES_MAX 64
#define PATH_MAX_LEN   255
#define TRIES_MAX      20000
#define NO_WAY         (-1)

struct candidate {
	const char *name, *value;
	char piece[PIECE_MAX + 1]; /* the value, as path_params has it */
	const char *named;         /* name=value */
	int rank; /* how likely it is a parameter: 1 a key of bookkeeping, 2 under a program, 3
		     known */
};

struct spelling {
	const char *path;
	size_t len;
	struct candidate list[CANDIDATES_MAX];
	size_t n;
	int best[CANDIDATES_MAX + 1][PATH_MAX_LEN + 1]; /* rank sum from here on */
	bool used[CANDIDATES_MAX];
	unsigned tries;
};

static bool is_known(const char *name)
{
	static const char *const known[] = {
#define PARAM(name) name,
#include "importers/lkp_params.def"
#undef PARAM
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(known[i], name) == 0)
			return true;
	}
	return false;
}

/* Keys that are axes by themselves, or name the run: never parameters. */
static bool is_identity(const char *name)
{
	static const char *const names[] = {"suite",      "testcase", "category", "tbox_group",
					    "testbox",    "rootfs",   "kconfig",  "compiler",
					    "commit",     "branch",   "id",       "job_file",
					    "path_params"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return name[0] == '_';
}

/* A value as path_params has it: cut, and '_' for other characters. */
static void write_piece(const char *value, char *to)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-+=:.%";
	size_t n = 0;

	for (; *value && n < PIECE_MAX; value++) {
		if (((unsigned char)*value & 0xc0) == 0x80)
			continue; /* of a character that counts once */
		to[n++] = strchr(plain, *value) ? *value : '_';
	}
	to[n] = '\0';
}

/* Length of the candidate's piece when it stands whole at a place of the path, else 0. */
static size_t fits(const struct spelling *s, const struct candidate *k, size_t at)
{
	for (int form = 0; form < 2; form++) {
		const char *piece = form ? k->named : k->piece;
		size_t n = strlen(piece);

		if (n && n <= s->len - at && memcmp(s->path + at, piece, n) == 0 &&
		    (at + n == s->len || s->path[at + n] == '-'))
			return n;
	}
	return 0;
}

static bool stands_somewhere(const struct spelling *s, const struct candidate *k)
{
	for (size_t at = 0; at < s->len; at++) {
		if ((at == 0 || s->path[at - 1] == '-') && fits(s, k, at))
			return true;
	}
	return false;
}

static int by_name(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	int d = strcmp(x->name, y->name);

	return d ? d : y->rank - x->rank;
}

static void find_candidates(struct arena *a, struct spelling *s, const struct lkp_job *job)
{
	for (size_t i = 0; i < job->n && s->n < CANDIDATES_MAX; i++) {
		const struct lkp_scalar *one = &job->list[i];
		struct candidate *k = &s->list[s->n];

		if (is_identity(one->key))
			continue;
		*k = (struct candidate){.name = one->key, .value = one->value};
		k->rank = is_known(one->key) ? 3 : one->parent ? 2 : 1;
		write_piece(one->value, k->piece);
		k->named = arena_fmt(a, "%s=%s", one->key, k->piece);
		s->n += stands_somewhere(s, k);
	}
	qsort(s->list, s->n, sizeof(s->list[0]), by_name);
}

/* First candidate of another name than that of i. */
static size_t next_name(const struct spelling *s, size_t i)
{
	size_t k = i + 1;

	while (k < s->n && strcmp(s->list[k].name, s->list[i].name) == 0)
		k++;
	return k;
}

/* The best that candidate i can do at a place, followed by the later ones. */
static int best_with(const struct spelling *s, size_t i, size_t at)
{
	size_t n = fits(s, &s->list[i], at), next = next_name(s, i);
	int rest;

	if (!n)
		return NO_WAY;
	if (at + n == s->len)
		return s->list[i].rank;
	rest = s->best[next][at + n + 1];
	return rest == NO_WAY ? NO_WAY : rest + s->list[i].rank;
}

/* In the order of names. False: they do not spell it. */
static bool spell_in_order(struct spelling *s)
{
	size_t at = 0;

	for (size_t k = 0; k <= s->len; k++)
		s->best[s->n][k] = NO_WAY;
	for (size_t i = s->n; i-- > 0;) {
		for (size_t k = 0; k <= s->len; k++) {
			int with = k < s->len ? best_with(s, i, k) : NO_WAY;

			s->best[i][k] = s->best[i + 1][k] > with ? s->best[i + 1][k] : with;
		}
	}
	if (s->best[0][0] == NO_WAY)
		return false;
	for (size_t i = 0; at < s->len;) {
		if (s->best[i + 1][at] == s->best[i][at]) {
			i++;
			continue;
		}
		s->used[i] = true;
		at += fits(s, &s->list[i], at) + 1;
		i = next_name(s, i);
	}
	return true;
}

static bool name_used(const struct spelling *s, size_t i)
{
	for (size_t k = 0; k < s->n; k++) {
		if (s->used[k] && strcmp(s->list[k].name, s->list[i].name) == 0)
			return true;
	}
	return false;
}

/* In any order, likely ones first; never keys of bookkeeping, of which one may fit by chance. */
static bool spell_from(struct spelling *s, size_t at)
{
	if (at >= s->len)
		return true;
	for (int rank = 3; rank > 1; rank--) {
		for (size_t i = 0; i < s->n; i++) {
			size_t n = s->list[i].rank == rank ? fits(s, &s->list[i], at) : 0;

			if (!n || name_used(s, i) || ++s->tries > TRIES_MAX)
				continue;
			s->used[i] = true;
			if (spell_from(s, at + n + 1))
				return true;
			s->used[i] = false;
		}
	}
	return false;
}

static void take_known(const struct lkp_job *job, struct pair *pairs, size_t *n)
{
	for (size_t i = 0; i < job->n; i++) {
		size_t k = 0;

		if (!is_known(job->list[i].key))
			continue;
		while (k < *n && strcmp(pairs[k].name, job->list[i].key) != 0)
			k++;
		pairs[k] = (struct pair){job->list[i].key, job->list[i].value};
		*n += k == *n;
	}
}

void lkp_params(struct arena *a, const struct lkp_job *job, const char *path_params,
		struct pair **out, size_t *n, bool *spelled)
{
	struct spelling *s;

	*n = 0;
	*out = arena_array(a, struct pair, job->n);
	*spelled = false;
	if (path_params && strcmp(path_params, "defaults") != 0 &&
	    strlen(path_params) <= PATH_MAX_LEN) {
		s = arena_array(a, struct spelling, 1);
		s->path = path_params;
		s->len = strlen(path_params);
		find_candidates(a, s, job);
		*spelled = s->n && (spell_in_order(s) || spell_from(s, 0));
		for (size_t i = 0; *spelled && i < s->n; i++) {
			if (s->used[i])
				(*out)[(*n)++] = (struct pair){s->list[i].name, s->list[i].value};
		}
	}
	if (!*spelled)
		take_known(job, *out, n);
	json_read_sort_pairs(*out, *n);
}
