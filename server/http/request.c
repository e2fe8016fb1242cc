/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The head of a request: what libmicrohttpd lets through and we do not (two lengths, no host, huge
 * heads), the address cut into path, query, form and route, and the token. Nothing here waits.
 */
#include "server/http/conn.h"

#include <ctype.h>
#include <strings.h>

struct head_check {
	size_t bytes;
	int lengths, encodings, hosts;
	bool odd_encoding, odd_name;
};

/* RFC 9110: a name is a token. libmicrohttpd takes "Content-Length : 2" for a name that ends with a
 * space, and so for no length at all, while a proxy may see one. */
static bool is_token(const char *name)
{
	static const char others[] = "!#$%&'*+-.^_`|~";

	if (!*name)
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && !strchr(others, *name))
			return false;
	return true;
}

static enum MHD_Result count_header(void *arg, enum MHD_ValueKind kind, const char *name,
				    const char *value)
{
	struct head_check *h = arg;

	(void)kind;
	h->odd_name |= !is_token(name);
	h->bytes += strlen(name) + (value ? strlen(value) : 0) + 4;
	if (!strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH))
		h->lengths++;
	if (!strcasecmp(name, MHD_HTTP_HEADER_HOST))
		h->hosts++;
	if (!strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING)) {
		h->encodings++;
		h->odd_encoding |= !value || strcasecmp(value, "chunked") != 0;
	}
	return MHD_YES;
}

const char *request_header(const struct conn *c, const char *name)
{
	return MHD_lookup_connection_value(c->mc, MHD_HEADER_KIND, name);
}

/* Two readings of one message are how requests are smuggled past a proxy: the connection ends. */
static int check_head(struct conn *c, const char *version)
{
	struct ctx *ctx = &c->r.ctx;
	struct head_check h = {0};
	bool is_old = !strcmp(version, MHD_HTTP_VERSION_1_0);

	MHD_get_connection_values(c->mc, MHD_HEADER_KIND, count_header, &h);
	c->close = true;
	if (h.odd_name)
		return fail(ctx, E_SYNTAX, "a header's name is not a name");
	if (h.lengths > 1 || h.encodings > 1)
		return fail(ctx, E_SYNTAX, "the length of the body is given more than once");
	if (h.lengths && h.encodings)
		return fail(ctx, E_SYNTAX, "both Content-Length and Transfer-Encoding are given");
	if (h.odd_encoding)
		return fail(ctx, E_SYNTAX, "no Transfer-Encoding but chunked is known");
	if (h.encodings && is_old)
		return fail(ctx, E_SYNTAX, "HTTP/1.0 has no Transfer-Encoding");
	if (h.hosts > 1 || (!h.hosts && !is_old))
		return fail(ctx, E_SYNTAX, "one Host header is needed");
	if (strlen(c->uri) > URI_MAX)
		return fail(ctx, E_URI_TOO_LONG, "an address may have %zu bytes", URI_MAX);
	if (h.bytes > HEADERS_MAX)
		return fail(ctx, E_HEADERS_TOO_LARGE, "headers may have %zu bytes", HEADERS_MAX);
	c->close = false;
	return 0;
}

/* "http://host/path" is allowed in a request line: the host is not looked at. */
static void cut_uri(struct conn *c)
{
	char *path = c->uri;

	if (!strncasecmp(path, "http://", 7) || !strncasecmp(path, "https://", 8)) {
		path = strstr(path, "//") + 2;
		path += strcspn(path, "/?");
	}
	char *question = strchr(path, '?');
	if (question) {
		*question = '\0';
		c->query = question + 1;
	}
	c->r.path = *path ? path : "/";
}

