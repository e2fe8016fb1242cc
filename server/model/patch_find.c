/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which patches belong to a mail. It begins with those that are of the mail, of the same sending,
 * or (when nobody tested it) whose subject a commit has that was made from the mail; then it takes
 * in whatever belongs to what it has, until nothing is added.
 */
#include "server/model/patch_inside.h"

#include "db/git_commits.h"
#include "db/patches.h"
#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/history/revision.h"
#include "server/model/mail_name.h"

#define ROUNDS 4 /* a part, its series, their other versions, the parts of these */

struct candidate {
	const struct patch_row *row;
	struct mail_name name;
	int64_t subject_key; /* 0: not known */
	bool taken;
};

struct finding {
	struct ctx *c;
	const char *asked;
	struct mail_name name;
	struct candidate *list;
	size_t n;
	struct patch_page *out;
};

static int64_t key_of(const char *subject)
{
	const char *bare = subject ? subject_bare(subject) : "";

	return *bare ? git_subject_key(bare) : 0;
}

static bool same_text(const char *a, const char *b)
{
	return a && b && strcmp(a, b) == 0;
}

static bool belongs(const struct candidate *a, const struct candidate *b)
{
	const char *x = a->row->author, *y = b->row->author;

	if (same_text(a->name.sending, b->name.sending) ||
	    same_text(a->name.change, b->name.change) ||
	    strcmp(a->row->message_id, b->row->message_id) == 0)
		return true;
	return a->subject_key && a->subject_key == b->subject_key && (!x || !y || !strcmp(x, y));
}

static void add_candidates(struct finding *f, const struct patch_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		f->list[f->n++] = (struct candidate){
			.row = &rows[i],
			.name = mail_name_read(f->c->arena, rows[i].message_id),
			.subject_key = key_of(rows[i].subject),
		};
}

static int load_candidates(struct finding *f)
{
	struct patch_row *own, *recent;
	size_t nown, nrecent;
	int e = patches_of_mail(f->c, f->asked, &own, &nown);

	if (e >= 0)
		e = patches_recent(f->c, &recent, &nrecent);
	if (e < 0)
		return e;
	f->list = arena_array(f->c->arena, struct candidate, nown + nrecent);
	add_candidates(f, own, nown);
	for (size_t i = 0; i < nrecent; i++)
		if (strcmp(recent[i].message_id, f->asked) != 0)
			add_candidates(f, &recent[i], 1);
	return E_OK;
}

/* Commits made from a mail; their subjects lead to its patches. */
static int in_git(struct finding *f, const char *message_id)
{
	struct linked_list *l = &f->out->in_git;
	struct git_link *links;
	size_t n;
	int e = git_links_to(f->c, LINK_MESSAGE_ID, message_id, LINKS_MAX, &links, &n);

	for (size_t i = 0; i < n && e >= 0; i++) {
		bool known = false;

		for (size_t k = 0; k < l->n; k++)
			known = known || l->list[k].commit.position == links[i].position;
		if (known)
			continue;
		if (l->n == LINKS_MAX) {
			l->cut = true;
			break;
		}
		e = git_commit_at(f->c, links[i].position, &l->list[l->n].commit);
		l->list[l->n].target = message_id;
		l->n += e >= 0;
	}
	return e;
}

static void take_first(struct finding *f)
{
	const struct linked_list *l = &f->out->in_git;

	for (size_t i = 0; i < f->n; i++) {
		struct candidate *k = &f->list[i];

		k->taken = strcmp(k->row->message_id, f->asked) == 0 ||
			   same_text(k->name.sending, f->name.sending) ||
			   same_text(k->name.change, f->name.change);
		for (size_t g = 0; g < l->n && !k->taken; g++)
			k->taken = k->subject_key &&
				   k->subject_key == key_of(l->list[g].commit.subject);
	}
}

/* Each round looks only at what the last one added. */
static void take_rest(struct finding *f)
{
	bool *fresh = arena_array(f->c->arena, bool, f->n);
	size_t taken = 0;

	for (size_t i = 0; i < f->n; i++) {
		fresh[i] = f->list[i].taken;
		taken += fresh[i];
	}
	for (int round = 0; round < ROUNDS && taken <= PATCH_PARTS_MAX; round++) {
		bool *added = arena_array(f->c->arena, bool, f->n);
		size_t more = 0;

		for (size_t i = 0; i < f->n; i++)
			for (size_t k = 0; fresh[i] && k < f->n; k++)
				if (!f->list[k].taken && belongs(&f->list[i], &f->list[k])) {
					f->list[k].taken = added[k] = true;
					more++;
				}
		if (!more)
			return;
		taken += more;
		fresh = added;
	}
}

