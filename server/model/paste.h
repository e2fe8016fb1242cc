/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts that somebody pasted, read by the importers and laid side by side: nothing of it is stored,
 * and nothing stored is looked at. What a metric is goes by the rules of its name alone. Everything
 * lives in the arena of the ctx.
 */
#ifndef MODEL_PASTE_H
#define MODEL_PASTE_H

#include "db/submission.h"
#include "server/analysis/comparison.h"
#include "server/base/err.h"

struct importer;

#define PASTE_TEXTS_MAX         8
#define PASTE_COLUMNS_MAX       8
#define PASTE_METRICS_MAX       10000
#define PASTE_ROWS_MAX          2000 /* of them shown */
#define PASTE_DISTRIBUTIONS_MAX 40
#define PASTE_PERCENTILES_MAX   200 /* of one distribution */
#define PASTE_LABEL_MAX         100 /* bytes */

/* What several outputs in one text are. */
enum paste_outputs {
	PASTE_AUTO,    /* columns; but where there are other texts to hold it against, those that
			* the format takes for repeated runs stay runs of one column */
	PASTE_COLUMNS, /* a column each */
	PASTE_RUNS     /* runs of one column, those of one setup and commit */
};

struct paste_text {
	const char *label; /* NULL: none was given */
	const char *bytes;
	size_t n;
	/* filled */
	const struct importer *format;
	const char *words; /* "taken as fio" */
};

struct paste_column {
	const char *label;
	size_t text;                    /* that it came from */
	const struct submission **subs; /* what it was made of, at least one */
	size_t nsubs, subs_cap;
	const struct run_in **runs; /* none: its figures came as a summary */
	size_t nruns, runs_cap;
	bool labelled_commit; /* the text itself names the commit */
	size_t base;          /* the column it is held against; itself: none */
};

/* Figures of a distribution in one column; of several runs: of all (stddev NAN). NAN: not told. */
struct paste_figures {
	double mean, stddev, min, max;
};

struct paste_percentile {
	const char *name; /* "99.00": as printed, without more than two zeros at its end */
	double at;
	double *values; /* one a column; NAN: none. Of several runs: their mean */
};

struct paste_distribution {
	const char *metric, *unit; /* unit NULL */
	struct paste_figures *figures;
	struct paste_percentile *percentiles; /* ascending */
	size_t n;
};

struct paste {
	/* in */
	struct paste_text texts[PASTE_TEXTS_MAX];
	size_t ntexts;
	const struct importer *format; /* of all texts; NULL: each is guessed */
	enum paste_outputs outputs;
	int (*charge)(void *arg); /* called when more memory was taken; NULL: nobody counts */
	void *charge_arg;
	/* filled */
	struct paste_column columns[PASTE_COLUMNS_MAX];
	size_t ncolumns, columns_left_out;
	struct comparison all;    /* its first rows_shown rows are to be shown */
	const char *const *units; /* parallel to rows, NULL: none */
	size_t nrows, rows_left_out;
	struct paste_distribution *distributions;
	size_t ndistributions, distributions_left_out;
	const char *sentence; /* what is seen, for people */
};

/* Reads and compares. E_INVALID: faults at "text[i]" say what is wrong with which; E_TOO_LARGE; or
 * what charge says. */
int paste_compare(struct ctx *c, struct paste *p);

/* Whether the row only repeats a percentile that stands among the distributions ("fio.clat_99%_us"
 * of "fio.clat_us"). Never where there are runs to judge it by. */
bool paste_row_is_told(const struct paste *p, size_t row);

/* "+492 us, +20.7 %"; from 0 there is no percentage. In the arena. */
const char *paste_change_words(struct arena *a, double before, double now, const char *unit);

/* The change of a cell in words, "+492 us, +20.7 %", of percentages "+1.2 points"; "" where there
 * is none. In the arena. */
const char *paste_cell_change(struct arena *a, const struct paste *p, size_t row, size_t col);

/* --- between the files of it --- */

/* One text -> submissions in c's arena; failures are filed under its number. */
int paste_read(struct ctx *c, struct paste *p, size_t text, struct submission **subs, size_t *n,
	       bool *names_commit);
/* E_INVALID: faults at "text[i]". */
int paste_align_units(struct ctx *c, struct paste *p);
void paste_distributions(struct arena *a, struct paste *p);
void paste_say(struct arena *a, struct paste *p);

#endif
