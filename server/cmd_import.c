/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plumbline import: files in any format of importers.def into the store, beside a running server or
 * without one. A file with a submission a line is streamed and stored in small batches, each line
 * for itself; any other file is stored as a whole or not at all. What is refused is said with file
 * and line, and makes the exit status 1; the same file can be imported again, since what is stored
 * already is a duplicate.
 */
#include "server/command.h"

#include <fts.h>

#include "importers/import.h"
#include "importers/json_scan.h"
#include "importers/native_write.h"
#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/import_aside.h"
#include "server/import_guess.h"
#include "server/import_source.h"
#include "server/model/intake.h"

#define BATCH_ITEMS    256
#define BATCH_BYTES    ((size_t)4 << 20)
#define AXIS_NAME_MAX  255 /* as in the files */
#define AXIS_VALUE_MAX 4096
#define SNIFF_LEAST    ((size_t)64 << 10) /* what a sniffer sees of a file that is longer */

struct importing {
	struct cli *cli;
	const struct importer *format; /* NULL: auto */
	struct import defaults;        /* what the files do not say */
	bool dry_run;
	struct writer *writer; /* NULL in a dry run */
	size_t created, duplicates, refused;

	/* the batch */
	struct ctx ctx;
	struct import in;
	const char *file;
	struct intake_item items[BATCH_ITEMS];
	size_t n, bytes;
};

static void batch_clear(struct importing *m)
{
	struct arena *a = m->ctx.arena;

	arena_reset(a);
	ctx_init(&m->ctx, a, NULL);
	m->in = m->defaults;
	m->in.ctx = &m->ctx;
	m->in.is_copy = true;
	m->n = m->bytes = 0;
}

/* --- what is said -------------------------------------------------------------------------------
 */

static void say_refused(const struct importing *m, const struct intake_item *item)
{
	char line[24] = "";

	if (item->line)
		snprintf(line, sizeof(line), ":%ld", item->line);
	if (!item->nfaults)
		fprintf(stderr, "%s%s: %s\n", m->file, line, item->detail);
	for (size_t i = 0; i < item->nfaults; i++) {
		const struct fault *f = &item->faults[i];

		fprintf(stderr, "%s%s: ", m->file, line);
		if (f->item >= 0)
			fprintf(stderr, "item %ld: ", f->item);
		fprintf(stderr, "%s%s%s\n", f->path, f->path[0] ? ": " : "", f->message);
	}
	if (item->more)
		fprintf(stderr, "%s%s: and %zu more\n", m->file, line, item->more);
}

static int print_submission(struct ctx *c, const struct submission *s)
{
	auto_out struct out o;

	out_init(&o, OUT_MAX_DEFAULT);
	native_write(&o, s);
	out_char(&o, '\n');
	if (o.failed)
		return fail(c, E_TOO_LARGE, "a submission is too large to print");
	fwrite(o.p, 1, o.len, stdout);
	return E_OK;
}

static void count(struct importing *m, const struct accepted *k)
{
	if (k->duplicate)
		m->duplicates++;
	else
		m->created++;
}

/* --- what is stored -----------------------------------------------------------------------------
 */

/* Runs a job of the batch. A failure of the engine ends the command. */
static int run_job(struct importing *m, struct intake *t)
{
	t->job.ctx = &m->ctx;
	t->job.weight = m->bytes;
	return writer_run(m->writer, &t->job);
}

static int give_up(struct importing *m, int e)
{
	return fail(m->cli->ctx, (enum err)e, "%s: %s", m->file, m->ctx.detail);
}

/* Stores, or in a dry run prints, the lines that have gathered, and says which were refused. */
static int store_lines(struct importing *m)
{
	const struct uploader by = {.now = clock_now()};
	struct intake t;
	size_t next = 0;
	int e = E_OK;

	for (size_t i = 0; i < m->n; i++) {
		if (!m->items[i].refused)
			m->items[i].sub = &m->in.subs[next++];
	}
	if (!m->dry_run && next) {
		intake_each(&t, m->items, m->n, &by);
		e = run_job(m, &t);
	}
	for (size_t i = 0; e >= 0 && i < m->n; i++) {
		const struct intake_item *item = &m->items[i];

		if (item->refused) {
			m->refused++;
			say_refused(m, item);
		} else if (m->dry_run) {
			m->created++;
			e = print_submission(&m->ctx, item->sub);
		} else {
			count(m, &item->accepted);
		}
	}
	return e < 0 ? give_up(m, e) : E_OK;
}

