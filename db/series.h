/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Series: everything that identifies a measurement except the commit, a sorted map of axes. The
 * digest (BLAKE2b-128 over the sorted "name NUL value NUL") is what links carry. axes.def puts each
 * axis in a class; series equal but for class machine share peer_digest ("other machines"), series
 * equal in class test alone share test_digest (neighbours).
 */
#ifndef DB_SERIES_H
#define DB_SERIES_H

#include "db/engine.h"
#include "db/submission.h"

enum axis_class { AXIS_MACHINE, AXIS_BUILD, AXIS_TEST };
enum axis_class axis_class_of(const char *name);

struct series {
	int64_t id;
	char digest[DIGEST_HEX + 1];
	const char *testcase, *tbox_group;
	const struct pair *axes; /* sorted by name */
	size_t naxes;
	/* filled by series_count, and in lists */
	int64_t commits, runs, metrics;
	int64_t last_upload; /* TIME_NONE */
};

struct digest series_digest(const struct pair *axes, size_t naxes);

/* ref is a number of fewer than 8 digits, or a digest or its prefix of at least 8 digits.
 * E_NOTFOUND, E_INVALID (not such a form), E_AMBIGUOUS. */
int series_get(struct ctx *c, const char *ref, struct series *out);
int series_get_id(struct ctx *c, int64_t id, struct series *out);
/* Fills the counts of a series; costs a step for each of its commits, so pages that do not show
 * them do not ask. */
int series_count(struct ctx *c, struct series *s);
/* Value of an axis or NULL. */
const char *series_axis(const struct series *s, const char *name);

/* Series that match all of the axes, by id above after; at most limit. */
int series_list(struct ctx *c, const struct pair *axes, size_t naxes, int64_t after, size_t limit,
		struct series **out, size_t *n);
/* Peers: other machines, equal in class test and build. Neighbours: the same machine, equal in
 * class test alone (another ucode, rootfs, compiler …). Without s itself. */
int series_peers(struct ctx *c, const struct series *s, struct series **out, size_t *n);
int series_neighbours(struct ctx *c, const struct series *s, struct series **out, size_t *n);

/* Id of the series with a full digest; 0: there is none. */
int series_find(struct ctx *c, const char *digest, int64_t *series_id);
/* Writer only: finds or creates. The id may be cached by the caller only after the commit. */
int series_ensure(struct ctx *c, const struct submission *sub, int64_t now, int64_t *series_id);

/* One cell of the map series x commit: what was measured there. */
struct measured {
	int64_t series_id, commit_id;
	int64_t runs, failed, summaries; /* runs: status ok; failed: failed or incomplete */
	int64_t first_received, last_received;
};
/* What of the map, named m, is shown: a cell that holds nothing but what was replaced or deleted
 * stays in the map for corrections, and is nowhere measured. What is invalid stays in view. */
#define MEASURED_IN_VIEW                                                                           \
	"(m.runs > 0 OR m.failed > 0 OR m.summaries > 0"                                           \
	" OR EXISTS (SELECT 1 FROM run v WHERE v.series_id = m.series_id"                          \
	" AND v.commit_id = m.commit_id AND v.status = 3)"                                         \
	" OR EXISTS (SELECT 1 FROM summary v WHERE v.series_id = m.series_id"                      \
	" AND v.commit_id = m.commit_id AND v.status = 3))"

/* Series measured on the commit / commits measured in the series, by id. At most limit. */
int measured_of_commit(struct ctx *c, int64_t commit_id, size_t limit, struct measured **out,
		       size_t *n);
int measured_of_series(struct ctx *c, int64_t series_id, size_t limit, struct measured **out,
		       size_t *n);
/* Series that were measured (also: failed) on base and on at least one of the others, ids above
 * after; at most limit. For one commit alone pass nothers = 0: all its series. */
int series_shared(struct ctx *c, int64_t base, const int64_t *others, size_t nothers, int64_t after,
		  size_t limit, int64_t **ids, size_t *n);
/* Writer only: adds to the counts of a cell. added says how many; its times are not read. */
int measured_add(struct ctx *c, const struct measured *added, int64_t now);
/* Writer only: takes from the counts of a cell what counts no more; its times stay. */
int measured_take(struct ctx *c, const struct measured *gone);

#endif
