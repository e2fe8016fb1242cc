/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `plumbline backup FILE`: a whole copy of the database at one moment, beside a server that goes on
 * writing. When it says so, the copy is on disk. */
#include "server/command.h"

#include <sys/stat.h>

#include "db/engine.h"

int cmd_backup(struct cli *cli)
{
	struct stat st;
	int e;

	if (cli->argc != 1)
		return cli_usage(cli, "the name of a file that is not there yet is needed");
	if (stat(cli->config->database, &st) < 0)
		return fail(cli->ctx, E_NOTFOUND, "there is no database %s", cli->config->database);
	if ((e = cli_open_read(cli)) < 0 || (e = db_backup(cli->ctx, cli->argv[0])) < 0)
		return e;
	if (stat(cli->argv[0], &st) < 0)
		st.st_size = 0;
	printf("%s: %lld bytes\n", cli->argv[0], (long long)st.st_size);
	return 0;
}
