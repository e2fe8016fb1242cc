/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of the page of a patch: its forms, one file each. */
#ifndef PAGES_PATCH_PAGE_H
#define PAGES_PATCH_PAGE_H

struct compare_kept;
struct patch_page;
struct req;

int patch_page_html(struct req *r, const struct patch_page *p);
void patch_page_json(struct req *r, const struct patch_page *p);
void patch_page_txt(struct req *r, const struct patch_page *p);
/* What is worth saying first: what the newest version keeps, else what the patch takes back; NULL:
 * nothing. */
const struct compare_kept *patch_page_first(const struct patch_page *p);

#endif
