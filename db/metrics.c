/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dictionary of metrics. Readers take no lock: an id leads through an idmap, a name through a
 * hash table that is replaced, never changed, when it grows (old tables stay until the process
 * ends; together they are no larger than the last). Rows that the writer has made wait in a second
 * table until its commit.
 *
 * Overrides: "applied" is the count of them (a setting) that the dictionary knows. A row is
 * published only by who sees exactly that count: of another state its facts may be those of
 * yesterday, or of a transaction that is rolled back. Then they serve their reader alone.
 */
#include "db/metrics.h"

#include <pthread.h>
#include <stdatomic.h>

#include "db/dictionary.h"
#include "db/idmap.h"
#include "db/metric_overrides.h"
#include "db/pattern.h"
#include "db/settings.h"
#include "server/base/arena.h"
#include "server/base/clock.h"

struct slots {
	struct slots *old; /* a reader may still be in it */
	size_t cap;
	_Atomic(struct metric *) at[];
};

struct dictionary {
	_Atomic(struct slots *) slots;
	size_t n;
};

static struct dictionary known;   /* from committed rows; changed under the lock */
static struct dictionary pending; /* the writer's alone */
static struct idmap known_ids;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int64_t applied; /* overrides that the dictionary knows */
static _Atomic uint64_t edition;
static struct metric *
	*retired; /* no longer in the dictionary, but perhaps in use; under the lock */
static size_t nretired, retired_cap;

/* The slot of a name: the metric's, or the free one where it belongs. */
static _Atomic(struct metric *) *slot_of(struct slots *s, const char *name, size_t len)
{
	size_t i = hash_bytes(name, len) & (s->cap - 1);

	for (;; i = (i + 1) & (s->cap - 1)) {
		struct metric *m = atomic_load_explicit(&s->at[i], memory_order_acquire);

		if (!m || (m->name_len == len && !memcmp(m->name, name, len)))
			return &s->at[i];
	}
}

static struct metric *dictionary_find(struct dictionary *d, const char *name, size_t len)
{
	struct slots *s = atomic_load_explicit(&d->slots, memory_order_acquire);

	return s ? atomic_load_explicit(slot_of(s, name, len), memory_order_acquire) : NULL;
}

static void dictionary_grow(struct dictionary *d)
{
	struct slots *old = atomic_load(&d->slots);
	size_t cap = old ? 2 * old->cap : 1024;
	struct slots *s = calloc(1, sizeof(*s) + cap * sizeof(s->at[0]));

	if (!s)
		die("out of memory");
	s->cap = cap;
	s->old = old;
	for (size_t i = 0; old && i < old->cap; i++) {
		struct metric *m = atomic_load(&old->at[i]);

		if (m)
			atomic_store(slot_of(s, m->name, m->name_len), m);
	}
	atomic_store_explicit(&d->slots, s, memory_order_release);
}

static void dictionary_add(struct dictionary *d, struct metric *m)
{
	struct slots *s = atomic_load(&d->slots);

	if (!s || 2 * d->n >= s->cap) {
		dictionary_grow(d);
		s = atomic_load(&d->slots);
	}
	atomic_store_explicit(slot_of(s, m->name, m->name_len), m, memory_order_release);
	d->n++;
}

/* Hands every metric to each and frees the tables. */
static void dictionary_drain(struct dictionary *d, void (*each)(struct metric *m))
{
	struct slots *s = atomic_exchange(&d->slots, NULL);

	for (size_t i = 0; s && i < s->cap; i++)
		if (atomic_load(&s->at[i]))
			each(atomic_load(&s->at[i]));
	while (s) {
		struct slots *old = s->old;

		free(s);
		s = old;
	}
	d->n = 0;
}

static struct metric *metric_new(int64_t id, const char *name, const char *unit)
{
	size_t len = strlen(name), unit_len = unit ? strlen(unit) + 1 : 0;
	struct metric *m = calloc(1, sizeof(*m) + len + 1 + unit_len);

	if (!m)
		die("out of memory");
	char *text = (char *)(m + 1);
	memcpy(text, name, len + 1);
	m->id = (uint32_t)id;
	m->name = text;
	m->name_len = len;
	m->facts = metric_facts_of(m->name);
	if (unit)
		memcpy(text + len + 1, unit, unit_len);
	return m;
}

