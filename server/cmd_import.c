/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plumbline import: files in any format of importers.def into the store, beside a running server or
 * without one. What is refused is said and makes the exit status 1; everything can be imported
 * again, since what is stored already is a duplicate. A folder is taken file by file, or, where the
 * format has runs that are folders, as a tree of them (import_tree.h).
 */
#include "server/command.h"

#include <fts.h>
#include <sys/stat.h>

#include "server/base/arena.h"
#include "server/import_file.h"
#include "server/import_tree.h"
#include "server/say.h"

#define AXIS_NAME_MAX  255 /* as in the files */
#define AXIS_VALUE_MAX 4096

/* What came of the command line. */
struct command_import {
	struct cli *cli;
	struct importing m;
	struct import_tree tree;
	bool watch;
};

/* A tree counts for itself while it is walked. */
static void count_tree(struct command_import *k)
{
	k->m.created += k->tree.taken;
	k->m.duplicates += k->tree.known;
	k->m.refused += k->tree.refused;
	k->tree.taken = k->tree.known = k->tree.refused = 0;
}

static int import_results(struct command_import *k, const struct importer *format, const char *path)
{
	struct import_tree *t = &k->tree;
	const char *const paths[] = {path};
	int e;

	t->format = format;
	t->defaults = &k->m.defaults;
	t->database = k->cli->config->database;
	t->writer = k->m.writer;
	import_tree_catch_signals();
	e = k->watch ? import_tree_watch(k->cli->ctx, t, path)
		     : import_tree_pass(k->cli->ctx, t, paths, 1);
	if (e >= 0 && !k->watch && !import_tree_stopped && !t->taken && !t->known && !t->refused)
		say("%s: no run lies in it: those of %s are folders with stats.json or last_state",
		    path, format->name);
	count_tree(k);
	return e;
}

/* The format that takes this folder as a tree; NULL: none, each file stands for itself. */
static const struct importer *tree_format(struct command_import *k, const char *path)
{
	const struct importer *format = k->m.format;

	if (format)
		return format->folder ? format : NULL;
	for (size_t i = 0; i < importer_count() && !format; i++)
		format = importer_at(i)->folder ? importer_at(i) : NULL;
	if (!format || !walk_looks_like_results(path))
		return NULL;
	say("%s: taken as %s", path, format->name);
	return format;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* All plain files below a folder in the order of their names, hidden ones left out; or the one
 * file. */
static int import_files(struct importing *m, char *path)
{
	char *const paths[] = {path, NULL};
	FTSENT *entry;
	FTS *walk;
	int e = E_OK;

	walk = fts_open(paths, FTS_COMFOLLOW | FTS_PHYSICAL | FTS_NOCHDIR, by_name);
	if (!walk)
		return fail(m->c, E_INTERNAL, "%s: cannot be walked", path);
	while (e >= 0 && (entry = fts_read(walk))) {
		if (entry->fts_level > 0 && entry->fts_name[0] == '.') {
			fts_set(walk, entry, FTS_SKIP);
			continue;
		}
		if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR) {
			say("%s: %s", entry->fts_path, strerror(entry->fts_errno));
			m->refused++;
		} else if (entry->fts_info == FTS_F || entry->fts_level == 0) {
			if (entry->fts_info != FTS_D && entry->fts_info != FTS_DP)
				e = import_file(m, entry->fts_path);
		}
	}
	fts_close(walk);
	return e;
}

static int import_path(struct command_import *k, char *path)
{
	const struct importer *format = NULL;
	char *full = NULL;
	struct stat st;
	int e;

	if (strcmp(path, "-") == 0)
		return import_file(&k->m, path);
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		full = realpath(path, NULL);
	if (full)
		format = tree_format(k, full);
	e = format ? import_results(k, format, full) : import_files(&k->m, path);
	free(full);
	return e;
}

/* --- the command line
 * ----------------------------------------------------------------------------- */

static int by_pair_name(const void *a, const void *b)
{
	return strcmp(((const struct pair *)a)->name, ((const struct pair *)b)->name);
}

