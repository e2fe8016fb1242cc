/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bodies on their way into the store; see upload.c. */
#ifndef PAGES_UPLOAD_H
#define PAGES_UPLOAD_H

struct import;
struct req;

int page_upload_runs(struct req *r);
/* Stores what an importer made of the whole body, or nothing, and answers 201, 200 or with what was
 * refused. The submissions must be in the request's arena; the body is dropped. format: the key of
 * that name in the answer; NULL: there is none. Returns as a page does. */
int upload_store(struct req *r, const struct import *in, const char *format);
/* after_document of struct import, with the request as its argument. */
int upload_charge(void *r);

#endif
