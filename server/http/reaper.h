/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Closes sockets that take too long: libmicrohttpd's timeout starts again with each byte, so a
 * client that sends one byte a second would hold its connection for ever.
 */
#ifndef HTTP_REAPER_H
#define HTTP_REAPER_H

#include <stdint.h>

#include "server/pages/counters.h"

struct reaper;
struct peer; /* a socket that is watched */

#define NO_DEADLINE INT64_MAX

struct reaper *reaper_start(counter *reaped);
void reaper_stop(struct reaper *r);
/* Watches a socket until reaper_forget, which must come before the socket is closed. */
struct peer *reaper_watch(struct reaper *r, int fd, int64_t deadline);
void reaper_forget(struct reaper *r, struct peer *p);
/* By when (clock_us) the peer must have got on. */
void peer_set_deadline(struct peer *p, int64_t deadline);

#endif
