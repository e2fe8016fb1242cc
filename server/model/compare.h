/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The compare page's model, table by table. The columns of a table are commits of one series, or
 * the values of one axis at one commit (across), or base and change of several pairs. Used by
 * pages, the command line and reports. Fills from db/, judges with analysis/.
 *
 *	rc = compare_load(c, &q, &cmp, &many);
 *	while (rc >= 0 && (rc = compare_next(c, &q, &cmp, scratch, &t)) == COMPARE_TABLE)
 *		write(&t);
 */
#ifndef MODEL_COMPARE_H
#define MODEL_COMPARE_H

#include "db/commits.h"
#include "db/corrections.h"
#include "db/runs.h"
#include "db/series.h"
#include "server/analysis/comparison.h"
#include "server/analysis/equivalence.h"
#include "server/analysis/recovered.h"
#include "server/model/others.h"

struct compare_query {
	const char *const *asked; /* revisions as asked for, the first is the base */
	size_t nasked;
	bool pairs;              /* asked are a base and its change, a base and its change … */
	const char *across;      /* of one commit: series that differ in this axis alone; NULL */
	const char *base;        /* its value that is the base; NULL: the first by bytes */
	bool others;             /* with other machines, and what else changed, of rows that did */
	bool detail;             /* with all numbers behind the rows … */
	bool detail_one;         /* … or where metric_glob fits a single one */
	bool own_only;           /* the test's own rows and the functional ones; no monitors */
	const char *series;      /* number, digest or prefix; NULL */
	const struct pair *axes; /* filters */
	size_t naxes;
	const struct pair *infos; /* only runs of which all this was told … */
	size_t ninfos;
	int64_t since, until;    /* … and that ran (else came) in [since, until); 0: open */
	const char *metric_glob; /* NULL */
	int role;                /* enum metric_role, -1 any */
	bool changed_only;       /* rows whose verdict is a change */
	enum row_order order;
	size_t limit;  /* tables */
	int64_t after; /* cursor: series ids above */
};

#define COMPARE_COMMITS_MAX 16
#define COMPARE_DETAIL_MAX  50 /* rows of a table with all numbers behind them */
#define COMPARE_ACROSS_MAX  32 /* values of an axis side by side; more are counted */

struct compare_commit {
	struct commit commit;
	const char *asked; /* as the reader wrote it */
	const char *name;  /* compare_name() of it */
	bool older;        /* known to be older than its base: what is said of it turns */
	/* The names that something of it was uploaded under, and their rows: commit itself, then
	 * all others that git has at the same place. */
	const struct commit *names;
	const int64_t *rows;
	size_t nnames;
};

/* What stands over a column. */
struct compare_column {
	const struct compare_commit *commit;
	const char *name;     /* the commit's, or across an axis its value ("none" without) */
	const char *value;    /* across: the value, NULL: the series does not have the axis */
	struct series series; /* that it is of */
	size_t base;          /* the column that it is held against; its own number: of none */
};

struct info_difference {
	const char *key;
	const char *const
		*values; /* one a column; "a, b" when runs of a column differ; NULL unknown */
};

/* What corrections did to the runs of a column. */
struct compare_corrected {
	struct correction_note *notes;
	size_t n;
	int64_t count; /* runs and summaries that were of it */
};

