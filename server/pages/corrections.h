/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What administrators write: corrections, machines, events; and the pages that show corrections;
 * parts of other pages too, since nothing that was corrected disappears from view.
 */
#ifndef PAGES_CORRECTIONS_H
#define PAGES_CORRECTIONS_H

#include "db/corrections.h"
#include "server/pages/req.h"
#include "server/view/json.h"

int page_corrections(struct req *r);
int page_correction(struct req *r);
int page_post_correction(struct req *r);
int page_undo_correction(struct req *r);
int page_put_machine(struct req *r);
int page_post_event(struct req *r);

/* E_MEDIA_TYPE unless the body is said to be JSON. */
int order_check_type(struct req *r);

/* "Correction 5 by admin on 2026-…: reason", the number a link; undone ones say so. */
void part_correction(struct req *r, const struct correction *k);
/* {"id", "at", "who", "change", "reason", "runs", "summaries", "undone_at", "undone_by"} */
void part_json_correction(struct jw *w, const char *name, const struct correction *k);
/* "3 runs were marked invalid, of 7bc162d5cc: correction 5 by …", a paragraph; where may be NULL.
 */
void part_correction_note(struct req *r, const struct correction_note *k, const char *where);
/* What corrections in force did to a series: a paragraph each, or nothing. */
int part_correction_notes(struct req *r, int64_t series_id);
/* [{"correction", "runs", "summaries", "what", "reason", "who", "at"}] */
int part_json_correction_notes(struct req *r, struct jw *w, const char *name, int64_t series_id);

#endif
