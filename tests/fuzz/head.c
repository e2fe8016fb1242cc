/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "head.h"

#include <jansson.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/socket.h>

#include "db/metrics.h"
#include "db/writer.h"
#include "fuzz.h"
#include "lab.h"
#include "server/base/arena.h"
#include "server/http/conn.h"

/* --- what libmicrohttpd does ------------------------------------------------------------------ */

struct MHD_Connection {
	union MHD_ConnectionInfo info;
	struct {
		const char *name, *value;
	} headers[100];
	size_t n;
	bool queued;
};

struct MHD_Response {
	char *bytes;
	size_t n;
	bool is_ours; /* bytes are to be freed */
	char type[128];
	bool packed;
};

const union MHD_ConnectionInfo *MHD_get_connection_info(struct MHD_Connection *mc,
							enum MHD_ConnectionInfoType what, ...)
{
	must(what == MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	return &mc->info;
}

int MHD_get_connection_values(struct MHD_Connection *mc, enum MHD_ValueKind kind,
			      MHD_KeyValueIterator it, void *arg)
{
	for (size_t i = 0; i < mc->n; i++)
		it(arg, kind, mc->headers[i].name, mc->headers[i].value);
	return (int)mc->n;
}

const char *MHD_lookup_connection_value(struct MHD_Connection *mc, enum MHD_ValueKind kind,
					const char *name)
{
	(void)kind;
	for (size_t i = 0; i < mc->n; i++)
		if (!strcasecmp(mc->headers[i].name, name))
			return mc->headers[i].value;
	return NULL;
}

struct MHD_Response *MHD_create_response_from_buffer(size_t n, void *bytes,
						     enum MHD_ResponseMemoryMode mode)
{
	struct MHD_Response *a = calloc(1, sizeof(*a));

	must(a && mode != MHD_RESPMEM_MUST_COPY);
	a->bytes = bytes;
	a->n = n;
	a->is_ours = mode == MHD_RESPMEM_MUST_FREE;
	return a;
}

enum MHD_Result MHD_add_response_header(struct MHD_Response *a, const char *name, const char *value)
{
	if (!*value || strpbrk(value, "\r\n\t"))
		return MHD_NO; /* as libmicrohttpd does */
	if (!strcasecmp(name, "Content-Type"))
		snprintf(a->type, sizeof(a->type), "%s", value);
	a->packed |= !strcasecmp(name, "Content-Encoding");
	return MHD_YES;
}

void MHD_destroy_response(struct MHD_Response *a)
{
	if (a->is_ours)
		free(a->bytes);
	free(a);
}

enum MHD_Result MHD_queue_response(struct MHD_Connection *mc, unsigned status,
				   struct MHD_Response *a)
{
	(void)status;
	must(a && !mc->queued);
	mc->queued = true;
	return MHD_YES;
}

/* --- the server ------------------------------------------------------------------------------- */

static struct http *server(void)
{
	static struct http h;
	static struct config cfg;
	struct fuzz_lab *lab = fuzz_lab();

	if (h.config)
		return &h;
	config_init(&lab->c, &cfg);
	cfg.database = lab->path;
	h.config = &cfg;
	pthread_mutex_init(&h.lock, NULL);
	access_begin(&h);
	h.cache = page_cache_new(0, &h.counters);
	h.reaper = reaper_start(&h.counters.reaped);
	return &h;
}

static struct peer *peer(struct http *h)
{
	static struct peer *p;
	int pair[2];

