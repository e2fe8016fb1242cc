/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The packed forms. Pure, no SQL.
 *
 * samples: the values of one run, little-endian IEEE doubles, in the order of its layout.
 * layout: the metric ids of a run, ascending, little-endian 32-bit; shared by all runs with the
 * same set. A metric that was not measured is not in the layout: absent is not 0. summary: what a
 * printed table said of one commit, cell by cell (samples.c describes the bytes). Doubles are kept
 * as bytes, so -0.0 keeps its sign.
 */
#ifndef DB_SAMPLES_H
#define DB_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include "server/base/err.h"
#include "server/base/out.h"

struct summary_in;

struct layout {
	int64_t layout_id;
	size_t n;
	const uint32_t *metric_ids; /* ascending */
};

void samples_pack(const double *values, size_t n, struct out *o);
/* Borrows bytes when they are aligned and the machine is little-endian, else copies into the arena.
 * NULL when nbytes is not n * 8. */
const double *samples_unpack(struct arena *a, const void *bytes, size_t nbytes, size_t n);
void layout_pack(const uint32_t *ids, size_t n, struct out *o);
const uint32_t *layout_unpack(struct arena *a, const void *bytes, size_t nbytes, size_t *n);
/* Position of a metric in a layout, or -1. */
long layout_find(const struct layout *l, uint32_t metric_id);

/* A stored summary cell. NAN and -1 are "unknown", printed as in analysis/comparison.h. */
struct stored_cell {
	uint32_t metric_id;
	double mean, stddev, stddev_pct, min, max;
	int64_t n, fails, runs;
	int printed;              /* enum printed_kind */
	const char *printed_base; /* in the arena, or NULL */
	double printed_change;
};
/* Cells ascending by metric id. */
void summary_pack(const struct stored_cell *cells, size_t n, struct out *o);
/* E_INTERNAL when the bytes are damaged; *cells in the arena. */
int summary_unpack(struct ctx *c, const void *bytes, size_t nbytes, struct stored_cell **cells,
		   size_t *n);

#endif
