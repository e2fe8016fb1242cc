/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Other machines beside the rows of a table that changed. A verdict takes all metrics of its
 * series, so each peer is judged as a whole, in an arena of its own of which only its own and
 * functional rows survive; once a page, however many tables ask for it, and for as long as the data
 * stay the same once for all pages (peers_kept.h). Bounded in peers of a row, in peers and cells of
 * a page, and in the values of a peer; what was not looked at is said.
 */
#include "server/model/compare_table.h"

#include "db/metrics.h"
#include "db/series_units.h"
#include "db/tokens.h"
#include "server/base/arena.h"
#include "server/base/digest.h"
#include "server/model/peers_kept.h"

#define PEERS_MAX      64                /* judged for a page */
#define PEER_CELLS_MAX ((size_t)1 << 14) /* kept of them */
#define PEER_VALUES    ((size_t)1 << 22) /* of one: 32 MiB */

bool compare_column_changed(const struct compare_table *t, size_t col)
{
	if (t->columns[col].base == col)
		return false;
	for (size_t i = 0; i < t->nrows; i++)
		if (t->rows[i].role != ROLE_MONITOR &&
		    verdict_is_change(t->rows[i].cells[col].verdict))
			return true;
	return false;
}

/* Monitors are followed where they are looked at closely. */
static bool is_kept(const struct compare_query *q, const struct comparison_row *row)
{
	return row->role != ROLE_MONITOR ||
	       (q->metric_glob && glob_match(q->metric_glob, row->metric->name));
}

static bool is_asked(const struct compare_query *q, const struct compare_table *t,
		     const struct comparison_row *row, size_t col)
{
	if (t->columns[col].base == col || !is_kept(q, row))
		return false;
	return t->detail ||
	       (row->role != ROLE_MONITOR && verdict_is_change(row->cells[col].verdict));
}

static int by_metric_id(const void *x, const void *y)
{
	const struct peer_row *a = x, *b = y;

	return (a->metric->id > b->metric->id) - (a->metric->id < b->metric->id);
}

static const char *unit_of(const struct series_unit *units, size_t n, const struct metric *m)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (units[middle].metric_id < m->id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && units[low].metric_id == m->id ? units[low].unit : m->facts.unit;
}

/* The rows of a judged peer that are kept, which stay where they are. */
static int pick_peer_rows(struct ctx *c, const struct compare_query *q,
			  const struct compare_table *t, struct compare_peer *peer)
{
	struct series_unit *units;
	size_t nunits;
	int rc = series_units(c, t->series.id, &units, &nunits);

	if (rc < 0)
		return rc;
	peer->rows = arena_array(c->arena, struct peer_row, t->all.nrows);
	for (size_t i = 0; i < t->all.nrows; i++) {
		const struct comparison_row *row = &t->all.rows[i];
		struct peer_row *out = &peer->rows[peer->nrows];

		if (!is_kept(q, row) || (row->role == ROLE_MONITOR && !peer->monitors))
			continue;
		out->metric = row->metric;
		out->unit = unit_of(units, nunits, row->metric);
		out->cells = arena_array(c->arena, const struct cell *, t->ncols);
		for (size_t k = 0; k < t->ncols; k++)
			out->cells[k] = &row->cells[k];
		peer->nrows++;
	}
	if (peer->nrows)
		qsort(peer->rows, peer->nrows, sizeof(*peer->rows), by_metric_id);
	return E_OK;
}

