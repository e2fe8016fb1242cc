/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * POST /api/v1/corrections and /api/v1/correction/<n>/undo. A dry run plans on the reading
 * connection and writes nothing; a real one plans again inside the writer's transaction, so what
 * is answered is what was done.
 */
#include "server/pages/corrections.h"

#include "db/writer.h"
#include "importers/orders.h"
#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/base/num.h"
#include "server/view/url.h"

#define SAMPLE 20 /* run ids that an answer shows */

int order_check_type(struct req *r)
{
	if (r->content_type && strcmp(r->content_type, "application/json") == 0)
		return E_OK;
	return fail(&r->ctx, E_MEDIA_TYPE, "the Content-Type must be application/json, is %.80s",
		    r->content_type ? r->content_type : "missing");
}

struct correcting {
	struct job job; /* first */
	struct correction_in in;
	struct correction_plan plan;
	int64_t token_id, now, id;
	const char *who;
};

static int check_correction(struct ctx *c, struct job *j)
{
	struct correcting *t = (struct correcting *)j;

	return correction_plan(c, &t->in, &t->plan);
}

static int store_correction(struct ctx *c, struct job *j)
{
	struct correcting *t = (struct correcting *)j;

	return correction_store(c, &t->in, &t->plan, t->token_id, t->who, t->now, &t->id);
}

static int answer(struct req *r, const struct correcting *t)
{
	const struct correction_plan *p = &t->plan;
	struct jw w;

	jw_init(&w, r->out);
	jw_obj(&w, NULL);
	if (t->id > 0)
		jw_int(&w, "id", t->id);
	else
		jw_null(&w, "id");
	jw_bool(&w, "dry_run", t->in.dry_run);
	jw_int(&w, "runs", (int64_t)p->nruns);
	jw_int(&w, "summaries", (int64_t)p->nsummaries);
	jw_int(&w, "series", (int64_t)p->nseries);
	jw_int(&w, "commits", (int64_t)p->ncommits);
	jw_arr(&w, "findings");
	for (size_t i = 0; i < p->nfindings; i++)
		jw_int(&w, NULL, p->findings[i]);
	jw_end(&w);
	jw_arr(&w, "sample");
	for (size_t i = 0, shown = 0; i < p->n && shown < SAMPLE; i++) {
		if (p->targets[i].is_summary)
			continue;
		jw_int(&w, NULL, p->targets[i].id);
		shown++;
	}
	jw_end(&w);
	jw_end(&w);
	out_char(r->out, '\n');
	r->answer_type = "application/json";
	r->no_store = true;
	return t->id > 0 ? 201 : 200;
}

static int reply_correction(struct req *r, struct job *j)
{
	const struct correcting *t = (const struct correcting *)j;

	if (j->result < 0)
		return j->result;
	r->location = arena_fmt(r->ctx.arena, "/correction/%lld", (long long)t->id);
	return answer(r, t);
}

static int dry_run(struct req *r, struct correcting *t)
{
	struct ctx *c = &r->ctx;

	if (!c->db)
		return fail(c, E_INTERNAL, "the database cannot be read");
	int e = db_begin_read(c);
	if (e >= 0) {
		e = correction_plan(c, &t->in, &t->plan);
		db_end_read(c);
	}
	return e < 0 ? e : answer(r, t);
}

/* A token that is bound to a machine corrects what is of it, and leaves it there. */
static int check_bound(struct req *r, const struct correction_in *in)
{
	const char *bound = r->token->machine;

	if (!bound)
		return E_OK;
	if (!in->select.machine || strcmp(in->select.machine, bound) != 0)
		return fail(&r->ctx, E_FORBIDDEN,
			    "the token is bound to machine %.100s: select that machine", bound);
	for (size_t i = 0; i < in->naxes; i++)
		if (!strcmp(in->axes[i].name, "tbox_group"))
			return fail(&r->ctx, E_FORBIDDEN, "the token is bound to machine %.100s",
				    bound);
	return E_OK;
}

int page_post_correction(struct req *r)
{
	struct correcting *t = arena_array(r->ctx.arena, struct correcting, 1);
	int e = order_check_type(r);

	if (e >= 0)
		e = order_read_correction(&r->ctx, r->body, r->body_len, &t->in);
	if (e >= 0)
		e = check_bound(r, &t->in);
	if (e < 0)
		return e;
	if (t->in.dry_run)
		return dry_run(r, t);
	t->job = (struct job){
		.check = check_correction, .store = store_correction, .weight = r->body_len};
	t->token_id = r->token->id;
	t->who = arena_str(r->ctx.arena, r->token->name);
	t->now = clock_now();
	return req_submit(r, &t->job, reply_correction);
}

/* --- undo --- */

static int check_undo(struct ctx *c, struct job *j)
{
	return correction_undo_check(c, ((struct correcting *)j)->id);
}

static int store_undo(struct ctx *c, struct job *j)
{
	struct correcting *t = (struct correcting *)j;

	return correction_undo(c, t->id, t->token_id, t->who, t->now);
}

static int reply_undo(struct req *r, struct job *j)
{
	const struct correcting *t = (const struct correcting *)j;
	struct correction k;
	struct jw w;
	int e = j->result;

	if (e >= 0)
		e = correction_get(&r->ctx, t->id, &k);
	if (e < 0)
		return e;
	jw_init(&w, r->out);
	part_json_correction(&w, NULL, &k);
	out_char(r->out, '\n');
	r->answer_type = "application/json";
	r->no_store = true;
	return 200;
}

int page_undo_correction(struct req *r)
{
	struct correcting *t = arena_array(r->ctx.arena, struct correcting, 1);
	const char *number = req_name(r, 0, "correction");

	if (!number || !num_parse_int(number, 1, INT64_MAX, &t->id))
		return fail(&r->ctx, E_NOTFOUND, "a correction has a number");
	if (r->token->machine)
		return fail(&r->ctx, E_FORBIDDEN,
			    "a token that is bound to a machine undoes nothing");
	if (r->body_len && strcmp(r->body, "{}") != 0)
		return fail(&r->ctx, E_INVALID, "an undo takes no body, or {}");
	t->job = (struct job){.check = check_undo, .store = store_undo, .weight = 1};
	t->token_id = r->token->id;
	t->who = arena_str(r->ctx.arena, r->token->name);
	t->now = clock_now();
	return req_submit(r, &t->job, reply_undo);
}
