/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the page of a run share. */
#ifndef PAGES_RUN_H
#define PAGES_RUN_H

#include "db/artifacts.h"
#include "db/corrections.h"
#include "db/distributions.h"
#include "server/pages/parts.h"

struct run_value {
	const struct metric *metric;
	enum metric_role role;
	const char *unit; /* NULL */
	double value;
};

struct run_page {
	struct run run;
	struct series series;
	struct commit commit;
	struct run_value *values; /* by role, then name */
	struct run_replaced replaced;
	struct distribution_in *distributions;
	size_t ndistributions;
	struct correction *corrections;
	size_t ncorrections;
	struct run_artifact *artifacts;
	size_t nartifacts;
};

/* run_files.c: percentiles and files of a run. */
void run_json_distributions(struct jw *w, const struct run_page *p);
void run_json_artifacts(struct jw *w, struct arena *a, const struct run_page *p);
void run_html_distributions(struct req *r, const struct run_page *p);
void run_html_artifacts(struct req *r, const struct run_page *p);

#endif
