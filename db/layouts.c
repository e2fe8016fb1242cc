/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layouts (the sorted metric ids that runs share) and what a series has of metrics. The writer
 * finds a layout by the digest of its names and keeps how names map to positions; readers find it
 * by id, without a lock. Both caches are bounded: the writer's is emptied between transactions when
 * it is full, what readers find no room for lives in the arena of the request.
 */
#include "db/metrics.h"

#include <stdatomic.h>

#include "db/dictionary.h"
#include "db/idmap.h"
#include "db/samples.h"
#include "server/base/arena.h"

#define WRITER_CACHE_MAX ((size_t)8 << 20)
#define READER_CACHE_MAX ((size_t)16 << 20)

/* --- the writer's ------------------------------------------------------------------------------
 */

struct written {
	struct written *next; /* in its bucket */
	struct digest digest;
	int64_t id;
	size_t n;
	uint32_t *ids;  /* ascending */
	uint32_t *perm; /* position in the sorted names of each */
};

#define BUCKETS 1024
static struct written *written[BUCKETS];
static size_t written_bytes;

static struct written **bucket_of(const struct digest *d)
{
	return &written[hash_bytes(d->b, DIGEST_LEN) % BUCKETS];
}

static void written_clear(void)
{
	for (size_t i = 0; i < BUCKETS; i++) {
		while (written[i]) {
			struct written *next = written[i]->next;

			free(written[i]);
			written[i] = next;
		}
	}
	written_bytes = 0;
}

void layouts_publish(void)
{
	if (written_bytes > WRITER_CACHE_MAX)
		written_clear();
}

void layouts_forget_pending(void)
{
	written_clear(); /* rollbacks are rare: what was committed before is read again */
}

struct placed {
	uint32_t id, at;
};

