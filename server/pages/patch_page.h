/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of the page of a patch: its forms, one file each. */
#ifndef PAGES_PATCH_PAGE_H
#define PAGES_PATCH_PAGE_H

struct patch_page;
struct req;

int patch_page_html(struct req *r, const struct patch_page *p);
void patch_page_json(struct req *r, const struct patch_page *p);

#endif
