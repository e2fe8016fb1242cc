/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The error model: the first failure wins, faults of what a client sent are collected up to a
 * cap, and one table says which HTTP status a code has.
 */
#include "server/base/err.h"

#include <assert.h>
#include <stdarg.h>
#include <unistd.h>

#include "server/base/arena.h"
#include "server/base/log.h"

#define FAULT_PATH_MAX 400
#define FAULT_TEXT_MAX 600

void ctx_init(struct ctx *c, struct arena *a, struct db *d)
{
	*c = (struct ctx){.arena = a, .db = d, .item = -1};
}

void ctx_clear(struct ctx *c)
{
	ctx_init(c, c->arena, c->db);
}

/* Cuts a text that snprintf shortened at a whole UTF-8 character. */
static void trim_partial(char *s, size_t n)
{
	size_t i = n;

	while (i > 0 && ((unsigned char)s[i - 1] & 0xc0) == 0x80)
		i--;
	if (i > 0 && (unsigned char)s[i - 1] >= 0xc0)
		s[i - 1] = '\0';
}

int fail(struct ctx *c, enum err e, const char *fmt, ...)
{
	va_list ap;
	int n;

	assert(e < 0);
	if (c->err)
		return c->err;
	c->err = e;
	va_start(ap, fmt);
	n = vsnprintf(c->detail, sizeof(c->detail), fmt, ap);
	va_end(ap);
	if (n >= (int)sizeof(c->detail))
		trim_partial(c->detail, sizeof(c->detail) - 1);
	return e;
}

int fault(struct ctx *c, const char *path, const char *fmt, ...)
{
	char text[FAULT_TEXT_MAX];
	struct fault *f;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n >= (int)sizeof(text))
		trim_partial(text, sizeof(text) - 1);
	fail(c, E_INVALID, "%s", text);
	c->faults_seen++;
	if (c->nfaults == FAULTS_MAX)
		return E_INVALID;
	if (!c->faults)
		c->faults = arena_array(c->arena, struct fault, FAULTS_MAX);
	f = &c->faults[c->nfaults++];
	f->item = c->item;
	f->path = arena_strn(c->arena, path, strnlen(path, FAULT_PATH_MAX));
	f->message = arena_str(c->arena, text);
	return E_INVALID;
}

int err_status(int e)
{
	switch ((enum err)e) {
	case E_OK:
		return 200;
	case E_AMBIGUOUS:
		return 300;
	case E_SYNTAX:
		return 400;
	case E_UNAUTHORIZED:
		return 401;
	case E_FORBIDDEN:
		return 403;
	case E_NOTFOUND:
		return 404;
	case E_METHOD:
		return 405;
	case E_CONFLICT:
		return 409;
	case E_TOO_LARGE:
		return 413;
	case E_URI_TOO_LONG:
		return 414;
	case E_MEDIA_TYPE:
		return 415;
	case E_INVALID:
		return 422;
	case E_RATE:
		return 429;
	case E_HEADERS_TOO_LARGE:
		return 431;
	case E_INTERNAL:
		return 500;
	case E_BUSY:
		return 503;
	case E_DISK_FULL:
		return 507;
	}
	return e > 0 ? 200 : 500;
}

const char *err_title(int status)
{
	static const struct {
		int status;
		const char *title;
	} titles[] = {
		{200, "OK"},
		{300, "Multiple Choices"},
		{400, "Bad Request"},
		{401, "Unauthorized"},
		{403, "Forbidden"},
		{404, "Not Found"},
		{405, "Method Not Allowed"},
		{409, "Conflict"},
		{413, "Content Too Large"},
		{414, "URI Too Long"},
		{415, "Unsupported Media Type"},
		{422, "Unprocessable Content"},
		{429, "Too Many Requests"},
		{431, "Request Header Fields Too Large"},
		{500, "Internal Server Error"},
		{503, "Service Unavailable"},
		{507, "Insufficient Storage"},
	};

	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++) {
		if (titles[i].status == status)
			return titles[i].title;
	}
	return "Unknown";
}

void die(const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	log_msg(LOG_ERROR, "die", "%s", text);
	abort();
}
