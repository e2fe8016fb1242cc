/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the two readers of iperf3's output share; for nobody else. */
#ifndef IMPORTERS_IPERF3_H
#define IMPORTERS_IPERF3_H

#include "importers/import.h"

enum { IPERF3_PROTOCOL, IPERF3_STREAMS, IPERF3_REVERSE, IPERF3_BLOCK, IPERF3_SETUPS };

struct iperf3_figure {
	const char *name, *unit; /* without "iperf." */
	double v;
};

struct iperf3_output {
	struct iperf3_figure *figures;
	size_t n, cap;
	double *intervals; /* bit/s */
	size_t nintervals, interval_cap;
	const char *protocol;             /* "tcp"; NULL: not told */
	const char *setup[IPERF3_SETUPS]; /* NULL: not told */
	const char *version, *error;      /* NULL */
	int64_t started;                  /* -1: not told */
};

/* The outputs of a file, one after the other: a reader begins one, adds to it and ends it. Then it
 * goes to each, and its memory is used again. */
struct iperf3 {
	struct import *in;
	struct ctx *ctx;
	int (*each)(struct iperf3 *all, struct iperf3_output *o, void *arg);
	void *arg;
	struct arena *a;    /* of the output that is read */
	bool open, stopped; /* stopped: each failed */
	struct iperf3_output now;
};

/* A further output, to which all that follows belongs; ends the one before. */
void iperf3_begin(struct iperf3 *all);
void iperf3_end(struct iperf3 *all);
/* A figure "<place>.<name>"; what is not finite is left out. */
void iperf3_add(struct iperf3 *all, const char *unit, double v, const char *place,
		const char *name);
void iperf3_add_interval(struct iperf3 *all, double bps);

/* Each adds what it finds; failures and faults are in the ctx. */
void iperf3_read_json(struct iperf3 *all, const char *bytes, size_t n);
void iperf3_read_text(struct iperf3 *all, const char *bytes, size_t n);

#endif
