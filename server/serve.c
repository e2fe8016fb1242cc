/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `plumbline serve`: starts lock, database, writer, HTTP and the refresher of repositories in this
 * order and ends them in the other. The only line on standard output says where it listens; all
 * else is the log. SIGTERM and SIGINT drain: what was accepted is written and answered, and the
 * process ends within ten seconds, whatever hangs.
 */
#include "server/command.h"

#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "db/engine.h"
#include "db/migrate.h"
#include "db/writer.h"
#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/history/refresher.h"
#include "server/http/http.h"
#include "server/limits.h"

static enum log_level level_of(const char *name)
{
	return !strcmp(name, "debug")   ? LOG_DEBUG
	       : !strcmp(name, "warn")  ? LOG_WARN
	       : !strcmp(name, "error") ? LOG_ERROR
					: LOG_INFO;
}

/* Connections, a few files a thread, and some room. */
static void raise_file_limit(int64_t connections)
{
	struct rlimit l;
	rlim_t want = (rlim_t)connections + 200;

	if (getrlimit(RLIMIT_NOFILE, &l) < 0 || l.rlim_cur >= want)
		return;
	l.rlim_cur = want < l.rlim_max ? want : l.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &l) < 0 || l.rlim_cur < want)
		log_msg(LOG_WARN, "limit",
			"only %llu files may be open: fewer connections than set",
			(unsigned long long)l.rlim_cur);
}

/* Signals come to this thread alone, by sigwait; threads that are started later inherit the mask.
 */
static void block_signals(sigset_t *set)
{
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(set);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGINT);
	pthread_sigmask(SIG_BLOCK, set, NULL);
}

/* Bodies and the blocks of large arenas are given back when they are freed. Left to itself malloc
 * raises these bounds with what it sees freed, and then keeps as much again in each thread's heap.
 */
static void keep_malloc_small(void)
{
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
	mallopt(M_TRIM_THRESHOLD, 1 << 20);
}

/* Meanwhile what malloc keeps after busy times is given back: a third of the process's memory. */
static int wait_for_signal(const sigset_t *set)
{
	const struct timespec nap = {.tv_sec = TRIM_EVERY};
	int got;

	while ((got = sigtimedwait(set, NULL, &nap)) < 0)
		malloc_trim(0);
	return got;
}

/* Read-only: the file is taken as it is. Else: ours alone, made and migrated. */
static int prepare_database(struct cli *cli)
{
	struct ctx *c = cli->ctx;
	const char *path = cli->config->database;
	int e, version, lock;

	if (cli->config->read_only) {
		if ((e = db_open(c, path, DB_READ, &c->db)) < 0 ||
		    (e = db_version(c, &version)) < 0)
			return e;
		if (version != db_migrate_newest())
			return fail(
				c, E_INTERNAL,
				"%s has schema %d, this program needs %d: serve it once without "
				"--read-only",
				path, version, db_migrate_newest());
	} else if ((e = cli_make_folder(cli)) < 0 || (e = db_lock_server(c, path, &lock)) < 0 ||
		   (e = cli_open_write(cli)) < 0) {
		return e;
	}
	cli_close(cli);
	return 0;
}

static int start_writer(struct cli *cli, struct writer **w)
{
	const struct config *cfg = cli->config;
	struct writer_limits limits = {
		.jobs = (size_t)cfg->queue_jobs,
		.bytes = (size_t)cfg->queue_bytes,
		.disk_reserve = cfg->disk_reserve,
	};

	*w = NULL;
	return cfg->read_only ? 0 : writer_start(cli->ctx, cfg->database, &limits, w);
}

/* The last connection that closes folds the log into the database file and removes it, if it may
 * write; the last so far was a reader. */
static void tidy(struct cli *cli)
{
	struct db *db;

	if (db_open(cli->ctx, cli->config->database, DB_WRITE, &db) == 0)
		db_close(db);
}

/* In the order that leaves no suspended connection behind; see http.h. */
static void stop(struct cli *cli, struct http *h, struct refresher *r, struct writer *w)
{
	int64_t deadline = clock_us() + INT64_C(1000000) * STOP_WITHIN;

	alarm(STOP_WITHIN + 1); /* the last word: nothing that hangs may keep the process */
	refresher_ask_to_stop(r);
	bool clean = http_refuse(h, deadline);
	clean = refresher_stop(r, deadline) && clean;
	if (clean && w)
		writer_stop(w);
	if (!clean || !http_stop(h, deadline)) {
		log_msg(LOG_ERROR, "stop",
			"a request or a refresh hangs: ending without it"); /* takes all along */
		_exit(1);
	}
	if (w)
		tidy(cli);
	alarm(0);
	log_msg(LOG_INFO, "stop", "ended");
}

int cmd_serve(struct cli *cli)
{
	struct writer *w;
	struct http *h;
	struct refresher *r = NULL;
	sigset_t signals;
	char shown[80];
	int e, fd, got;

	if (cli->argc > 0)
		return cli_usage(cli, "no argument is expected, but \"%s\" was given",
				 cli->argv[0]);
	log_set_level(level_of(cli->config->log_level));
	raise_file_limit(cli->config->connections);
	block_signals(&signals);
	keep_malloc_small();
	if ((e = prepare_database(cli)) < 0 ||
	    (e = http_listen(cli->ctx, cli->config->listen, &fd, shown)) < 0 ||
	    (e = start_writer(cli, &w)) < 0 ||
	    (e = http_start(cli->ctx, cli->config, w, fd, &h)) < 0 ||
	    (w && (e = refresher_start(cli->ctx, cli->config->database, w, &r)) < 0))
		return e;
	log_gather_begin();
	cli->config->listen = shown; /* with the real port, for the pages that name it */
	printf("listening on http://%s\n", shown);
	fflush(stdout);
	log_msg(LOG_INFO, "start", "listening on %s, database %s%s", shown, cli->config->database,
		cli->config->read_only ? ", read-only" : "");
	got = wait_for_signal(&signals);
	log_msg(LOG_INFO, "stop", "signal %d", got);
	stop(cli, h, r, w);
	log_gather_end();
	return 0;
}