	if (!p) {
		must(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
		p = reaper_watch(h->reaper, pair[0], NO_DEADLINE);
	}
	return p;
}

/* What the writer does with a job, and then undoes. */
static int submit(struct req *r, struct job *j, int (*reply)(struct req *r, struct job *j))
{
	struct db *reading = r->ctx.db;
	struct fuzz_lab *lab = fuzz_lab();

	j->ctx = &r->ctx;
	r->ctx.db = lab->c.db;
	must(db_begin_write(&r->ctx) >= 0, "%s", r->ctx.detail);
	j->result = j->check ? j->check(&r->ctx, j) : E_OK;
	if (j->result >= 0)
		j->result = j->store(&r->ctx, j);
	db_rollback(&r->ctx);
	metrics_forget_pending();
	r->ctx.db = reading;
	return reply(r, j);
}

/* --- one request ------------------------------------------------------------------------------ */

/* The next line, cut out in place; NULL at the end. */
static char *cut_line(char **at)
{
	char *line = *at, *end = line ? strchr(line, '\n') : NULL;

	if (!line)
		return NULL;
	*at = end ? end + 1 : NULL;
	if (end) {
		*end = '\0';
		if (end > line && end[-1] == '\r')
			end[-1] = '\0';
	}
	return line;
}

static void read_headers(struct MHD_Connection *mc, char **at)
{
	static char bearer[TOKEN_TEXT + 8];
	char *line;

	snprintf(bearer, sizeof(bearer), "Bearer %s", fuzz_lab()->token);
	while ((line = cut_line(at)) && *line) {
		char *value = strchr(line, ':');
		if (!value || mc->n == sizeof(mc->headers) / sizeof(mc->headers[0]))
			continue;
		*value++ = '\0';
		value += strspn(value, " \t");
		mc->headers[mc->n].name = line;
		mc->headers[mc->n++].value = strcmp(value, "Bearer TOKEN") ? value : bearer;
	}
}

static void check_json(const char *bytes, size_t n, const char *uri)
{
	json_error_t error;
	json_t *v = json_loadb(bytes, n, 0, &error);

	must(v, "%s: %s in %.*s", uri, error.text, (int)n, bytes);
	json_decref(v);
}

static void check_answer(const struct conn *c)
{
	const struct MHD_Response *a = c->response;

	must(a, "%s: no answer", c->uri);
	must(c->status >= 200 && c->status < 600 && c->status != 500 && c->status != 507, "%s: %u",
	     c->uri, c->status);
	must(a->n == 0 || a->type[0], "%s: no type", c->uri);
	must(c->status != 405 || c->allow[0], "%s: no Allow", c->uri);
	if (a->packed || a->n == 0)
		return;
	if (!strncmp(a->type, "application/json", 16) ||
	    !strncmp(a->type, "application/problem", 19))
		check_json(a->bytes, a->n, c->uri);
	if (!strncmp(a->type, "text/html", 9))
		must(!memmem(a->bytes, a->n, "<script>", 8) && !memmem(a->bytes, a->n, "<img", 4) &&
			     memmem(a->bytes, a->n, "</main>", 7),
		     "%s", c->uri);
}

static void run(struct http *h, struct MHD_Connection *mc, const char *method, const char *uri,
		const char *version, const char *body, size_t nbody)
{
	void *state = conn_on_uri(h, uri, mc);
	struct conn *c = state;
	size_t none = 0;

	c->r.submit = submit;
	conn_on_request(h, mc, uri, method, version, NULL, &none, &state);
	while (!mc->queued && nbody) { /* two pieces, to see that they are put together */
		size_t piece = nbody > 1 ? nbody / 2 : nbody, left = piece;
		if (!conn_on_request(h, mc, uri, method, version, body, &left, &state))
			break;
		body += piece;
		nbody -= piece;
	}
	if (!c->response) {
		c->stage = STAGE_WAITING;
		if (c->r.ctx.err < 0)
			answer_make(c, c->r.ctx.err);
		else
			must(run_page(c), "%s", uri);
	}
	check_answer(c);
	conn_on_completed(h, mc, &state, MHD_REQUEST_TERMINATED_COMPLETED_OK);
}

void head_request(const char *bytes, size_t n)
{
	struct http *h = server();
	char *text = bytes_alone(bytes, n), *at = text;
	struct MHD_Connection *mc = calloc(1, sizeof(*mc));
	char *method = cut_line(&at);
	char *uri = method ? strchr(method, ' ') : NULL;
	char *version = uri ? strrchr(uri + 1, ' ') : NULL;

	must(mc);
	if (version && version > uri + 1 && uri > method) {
		*uri++ = *version++ = '\0';
		mc->info.socket_context = peer(h);
		read_headers(mc, &at);
		size_t nbody = at ? n - (size_t)(at - text) : 0;
		run(h, mc, method, uri, version, at, nbody);
	}
	free(mc);
	free(text);
}
