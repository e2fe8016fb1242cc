/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk over new commits: depth first from each ref, oldest first, so that parents come before
 * children and the side branch of a merge right before the merge; it stops at what the index knows.
 * The path that is walked lies in memory: with its tags, a tree of a million commits has at most
 * some ten thousand on it; without any, about 50 bytes a commit. Commits are read twice, for their
 * parents and for what they say; the second time comes out of the library's cache mostly.
 */
#include "server/history/sync_inside.h"

#include <git2/refs.h>

#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/base/utf8.h"
#include "server/history/message_links.h"
#include "server/history/opened.h"
#include "server/history/repo_url.h"

#define SUBJECT_MAX  1000 /* bytes; more is cut */
#define REF_NAME_MAX 255
#define REFS_MAX     100000

/* --- refs ---------------------------------------------------------------------------------------
 */

static bool is_text(const char *s)
{
	size_t n = strlen(s);

	for (size_t i = 0, len; i < n; i += len) {
		len = utf8_length(s + i, n - i);
		if (!len || (unsigned char)s[i] < ' ' || s[i] == 0x7f)
			return false;
	}
	return n <= REF_NAME_MAX;
}

/* Tags of trees and files are no commits and are passed over. */
static void add_ref(struct sync *s, git_reference *ref)
{
	const char *name = git_reference_name(ref);
	git_object *object = NULL;

	if (!is_text(name) || !repo_ref_followed(s->repo.refs, name) || s->nrefs == REFS_MAX)
		return;
	int e = git_reference_peel(&object, ref, GIT_OBJECT_COMMIT);
	if (e < 0 && e != GIT_ENOTFOUND && e != GIT_ERROR)
		return;
	s->refs = arena_grow(s->c->arena, s->refs, &s->refs_cap, s->nrefs + 1, sizeof(*s->refs));
	struct sync_ref *r = &s->refs[s->nrefs++];
	*r = (struct sync_ref){.name = arena_str(s->c->arena, name), .bad = e < 0};
	if (e < 0) {
		s->problem =
			arena_fmt(s->c->arena, "it is damaged: what %s is cannot be read", r->name);
		return;
	}
	r->id = *git_object_id(object);
	r->date = git_commit_time((git_commit *)object);
	git_object_free(object);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct sync_ref *)a)->name, ((const struct sync_ref *)b)->name);
}

void sync_read_refs(struct sync *s)
{
	git_reference_iterator *all = NULL;
	git_reference *ref = NULL;
	size_t seen = 0;
	int e = git_reference_iterator_new(&all, s->git);

	while (e == 0 && (e = git_reference_next(&ref, all)) == 0) {
		add_ref(s, ref);
		git_reference_free(ref);
		seen++;
	}
	git_reference_iterator_free(all);
	s->refs_unread = e < 0 && e != GIT_ITEROVER;
	if (s->refs_unread)
		s->problem = "it is damaged: its branches and tags cannot be read";
	else if (!s->nrefs)
		s->problem = seen ? "it has commits, but none of its branches and tags is followed"
				  : "it has no commits yet";
	if (s->nrefs)
		qsort(s->refs, s->nrefs, sizeof(*s->refs), by_name);
}

/* --- commits ------------------------------------------------------------------------------------
 */

/* Cut between characters. */
static const char *cut_subject(char *subject)
{
	size_t n = SUBJECT_MAX;

	if (strlen(subject) <= n)
		return subject;
	while (n && ((unsigned char)subject[n] & 0xc0) == 0x80)
		n--;
	subject[n] = '\0';
	return subject;
}

static void keep_message(struct sync *s, git_commit *commit, struct sync_commit *k)
{
	const char *message = git_commit_message(commit), *text;

	if (!message)
		message = "";
	text = text_decode(s->batch_arena, message, strlen(message),
			   git_commit_message_encoding(commit));
	k->nlinks = message_links(s->batch_arena, text, &k->links);
	k->subject = cut_subject(text_subject(s->batch_arena, commit));
}

static int emit(struct sync *s, git_commit *commit)
{
	struct sync_commit *k = &s->batch[s->nbatch++];
	const git_signature *author = git_commit_author(commit);

	*k = (struct sync_commit){
		.date = git_commit_time(commit),
		.author_date = author ? author->when.time : git_commit_time(commit),
		.nparents = git_commit_parentcount(commit),
	};
	git_oid_tostr(k->id, sizeof(k->id), git_commit_id(commit));
	if (k->nparents > GIT_PARENTS_MAX)
		k->nparents = GIT_PARENTS_MAX;
	k->parents = arena_array(s->batch_arena, git_oid, k->nparents);
	for (size_t i = 0; i < k->nparents; i++)
		k->parents[i] = *git_commit_parent_id(commit, (unsigned)i);
	keep_message(s, commit, k);
	bool full = s->nbatch == SYNC_BATCH || arena_used(s->batch_arena) > SYNC_BATCH_BYTES;
	return full ? sync_flush(s) : E_OK;
}

/* --- the walk -----------------------------------------------------------------------------------
 */

