/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many folders in one transaction of the writer, each for itself: what one of them is refused for
 * concerns it alone. The files of a run are stored behind it, in the same transaction, so there is
 * never a run without them that a second import would pass by.
 */
#include "server/import_tree.h"

#include "importers/native_write.h"
#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/model/intake.h"
#include "server/say.h"

struct tree_batch {
	struct job job; /* first */
	struct tree_unit **units;
	size_t n;
	struct intake_item **items; /* of each unit, one a submission */
	int64_t now;
};

/* --- what is said --- */

/* A fault's path begins with the name of a file in the folder, or is empty. */
static void say_item(struct import_tree *t, const char *path, const struct intake_item *item)
{
	progress_clear(t->progress);
	if (!item->nfaults)
		say("%s: %s", path, item->detail);
	for (size_t i = 0; i < item->nfaults; i++) {
		const struct fault *f = &item->faults[i];

		say("%s%s%s%s%s", path, f->path[0] ? "/" : "", f->path, f->message[0] ? ": " : "",
		    f->message);
	}
	if (item->more)
		say("%s: and %zu more", path, item->more);
}

static void say_notes(struct import_tree *t, const struct tree_unit *u)
{
	for (size_t i = 0; i < u->nnotes; i++) {
		progress_clear(t->progress);
		say("%s/%s: the run is taken without it", u->path, u->notes[i]);
		t->refused++;
	}
}

/* --- what is stored --- */

static int store_files(struct ctx *c, struct tree_unit *u, size_t sub, const struct accepted *k,
		       int64_t now)
{
	int e = E_OK;

	for (size_t i = 0; e >= 0 && i < u->nfiles; i++) {
		const struct tree_file *f = &u->files[i];
		struct artifact_in in = {.name = f->name, .file = f->file, .who = "command line"};

		if (f->sub != sub || f->run >= k->nruns)
			continue;
		in.run_id = k->run_ids[f->run];
		e = artifact_check(c, &in);
		if (e >= 0)
			e = artifact_store(c, &in, now);
	}
	return e;
}

static int store_submission(struct ctx *c, struct tree_batch *b, struct tree_unit *u, size_t i,
			    struct intake_item *item)
{
	const struct submission *s = &u->in.subs[i];
	int e;

	c->item = -1;
	item->refused = E_OK;
	e = submissions_check(c, s, 1, &item->accepted);
	if (e == E_CONFLICT || e == E_INVALID) {
		intake_refuse(item, c, FAULTS_MAX);
		return E_OK;
	}
	if (e < 0 || item->accepted.duplicate)
		return e;
	e = submissions_store(c, s, 1, 0, b->now, &item->accepted);
	return e < 0 ? e : store_files(c, u, i, &item->accepted, b->now);
}

static int store(struct ctx *c, struct job *j)
{
	struct tree_batch *b = (struct tree_batch *)j;
	int e = E_OK;

	for (size_t i = 0; e >= 0 && i < b->n; i++) {
		struct tree_unit *u = b->units[i];

		for (size_t k = 0; e >= 0 && !u->ctx.err && k < u->in.n; k++)
			e = store_submission(c, b, u, k, &b->items[i][k]);
	}
	return e;
}

static void count(struct import_tree *t, struct tree_unit *u, const struct intake_item *items)
{
	struct intake_item item = {0};

	if (u->ctx.err) {
		intake_refuse(&item, &u->ctx, FAULTS_MAX);
		say_item(t, u->path, &item);
		u->ctx.err = item.refused; /* still said to be refused */
		t->refused++;
		return;
	}
	for (size_t k = 0; k < u->in.n; k++) {
		if (items[k].refused) {
			say_item(t, u->path, &items[k]);
			t->refused++;
		} else if (items[k].accepted.duplicate) {
			t->known++;
		} else {
			t->taken++;
		}
	}
	say_notes(t, u);
}

static int print(struct ctx *c, const struct tree_unit *u)
{
	auto_out struct out o;

	out_init(&o, OUT_MAX_DEFAULT);
	for (size_t k = 0; !u->ctx.err && k < u->in.n; k++) {
		native_write(&o, &u->in.subs[k]);
		out_char(&o, '\n');
	}
	if (o.failed)
		return fail(c, E_TOO_LARGE, "%s: too large to print", u->path);
	if (o.len)
		fwrite(o.p, 1, o.len, stdout);
	return E_OK;
}

int tree_store(struct ctx *c, struct import_tree *t, struct tree_unit **units, size_t n,
	       struct arena *a)
{
	struct tree_batch b = {.job = {.store = store}, .units = units, .n = n, .now = clock_now()};
	struct ctx own;
	bool any = false;
	int e = E_OK;

	ctx_init(&own, a, NULL);
	b.job.ctx = &own;
	b.items = arena_array(a, struct intake_item *, n);
	for (size_t i = 0; i < n; i++) {
		b.items[i] = arena_array(a, struct intake_item, units[i]->in.n);
		any |= !units[i]->ctx.err && units[i]->in.n;
	}
	if (t->writer && any)
		e = writer_run(t->writer, &b.job);
	if (e < 0)
		return fail(c, (enum err)e, "%s and what follows it: %s", units[0]->path,
			    own.detail);
	for (size_t i = 0; e >= 0 && i < n; i++) {
		if (!t->writer)
			e = print(c, units[i]);
		count(t, units[i], b.items[i]);
	}
	return e;
}
