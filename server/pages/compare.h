/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison in its four forms, one file each; the command line prints three of them too. */
#ifndef PAGES_COMPARE_H
#define PAGES_COMPARE_H

#include <stdbool.h>

#include "server/model/compare.h"

struct arena;
struct out;
struct req;

int page_compare(struct req *r);
int page_history(struct req *r);

/* samples: every value of every run too. */
void compare_json(struct out *o, const struct compare *cmp, bool samples);
void compare_csv(struct out *o, struct arena *a, const struct compare *cmp);
/* The test robot's tables. When there is none: a sentence. */
void compare_txt(struct out *o, const struct compare *cmp);
/* Body of the HTML page, between head and foot. */
int compare_html(struct req *r, const struct compare_query *q, const struct compare *cmp);
/* One table of it (compare_html_rows.c). */
void compare_html_rows(struct req *r, const struct compare *cmp, const struct compare_table *t);
/* "7bc162d5cc,a0fd217e6d…": the commits as links carry them, base first; first is put in front. */
const char *compare_names(struct arena *a, const struct compare *cmp, size_t first);

#endif