static int by_id(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* The ids of the names in ascending order, with the position of each name. */
static int place_names(struct ctx *c, const struct metric_names *names, struct placed **out)
{
	struct placed *p = arena_array(c->arena, struct placed, names->n);

	for (size_t i = 0; i < names->n; i++) {
		int e = metric_ensure(c, names->names[i], &p[i].id);

		if (e < 0)
			return e;
		p[i].at = (uint32_t)i;
	}
	qsort(p, names->n, sizeof(*p), by_id);
	*out = p;
	return E_OK;
}

static struct written *written_new(const struct metric_names *names, const struct placed *p)
{
	size_t bytes = sizeof(struct written) + 2 * names->n * sizeof(uint32_t);
	struct written *w = calloc(1, bytes);

	if (!w)
		die("out of memory");
	w->digest = names->digest;
	w->n = names->n;
	w->ids = (uint32_t *)(w + 1);
	w->perm = w->ids + names->n;
	for (size_t i = 0; i < names->n; i++) {
		w->ids[i] = p[i].id;
		w->perm[i] = p[i].at;
	}
	written_bytes += bytes;
	return w;
}

SQL(layout_find_digest, "SELECT layout_id, metric_ids FROM layout WHERE digest = $1")
SQL(layout_insert, "INSERT INTO layout (digest, metric_ids) VALUES ($1, $2) RETURNING layout_id")

/* Finds the row of w, or makes it. */
static int ensure_row(struct ctx *c, struct written *w)
{
	auto_out struct out bytes = {0};
	out_init(&bytes, OUT_MAX_DEFAULT);
	layout_pack(w->ids, w->n, &bytes);

	auto_stmt struct stmt *find = db_stmt(c, &layout_find_digest);
	bind_blob(find, 1, w->digest.b, DIGEST_LEN);
	int r = stmt_step(find);
	if (r < 0)
		return r;
	if (r == STMT_ROW) {
		size_t n;
		const void *stored = col_blob_peek(find, 1, &n);

		if (n != bytes.len || (n && memcmp(stored, bytes.p, n) != 0))
			return fail(c, E_INTERNAL,
				    "a stored layout has other metrics than its digest");
		w->id = col_int(find, 0);
		return E_OK;
	}
	auto_stmt struct stmt *insert = db_stmt(c, &layout_insert);
	bind_blob(insert, 1, w->digest.b, DIGEST_LEN);
	bind_blob(insert, 2, bytes.p, bytes.len);
	if (stmt_step(insert) == STMT_ROW)
		w->id = col_int(insert, 0);
	return stmt_status(insert);
}

static int find_written(struct ctx *c, const struct metric_names *names, const struct written **out)
{
	struct written **bucket = bucket_of(&names->digest);
	struct placed *placed;

	for (struct written *w = *bucket; w; w = w->next) {
		if (digest_equal(&w->digest, &names->digest)) {
			*out = w;
			return E_OK;
		}
	}
	int e = place_names(c, names, &placed);
	if (e < 0)
		return e;
	struct written *w = written_new(names, placed);
	e = ensure_row(c, w);
	if (e < 0) {
		free(w);
		return e;
	}
	w->next = *bucket;
	*bucket = w;
	*out = w;
	return E_OK;
}

int layout_ensure(struct ctx *c, const struct metric_names *names, int64_t *layout_id,
		  const uint32_t **perm)
{
	const struct written *w;
	int e = find_written(c, names, &w);

	if (e < 0)
		return e;
	*layout_id = w->id;
	*perm = w->perm;
	return E_OK;
}

SQL(series_layout_exists, "SELECT 1 FROM series_layout WHERE series_id = $1 AND layout_id = $2")
SQL(series_layout_insert, "INSERT INTO series_layout (series_id, layout_id) VALUES ($1, $2)")

int series_has_layout(struct ctx *c, int64_t series_id, int64_t layout_id,
		      const struct metric_names *names)
{
	const struct written *w;

	{
		auto_stmt struct stmt *st = db_stmt(c, &series_layout_exists);

		bind_int(st, 1, series_id);
		bind_int(st, 2, layout_id);
		int r = stmt_step(st);
		if (r != STMT_DONE)
			return r < 0 ? r : E_OK;
	}
	auto_stmt struct stmt *st = db_stmt(c, &series_layout_insert);
	bind_int(st, 1, series_id);
	bind_int(st, 2, layout_id);
	int e = stmt_run(st);
	if (e < 0 || (e = find_written(c, names, &w)) < 0)
		return e;
	for (size_t i = 0; i < w->n; i++) {
		e = series_has_metric(c, series_id, w->ids[i]);
		if (e < 0)
			return e;
	}
	return E_OK;
}

/* --- the readers' ------------------------------------------------------------------------------
 */

struct known_layout {
	struct layout layout; /* first, so that the one leads to the other */
	uint64_t edition;     /* of the facts that metrics were looked up by */
	const struct metric **metrics;
};

static struct idmap known;
static _Atomic size_t known_bytes;

void layouts_forget_all(void)
{
	written_clear();
	idmap_clear(&known, free);
	atomic_store(&known_bytes, 0);
}

const struct metric *const *layout_metrics(const struct layout *l)
{
	return ((const struct known_layout *)(const void *)l)->metrics;
}

/* A block for n metrics: from the cache's share of memory, or from the arena. */
static struct known_layout *layout_room(struct ctx *c, size_t n, bool *cached)
{
	size_t bytes =
		sizeof(struct known_layout) + n * (sizeof(struct metric *) + sizeof(uint32_t));
	struct known_layout *k;

	/* The writer may see layouts that are rolled back later. */
	*cached = !db_in_transaction(c->db) &&
		  atomic_fetch_add(&known_bytes, bytes) + bytes <= READER_CACHE_MAX;
	if (*cached) {
		k = calloc(1, bytes);
		if (!k)
			die("out of memory");
	} else {
		if (!db_in_transaction(c->db))
			atomic_fetch_sub(&known_bytes, bytes);
		k = arena_alloc(c->arena, bytes);
	}
	k->metrics = (const struct metric **)(k + 1);
	k->layout.n = n;
	k->layout.metric_ids = (uint32_t *)(k->metrics + n);
	return k;
}

static int fill_layout(struct ctx *c, struct known_layout *k, const uint32_t *ids)
{
	k->edition = metrics_edition(); /* before the look-ups: too old at worst */
	memcpy((uint32_t *)(k->metrics + k->layout.n), ids, k->layout.n * sizeof(*ids));
	for (size_t i = 0; i < k->layout.n; i++) {
		k->metrics[i] = metric_by_id(c, ids[i]);
		if (!k->metrics[i])
			return fail(c, E_INTERNAL, "layout %lld has metric %u, which is not there",
				    (long long)k->layout.layout_id, (unsigned)ids[i]);
	}
	return E_OK;
}

/* The layout with facts as they are now, for this request: some microseconds, and only where facts
 * were overridden since it was kept. */
static const struct layout *layout_anew(struct ctx *c, const struct known_layout *k)
{
	size_t n = k->layout.n;
	struct known_layout *own = arena_alloc(
		c->arena, sizeof(*own) + n * (sizeof(struct metric *) + sizeof(uint32_t)));

	own->metrics = (const struct metric **)(own + 1);
	own->layout = (struct layout){.layout_id = k->layout.layout_id,
				      .n = n,
				      .metric_ids = (uint32_t *)(own->metrics + n)};
	return fill_layout(c, own, k->layout.metric_ids) < 0 ? NULL : &own->layout;
}

SQL(layout_row, "SELECT metric_ids FROM layout WHERE layout_id = $1")

const struct layout *layout_by_id(struct ctx *c, int64_t layout_id)
{
	struct known_layout *k = idmap_get(&known, layout_id);
	size_t nbytes, n;
	bool cached;

	if (k)
		return k->edition == metrics_edition() ? &k->layout : layout_anew(c, k);
	auto_stmt struct stmt *st = db_stmt(c, &layout_row);
	bind_int(st, 1, layout_id);
	if (stmt_step(st) != STMT_ROW) {
		fail(c, E_INTERNAL, "layout %lld is not there", (long long)layout_id);
		return NULL;
	}
	const void *bytes = col_blob(st, 0, &nbytes);
	const uint32_t *ids = layout_unpack(c->arena, bytes, nbytes, &n);
	if (!ids) {
		fail(c, E_INTERNAL, "layout %lld is damaged", (long long)layout_id);
		return NULL;
	}
	k = layout_room(c, n, &cached);
	k->layout.layout_id = layout_id;
	int e = fill_layout(c, k, ids);
	if (!cached)
		return e < 0 ? NULL : &k->layout;
	if (e >= 0 && idmap_set(&known, layout_id, k))
		return &k->layout;
	/* Damaged, or another thread was first: its copy serves as well. */
	atomic_fetch_sub(&known_bytes,
			 sizeof(*k) + n * (sizeof(struct metric *) + sizeof(uint32_t)));
	free(k);
	return e < 0 ? NULL : idmap_get(&known, layout_id);
}
