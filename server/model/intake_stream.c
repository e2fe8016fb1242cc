/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One reading of a large file, and storing it as a job.
 *
 * A reading has three arenas: what lasts over the file, what records hold that are being filled,
 * and what is about to be handed on; a fourth is for storing one submission. All are given back at
 * its end, also when the writer has to run the job again: so nothing gathers in the job's own arena
 * but its failure.
 */
#include "server/model/intake_stream.h"

#include <malloc.h>

#include "server/base/arena.h"

#define LARGE_HEAP ((size_t)4 << 20) /* pages of so much go back to the system at once */

/* Adds from's failure and faults to those of to. Faults that have no number get item. */
static void move_failure(struct ctx *to, const struct ctx *from, long item)
{
	const long before = to->item;

	if (from->err)
		fail(to, from->err, "%s", from->detail);
	for (size_t i = 0; i < from->nfaults; i++) {
		const struct fault *f = &from->faults[i];

		to->item = f->item >= 0 ? f->item : item;
		fault(to, f->path, "%s", f->message);
	}
	to->faults_seen += from->faults_seen - from->nfaults;
	to->item = before;
}

/* --- reading ------------------------------------------------------------------------------------
 */

struct reading {
	struct import in;
	struct import_stream stream;
	struct ctx c; /* the importer's; its arena has what lasts */
	const struct intake_eye *eye;
	size_t most; /* that was held */
};

static int look_held(void *arg)
{
	struct reading *r = arg;
	size_t bytes =
		arena_used(r->c.arena) + arena_used(r->stream.records) + arena_used(r->stream.made);

	if (bytes > r->most)
		r->most = bytes;
	if (bytes > INTAKE_HELD_MAX)
		return fail(&r->c, E_TOO_LARGE,
			    "more than %zu MiB of it would have to be held at once: import it in "
			    "parts",
			    INTAKE_HELD_MAX >> 20);
	return r->eye->held ? r->eye->held(&r->c, bytes, r->eye->arg) : E_OK;
}

static int look_take(struct import *in, void *arg)
{
	struct reading *r = arg;
	const long item = in->ctx->item;
	int e = look_held(r);

	for (size_t i = 0; i < in->n && e >= 0; i++) {
		in->ctx->item = in->is_array ? (long)(in->stream->taken + i) : -1;
		e = r->eye->each(in->ctx, &in->subs[i], r->eye->arg);
	}
	in->ctx->item = item;
	return e < 0 ? fail(in->ctx, (enum err)e, "it cannot be taken") : E_OK;
}

int intake_look(struct ctx *c, const struct intake_bytes *b, const struct intake_eye *eye)
{
	auto_arena struct arena *lasting = arena_new(), *records = arena_new(), *made = arena_new();
	struct reading r = {.in = *b->defaults, .eye = eye};
	int e;

	ctx_init(&r.c, lasting, NULL);
	r.stream = (struct import_stream){
		.take = look_take, .arg = &r, .records = records, .made = made};
	r.in.ctx = &r.c;
	r.in.stream = &r.stream;
	r.in.after_document = look_held;
	r.in.after_arg = &r;
	e = b->format->run(&r.in, b->p, b->n);
	if (e >= 0)
		e = import_take(&r.in); /* of who leaves the last to us */
	if (e < 0)
		fail(&r.c, (enum err)e, "it cannot be read");
	e = r.c.err;
	if (b->remark)
		snprintf(b->remark, INTAKE_REMARK_MAX, "%s", r.in.remark ? r.in.remark : "");
	move_failure(c, &r.c, -1);
	arena_reset(lasting);
	arena_reset(records);
	arena_reset(made);
	if (r.most > LARGE_HEAP)
		malloc_trim(0);
	return e;
}

/* --- storing ------------------------------------------------------------------------------------
 */

struct storing_stream {
	struct intake_stream *t;
	struct ctx *c;       /* the job's */
	struct arena *arena; /* for one submission */
	struct stored_tally tally;
	size_t seen;
	bool broken; /* the engine failed */
};

static int store_checked(struct storing_stream *w, struct ctx *own, const struct submission *s,
			 struct accepted *k)
{
	const struct uploader *by = &w->t->by;

	return submissions_store_part(own, s, 1, by->token_id, by->now, k, &w->tally);
}

static int store_next(struct ctx *c, const struct submission *s, void *arg)
{
	struct storing_stream *w = arg;
	struct accepted k;
	struct ctx own;
	int e;

	arena_reset(w->arena);
	ctx_init(&own, w->arena, w->c->db);
	w->seen++;
	e = submissions_check(&own, s, 1, &k);
	if (e == E_CONFLICT || e == E_INVALID) {
		move_failure(w->c, &own, c->item);
		return E_OK;
	}
	if (e >= 0 && w->c->err)
		return E_OK; /* all will be taken back */
	if (e >= 0)
		e = store_checked(w, &own, s, &k);
	if (e < 0) {
		w->broken = true;
		return fail(c, (enum err)e, "%s", own.detail);
	}
	return w->t->stored ? w->t->stored(c, &k, w->t->arg) : E_OK;
}

static int store_stream(struct ctx *c, struct job *j)
{
	struct intake_stream *t = (struct intake_stream *)j;
	auto_arena struct arena *arena = arena_new();
	struct storing_stream w = {.t = t, .c = c, .arena = arena};
	const struct intake_eye eye = {.each = store_next, .arg = &w};
	struct ctx own;
	int e;

	t->seen = 0;
	t->refused = false;
	if (t->begin)
		t->begin(t->arg);
	e = intake_look(c, &t->from, &eye);
	if (e >= 0)
		t->seen = w.seen;
	if (c->err) {
		t->refused = !w.broken;
		return c->err;
	}
	arena_reset(arena);
	ctx_init(&own, arena, c->db);
	e = submissions_audit(&own, &w.tally, t->by.token_id, t->by.now);
	return e < 0 ? fail(c, (enum err)e, "%s", own.detail) : E_OK;
}

void intake_stream(struct intake_stream *t, const struct intake_bytes *from,
		   const struct uploader *by)
{
	*t = (struct intake_stream){.job = {.store = store_stream}, .from = *from, .by = *by};
}
