/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that belong to runs: in and out. */
#ifndef PAGES_ARTIFACT_H
#define PAGES_ARTIFACT_H

struct req;

int page_put_artifact(struct req *r);
int page_artifact(struct req *r);
/* The answer of a request is sent, or given up: what it took of the room for files is free again.
 */
void artifact_sent(struct req *r);

#endif
