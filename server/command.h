/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the subcommands of plumbline share. main.c has the table of commands, takes the options out
 *of the command line (they may follow positional arguments; "--" ends them), reads the
 *configuration, and calls one of them:
 *
 *	int cmd_compare(struct cli *cli)
 *	{
 *		int e = cli_open_read(cli);
 *		if (e < 0)
 *			return e;
 *		const char *format = cli_option(cli, "format");
 *		…
 *		return 0;
 *	}
 *
 * A command returns 0, 1 (failed, it has said why), 2 (cli_usage), or a negative enum err: main
 *then prints the text and the faults in cli->ctx on standard error and ends with 1.
 */
#ifndef SERVER_COMMAND_H
#define SERVER_COMMAND_H

#include "server/base/err.h"
#include "server/config.h"

struct command;

struct cli_value {
	const char *name, *value; /* value: "" for a flag */
};

struct cli {
	struct ctx *ctx; /* arena; db is NULL until a cli_open */
	struct config *config;
	int argc;                 /* positional arguments, without the command's name */
	char **argv;              /* NULL-terminated */
	struct cli_value *values; /* the command's own options, in order */
	size_t nvalues;
	const struct command *command;
};

struct command {
	const char *name;
	const char *usage; /* positional arguments and options, after "plumbline name " */
	const char *summary;
	const char *options; /* own options: "commit=" takes a value, "dry-run" is a flag; may be
				repeated */
	int (*run)(struct cli *cli);
};

/* Fills cli from the arguments after the command's name: own options into values, "--config FILE"
 * and settings into the configuration, the rest into argv. 0, 2 (usage, said), or a failure. */
int cli_parse(struct cli *cli, int argc, char **argv);

/* Value of an option, the last one given, or NULL. */
const char *cli_option(const struct cli *cli, const char *name);
/* The i-th value given of an option (--axis a=b --axis c=d), or NULL after the last. */
const char *cli_option_at(const struct cli *cli, const char *name, size_t i);
/* Prints the text and the command's usage on standard error; returns 2. */
int cli_usage(const struct cli *cli, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Opens the database and sets ctx->db; main closes it. Created and migrated when missing. */
int cli_open_write(struct cli *cli);
/* For reading only: an up-to-date file is not written to, so it may be read-only. */
int cli_open_read(struct cli *cli);
/* Makes the folder of the default database: for commands that open config->database by themselves
 * (writer_start wants an existing file: cli_open_write first, then close with cli_close). */
int cli_make_folder(struct cli *cli);
void cli_close(struct cli *cli);
/* Prints ctx's failure and faults on standard error. */
void cli_complain(const struct ctx *c);

int cmd_serve(struct cli *cli);
int cmd_import(struct cli *cli);
int cmd_compare(struct cli *cli);
int cmd_token(struct cli *cli);
int cmd_repo(struct cli *cli);
int cmd_rule(struct cli *cli);
int cmd_export(struct cli *cli);
int cmd_backup(struct cli *cli);
int cmd_check(struct cli *cli);
int cmd_config(struct cli *cli);

#endif
