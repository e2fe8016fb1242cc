/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Overrides of metrics: columns of their rows, read and written in parts. */
#include "db/metric_overrides.h"

#include <math.h>

#include "db/metrics.h"
#include "db/tokens.h"
#include "server/base/arena.h"
#include "server/base/clock.h"

bool metric_override_any(const struct metric_override *o)
{
	return o->unit || o->has_direction || o->has_kind || o->has_role ||
	       !isnan(o->threshold_pct) || !isnan(o->floor);
}

/* A number that this program does not know counts as none. */
static bool read_word(struct stmt *st, int col, int64_t last, int64_t *v)
{
	*v = 0;
	if (col_null(st, col))
		return false;
	*v = col_int(st, col);
	if (*v >= 0 && *v <= last)
		return true;
	*v = 0;
	return false;
}

struct metric_override metric_override_read(struct stmt *st, int col)
{
	struct metric_override o = {.unit = col_text_peek(st, col)};
	int64_t v;

	o.has_direction = read_word(st, col + 1, DIRECTION_LOWER, &v);
	o.direction = (enum direction)v;
	o.has_kind = read_word(st, col + 2, KIND_FUNCTIONAL, &v);
	o.kind = (enum metric_kind)v;
	o.has_role = read_word(st, col + 3, ROLE_MONITOR, &v);
	o.role = (enum metric_role)v;
	o.threshold_pct = col_real(st, col + 4);
	o.floor = col_real(st, col + 5);
	o.at = col_time(st, col + 6);
	return o;
}

void metric_override_apply(const struct metric_override *o, struct metric *m)
{
	if (o->unit)
		m->facts.unit = o->unit;
	if (o->has_direction)
		m->facts.direction = o->direction;
	if (o->has_kind)
		m->facts.kind = o->kind;
	m->facts.has_role = o->has_role;
	m->facts.role = o->role;
	if (o->unit || o->has_direction || o->has_kind || o->has_role)
		m->facts.rule = "set by an administrator";
	m->threshold_pct = fmax(o->threshold_pct, 0); /* of NAN, too */
	m->floor = fmax(o->floor, 0);
}

SQL(metric_override_row, "SELECT " METRIC_OVERRIDE_COLUMNS " FROM metric WHERE metric_id = $1")

int metric_override_get(struct ctx *c, uint32_t metric_id, struct metric_override *out)
{
	auto_stmt struct stmt *st = db_stmt(c, &metric_override_row);

	*out = (struct metric_override){
		.threshold_pct = (double)NAN, .floor = (double)NAN, .at = TIME_NONE};
	bind_int(st, 1, metric_id);
	if (stmt_step(st) == STMT_ROW) {
		*out = metric_override_read(st, 0);
		out->unit = arena_str(c->arena, out->unit);
		return E_OK;
	}
	return stmt_status(st) < 0 ? stmt_status(st)
				   : fail(c, E_NOTFOUND, "no metric has the row %u", metric_id);
}

struct metric_override metric_override_with(const struct metric_override *now,
					    const struct metric_override_change *change)
{
	struct metric_override o = *now;
	const struct metric_override *to = &change->to;

	if (change->sets & OVERRIDE_UNIT)
		o.unit = to->unit;
	if (change->sets & OVERRIDE_DIRECTION) {
		o.has_direction = to->has_direction;
		o.direction = to->direction;
	}
	if (change->sets & OVERRIDE_KIND) {
		o.has_kind = to->has_kind;
		o.kind = to->kind;
	}
	if (change->sets & OVERRIDE_ROLE) {
		o.has_role = to->has_role;
		o.role = to->role;
	}
	if (change->sets & OVERRIDE_THRESHOLD)
		o.threshold_pct = to->threshold_pct;
	if (change->sets & OVERRIDE_FLOOR)
		o.floor = to->floor;
	return o;
}

/* "direction lower, threshold_pct by the rule: why", for the audit. */
static const char *describe(struct arena *a, const struct metric_override_change *k)
{
	const struct metric_override *to = &k->to;
	const char *by_rule = "by the rule";
	const struct {
		unsigned bit;
		const char *name, *value;
	} parts[] = {
		{OVERRIDE_UNIT, "unit", to->unit ? to->unit : by_rule},
		{OVERRIDE_DIRECTION, "direction",
		 to->has_direction ? direction_name(to->direction) : by_rule},
		{OVERRIDE_KIND, "kind", to->has_kind ? kind_name(to->kind) : by_rule},
		{OVERRIDE_ROLE, "role", to->has_role ? role_name(to->role) : by_rule},
		{OVERRIDE_THRESHOLD, "threshold_pct",
		 isnan(to->threshold_pct) ? by_rule : arena_fmt(a, "%g", to->threshold_pct)},
		{OVERRIDE_FLOOR, "floor",
		 isnan(to->floor) ? by_rule : arena_fmt(a, "%g", to->floor)},
	};
	const char *text = "";

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (k->sets & parts[i].bit)
			text = arena_fmt(a, "%s%s%s %s", text, *text ? ", " : "", parts[i].name,
					 parts[i].value);
	return k->reason ? arena_fmt(a, "%s: %s", text, k->reason) : text;
}

SQL(metric_override_set, "UPDATE metric SET unit = $2, direction = $3, kind = $4, role = $5,"
			 " threshold_pct = $6, floor = $7, overridden = $8 WHERE metric_id = $1")

static void bind_word(struct stmt *st, int i, bool has, int v)
{
	if (has)
		bind_int(st, i, v);
	else
		bind_null(st, i);
}

static int store(struct ctx *c, uint32_t metric_id, const struct metric_override *o, int64_t now)
{
	auto_stmt struct stmt *st = db_stmt(c, &metric_override_set);

	bind_int(st, 1, metric_id);
	bind_text(st, 2, o->unit);
	bind_word(st, 3, o->has_direction, (int)o->direction);
	bind_word(st, 4, o->has_kind, (int)o->kind);
	bind_word(st, 5, o->has_role, (int)o->role);
	bind_real(st, 6, o->threshold_pct);
	bind_real(st, 7, o->floor);
	bind_int(st, 8, now);
	return stmt_run(st);
}

int metric_override_write(struct ctx *c, const char *name,
			  const struct metric_override_change *change, int64_t token_id,
			  const char *who, int64_t now)
{
	const struct metric *m = metric_by_name(c, name);
	struct metric_override o;
	int e;

	if (!m)
		return c->err < 0 ? (int)c->err
				  : fail(c, E_NOTFOUND, "no metric is called \"%.200s\"", name);
	e = metric_override_get(c, m->id, &o);
	if (e < 0)
		return e;
	o = metric_override_with(&o, change);
	e = store(c, m->id, &o, now);
	if (e >= 0)
		e = metrics_note_override(c);
	return e < 0 ? e
		     : audit_add(c, now, token_id, who, "metric", name, describe(c->arena, change));
}

SQL(metric_override_said,
    "SELECT at, who, detail FROM audit WHERE action = 'metric' AND object = $1"
    " ORDER BY audit_id DESC LIMIT $2")

int metric_override_words(struct ctx *c, const char *name, size_t limit, struct metric_word **out,
			  size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, &metric_override_said);
	size_t cap = 0;

	*out = NULL;
	*n = 0;
	bind_text(st, 1, name);
	bind_int(st, 2, (int64_t)limit);
	while (stmt_step(st) == STMT_ROW) {
		*out = arena_grow(c->arena, *out, &cap, *n + 1, sizeof(**out));
		(*out)[(*n)++] =
			(struct metric_word){col_int(st, 0), col_text(st, 1), col_text(st, 2)};
	}
	return stmt_status(st);
}
