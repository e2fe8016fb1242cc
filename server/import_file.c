/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file with a submission a line is streamed and stored in small batches, each line for itself;
 * any other file is stored as a whole or not at all, a large one submission by submission
 * (import_large.c). Compressed files are unpacked in memory first.
 * What is refused is said with file and line; the same file can be imported again, since what is
 * stored already is a duplicate.
 */
#include "server/import_file.h"

#include <time.h>

#include "importers/json_scan.h"
#include "importers/native_write.h"
#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/import_aside.h"
#include "server/import_source.h"
#include "server/import_unpack.h"
#include "server/model/intake_stream.h"
#include "server/say.h"

#define BATCH_BYTES ((size_t)4 << 20)
#define SNIFF_LEAST ((size_t)64 << 10) /* what a sniffer sees of a file that is longer */

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
	char line[24] = "", number[32] = "";

	if (item->line)
		snprintf(line, sizeof(line), ":%ld", item->line);
	if (!item->nfaults)
		say("%s%s: %s", m->file, line, item->detail);
	for (size_t i = 0; i < item->nfaults; i++) {
		const struct fault *f = &item->faults[i];

		if (f->item >= 0)
			snprintf(number, sizeof(number), "item %ld: ", f->item);
		say("%s%s: %s%s%s%s", m->file, line, f->item >= 0 ? number : "", f->path,
		    f->path[0] ? ": " : "", f->message);
	}
	if (item->more)
		say("%s%s: and %zu more", m->file, line, item->more);
}

int import_print(struct ctx *c, const struct submission *s)
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

int import_run_job(struct importing *m, struct job *j)
{
	j->ctx = &m->ctx;
	j->weight = m->bytes;
	return writer_run(m->writer, j);
}

int import_give_up(struct importing *m, int e)
{
	return fail(m->c, (enum err)e, "%s: %s", m->file, m->ctx.detail);
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
		e = import_run_job(m, &t.job);
	}
	for (size_t i = 0; e >= 0 && i < m->n; i++) {
		const struct intake_item *item = &m->items[i];

		if (item->refused) {
			m->refused++;
			say_refused(m, item);
		} else if (m->dry_run) {
			m->created++;
			e = import_print(&m->ctx, item->sub);
		} else {
			count(m, &item->accepted);
		}
	}
	return e < 0 ? import_give_up(m, e) : E_OK;
}

static int flush_lines(struct importing *m)
{
	int e = store_lines(m);

	if (e >= 0)
		batch_clear(m);
	return e;
}

