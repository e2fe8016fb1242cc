/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Structured log lines. A line is built in the caller's memory and leaves in one write(2), so
 * threads need no lock and lines do not mix. Logging never fails: what cannot be written is lost.
 *
 * A write a line is a tenth of what a cached page costs, so a server gathers the lines of its
 * requests: a thread that sleeps while there are none writes them together.
 */
#include "server/base/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "server/base/utf8.h"

#define CUT_MARK "\xe2\x80\xa6" /* … */
#define ROOM_END 5              /* kept for the mark, a closing quote and the line end */

static atomic_int least_level = LOG_INFO;

void log_set_level(enum log_level least)
{
	atomic_store(&least_level, (int)least);
}

/* Adds n bytes whole or, from the first that does not fit, nothing any more. */
static void put(struct logline *l, const char *s, size_t n)
{
	if (l->cut || n > sizeof(l->buf) - ROOM_END - l->len) {
		if (!l->cut) {
			memcpy(l->buf + l->len, CUT_MARK, 3);
			l->len += 3;
			l->cut = true;
		}
		return;
	}
	memcpy(l->buf + l->len, s, n);
	l->len += (unsigned)n;
}

static bool is_plain(const char *s)
{
	static const char others[] = "._:/+@%,-";

	if (!*s)
		return false;
	for (; *s; s++) {
		bool alnum = (*s >= '0' && *s <= '9') || (*s >= 'a' && *s <= 'z') ||
			     (*s >= 'A' && *s <= 'Z');

		if (!alnum && !strchr(others, *s))
			return false;
	}
	return true;
}

/* Control characters and what is not UTF-8 as \xNN, so that a terminal and a reader of lines see
 * text only. */
static void put_escaped(struct logline *l, const char *s, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	size_t len;

	for (; n > 0 && !l->cut; s += len, n -= len) {
		unsigned char c = (unsigned char)*s;
		const char hex[4] = {'\\', 'x', digits[c >> 4], digits[c & 15]};

		len = utf8_length(s, n);
		if (c == '"' || c == '\\') {
			put(l, (const char[]){'\\', *s}, 2);
		} else if (len == 0 || c < 0x20 || c == 0x7f || utf8_is_c1(s) ||
			   utf8_is_line_end(s)) {
			put(l, hex, 4);
			len = 1;
		} else {
			put(l, s, len);
		}
	}
}

void log_begin(struct logline *l, enum log_level level, const char *event)
{
	static const char *const names[] = {"debug", "info", "warn", "error"};
	char ts[TIME_TEXT];

	l->level = level;
	l->len = 0;
	l->cut = false;
	if ((int)level < atomic_load(&least_level))
		return;
	clock_rfc3339(clock_now(), ts);
	put(l, "ts=", 3);
	put(l, ts, strlen(ts));
	log_str(l, "level", names[level]);
	log_str(l, "event", event);
}

static void put_key(struct logline *l, const char *key)
{
	put(l, " ", 1);
	put(l, key, strlen(key));
	put(l, "=", 1);
}

void log_str(struct logline *l, const char *key, const char *value)
{
	if (!l->len || l->cut || !value)
		return;
	put_key(l, key);
	if (is_plain(value)) {
		put(l, value, strlen(value));
		return;
	}
	put(l, "\"", 1);
	put_escaped(l, value, strlen(value));
	if (l->cut)
		l->buf[l->len++] = '"'; /* a cut text is closed too; ROOM_END has the place */
	else
		put(l, "\"", 1);
}

void log_int(struct logline *l, const char *key, int64_t value)
{
	char text[24];
	int n;

	if (!l->len || l->cut)
		return;
	n = snprintf(text, sizeof(text), "%lld", (long long)value);
	put_key(l, key);
	put(l, text, (size_t)n);
}

static void write_all(const char *p, size_t len)
{
	while (len) {
		ssize_t n = write(STDERR_FILENO, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		p += n;
		len -= (size_t)n;
	}
}

/* --- gathered lines ----------------------------------------------------------------------------
 */

#define GATHER_BYTES 32768

static struct {
	pthread_mutex_t lock;
	pthread_cond_t wake; /* the first line came, or the end */
	pthread_t thread;
	bool on, ending;
	size_t len;
	char buf[GATHER_BYTES];
} gather = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Under the lock, so that lines stay in order. */
static void gather_flush(void)
{
	write_all(gather.buf, gather.len);
	gather.len = 0;
}

static void *gather_run(void *arg)
{
	struct timespec until;

	(void)arg;
	pthread_mutex_lock(&gather.lock);
	while (!gather.ending) {
		if (!gather.len) {
			pthread_cond_wait(&gather.wake, &gather.lock);
			continue;
		}
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += LOG_GATHER_MS * 1000000L;
		if (until.tv_nsec >= 1000000000L) {
			until.tv_nsec -= 1000000000L;
			until.tv_sec++;
		}
		while (!gather.ending &&
		       pthread_cond_timedwait(&gather.wake, &gather.lock, &until) == 0)
			;
		gather_flush();
	}
	pthread_mutex_unlock(&gather.lock);
	return NULL;
}

void log_gather_begin(void)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&gather.wake, &attr);
	pthread_condattr_destroy(&attr);
	gather.ending = false;
	/* Without the thread a line is a write, as before. */
	gather.on = pthread_create(&gather.thread, NULL, gather_run, NULL) == 0;
}

void log_gather_end(void)
{
	pthread_mutex_lock(&gather.lock);
	bool was_on = gather.on;
	gather.on = false;
	gather.ending = true;
	gather_flush();
	if (was_on)
		pthread_cond_signal(&gather.wake);
	pthread_mutex_unlock(&gather.lock);
	if (was_on)
		pthread_join(gather.thread, NULL);
}

static void gather_line(const struct logline *l)
{
	if (gather.len + l->len > sizeof(gather.buf))
		gather_flush();
	if (!gather.len)
		pthread_cond_signal(&gather.wake);
	memcpy(gather.buf + gather.len, l->buf, l->len);
	gather.len += l->len;
	if (l->level >= LOG_WARN)
		gather_flush();
}

void log_end(struct logline *l)
{
	if (!l->len)
		return;
	l->buf[l->len++] = '\n';
	pthread_mutex_lock(&gather.lock);
	if (gather.on)
		gather_line(l);
	else
		write_all(l->buf, l->len);
	pthread_mutex_unlock(&gather.lock);
	l->len = 0;
}

void log_msg(enum log_level level, const char *event, const char *fmt, ...)
{
	struct logline l;
	char text[1500];
	va_list ap;

	log_begin(&l, level, event);
	if (!l.len)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	log_str(&l, "msg", text);
	log_end(&l);
}
