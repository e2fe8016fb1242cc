/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The compare page's model: N commits, the tables of the series they share. Used by pages, the
 * command line and reports. Fills from db/, judges with analysis/. */
#ifndef MODEL_COMPARE_H
#define MODEL_COMPARE_H

#include "db/commits.h"
#include "db/runs.h"
#include "db/series.h"
#include "server/analysis/comparison.h"

struct compare_query {
	const char *const *asked; /* revisions as asked for, the first is the base */
	size_t nasked;
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

struct compare_commit {
	struct commit commit;
	const char *asked; /* as the reader wrote it */
	const char *name;  /* compare_name() of it */
	bool older;        /* known to be older than the first commit: what is said of it turns */
};

struct info_difference {
	const char *key;
	const char *const
		*values; /* one a column; "a, b" when runs of a column differ; NULL unknown */
};

struct compare_table {
	struct series series;
	struct comparison all;                /* every row, judged */
	struct comparison_row *rows;          /* those that pass the filters, in order */
	size_t nrows, hidden;                 /* hidden: rows that changed_only left out */
	size_t counts[VERDICT_FAILED + 1];    /* rows by verdict, before changed_only */
	size_t primary[VERDICT_FAILED + 1];   /* of these the ones of role primary */
	const int64_t *runs, *boots, *failed; /* a column each; boots -1 unknown */
	const bool *printed;                  /* a column each: it has figures without samples */
	const char *const *units; /* parallel to rows: as uploaded, else by rule, else NULL */
	struct info_difference *infos;
	size_t ninfos;
};

struct compare {
	struct compare_commit *commits;
	size_t ncommits; /* after a failure: how many could be resolved */
	struct compare_table *tables;
	size_t ntables;
	int64_t next;         /* cursor, or -1 */
	bool base_is_younger; /* the base is known to be the younger of base and second: by parents,
				 else dates */
};

/* What people see of a name: ids cut to 10 digits as the test robot does, refs whole. */
const char *compare_name(struct arena *a, const char *name);

/* commit_resolve() for what readers ask for: also a word that cannot be a stored name, such as
 * "master", is unknown (E_NOTFOUND), not wrong. */
int compare_resolve(struct ctx *c, const char *asked, struct commit *out, struct commit_list *many);

/* E_INVALID (no commits, a bad value), E_NOTFOUND (names the commit), E_AMBIGUOUS (with *many). */
int compare_load(struct ctx *c, const struct compare_query *q, struct compare *out,
		 struct commit_list *many);

#endif
