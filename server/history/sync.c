/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One repository's sync from beginning to end, and what its row says of it afterwards: when, how it
 * went, when next. A failure doubles the time to the next try, up to an hour. A problem is logged
 * when it is a new one.
 */
#include "server/history/sync.h"

#include <unistd.h>

#include <git2/refs.h>

#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/history/graph.h"
#include "server/history/mirror.h"
#include "server/history/repo_url.h"
#include "server/history/sync_inside.h"
#include "server/limits.h"

/* --- the line of charts -------------------------------------------------------------------------
 */

static const struct sync_ref *find_ref(const struct sync *s, const char *name)
{
	for (size_t i = 0; i < s->nrefs; i++)
		if (strcmp(s->refs[i].name, name) == 0)
			return &s->refs[i];
	return NULL;
}

/* The branch that is checked out; of a mirror the other side's was asked for. */
static const char *head_of(struct sync *s)
{
	git_reference *head = NULL;
	const char *name = NULL;

	if (s->repo.in_place && git_reference_lookup(&head, s->git, "HEAD") == 0 &&
	    git_reference_symbolic_target(head))
		name = arena_str(s->c->arena, git_reference_symbolic_target(head));
	git_reference_free(head);
	return name;
}

static const char *choose_line(struct sync *s)
{
	const char *known[] = {s->repo.line, head_of(s), "refs/heads/master", "refs/heads/main"};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i] && find_ref(s, known[i]))
			return known[i];
	for (size_t i = 0; i < s->nrefs; i++)
		if (strncmp(s->refs[i].name, "refs/tags/", 10) != 0)
			return s->refs[i].name;
	return NULL;
}

/* --- how many it reaches ------------------------------------------------------------------------
 */

/* Parents have smaller positions, so one walk down the numbers finds them all. */
static int count_commits(struct sync *s, int64_t *count)
{
	const struct graph *g;
	struct repo_ref *refs;
	size_t n;
	int e = graph_get(s->c, &g);

	*count = 0;
	if (e < 0 || (e = repo_refs(s->c, s->repo.id, "", &refs, &n)) < 0)
		return e;
	uint32_t size = graph_size(g);
	unsigned char *reached = calloc((size_t)size + 1, 1);
	if (!reached)
		die("out of memory");
	for (size_t i = 0; i < n; i++)
		if (refs[i].gone == TIME_NONE && refs[i].position <= size)
			reached[refs[i].position] = 1;
	for (uint32_t p = size; p > 0; p--) {
		size_t nparents;
		const uint32_t *parents = reached[p] ? graph_parents(g, p, &nparents) : NULL;

		*count += reached[p];
		for (size_t i = 0; parents && i < nparents; i++)
			reached[parents[i]] = 1;
	}
	free(reached);
	return E_OK;
}

/* --- its row ------------------------------------------------------------------------------------
 */

struct row_step {
	const struct sync *s;
	int64_t commits;
};

static int64_t next_try(int64_t now, int64_t failures)
{
	int64_t wait = REFRESH_EVERY;

	for (int64_t i = 1; i < failures && wait < REFRESH_SLOWEST; i++)
		wait *= 2;
	return now + (wait < REFRESH_SLOWEST ? wait : REFRESH_SLOWEST);
}

static int store_row(struct ctx *c, void *arg)
{
	const struct row_step *t = arg;
	const struct sync *s = t->s;
	struct repo r;
	int64_t now = clock_now();
	int e = repo_by_name(c, s->repo.name, &r);

	if (e < 0)
		return e;
	if (r.id != s->repo.id)
		return fail(c, E_NOTFOUND, "%s is another repository by now", s->repo.name);
	r.path = s->repo.path;
	r.tried = now;
	r.problem = s->problem;
	r.failures = s->problem ? r.failures + 1 : 0;
	r.next_try = next_try(now, r.failures);
	if (s->nrefs) {
		r.line = s->repo.line;
		r.commits = t->commits;
	}
	if (!s->problem)
		r.synced = now;
	return repo_update(c, &r);
}

static void log_outcome(const struct sync *s, const struct sync_result *out)
{
	const char *before = s->repo.problem, *now = s->problem;
	struct logline l;

	if (now ? before && strcmp(before, now) == 0 : !before && !out->added)
		return;
	log_begin(&l, now ? LOG_WARN : LOG_INFO, "repository");
	log_str(&l, "name", s->repo.name);
	log_str(&l, "problem", now);
	log_int(&l, "added", out->added);
	log_int(&l, "us", out->us);
	log_end(&l);
}

/* --- all of it ----------------------------------------------------------------------------------
 */

static int read_repository(struct sync *s)
{
	int e = E_OK;

	if (!s->repo.in_place) {
		s->repo.path = mirror_path(s->c, s->lab->database, s->repo.name);
		s->problem = mirror_fetch(s->c, &s->repo, s->lab->stop);
		if (stop_raised(s->lab->stop))
			return fail(s->c, E_BUSY, "the service is stopping");
	}
	if (!s->problem)
		s->git = repo_open_whole(s->c->arena, s->repo.path, &s->problem);
	if (!s->git)
		return E_OK;
	sync_read_refs(s);
	if (s->nrefs)
		e = sync_walk(s);
	if (e >= 0 && !s->refs_unread)
		e = sync_store_refs(s);
	s->repo.line = choose_line(s);
	return e;
}

static int sync_locked(struct sync *s, struct sync_result *out)
{
	int64_t start = clock_us();
	struct row_step row = {.s = s};
	int e = repo_by_name(s->c, s->repo.name, &s->repo);

	if (e >= 0)
		e = read_repository(s);
	bool opened = s->git != NULL;
	git_repository_free(s->git); /* nothing below needs it, and git may repack it */
	s->git = NULL;
	if (e >= 0 && s->nrefs)
		e = count_commits(s, &row.commits);
	if (e >= 0)
		e = sync_write(s->lab, store_row, &row);
	if (e < 0)
		return e;
	*out = (struct sync_result){s->problem, s->added, row.commits, (int64_t)s->nrefs,
				    clock_us() - start};
	log_outcome(s, out);
	if (opened && !s->repo.in_place) {
		e = mirror_pin(s->c, &s->repo, s->lab->stop);
		mirror_tidy(s->c, &s->repo, s->lab->stop);
	}
	return e;
}

int sync_repo(struct sync_lab *lab, const char *name, struct sync_result *out)
{
	struct sync s = {.lab = lab, .c = lab->c};
	int e = repo_by_name(lab->c, name, &s.repo);

	if (e < 0)
		return e;
	int lock = mirror_lock(lab->c, lab->database, name, lab->wait);
	if (lock < 0)
		return lock;
	s.batch_arena = arena_new();
	s.batch = calloc(SYNC_BATCH, sizeof(*s.batch));
	if (!s.batch)
		die("out of memory");
	e = sync_locked(&s, out);
	oid_set_free(&s.seen);
	free(s.batch);
	arena_free(s.batch_arena);
	close(lock);
	return e;
}
