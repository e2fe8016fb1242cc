/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One series over N commits, metric by metric: what the compare page shows. In go the runs and the
 * printed figures of each commit, out comes a row for each metric with a cell for each commit,
 * changes and verdicts against the first. Pure; everything lives in the arena that is handed in.
 *
 * Only verdict.c says what counts as a change.
 */
#ifndef ANALYSIS_COMPARISON_H
#define ANALYSIS_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/analysis/metric_rules.h"
#include "server/analysis/rule_scale.h"
#include "server/analysis/rule_version.h"

struct arena;
struct comparison_column;
struct rule_row;

/* A metric as comparisons know it; owned by the dictionary, lives as long as the process. */
struct metric {
	uint32_t id;
	const char *name;
	size_t name_len;
	struct metric_facts facts; /* by the rules, overridden by an administrator where he did */
	double threshold_pct;      /* smallest change that counts, in % or points; 0: the rule's */
	double floor; /* smallest value that counts where the base is 0; 0: the rule's */
};

/* A cell of a printed table, or a summary without samples. What is not known is NAN or -1. */
enum printed_kind { PRINTED_NO, PRINTED_BASE, PRINTED_PCT, PRINTED_ABS, PRINTED_REPRODUCTION };
struct summary_cell {
	const struct metric *metric;
	double mean, stddev, stddev_pct, min, max;
	int64_t n;                 /* number of runs, -1 */
	int64_t fails, runs;       /* functional, -1 */
	enum printed_kind printed; /* PRINTED_BASE: it stood in the table's first column */
	const char
		*printed_base; /* commit id or tag of the column its change was printed against */
	bool printed_base_matches; /* set by the caller: that column is the first commit asked for
				    */
	double printed_change;
};

/* One execution. metrics and values are parallel, sorted by metric id. */
struct sample_run {
	const struct metric *const *metrics;
	const double *values;
	size_t n;
	int64_t run_id;
};

/* One commit before a base, metric by metric as the rule wants it, sorted by id. Summaries and
 * metrics that count fails are not in it. */
struct history_cell {
	const uint32_t *ids;
	const struct rule_group *groups;
	size_t n;
	size_t profiled; /* runs that took a profile: a function that is not in it took no time */
};
/* False: the values are more than room. All that is in out lives in a. */
bool history_cell_fill(struct arena *a, const struct comparison_column *col, size_t room,
		       struct history_cell *out);

/* What a column is judged with besides its base: the commits measured before the older of both,
 * nearest last; at most RULE_HISTORY_MAX. */
struct comparison_history {
	const struct history_cell *const *cells;
	size_t n;
};

struct comparison_column {
	const struct sample_run *runs; /* status ok only */
	size_t nruns;
	int64_t boots; /* of the machine, that the runs came from; 0 or less: not known */
	const struct comparison_history *history; /* NULL: none */
	const struct summary_cell *cells;         /* sorted by metric id, one a metric */
	size_t ncells;
	int64_t failed; /* runs that did not end well */
	size_t base;    /* the column it is held against: an earlier one, or itself, then none */
};

enum verdict {
	VERDICT_NO_DATA,
	VERDICT_SAME,
	VERDICT_SUSPECT,
	VERDICT_CHANGED, /* it moved, and no direction is known */
	VERDICT_REGRESSION,
	VERDICT_IMPROVEMENT,
	VERDICT_FAILED,
};
const char *verdict_name(enum verdict v); /* as in the JSON: "no-data", "same", … */

struct cell {
	bool present; /* false: a null in JSON; of what is below only a verdict FAILED counts */
	int64_t n;    /* samples; -1 unknown (printed) */
	double mean, stddev, stddev_pop, min, max, median; /* NAN: unknown */
	double stddev_pct;                  /* as printed, NAN when it did not come printed */
	const double *values;               /* n samples in run order, NULL for summaries */
	int64_t fails, runs;                /* functional rows, else -1 */
	const struct summary_cell *summary; /* where it came from, NULL for samples */