static int read_params(struct conn *c)
{
	struct arena *a = c->r.ctx.arena;
	size_t n = 1;

	if (!c->query || !*c->query)
		return 0;
	for (const char *p = c->query; *p; p++)
		n += *p == '&';
	if (n > PARAMS_MAX)
		return fail(&c->r.ctx, E_URI_TOO_LONG, "a query may have %d parameters",
			    PARAMS_MAX);
	struct param *list = arena_array(a, struct param, n);
	char *p = arena_str(a, c->query), *end;
	for (n = 0; p; p = end) {
		end = strchr(p, '&');
		if (end)
			*end++ = '\0';
		if (!*p)
			continue;
		char *value = strchr(p, '=');
		if (value)
			*value++ = '\0';
		else
			value = p + strlen(p);
		if (route_decode(p, true) < 0 || route_decode(value, true) < 0)
			return fail(&c->r.ctx, E_SYNTAX, "the query has a broken %% escape");
		list[n++] = (struct param){p, value};
	}
	c->r.params = list;
	c->r.nparams = n;
	return 0;
}

/* Looks up one reading of the path; -1: it cannot be cut. */
static int look_up(struct conn *c, const char *path, const char *method, const struct route **route)
{
	char *segments[SEGMENTS_MAX];
	int n = route_cut(arena_str(c->r.ctx.arena, path), segments, SEGMENTS_MAX);

	*route = n < 0 ? NULL : route_find(method, segments, (size_t)n, c->r.captures, c->allow);
	return n;
}

/* "/api/v1/X" by GET is "/X.json"; by other methods it has rows of its own. */
static int find_route(struct conn *c, bool is_api)
{
	static const char prefix[] = "/api/v1";
	const char *method = c->r.method, *path = c->r.path;
	bool is_get = !strcmp(method, "GET") || !strcmp(method, "HEAD");

	if (is_api && is_get) {
		c->r.path = path + strlen(prefix);
		if (look_up(c, c->r.path, method, &c->route) < 0)
			goto bad_path;
		if (c->route)
			return 0;
	}
	if (look_up(c, path, method, &c->route) < 0)
		goto bad_path;
	if (c->route)
		return 0;
	if (is_api && !is_get) {
		const struct route *get;
		const char *unused[4];
		char own[64];
		memcpy(own, c->allow, sizeof(own));
		look_up(c, path + strlen(prefix), "GET", &get);
		memcpy(unused, c->r.captures, sizeof(unused));
		memset(c->r.captures, 0, sizeof(c->r.captures));
		snprintf(c->allow, sizeof(c->allow), "%s%s%.40s", get ? "GET, HEAD" : "",
			 get && own[0] ? ", " : "", own);
	}
	if (c->allow[0])
		return fail(&c->r.ctx, E_METHOD, "%.20s is not possible here, but %s", method,
			    c->allow);
	return fail(&c->r.ctx, E_NOTFOUND, "there is no page at this address");
bad_path:
	return fail(&c->r.ctx, E_SYNTAX, "the path has a broken %% escape or too many parts");
}

static void note_forms(struct conn *c)
{
	unsigned flags = c->route->flags;

	c->r.forms = (flags & HAS_JSON ? 1u << FORM_JSON : 0) |
		     (flags & HAS_CSV ? 1u << FORM_CSV : 0) |
		     (flags & HAS_TXT ? 1u << FORM_TXT : 0) | (flags & HAS_MD ? 1u << FORM_MD : 0);
}

static int resolve(struct conn *c)
{
	struct arena *a = c->r.ctx.arena;
	const char *format = req_param(&c->r, "format");
	bool is_api = !strncmp(c->r.path, "/api/v1/", 8);
	int suffix = is_api ? FORM_JSON : -1;

	if (!format && !is_api) {
		size_t n = form_suffix(c->r.path, &suffix);
		if (n)
			c->r.path = arena_strn(a, c->r.path, strlen(c->r.path) - n);
	}
	int e = find_route(c, is_api);
	if (e < 0)
		return e;
	note_forms(c);
	return form_choose(&c->r.ctx, c->route->flags, suffix, format,
			   request_header(c, MHD_HTTP_HEADER_ACCEPT), &c->r.form);
}

