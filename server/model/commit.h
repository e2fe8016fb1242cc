/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commit page's model: what is known of one commit, and every result on every machine against
 * the nearest measured ancestor, worst first. Fills from db/, judges with analysis/. Bounded: at
 * most COMMIT_RESULTS_MAX series are compared, and of each at most COMMIT_ROWS_MAX rows are kept on
 * either side; all are counted.
 */
#ifndef MODEL_COMMIT_H
#define MODEL_COMMIT_H

#include "db/commits.h"
#include "db/runs.h"
#include "db/series.h"
#include "server/analysis/comparison.h"
#include "server/model/others.h"

#define COMMIT_RESULTS_MAX 200
#define COMMIT_ROWS_MAX    100

/* One metric of a series: what it was on the base and what it is on the commit. Without a base the
 * first cell is not present. Samples are not kept (values is NULL). */
struct commit_row {
	const struct metric *metric;
	enum metric_role role;
	const char *unit; /* as uploaded, else by rule, else NULL */
	struct cell base, now;
	struct others *others; /* of an own or functional row that changed; NULL: of others */
};

struct row_list {
	struct commit_row *rows;
	size_t n, seen; /* kept, and how many there are */
};

/* One series measured on the commit. */
struct commit_result {
	struct series series;
	const char *address;     /* of the commit as it was uploaded: by its id, a tag, a prefix; of
				    several its own, or the first */
	int64_t n, failed;       /* runs under all names: ok; failed or incomplete */
	bool printed;            /* something came as a summary */
	const char *too_large;   /* why nothing of it is judged here; NULL: all is */
	const char *quarantined; /* its machine, not judged therefore; NULL: it is judged */
	bool has_base;
	struct commit base;
	struct row_list worst;  /* regressions, failures, suspects that look worse, moves without
				   direction */
	struct row_list best;   /* improvements, and suspects that look better */
	struct row_list steady; /* primary rows that did not change, or were not compared */
	size_t counts[VERDICT_FAILED + 1]; /* rows by verdict */
	const char *beside; /* what differs from the base's runs besides the commit, where an own or
			     * functional row changed; NULL: nothing */
	size_t regressions[ROLE_FUNCTIONAL + 1], improvements[ROLE_FUNCTIONAL + 1]; /* by role */
};

struct commit_page {
	struct commit commit;
	int64_t *rows; /* of it and of all other names that git knows to be the same commit */
	size_t nrows;
	int64_t against; /* a row: where it was measured, results are held against it; 0: always the
			    nearest measured ancestor */
	struct commit *parents, *children;
	size_t nparents, nchildren;
	struct pair *trailers; /* in the order of the message; names may repeat */
	size_t ntrailers;
	struct build *builds;
	size_t nbuilds, nwarnings; /* warnings of all builds */
	struct report *reports;
	size_t nreports;
	struct commit_result *results; /* worst first */
	size_t nresults;
	enum rule_version rule; /* that judged them: the one in force */
	bool cut;               /* there are more series than were compared */
	struct commit_git *git; /* commit_git.h; NULL: git does not know it */
	const char *sentence;   /* all results in one sentence */
};

/* Fills everything for a commit that was found. */
int commit_page_load(struct ctx *c, const struct commit *commit, struct commit_page *out);

/* The results alone, of p->commit under all its names, of at most max series. */
int commit_results_load(struct ctx *c, size_t max, struct commit_page *p);

/* Fills what the machines of the results say of each other's rows; of each row at most OTHERS_MAX
 * of them. The results are all that is known: nothing is loaded. */
void commit_results_join(struct arena *a, struct commit_result *results, size_t n);

/* Parts of it, pure, for tests. */
/* Trailers ("Reported-by: x <y>") of a message: those lines of its last paragraph, when all lines
 * of it are. */
struct pair *commit_trailers(struct arena *a, const char *message, size_t *n);
/* The size that a row is sorted by: percent, points, or reproduction, without sign; infinity from a
 * base of 0. */
double commit_row_size(const struct commit_row *row);
/* Worst first, for qsort: what the test itself measures before monitors, then verdict, then size.
 */
int commit_row_compare(const void *a, const void *b);
/* True: the row changed towards what is good. */
bool commit_row_is_better(const struct commit_row *row);
/* The change of a row in the words of its kind: "-12.5 %", "+3.10 points", "failed in 3 of 6 runs,
 * before in 0 of 6". */
const char *commit_change_text(struct arena *a, const struct commit_row *row);
/* "worse in 2 of 3 tests on 1 of 2 machines, worst -12.5 % hackbench.throughput; no change in 41
 * metrics" */
const char *commit_sentence(struct arena *a, const struct commit_result *results, size_t n);

#endif