static int flush_lines(struct importing *m)
{
	int e = store_lines(m);

	if (e >= 0)
		batch_clear(m);
	return e;
}

static void refuse_file(struct importing *m, size_t submissions)
{
	struct intake_item item = {0};

	intake_refuse(&item, &m->ctx, FAULTS_MAX);
	say_refused(m, &item);
	m->refused += submissions ? submissions : 1;
}

/* A file as a whole: everything in it or nothing. */
static int store_whole(struct importing *m)
{
	const struct uploader by = {.now = clock_now()};
	struct intake t;
	int e = E_OK;

	if (m->dry_run) {
		for (size_t i = 0; i < m->in.n && e >= 0; i++, m->created++)
			e = print_submission(&m->ctx, &m->in.subs[i]);
		return e < 0 ? give_up(m, e) : E_OK;
	}
	intake_all(&t, m->ctx.arena, m->in.subs, m->in.n, m->in.is_array, &by);
	e = run_job(m, &t);
	if (e == E_CONFLICT || e == E_INVALID)
		refuse_file(m, m->in.n);
	else if (e < 0)
		return give_up(m, e);
	for (size_t i = 0; e >= 0 && i < t.n; i++)
		count(m, &t.accepted[i]);
	return E_OK;
}

/* --- what is read -------------------------------------------------------------------------------
 */

/* The line that was read last is no submission: those before it are stored first, since a file's
 * run may be among them. */
static int store_aside(struct importing *m, long number)
{
	const struct import_aside *f = m->in.aside;
	struct intake_item item = {.line = number};
	int e = store_lines(m);

	if (e < 0)
		return e;
	if (m->dry_run) { /* which shows submissions */
		batch_clear(m);
		return E_OK;
	}
	e = import_aside_store(&m->ctx, m->writer, f);
	if (e == E_NOTFOUND || e == E_CONFLICT || e == E_INVALID) {
		intake_refuse(&item, &m->ctx, FAULTS_MAX);
		say_refused(m, &item);
		m->refused++;
	} else if (e < 0) {
		return give_up(m, e);
	}
	batch_clear(m);
	return E_OK;
}

static void read_one_line(struct importing *m, const struct importer *format, const char *p,
			  size_t n, long number)
{
	size_t before = m->in.n;

	m->items[m->n] = (struct intake_item){.line = number};
	if (!p)
		fail(&m->ctx, E_TOO_LARGE, "the line is larger than %zu bytes",
		     NATIVE_COPY_LINE_MAX);
	else if (format->line(&m->in, p, n) >= 0)
		m->bytes += n;
	if (m->ctx.err) {
		m->in.n = before;
		m->in.aside = NULL;
		intake_refuse(&m->items[m->n], &m->ctx, FAULTS_MAX);
	}
	m->n += !m->in.aside;
}

static int import_lines(struct importing *m, const struct importer *format, struct import_source *s)
{
	const char *p;
	size_t n;
	int e;

	while ((e = source_line(m->cli->ctx, s, NATIVE_COPY_LINE_MAX, &p, &n)) > 0) {
		if (p && json_skip_space(p, p + n) == p + n)
			continue;
		read_one_line(m, format, p, n, s->line);
		if (m->in.aside && (e = store_aside(m, s->line)) < 0)
			return e;
		if (m->n == BATCH_ITEMS || m->bytes >= BATCH_BYTES) {
			e = flush_lines(m);
			if (e < 0)
				return e;
		}
	}
	return e < 0 ? e : flush_lines(m);
}

static int import_whole(struct importing *m, const struct importer *format, struct import_source *s)
{
	const char *p;
	size_t n;
	int e = source_peek(m->cli->ctx, s, SIZE_MAX, NATIVE_BODY_MAX + 1, &p, &n);

	if (e < 0)
		return e;
	m->bytes = n;
	if (n > NATIVE_BODY_MAX)
		fail(&m->ctx, E_TOO_LARGE, "the file is larger than %zu bytes", NATIVE_BODY_MAX);
	else
		format->run(&m->in, p, n);
	if (m->ctx.err) {
		refuse_file(m, 0);
		return E_OK;
	}
	return store_whole(m);
}

