/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The daemon's start and its ordered stop, and the listening socket. */
#include "server/http/conn.h"

#include <arpa/inet.h>
#include <errno.h>
#include <sodium.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/base/num.h"

/* --- the socket --- */

/* "ADDR:PORT", checked by config.c, as a socket address; its length, 0: not one. */
static socklen_t parse_address(const char *text, struct sockaddr_storage *out)
{
	const char *colon = strrchr(text, ':');
	char host[INET6_ADDRSTRLEN + 2];
	int64_t port;

	memset(out, 0, sizeof(*out));
	if (!colon || (size_t)(colon - text) >= sizeof(host) ||
	    !num_parse_int(colon + 1, 0, 65535, &port))
		return 0;
	memcpy(host, text, (size_t)(colon - text));
	host[colon - text] = '\0';
	if (host[0] == '[') {
		struct sockaddr_in6 *a6 = (struct sockaddr_in6 *)out;
		a6->sin6_family = AF_INET6;
		a6->sin6_port = htons((uint16_t)port);
		host[strcspn(host, "]")] = '\0';
		return inet_pton(AF_INET6, host + 1, &a6->sin6_addr) == 1 ? sizeof(*a6) : 0;
	}
	struct sockaddr_in *a4 = (struct sockaddr_in *)out;
	a4->sin_family = AF_INET;
	a4->sin_port = htons((uint16_t)port);
	return inet_pton(AF_INET, host, &a4->sin_addr) == 1 ? sizeof(*a4) : 0;
}

static void show_address(int fd, char shown[80])
{
	struct sockaddr_storage a;
	socklen_t n = sizeof(a);
	char host[INET6_ADDRSTRLEN] = "";

	getsockname(fd, (struct sockaddr *)&a, &n);
	if (a.ss_family == AF_INET6) {
		struct sockaddr_in6 *a6 = (struct sockaddr_in6 *)&a;
		inet_ntop(AF_INET6, &a6->sin6_addr, host, sizeof(host));
		snprintf(shown, 80, "[%s]:%d", host, ntohs(a6->sin6_port));
	} else {
		struct sockaddr_in *a4 = (struct sockaddr_in *)&a;
		inet_ntop(AF_INET, &a4->sin_addr, host, sizeof(host));
		snprintf(shown, 80, "%s:%d", host, ntohs(a4->sin_port));
	}
}

int http_listen(struct ctx *c, const char *address, int *fd, char shown[80])
{
	struct sockaddr_storage a;
	socklen_t n = parse_address(address, &a);
	const int on = 1;

	if (!n)
		return fail(c, E_INVALID, "not an address and port: %s", address);
	int s = socket(a.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s < 0)
		return fail(c, E_INTERNAL, "no socket: %s", strerror(errno));
	if (setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
	    bind(s, (struct sockaddr *)&a, n) < 0 || listen(s, LISTEN_BACKLOG) < 0) {
		int e = fail(c, E_INTERNAL, "cannot listen on %s: %s", address, strerror(errno));
		close(s);
		return e;
	}
	show_address(s, shown);
	*fd = s;
	return 0;
}

/* --- start --- */

/* What the pages depend on besides data and address. A database that was put in the place of
 * another may repeat its generations, so the file counts too. */
static void make_salt(struct http *h)
{
	struct digest_state d;
	struct stat st;

	digest_init(&d);
	if (stat("/proc/self/exe", &st) == 0) {
		digest_add(&d, &st.st_mtim, sizeof(st.st_mtim));
		digest_add(&d, &st.st_size, sizeof(st.st_size));
	}
	if (stat(h->config->database, &st) == 0) {
		digest_add(&d, &st.st_dev, sizeof(st.st_dev));
		digest_add(&d, &st.st_ino, sizeof(st.st_ino));
	}
	digest_add_str(&d, h->config->public_url);
	struct digest digest = digest_end(&d);
	digest_hex(&digest, h->salt);
	snprintf(h->id_prefix, sizeof(h->id_prefix), "%06x", randombytes_uniform(1u << 24));
}

/* Paths and queries are decoded by us, after they were cut. */
static size_t unescape_nothing(void *cls, struct MHD_Connection *mc, char *s)
{
	(void)cls;
	(void)mc;
	return strlen(s);
}

__attribute__((format(printf, 2, 0))) static void on_log(void *cls, const char *fmt, va_list ap)
{
	char text[400];

	(void)cls;
	vsnprintf(text, sizeof(text), fmt, ap);
	text[strcspn(text, "\r\n")] = '\0';
	log_msg(LOG_INFO, "http", "%s", text); /* mostly clients that went away */
}

static struct MHD_Daemon *start_daemon(struct http *h, unsigned threads)
{
	return MHD_start_daemon(
		MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0,
		NULL, NULL, conn_on_request, h, MHD_OPTION_EXTERNAL_LOGGER, on_log, NULL,
		MHD_OPTION_LISTEN_SOCKET, h->listen_fd, MHD_OPTION_THREAD_POOL_SIZE, threads,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)h->config->connections,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_TIMEOUT,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_POOL,
		MHD_OPTION_UNESCAPE_CALLBACK, unescape_nothing, NULL, MHD_OPTION_URI_LOG_CALLBACK,
		conn_on_uri, h, MHD_OPTION_NOTIFY_COMPLETED, conn_on_completed, h,
		MHD_OPTION_NOTIFY_CONNECTION, conn_on_connection, h, MHD_OPTION_END);
}

int http_start(struct ctx *c, const struct config *cfg, struct writer *w, int listen_fd,
	       struct http **out)
{
	struct http *h = calloc(1, sizeof(*h));
	long cores = cfg->threads ? (long)cfg->threads : sysconf(_SC_NPROCESSORS_ONLN);
	unsigned threads = cores < 2 ? 2 : (unsigned)cores;

	if (!h)
		die("out of memory");
	h->config = cfg;
	h->writer = w;
	h->listen_fd = listen_fd;
	pthread_mutex_init(&h->lock, NULL);
	make_salt(h);
	access_begin(h);
	h->cache = page_cache_new((size_t)cfg->page_cache, &h->counters);
	h->reaper = reaper_start(&h->counters.reaped);
	h->workers = workers_start(threads, WORKER_QUEUE);
	h->daemon = start_daemon(h, threads);
	if (!h->daemon)
		return fail(c, E_INTERNAL, "the HTTP daemon cannot start: %s", strerror(errno));
	*out = h;
	return 0;
}

/* --- stop --- */

/* Waits until *n is 0; a stop is rare, so looking often is good enough. */
static bool wait_for_zero(const counter *n, int64_t deadline)
{
	while (atomic_load(n) > 0) {
		if (clock_us() > deadline)
			return false;
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
	return true;
}

bool http_refuse(struct http *h, int64_t deadline)
{
	int fd = MHD_quiesce_daemon(h->daemon);

	if (fd >= 0)
		close(fd);
	atomic_store(&h->stopping, true);
	return wait_for_zero(&h->running, deadline);
}

bool http_stop(struct http *h, int64_t deadline)
{
	if (!wait_for_zero(&h->counters.suspended, deadline))
		return false;
	wait_for_zero(&h->sending, deadline);
	MHD_stop_daemon(h->daemon);
	workers_stop(h->workers);
	reaper_stop(h->reaper);
	run_close_dbs(h);
	page_cache_free(h->cache);
	while (h->narenas)
		arena_free(h->arenas[--h->narenas]);
	pthread_mutex_destroy(&h->lock);
	free(h);
	return true;
}
