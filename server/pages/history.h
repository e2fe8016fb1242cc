/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The history page: its HTML form has a file of its own. */
#ifndef PAGES_HISTORY_H
#define PAGES_HISTORY_H

#include "server/model/history.h"
#include "server/model/history_changes.h"
#include "server/view/json.h"

struct req;

/* The whole page; returns a status. */
int history_html(struct req *r, const struct history *h, const struct history_changes *found);

/* Steps and drifts: "change_points" and "drifts" of the JSON; lines of the text; a part of the
 * page.
 */
void history_changes_json(struct jw *w, const struct history *h,
			  const struct history_changes *found);
void history_changes_txt(struct req *r, const struct history *h,
			 const struct history_changes *found);
void history_changes_html(struct req *r, const struct history *h,
			  const struct history_changes *found);

#endif