struct compare_table {
	struct series series; /* across: the first column's */
	const struct compare_column *columns;
	size_t ncols, left_out;             /* left_out: columns that there was no room for */
	const char *error;                  /* why there are no rows: it is too large; else NULL */
	const char *quarantined;            /* a machine of it, not judged therefore; NULL: none */
	struct comparison all;              /* every row, judged */
	struct comparison_row *rows;        /* those that pass the filters, in order */
	size_t nrows, hidden;               /* hidden: rows that changed_only left out */
	size_t counts[VERDICT_FAILED + 1];  /* rows by verdict, before changed_only */
	size_t primary[VERDICT_FAILED + 1]; /* of these the ones of role primary */
	const int64_t *runs, *boots, *failed;      /* a column each; boots -1 unknown */
	const struct compare_corrected *corrected; /* a column each */
	const bool *printed;      /* a column each: it has figures without samples */
	const char *const *units; /* parallel to rows: as uploaded, else by rule, else NULL */
	struct info_difference *infos;
	size_t ninfos;
	bool detail;                /* the few rows are to be shown with all numbers behind them */
	struct others *others;      /* others.h: of row i in column k at i * ncols + k, of own and
				     * functional rows that changed, or are shown in detail; those
				     * that were not asked for have no list. NULL: of none */
	const char *const *besides; /* a column each: what differs from its base besides the commit,
				     * where something of it changed: "microcode differs too: 0x1 ->
				     * 0x2"; NULL: nothing. NULL: not looked at */
};

/* Of a change that the first pair showed, what a later version of the patch still has; or, of the
 * second of three commits, what the third has. */
struct compare_kept {
	struct series series;
	const struct metric *metric;
	int64_t first_version, version;
	const char *by;    /* of three commits: the third's label or name; NULL of versions */
	double first, now; /* change in percent; points of percent metrics */
	bool points;
	struct recovered recovered; /* with an interval where there are samples on all sides */
	bool was_regression;        /* then: whether it is fixed */
	bool was_improvement;       /* then there is nothing to take back */
	struct fix_check fix;
};

struct compare {
	struct compare_commit *commits;
	size_t ncommits;        /* after a failure: how many could be resolved */
	enum rule_version rule; /* that judged all tables: the one in force */
	bool pairs;
	const char *across;
	struct compare_column *columns; /* of all tables, but across an axis; ncommits */
	size_t ntables;                 /* so far */
	int64_t next;                   /* cursor, or -1: known when there are no more tables */
	bool base_is_younger; /* the base is known to be the younger of base and second: by parents,
				 else dates; false of pairs */
	bool versions;        /* the pairs are versions of a patch: kept is filled */
	bool recovers; /* three commits: kept says what the third takes back of a regression */
	struct compare_kept *kept;
	size_t nkept, kept_cap;
	struct compare_peer *peers; /* judged for the tables so far (compare_others.c) */
	size_t npeers, peer_cells;

	/* inside of the model: where it stands */
	struct arena *arena;
	size_t limit;
	int64_t after, last; /* series ids up to after were fetched; last: of the last table */
	int64_t *ids; /* across: of all groups, one group after the other, its smallest id first */
	size_t nids, at;
	bool ended;
};

/* What people see of a name: ids cut to 10 digits as the test robot does, refs whole. */
const char *compare_name(struct arena *a, const char *name);

/* revision_resolve() for what readers ask for: also a word that cannot be a stored name, such as
 * "master", is unknown (E_NOTFOUND), not wrong. */
int compare_resolve(struct ctx *c, const char *asked, struct commit *out, struct commit_list *many);

/* In how many series something of the commit was measured, at most max, and how many runs of it. */
int compare_measured(struct ctx *c, const struct compare_commit *k, size_t max, size_t *nseries,
		     int64_t *runs);

/* Resolves the commits. E_INVALID (no commits, a bad value), E_NOTFOUND (names the commit),
 * E_AMBIGUOUS (with *many). */
int compare_load(struct ctx *c, const struct compare_query *q, struct compare *out,
		 struct commit_list *many);
/* The next table, in scratch, which is reset first: COMPARE_TABLE, COMPARE_END, or an error. A
 * series that is too large is a table without rows that says so; if it was asked for by name,
 * E_TOO_LARGE. */
#define COMPARE_END   0
#define COMPARE_TABLE 1
int compare_next(struct ctx *c, const struct compare_query *q, struct compare *cmp,
		 struct arena *scratch, struct compare_table *t);
/* No more tables: compare_next only finds out whether there were any. */
void compare_stop(struct compare *cmp);

#endif
