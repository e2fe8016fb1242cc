/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison in its forms, one file each; the command line prints three of them too. */
#ifndef PAGES_COMPARE_H
#define PAGES_COMPARE_H

#include <stdbool.h>

#include "server/model/compare.h"

struct arena;
struct jw;
struct out;
struct req;

int page_compare(struct req *r);
int page_history(struct req *r);

/* What a form is written from: table by table, so that memory goes by the largest of them. */
struct compare_answer {
	struct ctx *c;
	struct out *o;
	const struct compare_query *q;
	struct compare *cmp;   /* loaded */
	struct arena *scratch; /* of one table */
	size_t stop_after;     /* bytes after which no table is begun: the page then ends early */
	bool matrix;
	bool detail;            /* JSON: all numbers behind each row, of few rows */
	bool samples;           /* JSON: every value of every run too */
	const char *public_url; /* Markdown: links begin with it; "": there are none */
};
/* The next table, as compare_next, unless the answer is long enough. */
int compare_answer_next(struct compare_answer *x, struct compare_table *t);

/* Each E_OK, or a failure; then what was written is of no use. */
int compare_json(struct compare_answer *x);
int compare_csv(struct compare_answer *x);
/* The test robot's tables. When there is none: a sentence. */
int compare_txt(struct compare_answer *x);
int compare_md(struct compare_answer *x);
/* Body of the HTML page, between head and foot. */
int compare_html(struct req *r, struct compare_answer *x);
/* What the document of tables and that of the matrix have in common. */
void compare_json_head(struct jw *w, const struct compare *cmp);
void compare_json_tail(struct jw *w, const struct compare *cmp);
/* The keys of an entry of kept or recovered; its object is open. */
void compare_json_kept(struct jw *w, const struct compare_kept *k);
/* A row up to its cells: an object and in it an array are open; and a cell. first: it is held
 * against none. */
void compare_json_row_begin(struct jw *w, const struct comparison_row *row, const char *unit);
void compare_json_cell(struct jw *w, const struct cell *c, const struct metric *m, bool first,
		       bool samples);
/* The matrix, in the same forms. */
int compare_matrix_json(struct compare_answer *x);
int compare_matrix_csv(struct compare_answer *x);
int compare_matrix_txt(struct compare_answer *x);
int compare_matrix_md(struct compare_answer *x);
int compare_matrix_html(struct req *r, struct compare_answer *x);
/* What changed in a sentence is the page's; which commits and runs are compared, for both. */
void compare_html_head(struct req *r, const struct compare_query *q, const struct compare *cmp);
/* One table of it (compare_html_rows.c). */
void compare_html_rows(struct req *r, const struct compare *cmp, const struct compare_table *t);
/* "-12.5 %", "+3.10 points", "from 0": the change of a judged cell, as its row counts it. */
void compare_html_change(struct out *o, const struct comparison_row *row, const struct cell *c);
/* "v2 keeps -2.9 % of the -21.8 %: 87 % recovered"; of three commits "the test patch recovers 87 %
 * of the regression: -2.9 % are left of -21.8 %" */
const char *compare_kept_words(struct arena *a, const struct compare_kept *k);
/* " (95 % interval: 82 to 91 %)" of it; "" without one. */
const char *compare_kept_interval(struct arena *a, const struct compare_kept *k);
/* "; fixed: within 1 % of the old level (90 % interval: -0.3 to +0.4 %)", of what was a regression:
 * also that it is not, or cannot be told, and why; "" of others. */
const char *compare_kept_fix(struct arena *a, const struct compare_kept *k);
/* "hackbench on lkp-icl-2sp2, hackbench.throughput": what that is said of. */
const char *compare_kept_place(struct arena *a, const struct compare_kept *k);
/* "7bc162d5cc,a0fd217e6d…": the commits as links carry them, base first; first is put in front. */
const char *compare_names(struct arena *a, const struct compare *cmp, size_t first);

#endif
