/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of the page of one series: what is loaded for it, and its forms. */
#ifndef PAGES_SERIES_ONE_H
#define PAGES_SERIES_ONE_H

#include "db/commits.h"
#include "db/metrics.h"
#include "db/runs.h"
#include "db/series.h"
#include "server/model/series_changes.h"
#include "server/pages/req.h"

#define SERIES_SPARKS  6     /* primary metrics that get a small picture */
#define SERIES_COMMITS 10000 /* of which counts are read */

struct series_value { /* a metric of the series */
	const struct metric *metric;
	const char *unit;
	enum metric_role role;
	bool measured;       /* on the last commit */
	double mean, stddev; /* there */
	const double
		*means; /* by commit, oldest first; for the first SERIES_SPARKS primary metrics */
	size_t nmeans;
};

struct series_commit {
	const int64_t *rows; /* of all its names in the series */
	size_t nrows;
	const char *name, *subject; /* whole name */
	int64_t date;
	int64_t runs, failed, summaries, last_received;
};

struct series_page {
	struct series series;
	struct series_value *metrics; /* primary, functional, monitors; by name */
	size_t nmetrics;
	struct series_commit *commits; /* newest first */
	size_t ncommits;               /* loaded; series.commits is how many there are */
	struct series *peers, *neighbours;
	size_t npeers, nneighbours;
	struct series_changes changes;
};

int series_page_load(struct ctx *c, const char *ref, struct series_page *out);

/* limit: commits shown. */
void series_page_json(struct req *r, const struct series_page *p, size_t limit);
void series_page_csv(struct req *r, const struct series_page *p);
void series_page_txt(struct req *r, const struct series_page *p, size_t limit);
/* What of the axes differs between two series, "compiler: gcc-12 here, clang-15 there". */
const char *series_difference(struct arena *a, const struct series *here,
			      const struct series *there);

#endif
