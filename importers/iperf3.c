/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * iperf3, its JSON and what it prints for people. Each output is a run and a submission of its own.
 * Names are the robot's: iperf.tcp.sender.bps, iperf.tcp.receiver.bps, iperf.udp.bps; the other
 * figures of the sums stand beside them (iperf.tcp.sender.retransmits), those of the streams under
 * iperf.tcp.streamN., and those of the way back of --bidir under iperf.tcp.reverse. The bits a
 * second of the intervals are kept as a distribution, each of them a bucket.
 *
 * Where outputs of one file differ in protocol, streams, direction or size of blocks, that becomes
 * an axis of each.
 */
#include "importers/iperf3.h"

#include <math.h>

#include "db/distributions.h"
#include "importers/formats.h"
#include "importers/json_piece.h"
#include "importers/program_output.h"
#include "server/base/arena.h"

void iperf3_end(struct iperf3 *all)
{
	if (all->open && !all->stopped)
		all->stopped = all->each(all, &all->now, all->arg) < 0;
	all->open = false;
	all->now = (struct iperf3_output){.started = -1};
	arena_reset(all->a);
}

void iperf3_begin(struct iperf3 *all)
{
	iperf3_end(all);
	all->open = true;
}

void iperf3_add(struct iperf3 *all, const char *unit, double v, const char *place, const char *name)
{
	struct iperf3_output *o = &all->now;

	if (!isfinite(v))
		return;
	o->figures = arena_grow(all->a, o->figures, &o->cap, o->n + 1, sizeof(*o->figures));
	o->figures[o->n++] =
		(struct iperf3_figure){arena_fmt(all->a, "%s.%s", place, name), unit, v};
}

void iperf3_add_interval(struct iperf3 *all, double bps)
{
	struct iperf3_output *o = &all->now;

	if (!isfinite(bps))
		return;
	o->intervals = arena_grow(all->a, o->intervals, &o->interval_cap, o->nintervals + 1,
				  sizeof(*o->intervals));
	o->intervals[o->nintervals++] = bps;
}

/* --- storing --- */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void record_intervals(struct arena *a, struct record *r, const struct iperf3_output *o)
{
	struct bucket_in *buckets;
	struct distribution_in d = {.unit = "bit/s", .n = (int64_t)o->nintervals};
	double squares = 0, sum = 0;
	size_t n = 0, different = 1;

	if (!o->nintervals)
		return;
	qsort(o->intervals, o->nintervals, sizeof(*o->intervals), by_value);
	for (size_t i = 1; i < o->nintervals; i++)
		different += o->intervals[i] != o->intervals[i - 1];
	different = different <= BUCKETS_MAX ? different : 0; /* the store takes no more */
	buckets = arena_array(a, struct bucket_in, different);
	for (size_t i = 0; i < o->nintervals; i++) {
		sum += o->intervals[i];
		if (!different)
			continue;
		if (!n || buckets[n - 1].le != o->intervals[i])
			buckets[n++].le = o->intervals[i];
		buckets[n - 1].count++;
	}
	d.metric = arena_fmt(a, "iperf.%s.interval.bps", o->protocol ? o->protocol : "tcp");
	d.min = o->intervals[0];
	d.max = o->intervals[o->nintervals - 1];
	d.mean = sum / (double)o->nintervals;
	for (size_t i = 0; i < o->nintervals; i++)
		squares += (o->intervals[i] - d.mean) * (o->intervals[i] - d.mean);
	d.stddev = sqrt(squares / (double)o->nintervals);
	d.buckets = buckets;
	d.nbuckets = n;
	record_distribution(r, &d);
}

static const char *const setup_names[IPERF3_SETUPS] = {"protocol", "nr_streams", "reverse",
						       "blksize"};

/* What is known of the whole file when its outputs are stored. */
struct whole {
	const char *first[IPERF3_SETUPS]; /* that was told */
	bool varies[IPERF3_SETUPS];
	size_t figures;
	const char *error; /* the first that iperf3 told; NULL */
};

static int note(struct iperf3 *all, struct iperf3_output *o, void *arg)
{
	struct whole *w = arg;
	struct arena *a = all->ctx->arena;

	for (size_t i = 0; i < IPERF3_SETUPS; i++) {
		if (!o->setup[i])
			continue;
		if (!w->first[i])
			w->first[i] = arena_str(a, o->setup[i]);
		w->varies[i] = w->varies[i] || strcmp(w->first[i], o->setup[i]) != 0;
	}
	w->figures += o->n;
	if (!w->error)
		w->error = arena_str(a, o->error);
	return E_OK;
}

static int store(struct iperf3 *all, struct iperf3_output *o, void *arg)
{
	const struct whole *w = arg;
	struct record *r = record_begin(all->in, "iperf");

	record_run(r);
	if (o->started > 0)
		record_submission(r)->started = o->started;
	if (o->error) {
		record_submission(r)->status = RUN_FAILED;
		record_info(r, "iperf.error", o->error);
	}
	record_info(r, "iperf.version", o->version);
	for (size_t i = 0; i < IPERF3_SETUPS; i++) {
		if (o->setup[i] && w->varies[i])
			record_axis(r, setup_names[i], o->setup[i]);
		else if (o->setup[i])
			record_info(r, arena_fmt(all->a, "iperf.%s", setup_names[i]), o->setup[i]);
	}
	for (size_t i = 0; i < o->n; i++)
		record_value(r, o->figures[i].unit, o->figures[i].v, "iperf.%s",
			     o->figures[i].name);
	record_intervals(all->a, r, o);
	return record_end(r);
}

static void read_outputs(struct iperf3 *all, const char *bytes, size_t n)
{
	all->a = arena_new();
	iperf3_end(all);
	if (json_piece_find(bytes, bytes + n))
		iperf3_read_json(all, bytes, n);
	else
		iperf3_read_text(all, bytes, n);
	iperf3_end(all);
	arena_free(all->a);
}

int import_iperf3(struct import *in, const char *bytes, size_t n)
{
	struct whole w = {.error = NULL};
	struct iperf3 all = {.in = in, .ctx = in->ctx, .each = note, .arg = &w};

	read_outputs(&all, bytes, n);
	if (in->ctx->err)
		return in->ctx->err;
	if (!w.figures && w.error)
		return fault(in->ctx, "", "no figure was found in it: iperf3 says \"%.200s\"",
			     w.error);
	if (!w.figures)
		return fault(in->ctx, "", "no figure of iperf3 was found in it");
	all = (struct iperf3){.in = in, .ctx = in->ctx, .each = store, .arg = &w};
	read_outputs(&all, bytes, n);
	return in->ctx->err;
}

int iperf3_sniff(const char *bytes, size_t n)
{
	if (sniff_finds(bytes, n, "\"version\"") && sniff_finds(bytes, n, "\"iperf 3"))
		return 95;
	if ((sniff_finds(bytes, n, "[ ID] Interval") ||
	     sniff_finds(bytes, n, "[ ID][Role] Interval")) &&
	    sniff_finds(bytes, n, "its/sec"))
		return sniff_finds(bytes, n, "Bitrate") || sniff_finds(bytes, n, "sender") ? 90
											   : 50;
	return 0;
}
