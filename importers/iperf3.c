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

#include "importers/formats.h"
#include "importers/json_piece.h"
#include "importers/program_output.h"
#include "server/base/arena.h"

static struct iperf3_output *last(struct iperf3 *all)
{
	return &all->list[all->n - 1];
}

void iperf3_begin(struct iperf3 *all)
{
	if (all->n == IPERF3_OUTPUTS_MAX)
		fail(all->ctx, E_TOO_LARGE, "the file has more than %d outputs: import it in parts",
		     IPERF3_OUTPUTS_MAX);
	all->list =
		arena_grow(all->ctx->arena, all->list, &all->cap, all->n + 1, sizeof(*all->list));
	all->list[all->n++] = (struct iperf3_output){.started = -1};
}

void iperf3_add(struct iperf3 *all, const char *unit, double v, const char *place, const char *name)
{
	struct iperf3_output *o = last(all);

	if (!isfinite(v))
		return;
	o->figures =
		arena_grow(all->ctx->arena, o->figures, &o->cap, o->n + 1, sizeof(*o->figures));
	o->figures[o->n++] =
		(struct iperf3_figure){arena_fmt(all->ctx->arena, "%s.%s", place, name), unit, v};
}

void iperf3_add_interval(struct iperf3 *all, double bps)
{
	struct iperf3_output *o = last(all);

	if (!isfinite(bps))
		return;
	o->intervals = arena_grow(all->ctx->arena, o->intervals, &o->interval_cap,
				  o->nintervals + 1, sizeof(*o->intervals));
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
	struct bucket_in *buckets = arena_array(a, struct bucket_in, o->nintervals);
	struct distribution_in d = {.unit = "bit/s", .n = (int64_t)o->nintervals};
	double squares = 0, sum = 0;
	size_t n = 0;

	if (!o->nintervals)
		return;
	qsort(o->intervals, o->nintervals, sizeof(*o->intervals), by_value);
	for (size_t i = 0; i < o->nintervals; i++) {
		if (!n || buckets[n - 1].le != o->intervals[i])
			buckets[n++].le = o->intervals[i];
		buckets[n - 1].count++;
		sum += o->intervals[i];
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

static bool setup_varies(const struct iperf3 *all, size_t which)
{
	const char *first = all->list[0].setup[which];

	for (size_t i = 1; i < all->n; i++) {
		const char *other = all->list[i].setup[which];

		if (first && other && strcmp(first, other) != 0)
			return true;
		first = first ? first : other;
	}
	return false;
}

static int store(struct iperf3 *all, const struct iperf3_output *o, const bool *varies)
{
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
		if (o->setup[i] && varies[i])
			record_axis(r, setup_names[i], o->setup[i]);
		else if (o->setup[i])
			record_info(r, arena_fmt(all->ctx->arena, "iperf.%s", setup_names[i]),
				    o->setup[i]);
	}
	for (size_t i = 0; i < o->n; i++)
		record_value(r, o->figures[i].unit, o->figures[i].v, "iperf.%s",
			     o->figures[i].name);
	record_intervals(all->ctx->arena, r, o);
	return record_end(r);
}

int import_iperf3(struct import *in, const char *bytes, size_t n)
{
	struct iperf3 all = {.in = in, .ctx = in->ctx};
	bool varies[IPERF3_SETUPS];
	const char *error = NULL;
	size_t figures = 0;
	int e = E_OK;

	if (json_piece_find(bytes, bytes + n))
		iperf3_read_json(&all, bytes, n);
	else
		iperf3_read_text(&all, bytes, n);
	if (in->ctx->err)
		return in->ctx->err;
	for (size_t i = 0; i < all.n; i++) {
		figures += all.list[i].n;
		error = error ? error : all.list[i].error;
	}
	if (!figures && error)
		return fault(in->ctx, "", "no figure was found in it: iperf3 says \"%.200s\"",
			     error);
	if (!figures)
		return fault(in->ctx, "", "no figure of iperf3 was found in it");
	for (size_t i = 0; i < IPERF3_SETUPS; i++)
		varies[i] = setup_varies(&all, i);
	for (size_t i = 0; i < all.n && e == E_OK; i++)
		e = store(&all, &all.list[i], varies);
	return e;
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