static void metric_drop(struct metric *m)
{
	free(m);
}

/* Makes m known, or drops it when another thread was first; returns the one that is known. */
static struct metric *publish(struct metric *m)
{
	pthread_mutex_lock(&lock);
	struct metric *first = dictionary_find(&known, m->name, m->name_len);
	if (!first) {
		dictionary_add(&known, m);
		idmap_set(&known_ids, m->id, m);
	}
	pthread_mutex_unlock(&lock);
	if (!first)
		return m;
	metric_drop(m);
	return first;
}

/* Under the lock. */
static void retire(struct metric *m)
{
	if (nretired == retired_cap) {
		retired_cap = retired_cap ? 2 * retired_cap : 64;
		retired = realloc(retired, retired_cap * sizeof(struct metric *));
		if (!retired)
			die("out of memory");
	}
	retired[nretired++] = m;
}

#define OVERRIDES "metric_overrides"

/* Columns: metric_id, name, and those of metric_override_read. */
#define ROW "SELECT metric_id, name, " METRIC_OVERRIDE_COLUMNS " FROM metric"

static struct metric *metric_of_row(struct stmt *st)
{
	struct metric_override o = metric_override_read(st, 2);
	struct metric *m = metric_new(col_int(st, 0), col_text_peek(st, 1), o.unit);

	if (o.unit)
		o.unit = m->name + m->name_len + 1; /* the copy behind the name */
	metric_override_apply(&o, m);
	return m;
}

static const struct metric *publish_row(struct ctx *c, struct stmt *st)
{
	int64_t seen;
	int e = setting_get_int(c, OVERRIDES, &seen);

	if (e >= 0 && seen > atomic_load(&applied) && !db_in_transaction(c->db))
		e = metrics_refresh(c);
	if (e < 0)
		return NULL;
	struct metric *m = metric_of_row(st);
	pthread_mutex_lock(&lock);
	struct metric *first = dictionary_find(&known, m->name, m->name_len);
	if (!first && seen == atomic_load(&applied)) {
		dictionary_add(&known, m);
		idmap_set(&known_ids, m->id, m);
	} else if (!first) {
		retire(m);
	}
	pthread_mutex_unlock(&lock);
	if (!first)
		return m;
	metric_drop(m);
	return first;
}

/* --- overrides ----------------------------------------------------------------------------------
 */

int metrics_note_override(struct ctx *c)
{
	int64_t n;
	int e = setting_get_int(c, OVERRIDES, &n);

	return e < 0 ? e : setting_set(c, OVERRIDES, arena_fmt(c->arena, "%lld", (long long)n + 1));
}

uint64_t metrics_edition(void)
{
	return atomic_load_explicit(&edition, memory_order_acquire);
}

/* Under the lock. */
static void replace(struct metric *m)
{
	struct metric *old = dictionary_find(&known, m->name, m->name_len);

	if (!old) {
		dictionary_add(&known, m);
		idmap_set(&known_ids, m->id, m);
		return;
	}
	atomic_store_explicit(slot_of(atomic_load(&known.slots), m->name, m->name_len), m,
			      memory_order_release);
	idmap_replace(&known_ids, m->id, m);
	retire(old);
}

/* A metric that was overridden once keeps the time of the last word, so that one that is under the
 * rules again is among these rows, too. */
SQL(metrics_overridden, ROW " WHERE overridden IS NOT NULL ORDER BY overridden LIMIT 1000000")

/* What c reads is one state: whoever is first with a later one wins. */
int metrics_refresh(struct ctx *c)
{
	int64_t seen;
	int e = setting_get_int(c, OVERRIDES, &seen);

	if (e < 0 || seen <= atomic_load(&applied))
		return e;
	pthread_mutex_lock(&lock);
	if (seen > atomic_load(&applied)) {
		auto_stmt struct stmt *st = db_stmt(c, &metrics_overridden);

		while (stmt_step(st) == STMT_ROW)
			replace(metric_of_row(st));
		e = stmt_status(st);
		atomic_fetch_add_explicit(&edition, 1, memory_order_release);
		if (e >= 0)
			atomic_store(&applied, seen);
	}
	pthread_mutex_unlock(&lock);
	return e;
}

