/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a sync writes: steps through the writer, each bounded in time. A step may be undone and run
 * again by the writer, so that it remembers how far it came only when it is on disk.
 */
#include "server/history/sync_inside.h"

#include <poll.h>

#include "server/base/arena.h"
#include "server/base/clock.h"

#define BUSY_MS  50  /* until a full queue is asked again */
#define BUSY_MAX 600 /* times */
#define TIE_ROWS 200 /* stubs or tags that are looked at in a step */
#define REF_ROWS 500

/* --- steps --------------------------------------------------------------------------------------
 */

struct step {
	int (*store)(struct ctx *c, void *arg);
	void *arg;
};

static int run_step(struct ctx *c, struct job *j)
{
	struct step *s = j->arg;

	return s->store(c, s->arg);
}

static void pause_a_little(struct stop_sign *stop)
{
	struct pollfd fd = {.fd = stop ? stop->fd : -1, .events = POLLIN};

	poll(&fd, 1, BUSY_MS);
}

int sync_write(struct sync_lab *lab, int (*store)(struct ctx *c, void *arg), void *arg)
{
	auto_arena struct arena *a = arena_new();
	struct step s = {store, arg};
	struct ctx c;
	int e, tries = 0;

	do {
		struct job j = {.store = run_step, .ctx = &c, .arg = &s};

		if (stop_raised(lab->stop))
			return fail(lab->c, E_BUSY, "the service is stopping");
		arena_reset(a);
		ctx_init(&c, a, NULL);
		e = writer_run(lab->writer, &j);
		if (e == E_BUSY)
			pause_a_little(lab->stop);
	} while (e == E_BUSY && ++tries < BUSY_MAX);
	return e < 0 ? fail(lab->c, (enum err)e, "%s", c.detail) : E_OK;
}

/* --- commits ------------------------------------------------------------------------------------
 */

struct commits_step {
	struct sync *s;
	size_t from, done;
	int64_t added;
	int64_t last_position; /* of the commit before: mostly the first parent of the next */
	const char *last_id;
};

static int find_parents(struct ctx *c, struct commits_step *t, const struct sync_commit *k,
			struct git_commit *out)
{
	for (size_t i = 0; i < k->nparents; i++) {
		char hex[GIT_OID_HEXSZ + 1];
		int64_t position = 0;
		int e = E_OK;

		git_oid_tostr(hex, sizeof(hex), &k->parents[i]);
		if (t->last_id && strcmp(t->last_id, hex) == 0)
			position = t->last_position;
		else
			e = git_commit_position(c, hex, &position);
		if (e < 0)
			return e;
		out->parents[i] = (uint32_t)position;
	}
	out->nparents = k->nparents;
	return E_OK;
}

static int store_commits(struct ctx *c, void *arg)
{
	struct commits_step *t = arg;
	int64_t end = clock_us() + SYNC_STEP_US, before;
	int e = git_commit_newest(c, &before);

	t->last_id = NULL;
	t->added = 0;
	for (t->done = t->from; t->done < t->s->nbatch && e >= 0; t->done++) {
		const struct sync_commit *k = &t->s->batch[t->done];
		struct git_commit out = {.id = k->id,
					 .date = k->date,
					 .author_date = k->author_date,
					 .subject = k->subject};

		if (t->done > t->from && clock_us() > end)
			break;
		e = find_parents(c, t, k, &out);
		if (e >= 0)
			e = git_commit_add(c, &out, k->links, k->nlinks);
		t->last_id = k->id;
		t->last_position = out.position;
		t->added += out.position > before;
	}
	return e;
}

int sync_flush(struct sync *s)
{
	struct commits_step t = {.s = s};

	while (t.from < s->nbatch) {
		int e = sync_write(s->lab, store_commits, &t);

		if (e < 0)
			return e;
		t.from = t.done;
		s->added += t.added;
	}
	s->nbatch = 0;
	arena_reset(s->batch_arena);
	return E_OK;
}

/* --- refs, and what hangs on them ---------------------------------------------------------------
 */

/* Refs of a repository that is removed meanwhile stay gone. */
static int still_followed(struct ctx *c, const struct sync *s)
{
	struct repo now;
	int e = repo_by_name(c, s->repo.name, &now);

	if (e >= 0 && now.id != s->repo.id)
		return fail(c, E_NOTFOUND, "%s is another repository by now", s->repo.name);
	return e;
}

struct refs_step {
	struct sync *s;
	size_t from, done;
};

static int store_refs(struct ctx *c, void *arg)
{
	struct refs_step *t = arg;
	int e = still_followed(c, t->s);

	for (t->done = t->from; t->done < t->s->nrefs && t->done < t->from + REF_ROWS && e >= 0;
	     t->done++) {
		const struct sync_ref *r = &t->s->refs[t->done];
		struct repo_ref row = {
			.repo_id = t->s->repo.id, .name = r->name, .gone = TIME_NONE};
		char hex[GIT_OID_HEXSZ + 1];

		if (r->bad)
			continue;
		git_oid_tostr(hex, sizeof(hex), &r->id);
		e = git_commit_position(c, hex, &row.position);
		if (e >= 0)
			e = repo_ref_set(c, &row);
	}
	return e;
}

static int keep_refs(struct ctx *c, void *arg)
{
	struct sync *s = arg;
	const char **names = arena_array(c->arena, const char *, s->nrefs);
	int e = still_followed(c, s);

	for (size_t i = 0; i < s->nrefs; i++)
		names[i] = s->refs[i].name;
	return e < 0 ? e : repo_refs_keep(c, s->repo.id, names, s->nrefs, clock_now());
}

struct ties_step {
	char from[64], next[64]; /* names of stubs; "": the first, the end */
	int64_t from_row, next_row;
};

static int tie_stubs(struct ctx *c, void *arg)
{
	struct ties_step *t = arg;
	const char *next;
	int e = git_stubs_tie(c, t->from[0] ? t->from : NULL, TIE_ROWS, clock_now(), &next);

	snprintf(t->next, sizeof(t->next), "%s", e >= 0 && next ? next : "");
	return e;
}

static int tie_refs(struct ctx *c, void *arg)
{
	struct ties_step *t = arg;

	return git_refs_tie(c, t->from_row, TIE_ROWS, &t->next_row);
}

static int tie_all(struct sync_lab *lab)
{
	struct ties_step t = {0};
	int e;

	do {
		e = sync_write(lab, tie_stubs, &t);
		memcpy(t.from, t.next, sizeof(t.from));
	} while (e >= 0 && t.from[0]);
	if (e < 0)
		return e;
	do {
		e = sync_write(lab, tie_refs, &t);
		t.from_row = t.next_row;
	} while (e >= 0 && t.from_row);
	return e;
}

int sync_store_refs(struct sync *s)
{
	struct refs_step refs = {.s = s};
	int e = E_OK;

	for (; refs.from < s->nrefs && e >= 0; refs.from = refs.done)
		e = sync_write(s->lab, store_refs, &refs);
	if (e >= 0)
		e = sync_write(s->lab, keep_refs, s);
	return e < 0 ? e : tie_all(s->lab);
}
