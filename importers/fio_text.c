/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fio's output for people, of fio 2 and 3, whole or as people cut it out and quote it in mails. An
 * output begins with its jobs' definitions or version, with a job behind the groups of another, or
 * with a figure that the one before has already. Excerpts that have nothing but latencies, and then
 * as many that have others, are taken as parts of the same outputs in the same order: "with … and
 * without …" are often shown a kind at a time. Options of a job file that is shown above are kept;
 * its rw says what the operations of an excerpt were, as rw of the request does.
 *
 * Prose between the lines is passed over. A line that is fio's and has no number where one must be
 * is a fault that names it.
 */
#include "importers/fio_text.h"

#include <math.h>

#include "importers/program_output.h"
#include "server/base/digest.h"
#include "server/base/arena.h"

#define DEFINED_MAX 600 /* options of definitions and job files that are kept */
#define NAME_BYTES  256

/* --- what is open --- */

static struct fio_output *open_output(struct fio_text *t)
{
	struct fio_output *o;

	if (t->open)
		return t->all->now;
	o = fio_begin_output(t->all);
	o->version = *t->version ? arena_str(o->a, t->version) : NULL;
	o->label = *t->label ? arena_str(o->a, t->label) : NULL;
	for (size_t i = 0; i < t->file.noptions; i++)
		fio_add_option(&o->whole, t->file.options[i].name, t->file.options[i].value);
	t->version[0] = t->label[0] = '\0';
	t->open = true;
	return o;
}

static void open_job(struct fio_text *t, const char *name)
{
	fio_text_end_job(t);
	open_output(t);
	fio_add_job(t->all, *name ? name : "job");
	memset(t->sides, 0, sizeof(t->sides));
	for (int i = 0; i < SIDES; i++)
		t->sides[i].ios = (double)NAN;
	t->nshares = 0;
	t->percentiles = NULL;
	t->side = SIDE_UNKNOWN;
	t->rank = 0;
	t->quoted = t->quote;
	t->has_job = true;
	t->is_named = false;
}

static void forget_options(struct fio_job *j)
{
	arena_reset(j->a);
	j->options = NULL;
	j->noptions = j->option_cap = 0;
}

struct fio_job *fio_text_job(struct fio_text *t)
{
	struct fio_output *o;

	if (!t->has_job)
		open_job(t, "");
	o = t->all->now;
	return &o->jobs[o->njobs - 1];
}

void fio_text_begin(struct fio_text *t)
{
	if (!t->open)
		return;
	fio_text_end_job(t);
	fio_end_output(t->all);
	t->open = t->ended = t->disks = false;
	t->group = -1;
	t->grouped = t->rated = 0;
	forget_options(&t->defined);
}

/* --- heads --- */

