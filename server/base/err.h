/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one error model. A function returns >= 0 for success and a negative enum err for failure;
 * the text is set where the failure is known and passed up untouched. The first one wins.
 *
 *	if (!found)
 *		return fail(c, E_NOTFOUND, "no run %lld", id);
 *
 * What the client did wrong can have many faults: fault() collects them all, so that one answer
 * names every one. Programmer errors are asserted, also in release builds.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct db;

enum err {
	E_OK = 0,
	E_AMBIGUOUS = -1,     /* 300 a prefix that fits several commits */
	E_SYNTAX = -2,        /* 400 not JSON, not a request */
	E_UNAUTHORIZED = -3,  /* 401 no token, or not one of ours */
	E_FORBIDDEN = -4,     /* 403 the token lacks the scope or the machine */
	E_NOTFOUND = -5,      /* 404 */
	E_METHOD = -6,        /* 405 */
	E_CONFLICT = -7,      /* 409 same key, other content */
	E_TOO_LARGE = -8,     /* 413 */
	E_MEDIA_TYPE = -9,    /* 415 */
	E_INVALID = -10,      /* 422 well-formed, but wrong */
	E_RATE = -11,         /* 429 */
	E_INTERNAL = -12,     /* 500 ours; the client sees a request number, the log has the text */
	E_BUSY = -13,         /* 503 try again later */
	E_DISK_FULL = -14,    /* 507 */
	E_URI_TOO_LONG = -15, /* 414 */
	E_HEADERS_TOO_LARGE = -16, /* 431 */
};

/* One thing that is wrong with what a client sent. */
struct fault {
	long item;           /* index in the array that was sent, -1: it was not an array */
	const char *path;    /* place inside the item, as in runs[1]["a.b"]; "" for the whole */
	const char *message; /* what is wrong, one line, for a person */
};

#define FAULTS_MAX 100 /* more are counted, not kept */

/* What a unit of work carries along: memory, database connection, and what went wrong.
 * All text in it lives in the arena. Starts as { .arena = a, .db = d }. */
struct ctx {
	struct arena *arena;
	struct db *db;    /* this thread's connection, or NULL */
	enum err err;     /* first failure, E_OK so far */
	char detail[400]; /* its text */
	struct fault *faults;
	size_t nfaults;     /* kept in faults[] */
	size_t faults_seen; /* all, also those not kept */
	long item;          /* item that fault() files under; -1 outside arrays. Set by ctx_init */
};

void ctx_init(struct ctx *c, struct arena *a, struct db *d);
/* Forgets failure and faults; arena and connection stay. */
void ctx_clear(struct ctx *c);

/* Sets the failure unless there is one already; returns the one that stands, so that code and text
 * agree. */
int fail(struct ctx *c, enum err e, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Adds a fault at path (copied) of the current item and sets E_INVALID unless a failure is set. */
int fault(struct ctx *c, const char *path, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* 4xx or 5xx of a code; 200 for E_OK. */
int err_status(int e);
/* The standard phrase of a status: "Not Found". "Unknown" for others. */
const char *err_title(int status);

/* Logs and ends the process: for what cannot go on (out of memory). */
void die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif
