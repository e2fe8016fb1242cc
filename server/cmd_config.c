/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `plumbline config`: all settings as a file to start from. */
#include "server/command.h"

int cmd_config(struct cli *cli)
{
	auto_out struct out o;

	out_init(&o, OUT_MAX_DEFAULT); /* first: it is freed on every way out */
	if (cli->argc > 0)
		return cli_usage(cli, "no argument is expected, but \"%s\" was given",
				 cli->argv[0]);
	config_print(&o);
	fwrite(o.p, 1, o.len, stdout);
	return 0;
}
