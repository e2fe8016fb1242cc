/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Metrics: names and small numbers for them, and the facts of each (by rule or override). The
 * dictionary is kept in the process and only grows; it is filled from committed rows alone, so a
 * rolled-back id can never stick. Reading it takes no lock. Also: in which series a metric occurs,
 * and its unit there.
 *
 * A struct metric never changes. When an administrator overrides facts, another one takes its place
 * in the dictionary, and whoever still has the old one goes on with it: compare metrics by id, not
 * by address. Each override raises the setting "metric_overrides"; who begins to read a state of
 * the database calls metrics_refresh, so that its facts are at least as new as that state,
 * whichever process wrote it.
 */
#ifndef DB_METRICS_H
#define DB_METRICS_H

#include "db/engine.h"
#include "db/submission.h"
#include "server/analysis/comparison.h"

/* The metric of an id or a name; asks the database when this process has not met it yet. NULL when
 * there is none (then no failure is set) or the database failed (then one is). */
const struct metric *metric_by_id(struct ctx *c, uint32_t id);
const struct metric *metric_by_name(struct ctx *c, const char *name);

/* Brings the facts of all overridden metrics up to what c reads; nothing to do mostly. Not inside a
 * transaction that writes. */
int metrics_refresh(struct ctx *c);
/* Raised whenever facts changed: for caches that were made by them. */
uint64_t metrics_edition(void);
/* Writer only, in the transaction that writes an override. */
int metrics_note_override(struct ctx *c);

/* The metrics of a series with their units there, by name. */
struct series_metric {
	const struct metric *metric;
	const char *unit; /* as uploaded for this series, else by rule, else NULL */
};
int series_metrics(struct ctx *c, int64_t series_id, struct series_metric **out, size_t *n);
/* Unit as uploaded of one metric in a series; *unit NULL when none was. */
int series_unit(struct ctx *c, int64_t series_id, uint32_t metric_id, const char **unit);
/* Series ids that have the metric, ascending, above after, at most limit. */
int metric_series(struct ctx *c, uint32_t metric_id, int64_t after, size_t limit, int64_t **ids,
		  size_t *n);
/* Metrics whose name contains text, by name, at most limit. */
int metric_search(struct ctx *c, const char *text, size_t limit, const struct metric ***out,
		  size_t *n);

/* Writer only, inside a transaction. Ids and layouts that were made in a transaction that is rolled
 * back must be forgotten: call metrics_forget_pending after a rollback, metrics_publish after a
 * commit. */
int metric_ensure(struct ctx *c, const char *name, uint32_t *id);
/* Layout of a run's names; perm[i] is the position in names of the layout's i-th metric. Borrowed
 * from the writer's cache until the end of the transaction. */
int layout_ensure(struct ctx *c, const struct metric_names *names, int64_t *layout_id,
		  const uint32_t **perm);
/* Notes that the series has these metrics (cached: almost always nothing to do). */
int series_has_layout(struct ctx *c, int64_t series_id, int64_t layout_id,
		      const struct metric_names *names);
int series_has_metric(struct ctx *c, int64_t series_id, uint32_t metric_id);
/* Sets the unit, or checks it: false in *agrees when the series already has another. */
int series_set_unit(struct ctx *c, int64_t series_id, uint32_t metric_id, const char *unit,
		    bool *agrees);
void metrics_publish(void);
void metrics_forget_pending(void);

/* A layout by id, from this process's cache or the database. NULL: a failure is set. */
struct layout;
const struct layout *layout_by_id(struct ctx *c, int64_t layout_id);
/* Its metrics, in its order; l comes from layout_by_id. */
const struct metric *const *layout_metrics(const struct layout *l);
/* Where a metric stands in the layouts of a series, ascending by layout. */
struct layout_position {
	int64_t layout_id;
	size_t at;
};
int series_positions(struct ctx *c, int64_t series_id, uint32_t metric_id,
		     struct layout_position **out, size_t *n);

/* Empties the dictionary and the caches: for a process that goes on with another database, as tests
 * do. No other thread may use them meanwhile, and pointers to metrics are gone. */
void metrics_forget_all(void);

#endif
