/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program's entry: a table of subcommands, and what all of them need first: options taken out
 * of the command line, the configuration, one arena. Exit status: 0, 1 failed, 2 usage.
 */
#include "server/command.h"

#include <sodium.h>

#include "server/base/arena.h"

static const struct command commands[] = {
	{"serve", "[--listen ADDR:PORT] [--read-only]", "answer on HTTP", "", cmd_serve},
	{"import",
	 "FORMAT|auto FILE|DIR|-… [--axis k=v]… [--commit C] [--tree T] [--dry-run] [--watch] | "
	 "--list",
	 "store results from files in any format of --list; --watch follows a result tree",
	 "axis= commit= tree= dry-run watch list", cmd_import},
	{"compare",
	 "A B [C…] [--series S] [--axis k=v]… [--metric GLOB] [--changed] [--format txt|json|csv]",
	 "print the tables of two or more commits",
	 "series= axis= metric= changed role= sort= format= limit=", cmd_compare},
	{"token", "create --name N --scope upload[,triage,admin] [--machine M] | list | revoke N",
	 "make, list and revoke tokens", "name= scope= machine=", cmd_token},
	{"repo",
	 "add NAME PATH|URL [--ref REF]… [--history=snapshots] | list | sync [NAME] | remove NAME",
	 "follow git repositories", "ref= history=", cmd_repo},
	{"rule", "[NAME] | apply [NAME]",
	 "list what another version of the rule would change (the newest), or put it in force", "",
	 cmd_rule},
	{"export", "[--series S]",
	 "write everything as lines that `import native` makes into the same store",
	 "series=", cmd_export},
	{"backup", "FILE", "copy the database to a new file, beside a server that writes", "",
	 cmd_backup},
	{"check", "", "check the database", "", cmd_check},
	{"config", "", "print all settings with their defaults, as a file", "", cmd_config},
};

static void print_help(FILE *to)
{
	fprintf(to, "usage: plumbline COMMAND [ARGUMENTS] [OPTIONS]\n\ncommands:\n");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		fprintf(to, "  %-8s %s\n           %s\n", commands[i].name, commands[i].usage,
			commands[i].summary);
	fprintf(to, "\nEvery command takes --config FILE and each setting as an option, for example"
		    " --database FILE;\n`plumbline config` lists the settings.\n");
}

/* Wherever it stands before "--": nobody's value looks like it. */
static bool wants_help(int argc, char **argv)
{
	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

static void print_command_help(const struct command *command)
{
	printf("usage: plumbline %s %s\n\n%s\n\n"
	       "--config FILE and every setting are options too; `plumbline config` lists them.\n",
	       command->name, command->usage, command->summary);
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static int run_command(const struct command *command, int argc, char **argv)
{
	auto_arena struct arena *a = arena_new();
	struct ctx c;
	struct config config;
	struct cli cli = {.ctx = &c, .config = &config, .command = command};

	ctx_init(&c, a, NULL);
	int e = cli_parse(&cli, argc, argv);
	if (e == 0)
		e = command->run(&cli);
	cli_close(&cli);
	if (e < 0) {
		cli_complain(&c);
		return 1;
	}
	if (e == 0 && (fflush(stdout) != 0 || ferror(stdout))) {
		fprintf(stderr, "plumbline: cannot write to standard output\n");
		return 1;
	}
	return e;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		print_help(stderr);
		return 2;
	}
	if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		print_help(stdout);
		return 0;
	}
	const struct command *command = find_command(argv[1]);
	if (!command) {
		fprintf(stderr, "plumbline: no command \"%s\"; `plumbline help` lists them\n",
			argv[1]);
		return 2;
	}
	if (wants_help(argc - 2, argv + 2)) {
		print_command_help(command);
		return 0;
	}
	if (sodium_init() < 0)
		die("libsodium cannot start");
	return run_command(command, argc - 2, argv + 2);
}
