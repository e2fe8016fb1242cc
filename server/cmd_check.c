/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `plumbline check`: the engine's own check of its file, then whether what is stored agrees with
 * itself. One line a complaint on standard output. Reads only, so it may run beside a server.
 */
#include "server/command.h"

#include "db/check.h"
#include "db/engine.h"

static void say(void *arg, const char *complaint)
{
	(void)arg;
	printf("%s\n", complaint);
}

int cmd_check(struct cli *cli)
{
	struct ctx *c = cli->ctx;

	if (cli->argc > 0)
		return cli_usage(cli, "no argument is expected, but \"%s\" was given",
				 cli->argv[0]);
	int e = cli_open_read(cli);
	if (e < 0)
		return e;
	int engine = db_integrity(c, say, NULL);
	if (engine < 0)
		return engine;
	if ((e = db_begin_read(c)) < 0)
		return e;
	int store = store_check(c, say, NULL);
	db_end_read(c);
	if (store < 0)
		return store;
	if (engine + store > 0) {
		fprintf(stderr, "plumbline: %d complaints about %s\n", engine + store,
			cli->config->database);
		return 1;
	}
	printf("%s: no complaints\n", cli->config->database);
	return 0;
}