/* The process of a job among those of its output. */
static void note_process(struct fio_text *t, const char *name)
{
	struct fio_output *o = t->all->now;
	double pid = fio_line_find(&t->line, "pid") ? fio_line_value(&t->line, "pid") : 0;
	char text[NAME_BYTES + 80];
	int n;

	if (!(pid > 0))
		return;
	n = snprintf(text, sizeof(text), "%llx %.0f %s", (unsigned long long)o->processes, pid,
		     name);
	o->processes = hash_bytes(text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

/* "name: (groupid=0, jobs=1): err= 0: pid=7141: …" */
static bool read_head(struct fio_text *t)
{
	const char *mark = strstr(t->line.s, ": (groupid="), *err = strstr(t->line.s, "err=");
	const char *begin = past_spaces(t->line.s);
	struct fio_job *j;
	char name[NAME_BYTES];
	size_t n;

	if (!mark || !err || mark < begin)
		return false;
	n = (size_t)(mark - begin);
	if (t->ended || (t->has_job && !t->is_named))
		fio_text_begin(t);
	snprintf(name, sizeof(name), "%.*s", (int)(n < NAME_BYTES ? n : NAME_BYTES - 1), begin);
	open_job(t, name);
	t->is_named = true;
	j = fio_text_job(t);
	for (size_t i = 0; i < t->defined.noptions; i++) {
		const struct pair *d = &t->defined.options[i];

		if (!strncmp(d->name, name, strlen(name)) && d->name[strlen(name)] == '.')
			fio_add_option(j, d->name + strlen(name) + 1, d->value);
	}
	if (fio_line_value(&t->line, "err") != 0)
		t->all->now->failed = true;
	note_process(t, name);
	return true;
}

/* One option of a definition: what stands behind key= up to the next option. */
static void define(struct fio_text *t, const char *job, const char *key, const char *until)
{
	const char *p = fio_line_find(&t->line, key), *end = p ? strstr(p, until) : NULL;
	char value[NAME_BYTES], name[NAME_BYTES + 20];

	if (!p || t->defined.noptions >= DEFINED_MAX)
		return;
	snprintf(value, sizeof(value), "%.*s",
		 end ? (int)(end - p < NAME_BYTES ? end - p : NAME_BYTES) : NAME_BYTES, p);
	snprintf(name, sizeof(name), "%s.%s", job, key);
	fio_add_option(&t->defined, name, value);
}

/* "name: (g=0): rw=randrw, bs=(R) …, ioengine=psync, iodepth=1" */
static bool read_definition(struct fio_text *t)
{
	const char *mark = strstr(t->line.s, ": (g="), *begin = past_spaces(t->line.s);
	char name[NAME_BYTES];

	if (!mark || mark < begin || !fio_line_find(&t->line, "rw"))
		return false;
	fio_text_begin(t);
	snprintf(name, sizeof(name), "%.*s",
		 (int)(mark - begin < NAME_BYTES ? mark - begin : NAME_BYTES - 1), begin);
	define(t, name, "rw", ",");
	define(t, name, "bs", ", ioengine");
	define(t, name, "ioengine", ",");
	define(t, name, "iodepth", ",");
	return true;
}

static bool read_version(struct fio_text *t)
{
	const char *p = text_after(t->line.s, "fio-");

	if (!p || *p < '0' || *p > '9' || strpbrk(p, " ;:"))
		return false;
	if (t->open)
		fio_text_begin(t);
	snprintf(t->version, sizeof(t->version), "%s", past_spaces(t->line.s));
	return true;
}

/* --- behind the jobs --- */

/* "Run status group 0 (all jobs):" */
static bool read_group_head(struct fio_text *t)
{
	const char *p = text_after(t->line.s, "Run status group");
	double v;

	if (!p || !text_number(&p, false, &v) || v < 0 || v > 1e6)
		return false;
	fio_text_end_job(t);
	t->ended = true;
	t->group = (long)v;
	t->grouped = 0;
	return true;
}

static void add_group(struct fio_text *t, const char *side, const char *unit, double v,
		      const char *name)
{
	fio_add(t->all, &open_output(t)->whole, FIO_ALONE, 0, unit, v, "group%ld.%s_%s", t->group,
		side, name);
}

/* fio 3: "bw=102MiB/s (107MB/s), 52.0MiB/s-53.8MiB/s (…), io=4816KiB (4932kB), run=43-46msec" */
static double read_group(struct fio_text *t, const char *side)
{
	const char *p = fio_line_find(&t->line, "bw");
	double bw = fio_size(&p, false), first, last;

	add_group(t, side, "MiB/s", bw / 1024, "bw_MBps");
	p = strstr(p, "), ");
	if (p) {
		p += 3;
		add_group(t, side, "MiB/s", fio_size(&p, false) / 1024, "bw_min_MBps");
		p += *p == '-';
		add_group(t, side, "MiB/s", fio_size(&p, false) / 1024, "bw_max_MBps");
	}
	p = fio_line_find(&t->line, "io");
	if (p)
		add_group(t, side, "KiB", fio_size(&p, false), "io_kbytes");
	p = fio_line_find(&t->line, "run");
	if (p && text_number(&p, false, &first) && *p == '-') {
		p++;
		if (text_number(&p, false, &last)) {
			add_group(t, side, "ms", first, "runtime_min");
			add_group(t, side, "ms", last, "runtime_max");
		}
	}
	return bw;
}

/* fio 2: "io=1024.0MB, aggrb=87464KB/s, minb=87464KB/s, maxb=87464KB/s, mint=11988msec, maxt=…" */
static double read_old_group(struct fio_text *t, const char *side)
{
	const char *p = fio_line_find(&t->line, "aggrb");
	double bw = fio_size(&p, true);

	add_group(t, side, "MiB/s", bw / 1024, "bw_MBps");
	p = fio_line_find(&t->line, "minb");
	if (p)
		add_group(t, side, "MiB/s", fio_size(&p, true) / 1024, "bw_min_MBps");
	p = fio_line_find(&t->line, "maxb");
	if (p)
		add_group(t, side, "MiB/s", fio_size(&p, true) / 1024, "bw_max_MBps");
	p = fio_line_find(&t->line, "io");
	if (p)
		add_group(t, side, "KiB", fio_size(&p, true), "io_kbytes");
	add_group(t, side, "ms", fio_line_value(&t->line, "mint"), "runtime_min");
	add_group(t, side, "ms", fio_line_value(&t->line, "maxt"), "runtime_max");
	return bw;
}

static bool read_group_line(struct fio_text *t)
{
	static const char *const labels[] = {"READ:", "WRITE:", "TRIM:", "MIXED:"};
	static const char *const sides[] = {"read", "write", "trim", "mixed"};
	static const char *const prefixes[] = {"read_", "write_", "trim_", "mixed_"};
	bool old = fio_line_find(&t->line, "aggrb") != NULL;
	unsigned i;
	double bw;

	for (i = 0; i < 4 && !text_after(t->line.s, labels[i]); i++)
		;
	if (i == 4 || (!old && !fio_line_find(&t->line, "bw")))
		return false;
	if (t->grouped & 1U << i)
		fio_text_begin(t);
	fio_text_end_job(t);
	t->ended = true;
	t->group = t->group < 0 ? 0 : t->group;
	t->grouped |= 1U << i;
	bw = old ? read_old_group(t, sides[i]) : read_group(t, sides[i]);
	if (isnan(bw))
		fault(t->all->ctx, "", "line %ld: the bandwidth of %s is no number", t->line.number,
		      labels[i]);
	if (!(t->rated & 1U << (i < 3 ? i : SIDE_MIXED))) /* an excerpt without the jobs */
		fio_add_bandwidth(t->all, &open_output(t)->whole, prefixes[i], bw);
	return true;
}

/* "  vda: ios=0/0, merge=0/0, ticks=0/0, in_queue=0, util=0.00%" */
static bool read_disk(struct fio_text *t)
{
	static const struct {
		const char *key, *name, *unit;
	} of[] = {{"ios", "ios", "IOs"},
		  {"sectors", "sectors", NULL},
		  {"merge", "merges", "IOs"},
		  {"ticks", "ticks", "ms"}};
	const char *mark = strstr(t->line.s, ": ios="), *begin = past_spaces(t->line.s);
	struct fio_job *whole;
	int n;

	if (!mark || !t->disks || mark < begin)
		return false;
	n = (int)(mark - begin < NAME_BYTES ? mark - begin : NAME_BYTES);
	whole = &open_output(t)->whole;
	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		const char *p = fio_line_find(&t->line, of[i].key);
		double v;

		if (!p || !text_number(&p, false, &v))
			continue;
		fio_add(t->all, whole, FIO_ALONE, 0, of[i].unit, v, "disk.%.*s.read_%s", n, begin,
			of[i].name);
		if (*p++ == '/' && text_number(&p, false, &v))
			fio_add(t->all, whole, FIO_ALONE, 0, of[i].unit, v, "disk.%.*s.write_%s", n,
				begin, of[i].name);
	}
	fio_add(t->all, whole, FIO_ALONE, 0, "ms", fio_line_value(&t->line, "in_queue"),
		"disk.%.*s.in_queue", n, begin);
	fio_add(t->all, whole, FIO_ALONE, 0, "%", fio_line_value(&t->line, "util"),
		"disk.%.*s.util%%", n, begin);
	return true;
}

/* --- what stands around --- */

static void note_direction(struct fio_text *t, const char *key, const char *value)
{
	static const char *const words[] = {"read", "write", "trim"};
	static const char *const sides[] = {"read_", "write_", "trim_"};

	if (strcmp(key, "rw") != 0 && strcmp(key, "readwrite") != 0)
		return;
	if (!strncmp(value, "rand", 4))
		value += 4;
	for (size_t i = 0; i < 3; i++)
		if (!strcmp(value, words[i]))
			t->unknown = sides[i];
}

/* "[reader]", then "rw=read" and the like. */
static bool read_job_file(struct fio_text *t)
{
	const char *p = past_spaces(t->line.s), *close = strchr(p, ']');
	size_t n;
	char key[NAME_BYTES];

	if (*p == '[' && close && close > p + 1 && !close[1] && !strpbrk(p, " \t")) {
		if (!t->job_file && t->open) {
			fio_text_begin(t);
			forget_options(&t->file);
		}
		t->job_file = true;
		return true;
	}
	n = strspn(p, "abcdefghijklmnopqrstuvwxyz_0123456789");
	if (!t->job_file || !n || n >= NAME_BYTES || (p[n] && p[n] != '=')) {
		t->job_file = false;
		return false;
	}
	memcpy(key, p, n);
	key[n] = '\0';
	if (t->file.noptions < DEFINED_MAX)
		fio_add_option(&t->file, key, p[n] ? p + n + 1 : "1");
	note_direction(t, key, p[n] ? p + n + 1 : "");
	return true;
}

static void note_label(struct fio_text *t)
{
	const char *p = past_spaces(t->line.s);
	size_t n = strlen(p);

	if (n < 2 || n >= sizeof(t->label) || p[n - 1] != ':' || !import_text_valid(p, n))
		return;
	memcpy(t->label, p, n - 1);
	t->label[n - 1] = '\0';
}

static bool read_line(struct fio_text *t)
{
	if (text_after(t->line.s, "Disk stats (")) {
		fio_text_end_job(t);
		return t->disks = t->ended = true;
	}
	return read_head(t) || read_definition(t) || read_version(t) || read_group_head(t) ||
	       read_group_line(t) || read_disk(t) || fio_text_read_job(t);
}

/* "min=3D32, max=3D945": quoted-printable text of a mail, of whose numbers only a part would be
 * read. */
static bool is_encoded(const char *s)
{
	bool encoded = strstr(s, "=3D") != NULL;

	for (const char *p = strchr(s, '='); encoded && p; p = strchr(p + 1, '='))
		encoded = !p[1] || (strspn(p + 1, "0123456789ABCDEF") >= 2);
	return encoded;
}

void fio_read_text(struct fio_outputs *all, const char *bytes, size_t n, const char *side)
{
	struct fio_text t = {.all = all, .unknown = side, .group = -1};
	struct output_lines lines;

	t.defined.a = arena_new();
	t.file.a = arena_new();
	output_lines_begin(&lines, bytes, n);
	while (!fio_is_over(all) && (t.line.s = output_line(&lines))) {
		t.line.ctx = all->ctx;
		t.line.number = lines.t.number;
		t.quote = lines.t.quote;
		if (read_line(&t)) {
			if (!is_encoded(t.line.s))
				continue;
			fault(all->ctx, "",
			      "line %ld: the text is of a mail in quoted-printable: decode it "
			      "first",
			      t.line.number);
			break;
		}
		if (!read_job_file(&t))
			note_label(&t);
	}
	output_lines_end(&lines);
	fio_text_end_job(&t);
	arena_free(t.defined.a);
	arena_free(t.file.a);
}
