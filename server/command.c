/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line: options of a command are listed in its row of main.c's table; every setting of
 * config.c is an option too. Reading the line comes first, the configuration file second, settings
 * from the line last, so that they win.
 */
#include "server/command.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/stat.h>

#include "db/engine.h"
#include "db/migrate.h"
#include "server/base/arena.h"

/* 2: the option takes a value; 1: it is a flag; 0: the command has no such option. */
static int own_option(const char *options, const char *name, size_t len)
{
	for (const char *p = options; *p;) {
		size_t n = strcspn(p, " ");
		if (n == len + 1 && p[len] == '=' && !strncmp(p, name, len))
			return 2;
		if (n == len && !strncmp(p, name, len))
			return 1;
		p += n;
		p += strspn(p, " ");
	}
	return 0;
}

struct parsing {
	struct cli *cli;
	int argc, i;
	char **argv;
	const char *config_file;
	struct cli_value *settings;
	size_t nsettings;
};

/* The value of an option: after '=', or the next argument. */
static const char *option_value(struct parsing *p, const char *equals)
{
	if (equals)
		return equals + 1;
	return p->i + 1 < p->argc ? p->argv[++p->i] : NULL;
}

static int parse_option(struct parsing *p, const char *arg)
{
	struct cli *cli = p->cli;
	const char *equals = strchr(arg, '=');
	size_t len = equals ? (size_t)(equals - arg) : strlen(arg);
	char *name = arena_strn(cli->ctx->arena, arg, len);
	int own = own_option(cli->command->options, name, len);
	const char *value;

	if (own == 1) {
		if (equals)
			return cli_usage(cli, "--%s takes no value", name);
		cli->values[cli->nvalues++] = (struct cli_value){name, ""};
		return 0;
	}
	bool is_config = !own && !strcmp(name, "config");
	if (!own && !is_config && !config_known(name))
		return cli_usage(cli, "no option --%s", name);
	if (!own && !is_config && config_is_switch(name) && !equals)
		value = "yes";
	else
		value = option_value(p, equals);
	if (!value)
		return cli_usage(cli, "--%s needs a value", name);
	if (own)
		cli->values[cli->nvalues++] = (struct cli_value){name, value};
	else if (is_config)
		p->config_file = value;
	else
		p->settings[p->nsettings++] = (struct cli_value){name, value};
	return 0;
}

int cli_parse(struct cli *cli, int argc, char **argv)
{
	struct arena *a = cli->ctx->arena;
	struct parsing p = {.cli = cli, .argc = argc, .argv = argv};
	bool options = true;
	int e = 0;

	cli->argv = arena_array(a, char *, (size_t)argc + 1);
	cli->values = arena_array(a, struct cli_value, (size_t)argc);
	p.settings = arena_array(a, struct cli_value, (size_t)argc);
	for (; p.i < argc && e == 0; p.i++) {
		char *arg = argv[p.i];
		if (options && !strcmp(arg, "--"))
			options = false;
		else if (options && !strncmp(arg, "--", 2))
			e = parse_option(&p, arg + 2);
		else if (options && arg[0] == '-' && arg[1])
			e = cli_usage(cli, "no option %s", arg);
		else
			cli->argv[cli->argc++] = arg;
	}
	if (e)
		return e;
	config_init(cli->ctx, cli->config);
	if (p.config_file && (e = config_read(cli->ctx, p.config_file, cli->config)) < 0)
		return e;
	for (size_t i = 0; i < p.nsettings; i++) {
		const char *where = arena_fmt(a, "--%s", p.settings[i].name);
		e = config_set(cli->ctx, cli->config, p.settings[i].name, p.settings[i].value,
			       where);
		if (e < 0)
			return cli_usage(cli, "%s", cli->ctx->detail);
	}
	return 0;
}

const char *cli_option(const struct cli *cli, const char *name)
{
	for (size_t i = cli->nvalues; i-- > 0;)
		if (!strcmp(cli->values[i].name, name))
			return cli->values[i].value;
	return NULL;
}

const char *cli_option_at(const struct cli *cli, const char *name, size_t i)
{
	for (size_t k = 0; k < cli->nvalues; k++)
		if (!strcmp(cli->values[k].name, name) && i-- == 0)
			return cli->values[k].value;
	return NULL;
}

int cli_usage(const struct cli *cli, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "plumbline %s: ", cli->command->name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\nusage: plumbline %s %s\n", cli->command->name, cli->command->usage);
	return 2;
}

/* mkdir -p of all but the last part of the path. */
static int make_parents(struct ctx *c, const char *file)
{
	char *path = arena_str(c->arena, file);

	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0755) < 0 && errno != EEXIST)
			return fail(c, E_INTERNAL, "cannot make the folder %s: %s", path,
				    strerror(errno));
		*slash = '/';
	}
	return 0;
}

int cli_make_folder(struct cli *cli)
{
	if (!cli->config->database_is_default)
		return 0;
	return make_parents(cli->ctx, cli->config->database);
}

int cli_open_write(struct cli *cli)
{
	struct db *db;
	int e = cli_make_folder(cli);

	if (e < 0 || (e = db_open_migrated(cli->ctx, cli->config->database, &db)) < 0)
		return e;
	cli->ctx->db = db;
	return 0;
}

int cli_open_read(struct cli *cli)
{
	struct ctx *c = cli->ctx;
	struct stat st;
	int version = 0;

	if (stat(cli->config->database, &st) < 0 && errno == ENOENT)
		return cli_open_write(cli);
	int e = db_open(c, cli->config->database, DB_READ, &c->db);
	if (e < 0 || (e = db_version(c, &version)) < 0)
		return e;
	if (version == db_migrate_newest())
		return 0;
	cli_close(cli);
	return cli_open_write(cli);
}

void cli_close(struct cli *cli)
{
	db_close(cli->ctx->db);
	cli->ctx->db = NULL;
}

void cli_complain(const struct ctx *c)
{
	fprintf(stderr, "plumbline: %s\n",
		c->detail[0] ? c->detail : err_title(err_status(c->err)));
	for (size_t i = 0; i < c->nfaults; i++) {
		const struct fault *f = &c->faults[i];
		if (f->item >= 0)
			fprintf(stderr, "  item %ld: ", f->item);
		else
			fprintf(stderr, "  ");
		fprintf(stderr, "%s%s%s\n", f->path, f->path[0] ? ": " : "", f->message);
	}
	if (c->faults_seen > c->nfaults)
		fprintf(stderr, "  and %zu more\n", c->faults_seen - c->nfaults);
}
