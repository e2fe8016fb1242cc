/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What judged peers of a comparison come to (compare_others.c), kept in the process: at most
 * PEERS_KEPT_BYTES of them, those that were used last. A verdict of a peer depends on the data as
 * a whole (its history, the order that git gives it, quarantine, overrides, the rule), so one is
 * kept under the generation of the data and is never met again after any write. Any thread.
 */
#ifndef MODEL_PEERS_KEPT_H
#define MODEL_PEERS_KEPT_H

#include "db/series.h"
#include "server/analysis/comparison.h"

#define PEERS_KEPT_BYTES ((size_t)16 << 20)

struct peer_row {
	const struct metric *metric;
	const char *unit;          /* NULL: none */
	const struct cell **cells; /* a column each */
};
struct compare_peer {
	struct series series;
	const char *quarantined; /* its machine; NULL: it is judged */
	bool skipped;            /* too large to be looked at: it has no rows */
	bool monitors;           /* it has the monitors that were asked for, too */
	struct peer_row *rows;   /* by metric id */
	size_t nrows, ncols;
};
/* All of it in a; cells without their values. */
struct compare_peer peer_copy(struct arena *a, const struct compare_peer *p);

/* What a peer was judged by, its series and columns in the digest of what. */
struct peer_key {
	uint64_t database; /* hash of its name */
	int64_t generation;
	struct digest what;
};
/* The peer with this key, good until peers_kept_release; NULL: it is not kept. */
struct kept_peer;
const struct compare_peer *peers_kept_take(const struct peer_key *key, struct kept_peer **held);
void peers_kept_release(struct kept_peer *held);
/* Keeps a copy, unless it alone would fill a quarter of the room; earlier generations go. */
void peers_kept_add(const struct peer_key *key, const struct compare_peer *p);

#endif