static int fill_part(struct finding *f, const struct candidate *k, struct patch_part *p)
{
	struct subject_tag tag = subject_tag_read(k->row->subject ? k->row->subject : "");
	struct commit *parents;
	size_t n;
	int e = commit_get(f->c, k->row->commit_id, &p->commit);

	if (e < 0)
		return e;
	p->message_id = k->row->message_id;
	p->subject = k->row->subject ? subject_bare(k->row->subject) : NULL;
	p->version = k->row->version > 0   ? k->row->version
		     : tag.version > 0     ? tag.version
		     : k->name.version > 0 ? k->name.version
					   : 1;
	p->index = k->row->index >= 0 ? k->row->index : tag.index;
	p->total = k->row->total >= 0 ? k->row->total : tag.total;
	p->asked = strcmp(p->message_id, f->asked) == 0;
	p->base = p->commit.patch.base;
	if (p->base)
		return E_OK;
	e = commit_parents(f->c, p->commit.id, &parents, &n);
	if (e >= 0 && n)
		p->base = parents[0].name;
	return e;
}

static int by_part(const void *x, const void *y)
{
	const struct patch_part *a = x, *b = y;

	if (a->version != b->version)
		return a->version < b->version ? -1 : 1;
	if (a->index != b->index)
		return a->index < b->index ? -1 : 1;
	return a->commit.id < b->commit.id ? -1 : a->commit.id > b->commit.id;
}

static int fill_parts(struct finding *f)
{
	struct patch_page *out = f->out;
	int e = E_OK;

	out->parts = arena_array(f->c->arena, struct patch_part, PATCH_PARTS_MAX);
	for (size_t i = 0; i < f->n && e >= 0; i++) {
		if (!f->list[i].taken)
			continue;
		if (out->nparts == PATCH_PARTS_MAX) {
			out->cut = true;
			break;
		}
		e = fill_part(f, &f->list[i], &out->parts[out->nparts]);
		out->nparts += e >= 0;
	}
	if (out->nparts > 1)
		qsort(out->parts, out->nparts, sizeof(*out->parts), by_part);
	for (size_t i = 0; i < out->nparts && e >= 0; i++)
		e = in_git(f, out->parts[i].message_id);
	return e;
}

/* What the page is called: the part that was asked for, else what git made of it, else the first.
 */
static void choose_subject(struct patch_page *out)
{
	for (size_t i = 0; i < out->nparts; i++)
		if (out->parts[i].asked && out->parts[i].subject)
			out->subject = out->parts[i].subject;
	for (size_t i = 0; i < out->in_git.n && !out->subject; i++)
		if (strcmp(out->in_git.list[i].target, out->message_id) == 0)
			out->subject = out->in_git.list[i].commit.subject;
	for (size_t i = 0; i < out->nparts && !out->subject; i++)
		out->subject = out->parts[i].subject;
}

static int places_in_git(struct ctx *c, struct linked_list *l)
{
	struct all_refs *refs;
	int e = l->n ? refs_load(c, &refs) : E_OK;

	for (size_t i = 0; i < l->n && e >= 0; i++)
		e = position_find(c, refs, l->list[i].commit.position, false, &l->list[i].where);
	return e;
}

int patch_find(struct ctx *c, const char *message_id, struct patch_page *out)
{
	struct finding f = {.c = c, .asked = message_id, .out = out};
	int e;

	out->message_id = message_id;
	out->in_git.list = arena_array(c->arena, struct linked, LINKS_MAX);
	f.name = mail_name_read(c->arena, message_id);
	e = load_candidates(&f);
	if (e >= 0)
		e = in_git(&f, message_id);
	if (e < 0)
		return e;
	take_first(&f);
	take_rest(&f);
	e = fill_parts(&f);
	if (e < 0)
		return e;
	if (out->nparts == 0 && out->in_git.n == 0)
		return fail(c, E_NOTFOUND, "no patch or commit is known of the mail %.200s",
			    message_id);
	choose_subject(out);
	return places_in_git(c, &out->in_git);
}
