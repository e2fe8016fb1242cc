/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of the commit page: its forms, one file each. */
#ifndef PAGES_COMMIT_PAGE_H
#define PAGES_COMMIT_PAGE_H

struct commit_page;
struct req;

int commit_page_html(struct req *r, const struct commit_page *p);
/* What was measured, in HTML: the part after the commit itself. */
void commit_page_results(struct req *r, const struct commit_page *p);
void commit_page_json(struct req *r, const struct commit_page *p);
/* A line a row that changed. */
void commit_page_csv(struct req *r, const struct commit_page *p);
void commit_page_txt(struct req *r, const struct commit_page *p);

#endif
