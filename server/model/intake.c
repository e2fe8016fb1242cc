/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Submissions as jobs of the writer.
 *
 * All or nothing: everything is checked before anything is written. Each for itself: an item is
 * checked and written before the next is looked at, all in the job's one transaction, so that a
 * repeat among the items is found like any other; a refusal by the check concerns its item alone
 * and has written nothing. When the engine fails the writer undoes everything and may run the job
 * again: so every run starts from what was prepared.
 */
#include "server/model/intake.h"

#include "server/base/arena.h"

void intake_refuse(struct intake_item *item, struct ctx *c, size_t max)
{
	struct fault *room = c->faults;
	size_t n = c->nfaults < max ? c->nfaults : max;

	item->refused = c->err;
	item->detail = arena_str(c->arena, c->detail);
	item->nfaults = n;
	item->more = c->faults_seen - n;
	item->faults = n ? arena_copy(c->arena, room, n * sizeof(*room)) : NULL;
	ctx_clear(c);
	c->faults = room; /* empty again: thousands of refused lines need one such list */
}

/* --- all or nothing --- */

static int check_all(struct ctx *c, struct job *j)
{
	struct intake *t = (struct intake *)j;

	c->item = t->is_array ? 0 : -1;
	return submissions_check(c, t->subs, t->n, t->accepted);
}

static int store_all(struct ctx *c, struct job *j)
{
	struct intake *t = (struct intake *)j;

	return submissions_store(c, t->subs, t->n, t->by.token_id, t->by.now, t->accepted);
}

void intake_all(struct intake *t, struct arena *a, const struct submission *subs, size_t n,
		bool is_array, const struct uploader *by)
{
	*t = (struct intake){
		.job = {.check = check_all, .store = store_all},
		.by = *by,
		.subs = subs,
		.accepted = arena_array(a, struct accepted, n),
		.n = n,
		.is_array = is_array,
	};
}

/* --- each for itself --- */

static bool is_refusal(int e)
{
	return e == E_CONFLICT || e == E_INVALID;
}

static int store_item(struct ctx *c, struct intake *t, struct intake_item *item)
{
	int e;

	c->item = -1;
	item->refused = E_OK;
	e = submissions_check(c, item->sub, 1, &item->accepted);
	if (is_refusal(e)) {
		intake_refuse(item, c, FAULTS_MAX);
		return E_OK;
	}
	return e < 0 ? e
		     : submissions_store(c, item->sub, 1, t->by.token_id, t->by.now,
					 &item->accepted);
}

static int store_each(struct ctx *c, struct job *j)
{
	struct intake *t = (struct intake *)j;
	int e = E_OK;

	for (size_t i = 0; e >= 0 && i < t->nitems; i++) {
		if (t->items[i].sub)
			e = store_item(c, t, &t->items[i]);
	}
	return e;
}

void intake_each(struct intake *t, struct intake_item *items, size_t n, const struct uploader *by)
{
	*t = (struct intake){
		.job = {.store = store_each},
		.by = *by,
		.items = items,
		.nitems = n,
	};
}