void import_refuse_file(struct importing *m, size_t submissions)
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
			e = import_print(&m->ctx, &m->in.subs[i]);
		return e < 0 ? import_give_up(m, e) : E_OK;
	}
	intake_all(&t, m->ctx.arena, m->in.subs, m->in.n, m->in.is_array, &by);
	e = import_run_job(m, &t.job);
	if (e == E_CONFLICT || e == E_INVALID)
		import_refuse_file(m, m->in.n);
	else if (e < 0)
		return import_give_up(m, e);
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
		return import_give_up(m, e);
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

	while ((e = source_line(m->c, s, NATIVE_COPY_LINE_MAX, &p, &n)) > 0) {
		if (p && json_skip_space(p, p + n) == p + n)
			continue;
		read_one_line(m, format, p, n, s->line);
		if (m->in.aside && (e = store_aside(m, s->line)) < 0)
			return e;
		if (m->n == IMPORT_BATCH_ITEMS || m->bytes >= BATCH_BYTES) {
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
	int e = source_whole(m->c, s, INTAKE_WHOLE_MAX, IMPORT_FILE_MAX, &p, &n);

	if (e < 0)
		return e;
	m->bytes = n;
	if (n > INTAKE_WHOLE_MAX && n <= IMPORT_FILE_MAX)
		return import_large(m, format, p, n);
	if (n > IMPORT_FILE_MAX)
		fail(&m->ctx, E_TOO_LARGE, "the file is larger than %zu bytes", IMPORT_FILE_MAX);
	else
		format->run(&m->in, p, n);
	if (m->ctx.err) {
		import_refuse_file(m, 0);
		return E_OK;
	}
	if (m->in.remark)
		say("%s: %s", m->file, m->in.remark);
	return store_whole(m);
}

/* A submission a line: the file's name says so, or its first line is a whole object. That may be
 * larger than what is looked at of any other file. */
static int has_lines(struct ctx *c, struct import_source *s, const char *p, size_t n, bool *yes)
{
	const char *dot = strrchr(s->name, '.'), *object = json_skip_space(p, p + n);
	const char *stop, *line_end;

	*yes = dot && (!strcmp(dot, ".ndjson") || !strcmp(dot, ".jsonl"));
	if (*yes || object == p + n || *object != '{')
		return E_OK;
	if (source_peek(c, s, SNIFF_LEAST, NATIVE_BODY_MAX, &p, &n) < 0)
		return c->err;
	object = json_skip_space(p, p + n);
	line_end = memchr(object, '\n', (size_t)(p + n - object));
	*yes = line_end && json_scan_value(object, line_end, 64, UINT_MAX, &stop) == JSON_SCAN_OK &&
	       json_skip_space(stop, line_end) == line_end;
	return E_OK;
}

/* What it is, and says so. NULL: nothing that we know. */
static const struct importer *guess(struct importing *m, const char *p, size_t n)
{
	struct import_guess g;
	const char *words;

	importer_guess(p, n, &g);
	words = importer_guess_words(m->ctx.arena, &g);
	if (g.n) {
		say("%s: %s", m->file, words);
		return g.list[0].format;
	}
	fail(&m->ctx, E_INVALID, "%s", words);
	import_refuse_file(m, 0);
	return NULL;
}

/* Puts the plain bytes of a compressed file in the place of what was read. 0: it was refused. */
static int unpack(struct importing *m, struct import_source *s)
{
	const char *p;
	char *plain;
	size_t n, len;
	int e = source_whole(m->c, s, INTAKE_WHOLE_MAX, IMPORT_FILE_MAX, &p, &n);

	if (e < 0)
		return e;
	if (n > IMPORT_FILE_MAX)
		fail(&m->ctx, E_TOO_LARGE, "the file is larger than %zu bytes", IMPORT_FILE_MAX);
	else
		import_unpack(&m->ctx, "unpacked", p, n, IMPORT_FILE_MAX, &plain, &len);
	if (m->ctx.err) {
		import_refuse_file(m, 0);
		return 0;
	}
	source_replace(s, plain, len);
	return 1;
}

static int import_source(struct importing *m, struct import_source *s)
{
	const struct importer *format = m->format;
	bool lines = false;
	const char *p;
	size_t n;

	if (source_peek(m->c, s, SNIFF_LEAST, INTAKE_WHOLE_MAX, &p, &n) < 0)
		return m->c->err;
	if (import_is_packed(p, n)) {
		int e = unpack(m, s);

		if (e <= 0 || (e = source_peek(m->c, s, SNIFF_LEAST, INTAKE_WHOLE_MAX, &p, &n)) < 0)
			return e;
	}
	if (!format)
		format = guess(m, p, n);
	if (!format)
		return E_OK;
	if (format->line && has_lines(m->c, s, p, n, &lines) < 0)
		return m->c->err;
	return lines ? import_lines(m, format, s) : import_whole(m, format, s);
}

/* Where it came from, as struct import says it. */
static const char *source_name(struct importing *m, const char *path)
{
	struct timespec t;
	char *full;

	if (strcmp(path, "-") == 0) {
		clock_gettime(CLOCK_REALTIME, &t);
		return arena_fmt(m->ctx.arena, "standard input %lld",
				 (long long)t.tv_sec * 1000000 + t.tv_nsec / 1000);
	}
	full = realpath(path, NULL);
	path = arena_str(m->ctx.arena, full ? full : path);
	free(full);
	return path;
}

int import_file(struct importing *m, const char *path)
{
	struct import_source s;
	int e;

	batch_clear(m);
	m->file = path;
	if (source_open(&m->ctx, path, &s) < 0) {
		say("%s", m->ctx.detail);
		m->refused++;
		return E_OK;
	}
	m->file = s.name;
	m->in.source = source_name(m, path);
	e = import_source(m, &s);
	source_close(&s);
	return e;
}
