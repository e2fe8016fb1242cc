/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The history page: its HTML form has a file of its own. */
#ifndef PAGES_HISTORY_H
#define PAGES_HISTORY_H

#include "server/model/history.h"

struct req;

/* The whole page; returns a status. */
int history_html(struct req *r, const struct history *h);

#endif
