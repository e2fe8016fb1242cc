/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread of `plumbline serve` that keeps repositories up to date: one after the other, each
 * when it is due (repo.next_try), and copies texts of commits that uploads came for. It looks every
 * REFRESH_LOOK seconds, so that what a command adds is soon seen. No page ever waits for it.
 */
#ifndef HISTORY_REFRESHER_H
#define HISTORY_REFRESHER_H

#include "db/writer.h"

struct refresher;

/* The database's file and the writer live longer than it. */
int refresher_start(struct ctx *c, const char *database, struct writer *w, struct refresher **out);
/* Asks it to end, and git's children with it; returns at once. NULL is ignored, here and below. */
void refresher_ask_to_stop(struct refresher *r);
/* Waits for its end, at most until the deadline (of clock_us), and frees. False: it hangs, and
 * nothing was freed. Before the writer is stopped. */
bool refresher_stop(struct refresher *r, int64_t deadline);

#endif