/* Judges a peer by the columns of the table of; all of it lives in c->arena. */
static int judge_peer(struct ctx *c, const struct compare_query *q, const struct compare_table *of,
		      int64_t id, struct compare_peer *peer)
{
	struct compare_column *columns =
		arena_copy(c->arena, of->columns, of->ncols * sizeof(*columns));
	struct cell_data *cells = arena_array(c->arena, struct cell_data, of->ncols);
	struct compare_table t = {.columns = columns, .ncols = of->ncols};
	int rc = series_get_id(c, id, &t.series);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < t.ncols; i++)
		columns[i].series = t.series;
	peer->series = t.series;
	peer->ncols = t.ncols;
	rc = compare_table_judge(c, q, &t, PEER_VALUES, !peer->monitors, cells);
	if (rc == E_TOO_LARGE) {
		ctx_clear(c);
		peer->skipped = true;
		return E_OK;
	}
	if (rc < 0 || rc == COMPARE_NOTHING)
		return rc;
	peer->quarantined = t.quarantined;
	return pick_peer_rows(c, q, &t, peer);
}

/* What the peer's rows come from besides the data: how the columns are asked for, since a printed
 * change is shown where its base is called as the reader calls it. */
static int make_key(struct ctx *c, const struct compare_table *t, int64_t id, struct peer_key *key)
{
	const char *name = db_name(c->db);
	uint64_t facts[] = {metrics_edition(), (uint64_t)id, t->ncols};
	struct digest_state d;

	digest_init(&d);
	digest_add(&d, facts, sizeof(facts));
	for (size_t i = 0; i < t->ncols; i++) {
		const struct compare_column *col = &t->columns[i];
		int64_t column[] = {col->commit->commit.id, (int64_t)col->base, col->commit->older};

		digest_add(&d, column, sizeof(column));
		digest_add_str(&d, col->commit->asked);
	}
	key->database = hash_bytes(name, strlen(name));
	key->what = digest_end(&d);
	return generation_get(c, &key->generation);
}

/* A copy in the page's arena, as far as the page has room. */
static void add_peer(struct compare *cmp, const struct compare_peer *peer)
{
	struct compare_peer *to;
	struct compare_peer bare = *peer;

	if (peer->nrows * peer->ncols > PEER_CELLS_MAX - cmp->peer_cells) {
		bare.skipped = true;
		bare.nrows = 0;
	}
	if (!cmp->peers) /* never moves: lists point into it */
		cmp->peers = arena_array(cmp->arena, struct compare_peer, PEERS_MAX);
	to = &cmp->peers[cmp->npeers++];
	*to = peer_copy(cmp->arena, &bare);
	cmp->peer_cells += to->nrows * to->ncols;
}

/* From what is kept, else judged anew, in an arena of its own. Monitors, and runs that a reader
 * chose, are asked for too seldom to be kept. */
static int load_peer(struct ctx *c, const struct compare_query *q, struct compare *cmp,
		     const struct compare_table *t, struct arena *own, int64_t id, bool monitors)
{
	bool keeps = !monitors && !compare_chooses_runs(q) && !db_writes(c->db);
	struct compare_peer peer = {.monitors = monitors};
	const struct compare_peer *kept = NULL;
	struct arena *table = c->arena;
	struct kept_peer *held = NULL;
	struct peer_key key;
	int rc = keeps ? make_key(c, t, id, &key) : E_OK;

	if (rc < 0)
		return rc;
	if (keeps)
		kept = peers_kept_take(&key, &held);
	if (!kept) {
		arena_reset(own);
		c->arena = own;
		rc = judge_peer(c, q, t, id, &peer);
		c->arena = table;
	}
	if (rc >= 0 && keeps && !kept)
		peers_kept_add(&key, &peer);
	if (rc >= 0)
		add_peer(cmp, kept ? kept : &peer);
	peers_kept_release(held);
	return rc;
}

/* Whether monitors of other machines are shown: beside rows of them that are looked at closely. */
static bool wants_monitors(const struct compare_query *q, const struct compare_table *t)
{
	bool has = false;

	for (size_t i = 0; t->detail && q->metric_glob && i < t->nrows && !has; i++)
		has = t->rows[i].role == ROLE_MONITOR;
	return has;
}

