/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One line an event on standard error, "ts=… level=… event=… key=value …"; values with anything
 * but plain characters are quoted and escaped, so a hostile text can never make a second line.
 *
 *	struct logline l;
 *	log_begin(&l, LOG_INFO, "upload");
 *	log_str(&l, "key", key);
 *	log_int(&l, "us", took);
 *	log_end(&l);
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>
#include <stdint.h>

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };

struct logline {
	enum log_level level;
	char buf[2048]; /* longer lines are cut, with "…" */
	unsigned len;   /* 0: the line is below the level and nothing is kept */
	bool cut;
};

/* Lines below this level are dropped. Set once at the start. */
void log_set_level(enum log_level least);
void log_begin(struct logline *l, enum log_level level, const char *event);
void log_str(struct logline *l, const char *key, const char *value); /* NULL: left out */
void log_int(struct logline *l, const char *key, int64_t value);
/* Writes the line with one write(2), or gathers it (see below). */
void log_end(struct logline *l);
/* For a server that logs each request: lines below LOG_WARN are gathered and written together, at
 * most LOG_GATHER_MS later; a line from LOG_WARN up takes all before it along at once. A process
 * that is killed loses what it had gathered. log_gather_end writes the rest and goes back to a
 * write a line. */
#define LOG_GATHER_MS 50
void log_gather_begin(void);
void log_gather_end(void);
/* An event with one text: log_msg(LOG_WARN, "migrate", "database is newer"). */
void log_msg(enum log_level level, const char *event, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
