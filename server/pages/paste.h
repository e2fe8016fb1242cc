/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Outputs side by side without storing them; see paste.c. */
#ifndef PAGES_PASTE_H
#define PAGES_PASTE_H

struct req;

int page_paste(struct req *r);
int page_post_paste(struct req *r);

#endif
