/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stands beside and under the rows of a comparison: other machines, and all numbers behind a
 * verdict. */
#ifndef PAGES_COMPARE_DETAIL_H
#define PAGES_COMPARE_DETAIL_H

#include "server/model/compare.h"
#include "server/view/json.h"

struct req;
struct url;

/* The address of one row with all numbers behind it. */
struct url *compare_detail_url(struct req *r, const struct compare *cmp,
			       const struct compare_table *t, const struct metric *m);
/* The others of a row in a column; NULL where nobody asked for them. */
const struct others *compare_others_of(const struct compare_table *t, size_t row, size_t col);

/* Sections under the table, one for each row and later column. */
void compare_detail_html(struct req *r, const struct compare *cmp, const struct compare_table *t);
/* "others" and "joint" of a cell, where they were looked at; members of an open object. */
void compare_others_json(struct jw *w, const struct compare_table *t, size_t row, size_t col);
/* "detail": {…} of a judged cell. */
void compare_detail_json(struct jw *w, const struct compare *cmp, const struct compare_table *t,
			 size_t row, size_t col);

#endif