static int import_source(struct importing *m, struct import_source *s)
{
	const struct importer *format = m->format;
	const char *p;
	size_t n;

	if (source_peek(m->cli->ctx, s, SNIFF_LEAST, NATIVE_BODY_MAX, &p, &n) < 0)
		return m->cli->ctx->err;
	if (!format)
		format = import_guess(p, n);
	if (!format) {
		fail(&m->ctx, E_INVALID, "no format of ours fits what is in it");
		refuse_file(m, 0);
		return E_OK;
	}
	if (format->line && import_has_lines(s->name, p, n))
		return import_lines(m, format, s);
	return import_whole(m, format, s);
}

/* A file that cannot be read is refused like one that cannot be understood; the others go on. */
static int import_file(struct importing *m, const char *path)
{
	struct import_source s;
	int e;

	batch_clear(m);
	m->file = path;
	if (source_open(&m->ctx, path, &s) < 0) {
		fprintf(stderr, "%s\n", m->ctx.detail);
		m->refused++;
		return E_OK;
	}
	m->file = s.name;
	e = import_source(m, &s);
	source_close(&s);
	return e;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* All plain files below a folder in the order of their names, hidden ones left out; or the one
 * file. */
static int import_path(struct importing *m, char *path)
{
	char *const paths[] = {path, NULL};
	FTSENT *entry;
	FTS *walk;
	int e = E_OK;

	if (strcmp(path, "-") == 0)
		return import_file(m, path);
	walk = fts_open(paths, FTS_COMFOLLOW | FTS_PHYSICAL | FTS_NOCHDIR, by_name);
	if (!walk)
		return fail(m->cli->ctx, E_INTERNAL, "%s: cannot be walked", path);
	while (e >= 0 && (entry = fts_read(walk))) {
		if (entry->fts_level > 0 && entry->fts_name[0] == '.') {
			fts_set(walk, entry, FTS_SKIP);
			continue;
		}
		if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR) {
			fprintf(stderr, "%s: %s\n", entry->fts_path, strerror(entry->fts_errno));
			m->refused++;
		} else if (entry->fts_info == FTS_F || entry->fts_level == 0) {
			if (entry->fts_info != FTS_D && entry->fts_info != FTS_DP)
				e = import_file(m, entry->fts_path);
		}
	}
	fts_close(walk);
	return e;
}

/* --- the command line
 * ----------------------------------------------------------------------------- */

static int by_pair_name(const void *a, const void *b)
{
	return strcmp(((const struct pair *)a)->name, ((const struct pair *)b)->name);
}

/* --axis name=value, each name once. */
static int read_axes(struct importing *m)
{
	struct cli *cli = m->cli;
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

static int read_format(struct importing *m)
{
	const char *name = m->cli->argv[0], *list = "";

	if (strcmp(name, "auto") == 0)
		return 0;
	m->format = importer_find(name);
	if (m->format)
		return 0;
	for (size_t i = 0; i < importer_count(); i++)
		list = arena_fmt(m->cli->ctx->arena, "%s %s", list, importer_at(i)->name);
	return cli_usage(m->cli, "no format \"%s\"; there are: auto%s", name, list);
}

static int open_store(struct importing *m)
{
	struct cli *cli = m->cli;
	const struct writer_limits limits = {
		.jobs = 1,
		.bytes = SIZE_MAX,
		.disk_reserve = cli->config->disk_reserve,
	};
	int e = cli_open_write(cli); /* creates and migrates */

	cli_close(cli);
	return e < 0 ? e : writer_start(cli->ctx, cli->config->database, &limits, &m->writer);
}

static int import_all(struct importing *m)
{
	int e = m->dry_run ? E_OK : open_store(m);

	for (int i = 1; e >= 0 && i < m->cli->argc; i++)
		e = import_path(m, m->cli->argv[i]);
	if (m->writer)
		writer_stop(m->writer);
	if (m->dry_run)
		fprintf(stderr, "%zu submissions, %zu refused; nothing was stored\n", m->created,
			m->refused);
	else if (m->writer)
		printf("%zu created, %zu duplicate, %zu refused\n", m->created, m->duplicates,
		       m->refused);
	if (e < 0)
		return e;
	return m->refused ? 1 : 0;
}

int cmd_import(struct cli *cli)
{
	auto_arena struct arena *batch = arena_new();
	struct importing *m = arena_array(cli->ctx->arena, struct importing, 1);
	int e;

	m->cli = cli;
	m->dry_run = cli_option(cli, "dry-run") != NULL;
	if (cli->argc < 2)
		return cli_usage(cli, "a format and at least one file are needed");
	e = read_format(m);
	if (e == 0)
		e = read_axes(m);
	if (e != 0)
		return e;
	ctx_init(&m->ctx, batch, NULL);
	return import_all(m);
}
