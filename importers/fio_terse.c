/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fio's --output-format=terse, versions 3, 4 and 5: a line a job, fields between semicolons. Lines
 * that follow each other are the jobs of one output; anything between them begins another. All
 * latencies are microseconds, bandwidths KiB/s. With unified_rw_reporting a line has one direction,
 * of all, or one more, which is known by where the percentiles stand.
 */
#include "importers/fio.h"

#include <math.h>

#include "importers/program_output.h"
#include "server/base/arena.h"
#include "server/base/num.h"

#define PERCENTILES 20 /* places for them, the unused ones are 0%=0 */

struct fields {
	struct fio_outputs *all;
	struct fio_job *job;
	char **list;
	size_t n, at;
	long line;
};

static bool is_terse_line(const char *s)
{
	return (*s == '3' || *s == '4' || *s == '5') && s[1] == ';' && !strncmp(s + 2, "fio-", 4);
}

bool fio_is_terse(const char *bytes, size_t n)
{
	auto_arena struct arena *a = arena_new();
	struct text_lines t;
	const char *line;

	text_lines_init(&t, a, bytes, n);
	while ((line = text_line(&t)))
		if (is_terse_line(line))
			return true;
	return false;
}

static void split(struct fields *f, struct arena *a, char *line)
{
	size_t room = 1;

	for (const char *p = line; *p; p++)
		room += *p == ';';
	f->list = arena_array(a, char *, room);
	for (char *next = line; next; line = next) {
		next = strchr(line, ';');
		if (next)
			*next++ = '\0';
		f->list[f->n++] = line;
	}
}

static int wrong(const struct fields *f, const char *what)
{
	return fault(f->all->ctx, "", "line %ld, field %zu: \"%.40s\" is no %s", f->line, f->at,
		     f->list[f->at - 1], what);
}

static const char *word(struct fields *f)
{
	return f->at < f->n ? f->list[f->at++] : "";
}

/* The next field; a percent sign behind it is passed over. A fault and NAN when it is no number. */
static double number(struct fields *f)
{
	const char *s = word(f), *p = s;
	double v;

	if (strcmp(s, "nan") == 0 || strcmp(s, "-nan") == 0 || strcmp(s, "nan%") == 0 ||
	    strcmp(s, "-nan%") == 0)
		return (double)NAN;
	if (text_number(&p, false, &v) && (!*p || !strcmp(p, "%")))
		return v;
	wrong(f, "number");
	return (double)NAN;
}

static void read_stat(struct fields *f, struct fio_latency *l)
{
	l->min = number(f);
	l->max = number(f);
	l->mean = number(f);
	l->stddev = number(f);
}

/* "99.500000%=211" */
static void read_percentiles(struct fields *f, struct fio_latency *l)
{
	l->percentiles = arena_array(f->job->a, struct percentile_in, PERCENTILES);
	for (size_t i = 0; i < PERCENTILES; i++) {
		const char *s = word(f);
		size_t len = strcspn(s, "%");
		const char *name = fio_text_kept(f->job->of, s, len);
		double rank, v;

		if (strncmp(s + len, "%=", 2) != 0 || !num_parse_real(name, &rank) ||
		    !num_parse_real(s + len + 2, &v))
			wrong(f, "percentile");
		else if (rank > 0)
			l->percentiles[l->npercentiles++] = (struct percentile_in){name, v};
	}
}

static void add_latency(struct fields *f, struct fio_latency *l, const char *side, const char *kind,
			double ios)
{
	l->side = side;
	l->kind = kind;
	l->unit = "us";
	l->weight = ios;
	if (l->max > 0)
		fio_add_latency(f->all, f->job, l);
}

/* Reads a direction; the operations done, which are not printed, from rate and time: good enough to
 * weigh with. */
static double read_side(struct fields *f, const char *side, bool longer, double *max)
{
	static const char *const bw[] = {"bw_min", "bw_max", "bw_agg%", "bw_mean", "bw_dev"};
	static const char *const iops[] = {"iops_min", "iops_max", "iops_mean", "iops_stddev",
					   "iops_samples"};
	struct fio_latency slat = {0}, clat = {0}, lat = {0};
	double total = number(f), kib = number(f), rate = number(f), runtime = number(f);
	double ios = rate * runtime / 1000, figures[11];
	size_t n = longer ? 11 : 5;

	read_stat(f, &slat);
	read_stat(f, &clat);
	read_percentiles(f, &clat);
	read_stat(f, &lat);
	for (size_t i = 0; i < n; i++)
		figures[i] = number(f);
	if (!(total > 0) && !(kib > 0) && !(rate > 0))
		return 0;
	fio_add_bandwidth(f->all, f->job, side, kib);
	fio_add(f->all, f->job, FIO_SUM, 0, "IO/s", rate, "%siops", side);
	fio_add(f->all, f->job, FIO_SUM, 0, "KiB", total, "%sio_kbytes", side);
	fio_add(f->all, f->job, FIO_MAX, 0, "ms", runtime, "%sruntime", side);
	add_latency(f, &slat, side, "slat", ios);
	add_latency(f, &clat, side, "clat", ios);
	add_latency(f, &lat, side, "lat", ios);
	*max = fmax(*max, lat.max);
	for (size_t i = 0; i < 5; i++)
		fio_add(f->all, f->job, FIO_ALONE, 0, i == 2 ? "%" : "KiB/s", figures[i], "%s%s",
			side, bw[i]);
	if (longer)
		fio_add(f->all, f->job, FIO_ALONE, 0, "samples", figures[5], "%sbw_samples", side);
	for (size_t i = 0; longer && i < 5; i++)
		fio_add(f->all, f->job, FIO_ALONE, 0, i == 4 ? "samples" : "IO/s", figures[6 + i],
			"%s%s", side, iops[i]);
	return isfinite(ios) && ios > 0 ? ios : 0;
}

