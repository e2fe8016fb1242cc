/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The key of a run says its place, but keys are unique only within a series, and the series is
 * known only from job.yaml. So all series of the machine and test that the place names are asked
 * for the keys of its commit; the one that knew the commit before is asked first, since neighbours
 * in the tree have the same setup. A run stored under another machine or test than its path names
 * is read again, and found to be a duplicate.
 */
#include "server/import_known.h"

#include "db/engine.h"
#include "db/submission_keys.h"
#include "importers/lkp.h"
#include "server/base/arena.h"

struct import_known {
	const struct pair *axes;
	size_t naxes;
	struct db *db;
	int64_t series_id; /* that knew the last commit; 0: none yet */
	/* of the last commit */
	struct arena *commit_arena;
	char *commit; /* what its keys begin with; NULL: none */
	struct key_list runs;
	struct arena *arena; /* of one question */
};

int known_open(struct ctx *c, const char *database, const struct pair *axes, size_t naxes,
	       struct import_known **out)
{
	struct import_known *k = calloc(1, sizeof(*k));

	if (!k)
		die("out of memory");
	k->axes = axes;
	k->naxes = naxes;
	k->commit_arena = arena_new();
	k->arena = arena_new();
	*out = k;
	return db_open(c, database, DB_READ, &k->db);
}

void known_close(struct import_known *k)
{
	if (!k)
		return;
	db_close(k->db);
	arena_free(k->commit_arena);
	arena_free(k->arena);
	free(k);
}

/* The value that the command line has for an axis goes before the place's. */
static const char *axis(const struct import_known *k, const char *name, const char *value)
{
	for (size_t i = 0; i < k->naxes; i++) {
		if (strcmp(k->axes[i].name, name) == 0)
			value = k->axes[i].value;
	}
	return value;
}

static bool load_commit(struct import_known *k, const struct lkp_place *p)
{
	const char *commit = lkp_key(k->arena, p, -1);
	struct ctx c;
	int e = E_OK;

	if (k->commit && strcmp(k->commit, commit) == 0)
		return true;
	arena_reset(k->commit_arena);
	k->commit = NULL;
	k->runs.n = 0;
	ctx_init(&c, k->commit_arena, k->db);
	if (k->series_id)
		e = submission_keys_of_series(&c, k->series_id, commit, &k->runs);
	if (e >= 0 && !k->runs.n)
		e = submission_keys_of_test(&c, axis(k, "tbox_group", p->tbox_group),
					    axis(k, "testcase", p->testcase), commit, &k->runs);
	if (e < 0)
		return false;
	if (k->runs.n)
		k->series_id = k->runs.series_id;
	k->commit = arena_str(k->commit_arena, commit);
	return true;
}

bool known_has(struct import_known *k, const char *path)
{
	struct lkp_place place;
	char run[24];

	arena_reset(k->arena);
	if (!lkp_place_of_run(k->arena, path, &place) || !load_commit(k, &place))
		return false;
	snprintf(run, sizeof(run), "%lld", (long long)place.run);
	for (size_t i = 0; i < k->runs.n; i++) {
		if (strcmp(k->runs.rests[i], run) == 0)
			return true;
	}
	return false;
}