/* Whether Accept-Encoding names gzip, and not to refuse it. */
static bool accepts_gzip(const char *list)
{
	for (const char *p = list; p && *p;) {
		p += strspn(p, " \t,");
		size_t item = strcspn(p, ","), name = strcspn(p, " \t,;");
		if (name == 4 && !strncasecmp(p, "gzip", 4)) {
			const char *q = memchr(p, '=', item);
			return !q || strspn(q + 1, "0. \t") != (size_t)(p + item - q - 1);
		}
		p += item;
	}
	return false;
}

/* "Application/JSON; charset=utf-8" -> "application/json" */
static const char *plain_type(struct arena *a, const char *type)
{
	if (!type)
		return NULL;
	type += strspn(type, " \t");
	char *s = arena_strn(a, type, strcspn(type, " \t;"));
	for (char *p = s; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return *s ? s : NULL;
}

static const char *type_params(struct arena *a, const char *type)
{
	const char *p = type ? strchr(type, ';') : NULL;

	return p ? arena_str(a, p) : "";
}

int request_read_head(struct conn *c, const char *method, const char *version)
{
	struct arena *a = c->r.ctx.arena;
	int e;

	c->r.method = arena_str(a, method);
	c->r.form = form_guess(c->uri, request_header(c, MHD_HTTP_HEADER_ACCEPT));
	c->takes_gzip = accepts_gzip(request_header(c, MHD_HTTP_HEADER_ACCEPT_ENCODING));
	c->r.content_type = plain_type(a, request_header(c, MHD_HTTP_HEADER_CONTENT_TYPE));
	c->r.content_params = type_params(a, request_header(c, MHD_HTTP_HEADER_CONTENT_TYPE));
	c->r.path = "/";
	if ((e = check_head(c, version)) < 0)
		return e;
	cut_uri(c);
	if ((e = read_params(c)) < 0)
		return e;
	if (answer_asset(c, c->r.path))
		return 0;
	if ((e = resolve(c)) < 0)
		return e;
	return request_check_token(c);
}

/* --- the token -------------------------------------------------------------------------------- */

static const struct {
	unsigned flag, scope;
	const char *name;
} scopes[] = {
	{NEEDS_UPLOAD, SCOPE_UPLOAD, "upload"},
	{NEEDS_TRIAGE, SCOPE_TRIAGE, "triage"},
	{NEEDS_ADMIN, SCOPE_ADMIN, "admin"},
};

static const char *bearer(const struct conn *c)
{
	const char *value = request_header(c, MHD_HTTP_HEADER_AUTHORIZATION);

	if (!value || strncasecmp(value, "Bearer ", 7) != 0)
		return NULL;
	value += 7;
	return value + strspn(value, " ");
}

/* Of several scopes that a route names any one will do. */
static int check_scopes(struct conn *c)
{
	const char *missing = NULL;

	for (size_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++) {
		if (!(c->route->flags & scopes[i].flag))
			continue;
		if (c->token.scopes & scopes[i].scope)
			return 0;
		missing = missing ? arena_fmt(c->r.ctx.arena, "%s or %s", missing, scopes[i].name)
				  : scopes[i].name;
	}
	return missing ? fail(&c->r.ctx, E_FORBIDDEN, "the token lacks the scope %s", missing) : 0;
}

int request_check_token(struct conn *c)
{
	unsigned flags = c->route->flags;
	struct ctx *ctx = &c->r.ctx;
	bool writes = flags & (NEEDS_UPLOAD | NEEDS_TRIAGE | NEEDS_ADMIN);

	if (!writes && (flags & OPEN || !c->http->config->readers_need_token))
		return 0;
	const char *secret = bearer(c);
	if (!secret)
		return fail(ctx, E_UNAUTHORIZED,
			    "a token is needed, as in \"Authorization: Bearer TOKEN\"");
	ctx->db = run_thread_db(c->http, ctx);
	if (!ctx->db)
		return ctx->err;
	int e = token_find(ctx, secret, &c->token);
	ctx->db = NULL;
	if (e < 0)
		return e;
	c->r.token = &c->token;
	return check_scopes(c);
}