static void read_processor(struct fields *f)
{
	static const struct {
		const char *name, *unit;
		enum fio_how how;
	} of[] = {{"usr_cpu%", "%", FIO_MEAN},
		  {"sys_cpu%", "%", FIO_MEAN},
		  {"ctx", "switches", FIO_SUM},
		  {"majf", "faults", FIO_SUM},
		  {"minf", "faults", FIO_SUM}};

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		fio_add(f->all, f->job, of[i].how, 0, of[i].unit, number(f), "%s", of[i].name);
}

static void read_shares(struct fields *f, double ios, double max)
{
	static const char *const depths[] = {"1", "2", "4", "8", "16", "32", ">=64"};
	static const char *const ends[] = {"2",   "4",   "10",  "20",   "50",   "100",
					   "250", "500", "750", "1000", "2000", ">=2000"};
	struct fio_share list[10 + 12] = {0};

	for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++)
		fio_add(f->all, f->job, FIO_MEAN, ios, "%", number(f), "iodepth_level_%s%%",
			depths[i]);
	for (size_t i = 0; i < 10 + 12; i++) {
		snprintf(list[i].word, sizeof(list[i].word), "%s", ends[i < 10 ? i : i - 10]);
		list[i].unit = i < 10 ? "us" : "ms";
		list[i].percent = number(f);
	}
	fio_add_shares(f->all, f->job, list, 10 + 12, ios, max > 2e6 ? max : (double)NAN, "us");
}

/* A name and eight figures each, as long as it goes. */
static void read_disks(struct fields *f, struct fio_job *whole)
{
	static const char *const names[] = {"read_ios",     "write_ios",  "read_merges",
					    "write_merges", "read_ticks", "write_ticks",
					    "in_queue",     "util%"};
	static const char *const units[] = {"IOs", "IOs", "IOs", "IOs", "ms", "ms", "ms", "%"};

	while (f->n - f->at >= 9 && *f->list[f->at]) {
		const char *disk = word(f);

		for (size_t i = 0; i < 8; i++)
			fio_add(f->all, whole, FIO_ALONE, 0, units[i], number(f), "disk.%s.%s",
				disk, names[i]);
	}
}

#define HEAD      5                 /* fields before the directions … */
#define TAIL      (5 + 7 + 10 + 12) /* … and behind them, without disks */
#define SIDES_MAX 4

/* How many directions of that many fields the line has: where each one's percentiles stand. */
static size_t count_sides(const struct fields *f, size_t side)
{
	size_t n = 0;

	while (n < SIDES_MAX && HEAD + n * side + 12 < f->n &&
	       strstr(f->list[HEAD + n * side + 12], "%="))
		n++;
	return n;
}

static void read_line(struct fields *f, struct fio_output *o)
{
	static const char *const names[] = {"read_", "write_", "trim_"};
	const char *form = word(f), *name, *version;
	const size_t usual = *form == '3' ? 2 : 3, side = 41 + (*form == '5' ? 6 : 0);
	const size_t sides = count_sides(f, side);
	double ios = 0, max = 0, mixed = 0;

	if ((sides != 1 && sides != usual && sides != usual + 1) ||
	    f->n < HEAD + sides * side + TAIL) {
		fault(f->all->ctx, "", "line %ld: has %zu fields, a line of version %c has %zu",
		      f->line, f->n, *form, HEAD + side * usual + TAIL);
		return;
	}
	version = word(f);
	if (!o->version || strcmp(o->version, version) != 0)
		o->version = arena_str(o->a, version);
	name = word(f);
	f->job = fio_add_job(f->all, *name ? name : "job");
	word(f); /* its group */
	if (number(f) != 0)
		o->failed = true;
	for (size_t i = 0; sides > 1 && i < usual; i++)
		ios += read_side(f, names[i], *form == '5', &max);
	if (sides != usual)
		mixed = read_side(f, "mixed_", *form == '5', &max);
	read_processor(f);
	read_shares(f, round(ios > 0 ? ios : mixed), max);
	read_disks(f, &o->whole);
}

void fio_read_terse(struct fio_outputs *all, const char *bytes, size_t n)
{
	struct output_lines l;
	char *line;

	output_lines_begin(&l, bytes, n);
	while (!fio_is_over(all) && (line = output_line(&l))) {
		struct fields f = {.all = all, .line = l.t.number};

		if (!is_terse_line(line)) {
			fio_end_output(all);
			continue;
		}
		if (!all->now)
			fio_begin_output(all);
		split(&f, l.own, line);
		read_line(&f, all->now);
	}
	output_lines_end(&l);
}