/* The peer with this id, loaded if it was not yet; NULL when the page has had enough of them. */
static int find_peer(struct ctx *c, const struct compare_query *q, struct compare *cmp,
		     const struct compare_table *t, struct arena *own, int64_t id,
		     const struct compare_peer **out)
{
	bool monitors = wants_monitors(q, t);
	int rc;

	*out = NULL;
	for (size_t i = 0; i < cmp->npeers; i++)
		if (cmp->peers[i].series.id == id && (cmp->peers[i].monitors || !monitors))
			*out = &cmp->peers[i];
	if (*out || cmp->npeers == PEERS_MAX)
		return E_OK;
	rc = load_peer(c, q, cmp, t, own, id, monitors);
	if (rc >= 0)
		*out = &cmp->peers[cmp->npeers - 1];
	return rc;
}

static struct other other_of(const struct compare_peer *peer, const struct metric *m, size_t base,
			     size_t col)
{
	struct other out = {.series = &peer->series, .quarantined = peer->quarantined};
	struct peer_row want = {.metric = m};
	const struct peer_row *row =
		peer->nrows ? bsearch(&want, peer->rows, peer->nrows, sizeof(want), by_metric_id)
			    : NULL;

	if (row) {
		out.unit = row->unit;
		out.base = row->cells[base];
		out.now = row->cells[col];
	}
	return out;
}

/* The rows of one column beside its peers. */
static void fill_column(struct arena *a, const struct compare_query *q, struct compare_table *t,
			size_t col, const struct compare_peer *const *peers, size_t n, bool more)
{
	size_t base = t->columns[col].base;

	for (size_t i = 0; i < t->nrows; i++) {
		const struct comparison_row *row = &t->rows[i];
		struct others *o = &t->others[i * t->ncols + col];

		if (!is_asked(q, t, row, col))
			continue;
		o->list = arena_array(a, struct other, n ? n : 1);
		o->more = more;
		for (o->n = 0; o->n < n; o->n++)
			o->list[o->n] = other_of(peers[o->n], row->metric, base, col);
		others_join(o, row->metric, &row->cells[base], &row->cells[col]);
	}
}

static int by_machine(const void *x, const void *y)
{
	const struct series *a = &(*(const struct compare_peer *const *)x)->series,
			    *b = &(*(const struct compare_peer *const *)y)->series;
	int d = strcmp(a->tbox_group, b->tbox_group);

	return d ? d : (a->id > b->id) - (a->id < b->id);
}

static int load_column(struct ctx *c, const struct compare_query *q, struct compare *cmp,
		       struct compare_table *t, struct arena *own, size_t col)
{
	const struct compare_peer *peers[OTHERS_MAX];
	const struct compare_column *columns = t->columns;
	int64_t *ids;
	size_t n, found = 0;
	bool more;
	int rc = compare_peers(c, t->series.id, columns[columns[col].base].commit,
			       columns[col].commit, OTHERS_MAX + 1, &ids, &n);

	more = n > OTHERS_MAX;
	for (size_t i = 0; rc >= 0 && i < n && i < OTHERS_MAX; i++) {
		rc = find_peer(c, q, cmp, t, own, ids[i], &peers[found]);
		if (rc >= 0 && peers[found] && !peers[found]->skipped)
			found++;
		else
			more = true;
	}
	if (found)
		qsort(peers, found, sizeof(peers[0]), by_machine);
	if (rc >= 0)
		fill_column(c->arena, q, t, col, peers, found, more);
	return rc;
}

int compare_load_others(struct ctx *c, const struct compare_query *q, struct compare *cmp,
			struct compare_table *t)
{
	auto_arena struct arena *own = arena_new();
	int rc = E_OK;

	if (t->ncols < 2 || t->nrows == 0)
		return E_OK;
	for (size_t k = 1; k < t->ncols && rc >= 0; k++) {
		if (!t->detail && !compare_column_changed(t, k))
			continue;
		if (!t->others)
			t->others = arena_array(c->arena, struct others, t->nrows * t->ncols);
		if (t->columns[k].base != k)
			rc = load_column(c, q, cmp, t, own, k);
	}
	return rc;
}
