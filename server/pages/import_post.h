/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Foreign files come in; see import_post.c. */
#ifndef PAGES_IMPORT_POST_H
#define PAGES_IMPORT_POST_H

struct req;

int page_post_import(struct req *r);

#endif
