/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The HTTP side of the service: connections in, pages out. Nothing outside server/http/ sees
 * libmicrohttpd. Stopping goes in three steps, because a suspended connection must be answered
 * before the daemon may end:
 *
 *	http_refuse(h);     no new connections, 503 to new requests; returns when no page runs
 *	writer_stop(w);     writes what was accepted, which answers everyone who waits for it
 *	http_stop(h);       sends what is left to send, ends all threads, frees
 */
#ifndef HTTP_HTTP_H
#define HTTP_HTTP_H

#include <stdbool.h>
#include <stdint.h>

#include "server/base/err.h"

struct config;
struct http;
struct writer;

/* Starts to answer on the socket of http_listen, which is its own from now on. writer is NULL on a
 * read-only server. */
int http_start(struct ctx *c, const struct config *cfg, struct writer *w, int listen_fd,
	       struct http **out);
/* deadline: of clock_us; what is not sent by then is cut off. False: a request hangs, so nothing
 * was freed and the process must end without more ado. */
bool http_refuse(struct http *h, int64_t deadline);
bool http_stop(struct http *h, int64_t deadline);

/* Opens the listening socket of "ADDR:PORT"; shown gets the address as bound, with the real port.
 */
int http_listen(struct ctx *c, const char *address, int *fd, char shown[80]);

#endif