/* --- finding ------------------------------------------------------------------------------------
 */

/* What the writer has made and not yet committed is not to be published by looking it up. */
static const struct metric *find_pending(struct ctx *c, const char *name, int64_t id)
{
	struct slots *s = db_in_transaction(c->db) ? atomic_load(&pending.slots) : NULL;

	if (!s)
		return NULL;
	if (name)
		return dictionary_find(&pending, name, strlen(name));
	for (size_t i = 0; i < s->cap; i++) {
		struct metric *m = atomic_load(&s->at[i]);

		if (m && m->id == id)
			return m;
	}
	return NULL;
}

SQL(metric_row_by_id, ROW " WHERE metric_id = $1")

const struct metric *metric_by_id(struct ctx *c, uint32_t id)
{
	const struct metric *m = idmap_get(&known_ids, id);

	if (m || (m = find_pending(c, NULL, id)))
		return m;
	auto_stmt struct stmt *st = db_stmt(c, &metric_row_by_id);
	bind_int(st, 1, id);
	return stmt_step(st) == STMT_ROW ? publish_row(c, st) : NULL;
}

SQL(metric_row_by_name, ROW " WHERE name = $1")

const struct metric *metric_by_name(struct ctx *c, const char *name)
{
	const struct metric *m = dictionary_find(&known, name, strlen(name));

	if (m || (m = find_pending(c, name, 0)))
		return m;
	auto_stmt struct stmt *st = db_stmt(c, &metric_row_by_name);
	bind_text(st, 1, name);
	return stmt_step(st) == STMT_ROW ? publish_row(c, st) : NULL;
}

SQL(metric_insert, "INSERT INTO metric (name, created) VALUES ($1, $2) RETURNING metric_id")

int metric_ensure(struct ctx *c, const char *name, uint32_t *id)
{
	const struct metric *m = metric_by_name(c, name);

	if (!m) { /* not there; if the look-up failed, so will this */
		auto_stmt struct stmt *st = db_stmt(c, &metric_insert);
		bind_text(st, 1, name);
		bind_int(st, 2, clock_now());
		if (stmt_step(st) != STMT_ROW)
			return stmt_status(st);
		int64_t row = col_int(st, 0);
		if (row < 0 || row > UINT32_MAX)
			return fail(c, E_INTERNAL, "there are too many metrics");
		struct metric *made = metric_new(row, name, NULL);
		dictionary_add(&pending, made);
		m = made;
	}
	*id = m->id;
	return E_OK;
}

static void publish_pending(struct metric *m)
{
	publish(m);
}

void metrics_publish(void)
{
	dictionary_drain(&pending, publish_pending);
	layouts_publish();
}

void metrics_forget_pending(void)
{
	dictionary_drain(&pending, metric_drop);
	layouts_forget_pending();
}

static void keep(void *p)
{
	(void)p; /* the other table frees it */
}

void metrics_forget_all(void)
{
	layouts_forget_all();
	dictionary_drain(&pending, metric_drop);
	idmap_clear(&known_ids, keep);
	dictionary_drain(&known, metric_drop);
	for (size_t i = 0; i < nretired; i++)
		metric_drop(retired[i]);
	free(retired);
	retired = NULL;
	nretired = retired_cap = 0;
	atomic_store(&applied, 0);
}

SQL(metric_ids_like, "SELECT metric_id FROM metric WHERE lower(name) LIKE $1 ESCAPE '!'"
		     " ORDER BY name LIMIT $2")

int metric_search(struct ctx *c, const char *text, size_t limit, const struct metric ***out,
		  size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, &metric_ids_like);
	size_t cap = 0;

	*out = NULL;
	*n = 0;
	bind_text(st, 1, pattern_containing(c->arena, text));
	bind_int(st, 2, (int64_t)limit);
	while (stmt_step(st) == STMT_ROW) {
		const struct metric *m = metric_by_id(c, (uint32_t)col_int(st, 0));

		if (!m)
			return fail(c, E_INTERNAL, "a metric is not there");
		*out = arena_grow(c->arena, *out, &cap, *n + 1, sizeof(**out));
		(*out)[(*n)++] = m;
	}
	return stmt_status(st);
}
