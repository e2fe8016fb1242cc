/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Links between commits, both ways, and the same change elsewhere. Each list is bounded, as is the
 * number of patch-ids that are computed.
 */
#include "server/history/links.h"

#include <string.h>

#include "server/base/arena.h"
#include "server/history/objects.h"

/* One page's work. */
struct linking {
	struct ctx *c;
	const struct all_refs *refs;
	struct git_commit it;
	struct git_link *said; /* what its message says */
	size_t nsaid;
	struct links *out;
};

const char *same_how_name(enum same_how h)
{
	static const char *const names[] = {"upstream", "backport", "same source", "same patch-id",
					    "same Message-Id"};

	return names[h];
}

/* Every list has room from the start. */
static void list_begin(struct arena *a, struct linked_list *l)
{
	l->list = arena_array(a, struct linked, LINKS_MAX);
}

static int list_add(struct linking *x, struct linked_list *l, const struct linked *new)
{
	struct linked *k;

	for (size_t i = 0; i < l->n; i++)
		if (new->commit.position ? l->list[i].commit.position == new->commit.position
					 : strcmp(l->list[i].target, new->target) == 0)
			return E_OK;
	if (l->n == LINKS_MAX) {
		l->cut = true;
		return E_OK;
	}
	k = &l->list[l->n++];
	*k = *new;
	if (!k->commit.position)
		return E_OK;
	return position_find(x->c, x->refs, k->commit.position, false, &k->where);
}

/* The commit of a target that a message says; position 0: none, or several. */
static int resolve(struct ctx *c, const char *target, struct git_commit *out)
{
	struct git_commit *list;
	size_t n;
	int e = git_commit_by_prefix(c, target, 2, &list, &n);

	*out = (struct git_commit){0};
	if (e >= 0 && n == 1)
		*out = list[0];
	return e;
}

static int add_said(struct linking *x, enum git_link_kind kind, struct linked_list *l,
		    enum same_how how)
{
	for (size_t i = 0; i < x->nsaid; i++) {
		struct linked new = {.target = x->said[i].target, .how = how};
		int e;

		if (x->said[i].kind != kind)
			continue;
		e = resolve(x->c, x->said[i].target, &new.commit);
		if (e >= 0 && new.commit.position != x->it.position)
			e = list_add(x, l, &new);
		if (e < 0)
			return e;
	}
	return E_OK;
}

/* Those whose message says target. */
static int add_saying(struct linking *x, enum git_link_kind kind, const char *target,
		      struct linked_list *l, enum same_how how)
{
	struct git_link *list;
	size_t n;
	int e = git_links_to(x->c, kind, target, LINKS_MAX + 1, &list, &n);

	for (size_t i = 0; i < n && e >= 0; i++) {
		struct linked new = {.how = how};

		if (list[i].position == x->it.position)
			continue;
		e = git_commit_at(x->c, list[i].position, &new.commit);
		new.target = new.commit.id;
		if (e >= 0 && how == SAME_MESSAGE_ID && kind == LINK_MESSAGE_ID &&
		    git_subject_key(new.commit.subject) != git_subject_key(x->it.subject))
			continue;
		if (e >= 0)
			e = list_add(x, l, &new);
	}
	return e;
}

static int add_siblings(struct linking *x)
{
	struct linked_list *same = &x->out->same;
	size_t n = same->n;
	int e = E_OK;

	for (size_t i = 0; i < n && e >= 0; i++)
		if (same->list[i].how == SAME_UPSTREAM) {
			const char *id = same->list[i].commit.position ? same->list[i].commit.id
								       : same->list[i].target;

			e = add_saying(x, LINK_UPSTREAM, id, same, SAME_SOURCE);
		}
	return e;
}

static int patch_id_of(struct ctx *c, const struct git_commit *k, const char **id)
{
	*id = k->patch_id;
	if (*id)
		return E_OK;
	return object_patch_id(c, k->id, id);
}

static int add_equal(struct linking *x, const struct git_commit *k)
{
	struct linked new = {.target = k->id, .commit = *k, .how = SAME_PATCH_ID};

	return k->position == x->it.position ? E_OK : list_add(x, &x->out->same, &new);
}

/* Candidates by their subject: first those of the same author's date, a rebase keeps it. */
static int add_by_subject(struct linking *x, const char *own)
{
	struct git_commit *list;
	size_t n, computed = 0;
	int e = git_commit_by_subject(x->c, x->it.subject, 4 * LINKS_MAX, &list, &n);

	for (int other_date = 0; other_date < 2; other_date++)
		for (size_t i = 0; i < n && e >= 0; i++) {
			const char *id;

			if (list[i].position == x->it.position || list[i].patch_id ||
			    (list[i].author_date != x->it.author_date) != (other_date == 1))
				continue;
			if (computed++ == PATCH_IDS_MAX)
				return e;
			e = patch_id_of(x->c, &list[i], &id);
			if (e >= 0 && id && strcmp(id, own) == 0)
				e = add_equal(x, &list[i]);
		}
	return e;
}

static int add_same_patch(struct linking *x)
{
	struct git_commit *list;
	const char *own;
	size_t n;
	int e = patch_id_of(x->c, &x->it, &own);

	if (e < 0 || !own || !*own)
		return e;
	e = git_commit_by_patch_id(x->c, own, LINKS_MAX + 1, &list, &n);
	for (size_t i = 0; i < n && e >= 0; i++)
		e = add_equal(x, &list[i]);
	return e < 0 ? e : add_by_subject(x, own);
}

static int add_same_mail(struct linking *x)
{
	int e = E_OK;

	for (size_t i = 0; i < x->nsaid && e >= 0; i++) {
		if (x->said[i].kind != LINK_MESSAGE_ID)
			continue;
		x->out->message_id = x->said[i].target;
		e = add_saying(x, LINK_MESSAGE_ID, x->said[i].target, &x->out->same,
			       SAME_MESSAGE_ID);
	}
	return e;
}

int links_find(struct ctx *c, const struct all_refs *refs, int64_t position, struct links *out)
{
	struct linking x = {.c = c, .refs = refs, .out = out};
	struct linked_list *lists[] = {&out->fixes, &out->fixed_by, &out->reverts,
				       &out->reverted_by, &out->same};
	int e;

	*out = (struct links){0};
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		list_begin(c->arena, lists[i]);
	e = git_commit_at(c, position, &x.it);
	if (e >= 0)
		e = git_links_of(c, position, &x.said, &x.nsaid);
	if (e >= 0)
		e = add_said(&x, LINK_FIXES, &out->fixes, SAME_UPSTREAM);
	if (e >= 0)
		e = add_saying(&x, LINK_FIXES, x.it.id, &out->fixed_by, SAME_BACKPORT);
	if (e >= 0)
		e = add_said(&x, LINK_REVERTS, &out->reverts, SAME_UPSTREAM);
	if (e >= 0)
		e = add_saying(&x, LINK_REVERTS, x.it.id, &out->reverted_by, SAME_BACKPORT);
	if (e >= 0)
		e = add_said(&x, LINK_UPSTREAM, &out->same, SAME_UPSTREAM);
	if (e >= 0)
		e = add_saying(&x, LINK_UPSTREAM, x.it.id, &out->same, SAME_BACKPORT);
	if (e >= 0)
		e = add_siblings(&x);
	if (e >= 0)
		e = add_same_patch(&x);
	if (e >= 0)
		e = add_same_mail(&x);
	return e;
}