/* --axis name=value, each name once. */
static int read_axes(struct cli *cli, struct importing *m)
{
	const char *tree = cli_option(cli, "tree");
	struct pair *axes = arena_array(cli->ctx->arena, struct pair, cli->nvalues);
	size_t n = 0;
	const char *text;

	for (size_t i = 0; (text = cli_option_at(cli, "axis", i)); i++) {
		const char *equals = strchr(text, '=');

		if (equals)
			axes[n] = (struct pair){
				arena_strn(cli->ctx->arena, text, (size_t)(equals - text)),
				equals + 1};
		if (!equals || !import_text_valid(axes[n].name, AXIS_NAME_MAX) ||
		    !import_text_valid(axes[n].value, AXIS_VALUE_MAX))
			return cli_usage(cli, "--axis wants name=value, not \"%s\"", text);
		n++;
	}
	qsort(axes, n, sizeof(*axes), by_pair_name);
	for (size_t i = 1; i < n; i++) {
		if (strcmp(axes[i - 1].name, axes[i].name) == 0)
			return cli_usage(cli, "--axis %s is given twice", axes[i].name);
	}
	m->defaults = (struct import){
		.axes = axes,
		.naxes = n,
		.commit = cli_option(cli, "commit"),
		.tree = tree,
	};
	if (tree && !import_text_valid(tree, AXIS_NAME_MAX))
		return cli_usage(cli, "--tree wants a name, not \"%s\"", tree);
	return 0;
}

static int read_format(struct command_import *k)
{
	const char *name = k->cli->argv[0];

	if (strcmp(name, "auto") == 0)
		return 0;
	k->m.format = importer_find(name);
	if (k->m.format)
		return 0;
	return cli_usage(k->cli, "no format \"%s\"; there are: auto %s", name,
			 importer_names(k->cli->ctx->arena));
}

/* --watch follows one tree, for ever. */
static int check_watch(struct command_import *k)
{
	struct stat st;

	if (!k->watch)
		return 0;
	if (k->m.dry_run)
		return cli_usage(k->cli, "--watch stores what it finds, and --dry-run does not");
	if (!k->m.format || !k->m.format->folder)
		return cli_usage(k->cli, "--watch needs a format of folders, such as lkp-result");
	if (k->cli->argc != 2 || stat(k->cli->argv[1], &st) < 0 || !S_ISDIR(st.st_mode))
		return cli_usage(k->cli, "--watch needs one folder");
	return 0;
}

static int list_formats(void)
{
	printf("%-20s %s\n", "auto", "whichever of these fits a file best");
	for (size_t i = 0; i < importer_count(); i++)
		printf("%-20s %s\n", importer_at(i)->name, importer_at(i)->summary);
	return 0;
}

static int open_store(struct command_import *k)
{
	struct cli *cli = k->cli;
	const struct writer_limits limits = {
		.jobs = 1,
		.bytes = SIZE_MAX,
		.disk_reserve = cli->config->disk_reserve,
	};
	int e = cli_open_write(cli); /* creates and migrates */

	cli_close(cli);
	return e < 0 ? e : writer_start(cli->ctx, cli->config->database, &limits, &k->m.writer);
}

static int import_all(struct command_import *k)
{
	struct importing *m = &k->m;
	int e = m->dry_run ? E_OK : open_store(k);

	for (int i = 1; e >= 0 && i < k->cli->argc && !import_tree_stopped; i++)
		e = import_path(k, k->cli->argv[i]);
	if (m->writer)
		writer_stop(m->writer);
	if (import_tree_stopped && !k->watch)
		fprintf(stderr, "interrupted: the same command goes on where it stopped\n");
	if (m->dry_run)
		fprintf(stderr, "%zu submissions, %zu refused; nothing was stored\n", m->created,
			m->refused);
	else if (m->writer)
		printf("%zu created, %zu duplicate, %zu refused\n", m->created, m->duplicates,
		       m->refused);
	if (e < 0)
		return e;
	return m->refused || (import_tree_stopped && !k->watch) ? 1 : 0;
}

int cmd_import(struct cli *cli)
{
	auto_arena struct arena *batch = arena_new();
	struct command_import *k = arena_array(cli->ctx->arena, struct command_import, 1);
	int e;

	if (cli_option(cli, "list"))
		return list_formats();
	k->cli = cli;
	k->m.c = cli->ctx;
	k->m.dry_run = cli_option(cli, "dry-run") != NULL;
	k->watch = cli_option(cli, "watch") != NULL;
	if (cli->argc < 2)
		return cli_usage(cli, "a format and at least one file are needed");
	e = read_format(k);
	if (e == 0)
		e = read_axes(cli, &k->m);
	if (e == 0)
		e = check_watch(k);
	if (e != 0)
		return e;
	ctx_init(&k->m.ctx, batch, NULL);
	e = import_all(k);
	import_tree_free(&k->tree);
	return e;
}
