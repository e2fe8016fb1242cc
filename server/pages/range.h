/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The range page: its HTML form has a file of its own. */
#ifndef PAGES_RANGE_H
#define PAGES_RANGE_H

#include "server/model/range.h"

struct req;

int page_range(struct req *r);
/* The whole page; returns a status. */
int range_html(struct req *r, const struct range *x);
/* "v5.6..v5.7", as it was asked for. */
const char *range_name(struct req *r, const struct range *x);

#endif
