/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of the history model: which series are joined, and in which order their points stand. */
#ifndef MODEL_HISTORY_ORDER_H
#define MODEL_HISTORY_ORDER_H

#include "server/model/history.h"

/* Fills h->joined: the series that was asked for, then those that differ from it in the axes of the
 * query alone. E_INVALID: an axis that is part of the test. */
int history_join(struct ctx *c, const struct history_query *q, struct history *h);
/* Puts the points of all parts (one a joined series, each in db/'s order) into h->points. */
int history_put_in_order(struct ctx *c, const struct history_query *q, const struct history *parts,
			 struct history *h);

#endif
