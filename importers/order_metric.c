/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads what an administrator says of a metric. A member that is null takes back what was said of
 * it; one that is absent leaves it. */
#include "importers/orders.h"

#include <math.h>

#include "importers/order_inside.h"

#define UNIT_MAX   40
#define REASON_MAX 1000
#define LARGEST    1e300

/* Whether the key is there; *null: it is, and takes back. */
static bool is_said(const struct json_object *o, const char *key, bool *null)
{
	const json_t *v = json_read_member(o, key);

	*null = json_is_null(v);
	return v != NULL;
}

/* Position of the member's word in the list; a fault and 0 when it is none of them. */
static int read_word(const struct json_object *o, const char *key, const char *const *words,
		     const char *which)
{
	const char *s = json_string_value(json_read_member(o, key));

	for (int i = 0; s && words[i]; i++)
		if (!strcmp(s, words[i]))
			return i;
	json_read_fault(o->ctx, JSON_AT_KEY(o->at, key), "must be %s or null", which);
	return 0;
}

static void read_words(const struct json_object *o, struct metric_override_change *out)
{
	static const char *const directions[] = {"none", "higher", "lower", NULL};
	static const char *const kinds[] = {"value", "percent", "functional", NULL};
	static const char *const roles[] = {"primary", "monitor", NULL};
	struct metric_override *to = &out->to;
	bool null;

	if (is_said(o, "direction", &null)) {
		out->sets |= OVERRIDE_DIRECTION;
		to->has_direction = !null;
		if (!null)
			to->direction = (enum direction)read_word(o, "direction", directions,
								  "higher, lower, none");
	}
	if (is_said(o, "kind", &null)) {
		out->sets |= OVERRIDE_KIND;
		to->has_kind = !null;
		if (!null)
			to->kind = (enum metric_kind)read_word(o, "kind", kinds,
							       "value, percent, functional");
	}
	if (is_said(o, "role", &null)) {
		out->sets |= OVERRIDE_ROLE;
		to->has_role = !null;
		if (!null)
			to->role =
				(enum metric_role)read_word(o, "role", roles, "primary, monitor");
	}
}

/* A size of at least 0. */
static void read_size(const struct json_object *o, const char *key, unsigned bit, double *v,
		      unsigned *sets)
{
	bool null;

	*v = (double)NAN;
	if (!is_said(o, key, &null))
		return;
	*sets |= bit;
	if (null)
		return;
	*v = json_read_real(o, key);
	if (*v < 0 || *v > LARGEST)
		json_read_fault(o->ctx, JSON_AT_KEY(o->at, key), "must be at least 0");
}

int order_read_metric(struct ctx *c, const char *bytes, size_t n,
		      struct metric_override_change *out)
{
	static const char *const known[] = {"unit",   "direction",     "kind",
					    "role",   "threshold_pct", "floor",
					    "reason", "dry_run",       NULL};
	const struct json_at top = {0};
	json_t *v = order_parse(c, bytes, n);
	struct json_object o;
	bool null;

	*out = (struct metric_override_change){.sets = 0};
	if (!v)
		return (int)c->err;
	if (json_read_object(c, v, &top, known, &o)) {
		if (is_said(&o, "unit", &null)) {
			out->sets |= OVERRIDE_UNIT;
			out->to.unit = null ? NULL : json_read_name(&o, "unit", UNIT_MAX);
		}
		read_words(&o, out);
		read_size(&o, "threshold_pct", OVERRIDE_THRESHOLD, &out->to.threshold_pct,
			  &out->sets);
		read_size(&o, "floor", OVERRIDE_FLOOR, &out->to.floor, &out->sets);
		out->dry_run = order_read_bool(&o, "dry_run");
		if (out->dry_run || json_read_required(&o, "reason"))
			out->reason = json_read_name(&o, "reason", REASON_MAX);
		if (!out->sets)
			json_read_fault(c, &top,
					"says nothing: name unit, direction, kind, role, "
					"threshold_pct or floor");
	}
	json_decref(v);
	return (int)c->err;
}
