/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The limits that the service is measured against, each with nothing around it but the library:
 *
 *	limits parse FILE     one thread that only parses FILE's lines with jansson: seconds, values
 *	limits reply          a bare libmicrohttpd server that answers 1 KiB; prints its port, ends
 *with standard input limits print N        N doubles to shortest text: seconds limits blobs FILE N
 *N blobs of 16,000 bytes into a fresh SQLite database FILE, one commit each ten: seconds
 */
#include <jansson.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "server/base/num.h"

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static size_t count_values(json_t *document)
{
	size_t n = 0, i;
	json_t *run;

	json_array_foreach(json_object_get(document, "runs"), i, run) n += json_object_size(run);
	return n;
}

static int parse(const char *path)
{
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t cap = 0, values = 0;
	ssize_t n;
	double spent = 0;

	if (!f)
		return 1;
	while ((n = getline(&line, &cap, f)) > 0) {
		double before = now();
		json_t *j = json_loadb(line, (size_t)n,
				       JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, NULL);

		if (!j)
			return 1;
		spent += now() - before;
		values += count_values(j);
		before = now();
		json_decref(j);
		spent += now() - before;
	}
	free(line);
	fclose(f);
	printf("%.6f %zu\n", spent, values);
	return 0;
}

static enum MHD_Result answer(void *cls, struct MHD_Connection *c, const char *url,
			      const char *method, const char *version, const char *data,
			      size_t *size, void **state)
{
	(void)cls, (void)url, (void)method, (void)version, (void)data, (void)size;
	static char text[1024];

	/* An answer at the first call, before the request has ended, would close the connection. */
	if (!*state) {
		*state = text;
		return MHD_YES;
	}
	struct MHD_Response *r =
		MHD_create_response_from_buffer(sizeof(text), text, MHD_RESPMEM_PERSISTENT);
	enum MHD_Result ok = MHD_queue_response(c, 200, r);

	MHD_destroy_response(r);
	return ok;
}

static int reply(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct MHD_Daemon *d = MHD_start_daemon(
		MHD_USE_EPOLL | MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, answer, NULL,
		MHD_OPTION_THREAD_POOL_SIZE, 2u, MHD_OPTION_SOCK_ADDR, &at, MHD_OPTION_END);
	char c;

	if (!d)
		return 1;
	printf("%u\n", MHD_get_daemon_info(d, MHD_DAEMON_INFO_BIND_PORT)->port);
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	MHD_stop_daemon(d);
	return 0;
}

static int print(long n)
{
	char buf[NUM_MAX];
	size_t total = 0;
	double before = now();

	for (long i = 0; i < n; i++)
		total += num_shortest(1e5 / (double)(i + 3), buf);
	printf("%.6f %zu\n", now() - before, total);
	return 0;
}

static int blobs(const char *path, long n)
{
	static char blob[16000];
	sqlite3 *d;
	sqlite3_stmt *st;

	unlink(path);
	if (sqlite3_open(path, &d) != SQLITE_OK)
		return 1;
	sqlite3_exec(d,
		     "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE t(a INTEGER "
		     "PRIMARY KEY, b BLOB)",
		     NULL, NULL, NULL);
	if (sqlite3_prepare_v2(d, "INSERT INTO t(b) VALUES (?1)", -1, &st, NULL) != SQLITE_OK)
		return 1;
	double before = now();
	for (long i = 0; i < n; i++) {
		if (i % 10 == 0)
			sqlite3_exec(d, "BEGIN IMMEDIATE", NULL, NULL, NULL);
		blob[i % 16000]++;
		sqlite3_bind_blob(st, 1, blob, sizeof(blob), SQLITE_STATIC);
		sqlite3_step(st);
		sqlite3_reset(st);
		if (i % 10 == 9 || i == n - 1)
			sqlite3_exec(d, "COMMIT", NULL, NULL, NULL);
	}
	printf("%.6f\n", now() - before);
	sqlite3_finalize(st);
	sqlite3_close(d);
	unlink(path);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "parse") == 0)
		return parse(argv[2]);
	if (argc == 2 && strcmp(argv[1], "reply") == 0)
		return reply();
	if (argc == 3 && strcmp(argv[1], "print") == 0)
		return print(strtol(argv[2], NULL, 10));
	if (argc == 4 && strcmp(argv[1], "blobs") == 0)
		return blobs(argv[2], strtol(argv[3], NULL, 10));
	fputs("usage: limits parse FILE | reply | print N | blobs FILE N\n", stderr);
	return 2;
}
