/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PUT /api/v1/metric/<name> (or ?name=): what an administrator says of a metric, over the rule for
 * its name. A dry run judges the newest cells that have it both ways and answers how many verdicts
 * would change; it writes nothing. It concerns all machines, so a token that is bound to one
 * cannot.
 */
#include "server/pages/metric.h"

#include "db/rule_setting.h"
#include "db/writer.h"
#include "importers/orders.h"
#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/model/verdict_moves.h"
#include "server/pages/corrections.h"

struct ruling {
	struct job job; /* first */
	const char *name;
	struct metric_override_change change;
	int64_t token_id, now;
	const char *who;
};

/* The metric, or a failure. */
static int find(struct ctx *c, const char *name, const struct metric **m)
{
	*m = metric_by_name(c, name);
	if (*m)
		return E_OK;
	return c->err < 0 ? (int)c->err
			  : fail(c, E_NOTFOUND, "no metric is called \"%.200s\"", name);
}

static int check_ruling(struct ctx *c, struct job *j)
{
	const struct metric *m;

	return find(c, ((const struct ruling *)j)->name, &m);
}

static int store_ruling(struct ctx *c, struct job *j)
{
	struct ruling *t = (struct ruling *)j;

	return metric_override_write(c, t->name, &t->change, t->token_id, t->who, t->now);
}

static int answer(struct req *r, const struct ruling *t, const struct rule_count *k)
{
	struct metric_said said;
	const struct metric *m;
	struct jw w;
	int e = find(&r->ctx, t->name, &m);

	if (e >= 0)
		e = metric_said_load(&r->ctx, m, &said);
	if (e < 0)
		return e;
	jw_init(&w, r->out);
	jw_obj(&w, NULL);
	metric_json_facts(&w, m, &said);
	jw_bool(&w, "dry_run", k != NULL);
	if (k) {
		jw_int(&w, "would_change", k->moved);
		jw_int(&w, "verdicts", k->verdicts);
		jw_int(&w, "cells", k->cells);
		jw_bool(&w, "older_left_out", k->cut);
	}
	jw_end(&w);
	out_char(r->out, '\n');
	r->answer_type = "application/json";
	r->no_store = true;
	return 200;
}

static int reply_ruling(struct req *r, struct job *j)
{
	return j->result < 0 ? j->result : answer(r, (const struct ruling *)j, NULL);
}

/* The metric as it would be. */
static int find_instead(struct ctx *c, const struct ruling *t, struct metric *instead)
{
	struct metric_override o;
	const struct metric *m;
	int e = find(c, t->name, &m);

	if (e >= 0)
		e = metric_override_get(c, m->id, &o);
	if (e < 0)
		return e;
	*instead = *m;
	instead->facts = metric_facts_of(m->name);
	o = metric_override_with(&o, &t->change);
	metric_override_apply(&o, instead);
	return E_OK;
}

static int dry_run(struct req *r, const struct ruling *t)
{
	struct ctx *c = &r->ctx;
	struct metric instead;
	struct verdict_moves_query q = {.cells_max = MOVES_METRIC_CELLS_MAX};
	struct rule_count k;
	int e;

	if (!c->db)
		return fail(c, E_INTERNAL, "the database cannot be read");
	e = metrics_refresh(c);
	if (e >= 0)
		e = find_instead(c, t, &instead);
	if (e >= 0)
		e = rule_in_force(c, &q.before.rule);
	if (e < 0)
		return e;
	q.after = (struct comparison_judging){.rule = q.before.rule, .instead = &instead};
	q.metric_id = instead.id;
	e = verdict_moves_count(c, &q, &k);
	return e < 0 ? e : answer(r, t, &k);
}

int page_put_metric(struct req *r)
{
	struct ruling *t = arena_array(r->ctx.arena, struct ruling, 1);
	const char *name = req_name(r, 0, "name");
	int e = order_check_type(r);

	t->job = (struct job){.check = check_ruling, .store = store_ruling, .weight = r->body_len};
	t->token_id = r->token->id;
	t->who = arena_str(r->ctx.arena, r->token->name);
	t->now = clock_now();
	if (e >= 0 && !name)
		e = fail(&r->ctx, E_NOTFOUND, "name a metric: /api/v1/metric/hackbench.throughput");
	if (e >= 0 && r->token->machine)
		e = fail(&r->ctx, E_FORBIDDEN,
			 "the token is bound to machine %.100s, and a metric is of all",
			 r->token->machine);
	if (e >= 0)
		e = order_read_metric(&r->ctx, r->body, r->body_len, &t->change);
	if (e < 0)
		return e;
	t->name = arena_str(r->ctx.arena, name);
	return t->change.dry_run ? dry_run(r, t) : req_submit(r, &t->job, reply_ruling);
}
