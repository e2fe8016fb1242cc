/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bodies on their way into the store; see upload.c. */
#ifndef PAGES_UPLOAD_H
#define PAGES_UPLOAD_H

#include "server/model/intake.h"

struct import;
struct importer;
struct jw;
struct req;

int page_upload_runs(struct req *r);
/* Stores what an importer made of the whole body, or nothing, and answers 201, 200 or with what was
 * refused. The submissions must be in the request's arena; the body is dropped. format: the key of
 * that name in the answer; NULL: there is none. Returns as a page does. */
int upload_store(struct req *r, const struct import *in, const char *format);
/* The same for a body that is too large for that: it is read twice, once to look at it and once
 * more while it is stored. defaults: what it does not say. */
int upload_stream(struct req *r, const struct import *defaults, const struct importer *format);
/* after_document of struct import, with the request as its argument. */
int upload_charge(void *r);

/* --- between the files of it --- */

struct uploader upload_by(const struct req *r);
/* A token that is bound to a machine uploads for no other: E_FORBIDDEN. */
int upload_check_machine(struct ctx *c, const struct req *r, const struct submission *s);
/* What the writer says of one submission, in an object that is open. */
void upload_write_accepted(struct jw *w, const struct accepted *k);

#endif