	/* against the column's base */
	bool judged;                   /* false in a base, and where either side is absent */
	double change_abs, change_pct; /* change_pct NAN: base is 0 and the other is not */
	double reproduction_pct;       /* functional */
	bool show_printed;             /* the printed change is to be shown as it came */
	bool from_rounded;             /* computed from printed means: HTML marks it with ≈ */
	double p, q, cliff_delta;      /* NAN where not tested */
	double mde;      /* smallest change that would have been found in 4 of 5 cases: %, of
			  * percentages points; NAN where not known */
	int64_t history; /* commits before that it was judged with, -1 where not tested */
	int64_t boots;   /* of its column's runs, -1 not known */
	enum verdict verdict;
	bool reported;      /* origin: came printed, no samples on at least one side */
	const char *reason; /* one sentence with the numbers behind the verdict; NULL where not
			       judged */
	int gate;           /* enum rule_gate: which one decided; -1: not judged by the rule */
	bool one_boot;      /* all runs of this side, or of the base's, came from one boot */
	const struct rule_row *rule; /* what the rule made of it; NULL: not by the rule, or not kept
				      * (COMPARISON_RULES_MAX) */
};

struct comparison_row {
	const struct metric *metric;
	enum metric_role role;
	struct cell *cells;   /* ncols */
	enum verdict verdict; /* the weightiest of its cells; VERDICT_NO_DATA when there is none */
};

struct comparison {
	const char *testcase;
	bool own_only;
	size_t ncols;
	struct comparison_row *rows; /* in the robot's order: comparison_sort_robot; with own_only
				      * by the metrics' ids */
	size_t nrows;
};

/* Builds all rows and judges them. Verdicts and q cover every metric of the series, whatever a page
 * shows afterwards. ncols >= 1. Memory is about that of the values handed in; but a failure counts
 * as 0 in each run that does not name it, and cells are large, so both have their bounds. False:
 * there is more, and out has no rows. */
#define COMPARISON_VALUES_MAX ((size_t)32 << 20) /* of all columns: 256 MiB */
#define COMPARISON_CELLS_MAX  ((size_t)3 << 17)  /* rows times columns: 200 MiB with their words */
#define COMPARISON_RULES_MAX  ((size_t)1 << 16)  /* cells up to which each keeps its rule_row */
bool comparison_build(struct arena *a, const char *testcase, const struct comparison_column *cols,
		      size_t ncols, struct comparison *out);
/* The same by a rule that is named, comparison_build takes the newest; and with other facts of one
 * metric, for who asks what an override would change. */
struct comparison_judging {
	enum rule_version rule;
	const struct metric *instead; /* of the metric with its id; NULL: all as they are */
	bool own_only; /* monitors lend their noise to the other rows, and are neither described nor
			* judged: for who looks at the others alone, where the rule allows that */
};
bool comparison_build_by(struct arena *a, const struct comparison_judging *by, const char *testcase,
			 const struct comparison_column *cols, size_t ncols,
			 struct comparison *out);

/* Orders of rows. Robot: LKP.md section 3 (groups, failures first, the test's own group first among
 * performance rows, perf-profile by two name parts and change). Change: most severe and largest
 * first. Confidence: smallest q first. Name: by bytes. All are total orders, so the same input
 * always gives the same page. */
enum row_order { ORDER_ROBOT, ORDER_CHANGE, ORDER_NAME, ORDER_CONFIDENCE };
void comparison_sort(struct comparison *c, enum row_order order);

/* True when the row counts fails of runs (some cell has them): it stands in the table's part of
 * failures. */
bool row_counts_fails(const struct comparison_row *r, size_t ncols);

/* True when the cell is worth showing in a list of changes: verdict neither same nor no-data. */
bool verdict_is_change(enum verdict v);
/* How bad for sorting "worst first": regression > failed > suspect > changed > improvement > … */
int verdict_weight(enum verdict v);

#endif