struct frame {
	git_oid id;
	size_t first, nparents, next; /* its parents in the path's pool, and which comes next */
	bool bad;
};

/* The commits from a ref down to where the walk is. */
struct path {
	struct frame *frames;
	size_t depth, frames_cap;
	git_oid *parents;
	size_t nparents, parents_cap;
};

static void *more(void *old, size_t *cap, size_t want, size_t size)
{
	if (want <= *cap)
		return old;
	*cap = want > 2 * *cap ? want + 64 : 2 * *cap;
	void *p = realloc(old, *cap * size);
	if (!p)
		die("out of memory");
	return p;
}

static void path_push(struct path *p, const git_oid *id, git_commit *commit)
{
	size_t n = git_commit_parentcount(commit);

	if (n > GIT_PARENTS_MAX)
		n = GIT_PARENTS_MAX;
	p->frames = more(p->frames, &p->frames_cap, p->depth + 1, sizeof(*p->frames));
	p->parents = more(p->parents, &p->parents_cap, p->nparents + n, sizeof(*p->parents));
	p->frames[p->depth++] = (struct frame){.id = *id, .first = p->nparents, .nparents = n};
	for (size_t i = 0; i < n; i++)
		p->parents[p->nparents++] = *git_commit_parent_id(commit, (unsigned)i);
}

static void damaged(struct sync *s, const git_oid *id)
{
	char hex[GIT_OID_HEXSZ + 1];

	git_oid_tostr(hex, sizeof(hex), id);
	if (!s->problem)
		s->problem = arena_fmt(s->c->arena, "it is damaged: commit %s cannot be read", hex);
}

/* Goes on to a commit unless it is known. *bad: it cannot be reached whole. The id may lie in the
 * path, which moves when it grows. */
static int visit(struct sync *s, struct path *p, const git_oid *place, bool *bad)
{
	const git_oid copy = *place, *id = &copy;
	struct oid_slot *slot = oid_set_find(&s->seen, id);
	char hex[GIT_OID_HEXSZ + 1];
	git_commit *commit;
	int64_t position;

	*bad = slot && slot->bad;
	if (slot)
		return E_OK;
	git_oid_tostr(hex, sizeof(hex), id);
	int e = git_commit_position(s->c, hex, &position);
	if (e < 0)
		return e;
	oid_set_add(&s->seen, id, &slot);
	if (position)
		return E_OK;
	if (git_commit_lookup(&commit, s->git, id) < 0) {
		*bad = slot->bad = true;
		damaged(s, id);
		return E_OK;
	}
	path_push(p, id, commit);
	git_commit_free(commit);
	return E_OK;
}

/* The last commit of the path has all its parents behind it. *bad: it, or one of them, is. */
static int leave(struct sync *s, struct path *p, bool *bad)
{
	struct frame *f = &p->frames[--p->depth];
	git_commit *commit;
	int e = E_OK;

	p->nparents = f->first;
	if (!f->bad && git_commit_lookup(&commit, s->git, &f->id) == 0) {
		e = emit(s, commit);
		git_commit_free(commit);
		*bad = false;
		return e;
	}
	if (!f->bad)
		damaged(s, &f->id);
	oid_set_find(&s->seen, &f->id)->bad = true;
	*bad = true;
	return E_OK;
}

/* Everything below one commit, and it. */
static int walk_from(struct sync *s, struct path *p, const git_oid *tip, bool *bad)
{
	int e = visit(s, p, tip, bad);

	while (e >= 0 && p->depth) {
		struct frame *f = &p->frames[p->depth - 1];
		size_t before = p->depth;
		bool one_bad = false;

		if (stop_raised(s->lab->stop))
			return fail(s->c, E_BUSY, "the service is stopping");
		if (f->next == f->nparents) {
			e = leave(s, p, &one_bad);
			if (p->depth)
				p->frames[p->depth - 1].bad |= one_bad;
			*bad = one_bad;
			continue;
		}
		e = visit(s, p, &p->parents[f->first + f->next++], &one_bad);
		p->frames[before - 1].bad |= one_bad;
	}
	return e;
}

static int by_date(const void *a, const void *b)
{
	const struct sync_ref *x = *(struct sync_ref *const *)a, *y = *(struct sync_ref *const *)b;

	if (x->date != y->date)
		return x->date < y->date ? -1 : 1;
	return strcmp(x->name, y->name);
}

int sync_walk(struct sync *s)
{
	struct sync_ref **order = arena_array(s->c->arena, struct sync_ref *, s->nrefs);
	struct path p = {0};
	int e = E_OK;

	for (size_t i = 0; i < s->nrefs; i++)
		order[i] = &s->refs[i];
	qsort(order, s->nrefs, sizeof(*order), by_date);
	for (size_t i = 0; i < s->nrefs && e >= 0; i++)
		if (!order[i]->bad)
			e = walk_from(s, &p, &order[i]->id, &order[i]->bad);
	free(p.frames);
	free(p.parents);
	return e < 0 ? e : sync_flush(s);
}
