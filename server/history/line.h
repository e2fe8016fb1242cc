/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order of charts for a list of commits that is in an order of its own already. */
#ifndef HISTORY_LINE_H
#define HISTORY_LINE_H

#include "server/history/ancestors.h"

/* history_line() (ancestors.h) for these commits of the series: ids, in the order that holds where
 * git does not speak. out has n places. *line_name NULL: git knows none of them. */
int history_line_of(struct ctx *c, int64_t series_id, const int64_t *ids, size_t n, const char *ref,
		    struct line_place **out, const char **line_name);

#endif
