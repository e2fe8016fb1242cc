/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The client of the benchmarks: raw sockets and keep-alive, so that it costs little beside the
 *server.
 *
 *	client post PORT TOKEN FILE CLIENTS    every line of FILE is one upload; prints seconds,
 *bodies, bytes client get PORT PATH COUNT [HEADER…]   one connection, one request after the other;
 *prints the median and the 95th percentile in microseconds, status and bytes of the last answer
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

struct answer {
	int status;
	size_t body;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void give_up(const char *what)
{
	perror(what);
	exit(1);
}

static int dial(int port)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int one = 1;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0)
		give_up("connect");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

static void send_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t k = send(fd, p, n, MSG_NOSIGNAL);

		if (k <= 0)
			give_up("send");
		p += k;
		n -= (size_t)k;
	}
}

/* Reads one answer with a Content-Length (or none: 304). */
static struct answer receive(int fd)
{
	static _Thread_local char buf[1 << 16];
	struct answer a = {0};
	size_t n = 0;
	char *end;

	do {
		ssize_t k = recv(fd, buf + n, sizeof(buf) - 1 - n, 0);

		if (k <= 0)
			give_up("recv");
		n += (size_t)k;
		buf[n] = '\0';
		end = strstr(buf, "\r\n\r\n");
	} while (!end);
	a.status = (int)strtol(buf + 9, NULL, 10);
	char *length = strcasestr(buf, "\r\ncontent-length:");
	if (length && length < end)
		a.body = strtoul(length + 17, NULL, 10);
	size_t have = n - (size_t)(end + 4 - buf);
	while (have < a.body && a.status != 304) {
		ssize_t k = recv(fd, buf, sizeof(buf), 0);

		if (k <= 0)
			give_up("recv");
		have += (size_t)k;
	}
	return a;
}

struct lines {
	char *bytes;
	char **start;
	size_t *len;
	size_t n;
	size_t next; /* taken by the clients, under lock */
	pthread_mutex_t lock;
	int port, refused;
	const char *token;
};

static void *post_some(void *arg)
{
	struct lines *l = arg;
	int fd = dial(l->port);
	char head[512];

	for (;;) {
		pthread_mutex_lock(&l->lock);
		size_t i = l->next++;
		pthread_mutex_unlock(&l->lock);
		if (i >= l->n)
			break;
		int h = snprintf(head, sizeof(head),
				 "POST /api/v1/runs HTTP/1.1\r\nHost: localhost\r\n"
				 "Authorization: Bearer %s\r\nContent-Type: application/json\r\n"
				 "Content-Length: %zu\r\n\r\n",
				 l->token, l->len[i]);
		send_all(fd, head, (size_t)h);
		send_all(fd, l->start[i], l->len[i]);
		struct answer a = receive(fd);
		if (a.status != 201) {
			pthread_mutex_lock(&l->lock);
			l->refused++;
			pthread_mutex_unlock(&l->lock);
		}
	}
	close(fd);
	return NULL;
}

static void read_lines(const char *path, struct lines *l)
{
	FILE *f = fopen(path, "r");
	size_t cap = 0, room = 0;
	ssize_t n;
	char *line = NULL;

	if (!f)
		give_up(path);
	while ((n = getline(&line, &cap, f)) > 0) {
		if (l->n == room) {
			room = room ? room * 2 : 64;
			l->start = realloc(l->start, room * sizeof(*l->start));
			l->len = realloc(l->len, room * sizeof(*l->len));
			if (!l->start || !l->len)
				give_up("realloc");
		}
		l->start[l->n] = line;
		l->len[l->n++] = (size_t)n - (line[n - 1] == '\n');
		line = NULL;
		cap = 0;
	}
	fclose(f);
}

static int post(char **argv)
{
	struct lines l = {.port = (int)strtol(argv[0], NULL, 10), .token = argv[1]};
	int clients = (int)strtol(argv[3], NULL, 10);
	pthread_t threads[64];
	size_t bytes = 0;

	pthread_mutex_init(&l.lock, NULL);
	read_lines(argv[2], &l);
	for (size_t i = 0; i < l.n; i++)
		bytes += l.len[i];
	double before = now();
	for (int i = 0; i < clients && i < 64; i++)
		if (pthread_create(&threads[i], NULL, post_some, &l) != 0)
			give_up("thread");
	for (int i = 0; i < clients && i < 64; i++)
		pthread_join(threads[i], NULL);
	printf("%.6f %zu %zu\n", now() - before, l.n, bytes);
	if (l.refused)
		fprintf(stderr, "%d uploads were not answered 201\n", l.refused);
	return l.refused ? 1 : 0;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int get(int argc, char **argv)
{
	int fd = dial((int)strtol(argv[0], NULL, 10));
	long count = strtol(argv[2], NULL, 10);
	double *took = calloc((size_t)count, sizeof(*took));
	struct answer a = {0};
	char head[8192];
	int h = snprintf(head, sizeof(head), "GET %s HTTP/1.1\r\nHost: localhost\r\n", argv[1]);

	for (int i = 3; i < argc; i++)
		h += snprintf(head + h, sizeof(head) - (size_t)h, "%s\r\n", argv[i]);
	h += snprintf(head + h, sizeof(head) - (size_t)h, "\r\n");
	if (!took || count < 1)
		return 2;
	for (long i = 0; i < count; i++) {
		double before = now();

		send_all(fd, head, (size_t)h);
		a = receive(fd);
		took[i] = (now() - before) * 1e6;
	}
	qsort(took, (size_t)count, sizeof(*took), by_size);
	printf("%.1f %.1f %d %zu\n", took[count / 2], took[count * 95 / 100], a.status, a.body);
	free(took);
	close(fd);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 6 && strcmp(argv[1], "post") == 0)
		return post(argv + 2);
	if (argc >= 5 && strcmp(argv[1], "get") == 0)
		return get(argc - 2, argv + 2);
	fputs("usage: client post PORT TOKEN FILE CLIENTS | client get PORT PATH COUNT [HEADER…]\n",
	      stderr);
	return 2;
}
