/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The access log, one line a request, and the counters behind /metrics. */
#include "server/http/conn.h"

#include "server/base/clock.h"
#include "server/base/log.h"

void access_begin(struct http *h)
{
	struct counters *n = &h->counters;
	const struct route *row;

	n->started = clock_now();
	for (size_t i = 0; (row = route_at(i)) && i + 1 < COUNTERS_ROUTES; i++) {
		n->routes[i].method = row->method;
		n->routes[i].pattern = row->pattern;
		n->nroutes = i + 1;
	}
	n->routes[n->nroutes].method = "";
	n->routes[n->nroutes].pattern = ""; /* the last one: static files and what no row took */
	n->nroutes++;
}

static const char *end_word(enum MHD_RequestTerminationCode end)
{
	switch (end) {
	case MHD_REQUEST_TERMINATED_COMPLETED_OK:
		return NULL;
	case MHD_REQUEST_TERMINATED_TIMEOUT_REACHED:
		return "timeout";
	case MHD_REQUEST_TERMINATED_DAEMON_SHUTDOWN:
		return "stop";
	case MHD_REQUEST_TERMINATED_CLIENT_ABORT:
	case MHD_REQUEST_TERMINATED_READ_ERROR:
		return "client gone";
	case MHD_REQUEST_TERMINATED_WITH_ERROR:
		break;
	}
	return "error";
}

void access_note(const struct conn *c, enum MHD_RequestTerminationCode end)
{
	struct counters *n = &c->http->counters;
	size_t last = n->nroutes - 1;
	size_t i = c->route ? (size_t)(c->route - route_at(0)) : last;
	struct route_counter *row = &n->routes[i < last ? i : last];
	int64_t us = clock_us() - c->began;
	size_t sent = c->r.method && !strcmp(c->r.method, "HEAD") ? 0 : c->sent;
	struct logline l;

	row->by_class[c->status < 600 ? c->status / 100 : 5]++;
	row->us += us;
	n->bytes_sent += (int64_t)sent;

	log_begin(&l, LOG_INFO, "request");
	log_str(&l, "req", c->id);
	log_str(&l, "method", c->r.method);
	log_str(&l, "route", c->route ? c->route->pattern : NULL);
	log_str(&l, "path", c->uri); /* cut at the query by now */
	log_str(&l, "query", c->query);
	log_int(&l, "status", c->status);
	log_int(&l, "bytes", (int64_t)sent);
	log_int(&l, "us", us);
	log_str(&l, "token", c->r.token ? c->r.token->name : NULL);
	log_str(&l, "end", end_word(end));
	log_end(&l);
}
