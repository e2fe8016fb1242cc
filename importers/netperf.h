/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the two files behind the netperf importer share; for nobody else. */
#ifndef IMPORTERS_NETPERF_H
#define IMPORTERS_NETPERF_H

#include <stdbool.h>

struct arena;
struct program_output;

#define OMNI_HEAD_MAX 8 /* lines above the figures of a table */

/* Figures that netperf prints with their names. */
struct omni {
	struct arena *arena; /* of the head's lines alone */
	/* what was told of the throughput; 0: nothing */
	double value, seconds, size, mbps, tps;
	char units[40];
	char *head[OMNI_HEAD_MAX]; /* lines that may be a table's head */
	int nhead;
	char first[40]; /* key that the figures began with, "" */
	bool begun;     /* the line that names the test was met */
};

/* Reads "KEY=VALUE", or a line of a table with names above it, and adds its figures. False: it is
 * neither; the line may be of a classic table. */
bool omni_line(struct omni *k, struct program_output *o, const char *line);
/* Whether the line is the key again that they began with: another output's. */
bool omni_repeats(const struct omni *k, const char *line);
void omni_reset(struct omni *k);

#endif
