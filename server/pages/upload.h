/* SPDX-License-Identifier: GPL-2.0-or-later */
/* POST /api/v1/runs: results come in. */
#ifndef PAGES_UPLOAD_H
#define PAGES_UPLOAD_H

struct req;

int page_upload_runs(struct req *r);

#endif
