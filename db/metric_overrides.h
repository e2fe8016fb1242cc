/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an administrator says of a metric, over what the rules of its name say
 * (analysis/metric_rules.def). It takes effect with the transaction that writes it, in every
 * process (metrics.h says how). Nothing said is lost: the audit has each word with its reason.
 */
#ifndef DB_METRIC_OVERRIDES_H
#define DB_METRIC_OVERRIDES_H

#include "db/engine.h"
#include "server/analysis/comparison.h"

/* What is not overridden is by the rules. */
struct metric_override {
	const char *unit; /* NULL: not overridden */
	bool has_direction, has_kind, has_role;
	enum direction direction;
	enum metric_kind kind;
	enum metric_role role;       /* of a metric that does not count fails */
	double threshold_pct, floor; /* NAN: not overridden */
	int64_t at;                  /* the last word; TIME_NONE: there never was one */
};
/* True when it says anything at all. */
bool metric_override_any(const struct metric_override *o);

#define METRIC_OVERRIDE_COLUMNS "unit, direction, kind, role, threshold_pct, floor, overridden"
/* Reads those columns from number col on; unit is valid until the next step. */
struct metric_override metric_override_read(struct stmt *st, int col);
/* The facts of m, which come from its name, with the override over them; unit is borrowed. */
void metric_override_apply(const struct metric_override *o, struct metric *m);

/* E_NOTFOUND. */
int metric_override_get(struct ctx *c, uint32_t metric_id, struct metric_override *out);

enum {
	OVERRIDE_UNIT = 1,
	OVERRIDE_DIRECTION = 2,
	OVERRIDE_KIND = 4,
	OVERRIDE_ROLE = 8,
	OVERRIDE_THRESHOLD = 16,
	OVERRIDE_FLOOR = 32
};
struct metric_override_change {
	unsigned sets;             /* of these words the ones that are in to; others stay */
	struct metric_override to; /* not overridden there: back to the rule */
	const char *reason;        /* NULL */
	bool dry_run;
};
/* What is overridden after the change. */
struct metric_override metric_override_with(const struct metric_override *now,
					    const struct metric_override_change *change);
/* Writer only. E_NOTFOUND: no metric of that name. */
int metric_override_write(struct ctx *c, const char *name,
			  const struct metric_override_change *change, int64_t token_id,
			  const char *who, int64_t now);

/* The last words about a metric, newest first. */
struct metric_word {
	int64_t at;
	const char *who, *what;
};
int metric_override_words(struct ctx *c, const char *name, size_t limit, struct metric_word **out,
			  size_t *n);

#endif
