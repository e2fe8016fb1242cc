/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PUT /api/v1/machine/<name> (or ?name=) and POST /api/v1/events: what people know about a machine.
 * A machine may be told of before it sends anything. A token that is bound to a machine tells of no
 * other.
 */
#include "server/pages/corrections.h"

#include "db/writer.h"
#include "importers/import.h"
#include "importers/orders.h"
#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/view/json.h"

#define MACHINE_NAME_MAX 4096 /* as an axis's value */

struct telling {
	struct job job; /* first */
	const char *name;
	struct machine_change change;
	struct event event;
	int64_t token_id, now, id;
	const char *who;
};

static struct telling *telling_new(struct req *r, int (*store)(struct ctx *c, struct job *j))
{
	struct telling *t = arena_array(r->ctx.arena, struct telling, 1);

	t->job = (struct job){.store = store, .weight = r->body_len};
	t->token_id = r->token->id;
	t->who = arena_str(r->ctx.arena, r->token->name);
	t->now = clock_now();
	return t;
}

static int check_bound(struct req *r, const char *machine)
{
	const char *bound = r->token->machine;

	if (!bound || !strcmp(bound, machine))
		return E_OK;
	return fail(&r->ctx, E_FORBIDDEN, "the token is bound to machine %.100s", bound);
}

static int store_machine(struct ctx *c, struct job *j)
{
	struct telling *t = (struct telling *)j;

	return machine_write(c, t->name, &t->change, t->token_id, t->who, t->now);
}

static int reply_machine(struct req *r, struct job *j)
{
	const struct telling *t = (const struct telling *)j;
	struct machine m;
	struct jw w;
	int e = j->result;

	if (e >= 0)
		e = machine_get(&r->ctx, t->name, &m);
	if (e < 0)
		return e;
	jw_init(&w, r->out);
	jw_obj(&w, NULL);
	jw_str(&w, "name", m.name);
	jw_str(&w, "description", m.description);
	jw_str(&w, "state", m.state);
	if (m.expect_every < 0)
		jw_null(&w, "expect_every");
	else
		jw_int(&w, "expect_every", m.expect_every);
	jw_time(&w, "last_upload", m.last_upload);
	jw_end(&w);
	out_char(r->out, '\n');
	r->answer_type = "application/json";
	r->no_store = true;
	return 200;
}

int page_put_machine(struct req *r)
{
	const char *name = req_name(r, 0, "name");
	struct telling *t = telling_new(r, store_machine);
	int e = order_check_type(r);

	if (e >= 0 && !name)
		e = fail(&r->ctx, E_NOTFOUND, "name a machine: /api/v1/machine/lkp-icl-2sp2");
	if (e >= 0 && !import_text_valid(name, MACHINE_NAME_MAX))
		e = fail(&r->ctx, E_INVALID,
			 "a machine's name is UTF-8 without control characters");
	if (e >= 0)
		e = check_bound(r, name);
	if (e >= 0)
		e = order_read_machine(&r->ctx, r->body, r->body_len, &t->change);
	if (e < 0)
		return e;
	t->name = arena_str(r->ctx.arena, name);
	return req_submit(r, &t->job, reply_machine);
}

static int store_event(struct ctx *c, struct job *j)
{
	struct telling *t = (struct telling *)j;

	return event_tell(c, &t->event, t->token_id, t->who, t->now, &t->id);
}

static int reply_event(struct req *r, struct job *j)
{
	struct jw w;

	if (j->result < 0)
		return j->result;
	jw_init(&w, r->out);
	jw_obj(&w, NULL);
	jw_int(&w, "event", ((const struct telling *)j)->id);
	jw_end(&w);
	out_char(r->out, '\n');
	r->answer_type = "application/json";
	r->no_store = true;
	return 201;
}

int page_post_event(struct req *r)
{
	struct telling *t = telling_new(r, store_event);
	int e = order_check_type(r);

	if (e >= 0)
		e = order_read_event(&r->ctx, r->body, r->body_len, &t->event);
	if (e >= 0)
		e = check_bound(r, t->event.machine);
	if (e < 0)
		return e;
	if (t->event.at == TIME_NONE)
		t->event.at = t->now;
	return req_submit(r, &t->job, reply_event);
}
