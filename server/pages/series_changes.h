/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a series changed: a part of its page. */
#ifndef PAGES_SERIES_CHANGES_H
#define PAGES_SERIES_CHANGES_H

#include "server/model/series_changes.h"
#include "server/pages/req.h"
#include "server/view/json.h"

#define SERIES_CHANGES_LISTED 500

void series_changes_html(struct req *r, const struct series *s, const struct series_changes *found);
void series_changes_json(struct jw *w, struct arena *a, const struct series_changes *found);
void series_changes_txt(struct req *r, const struct series_changes *found);

#endif
