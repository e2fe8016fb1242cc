/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The figures of one job in fio's output for people. Latencies wait until the job ends, since how
 * many operations they are of is told below them.
 */
#include "importers/fio_text.h"

#include <math.h>

#include "db/distributions.h"
#include "importers/text_lines.h"
#include "server/base/arena.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *const side_names[] = {"read", "write", "trim", "sync", "mixed"};

static const char *side_prefix(const struct fio_text *t, int side)
{
	static const char *const prefixes[] = {"read_", "write_", "trim_", "sync_", "mixed_"};

	return side == SIDE_UNKNOWN ? t->unknown : prefixes[side];
}

static double value(const struct fio_text *t, const char *key)
{
	return fio_line_value(&t->line, key);
}

static void add(struct fio_text *t, enum fio_how how, const char *unit, double v, const char *name)
{
	fio_add(t->all, fio_text_job(t), how, 0, unit, v, "%s%s", side_prefix(t, t->side), name);
}

/* --- a direction: "read: IOPS=…", "write: io=…" --- */

/* "(2368KiB/43msec)", the last brackets of the line. */
static void read_amount(struct fio_text *t)
{
	const char *p = strrchr(t->line.s, '(');
	double kib, time;

	if (!p || !strchr(p, '/'))
		return;
	p++;
	kib = fio_size(&p, false); /* ends behind the unit, which the time is part of */
	p = strrchr(t->line.s, '/') + 1;
	if (!text_number(&p, false, &time) || strncmp(p, "msec)", 5) != 0)
		return;
	add(t, FIO_SUM, "KiB", kib, "io_kbytes");
	add(t, FIO_MAX, "ms", time, "runtime");
}

static bool read_direction(struct fio_text *t)
{
	int side = 0;
	const char *p = NULL, *bw;
	double iops;
	bool old;

	for (; side < (int)COUNT(side_names); side++) {
		p = text_after(t->line.s, side_names[side]);
		p = p ? text_after(p, ":") : NULL;
		if (p)
			break;
	}
	if (!p || (!text_after(p, "IOPS=") && !text_after(p, "io=")))
		return false;
	if (t->has_job && t->sides[side].seen)
		fio_text_begin(t);
	fio_text_job(t);
	t->side = side;
	t->rank = 0;
	t->sides[side].seen = true;
	t->percentiles = NULL;
	t->old = old = text_after(p, "io=") != NULL;
	bw = fio_line_find(&t->line, old ? "bw" : "BW");
	if (bw) {
		fio_add_bandwidth(t->all, fio_text_job(t), side_prefix(t, side),
				  fio_size(&bw, old));
		t->rated |= 1U << side;
	}
	iops = value(t, old ? "iops" : "IOPS");
	if (iops > 0 || side != SIDE_MIXED) /* beside the others fio has 0 for all of them */
		add(t, FIO_SUM, "IO/s", iops, "iops");
	if (old) {
		bw = fio_line_find(&t->line, "io");
		add(t, FIO_SUM, "KiB", fio_size(&bw, old), "io_kbytes");
		add(t, FIO_MAX, "ms", value(t, "runt"), "runtime");
	} else {
		read_amount(t);
	}
	return true;
}

/* --- latencies --- */

/* The kind that the line begins with; what follows it, or NULL. "sync" is the latency of its own
 * direction. */
static const char *find_kind(const struct fio_text *t, int *side, int *kind)
{
	static const char *const kinds[] = {"slat", "clat", "lat"};
	const char *p = text_after(t->line.s, "sync");

	*side = p ? SIDE_SYNC : t->has_job ? t->side : SIDE_UNKNOWN;
	*kind = KIND_LAT;
	for (int i = 0; !p && i < KINDS; i++) {
		p = text_after(t->line.s, kinds[i]);
		*kind = p ? i : *kind;
	}
	return p;
}

/* Where the line's latency goes. What was told already is told of another output; so is, in an
 * excerpt, what is quoted otherwise, or stands out of fio's order (slat, clat, lat, percentiles).
 */
static struct fio_latency *open_latency(struct fio_text *t, int side, int kind, bool percentiles)
{
	static const char *const kinds[] = {"slat", "clat", "lat"};
	struct fio_text_side *s = &t->sides[side];
	struct fio_latency *l;
	const bool told = percentiles ? s->has_percentiles[kind] : s->has[kind];
	const int rank = kind + (percentiles ? KINDS : 0) + (side == SIDE_SYNC ? 2 * KINDS : 0);

	if (t->has_job && (told || (!t->is_named && (t->quote != t->quoted || rank < t->rank)))) {
		fio_text_begin(t);
		side = side == SIDE_SYNC ? side : SIDE_UNKNOWN;
		s = &t->sides[side];
	}
	fio_text_job(t);
	t->rank = rank;
	l = &s->lat[kind];
	s->seen = true;
	if (!s->has[kind] && !s->has_percentiles[kind])
		*l = (struct fio_latency){
			.side = side_prefix(t, side),
			.kind = kinds[kind],
			.unit = "us",
			.min = NAN,
			.max = NAN,
			.mean = NAN,
			.stddev = NAN,
		};
	if (percentiles) {
		s->has_percentiles[kind] = true;
		t->percentiles = l;
		t->percentile_cap = &s->percentile_cap[kind];
	} else {
		s->has[kind] = true;
	}
	return l;
}

/* "clat (usec): min=31, …" and "clat percentiles (usec):" */
static bool read_latency(struct fio_text *t)
{
	char unit[16];
	int side, kind;
	const char *p = find_kind(t, &side, &kind), *rest;
	struct fio_latency *l;
	double factor;

	if (!p || !fio_line_unit(&t->line, unit, sizeof(unit)))
		return false;
	factor = fio_time_factor(unit);
	rest = text_after(p, "percentiles");
	if (factor <= 0 || !text_after(rest ? rest : p, "("))
		return false;
	if (!rest && !fio_line_find(&t->line, "min") && !fio_line_find(&t->line, "avg"))
		return false;
	l = open_latency(t, side, kind, rest != NULL);
	if (rest) {
		t->percentile_factor = factor;
		return true;
	}
	l->min = fio_scaled(value(t, "min"), factor);
	l->max = fio_scaled(value(t, "max"), factor);
	l->mean = fio_scaled(value(t, "avg"), factor);
	l->stddev = fio_scaled(value(t, "stdev"), factor);
	return true;
}

static void bad_percentile(struct fio_text *t, const char *p)
{
	fault(t->all->ctx, "", "line %ld: \"%.40s\" is no percentile", t->line.number, p);
}

/* "|  1.00th=[   39],  5.00th=[   44]," */
static bool read_percentiles(struct fio_text *t)
{
	const char *p = text_after(t->line.s, "|");
	struct fio_latency *l = t->percentiles;

	if (!p || !l || !strstr(p, "th="))
		return false;
	while (*p) {
		const char *name = p + strspn(p, " \t,"), *end = strstr(name, "th=[");
		double rank, v;
		const char *copy;

		if (!*name)
			break;
		p = end ? end + 4 : name;
		copy = fio_text_kept(t->all->now, name, end ? (size_t)(end - name) : 0);
		if (!percentile_parse(copy, &rank) || !text_number(&p, false, &v)) {
			bad_percentile(t, name);
			break;
		}
		if (l->npercentiles == PERCENTILES_MAX) {
			fault(t->all->ctx, "", "line %ld: more than %d percentiles", t->line.number,
			      PERCENTILES_MAX);
			t->percentiles = NULL;
			break;
		}
		v = fio_scaled(v, text_scale(&p));
		l->percentiles = arena_grow(t->all->now->a, l->percentiles, t->percentile_cap,
					    l->npercentiles + 1, sizeof(*l->percentiles));
		l->percentiles[l->npercentiles++] =
			(struct percentile_in){copy, fio_scaled(v, t->percentile_factor)};
		p += strspn(p, " ]");
	}
	return true;
}

/* --- shares: "4=40.43%, 10=1.66%" --- */

/* The next "word=number%" of a list; false: no more, or a fault was set. */
static bool next_share(struct fio_text *t, const char **p, char word[16], double *percent)
{
	const char *begin = *p + strspn(*p, " \t,"), *end = strchr(begin, '%'), *sign = NULL;
	size_t n;

	if (!*begin)
		return false;
	for (const char *q = begin; end && q < end; q++)
		sign = *q == '=' ? q : sign;
	n = sign ? (size_t)(sign - begin) : 0;
	if (sign)
		*p = sign + 1;
	if (!n || n >= 16 || !text_number(p, false, percent) || **p != '%') {
		fault(t->all->ctx, "", "line %ld: \"%.40s\" is no share in percent", t->line.number,
		      begin);
		return false;
	}
	++*p;
	memcpy(word, begin, n);
	word[n] = '\0';
	return true;
}

/* "lat (usec)   : 4=40.43%, 10=1.66%" */
static bool read_shares(struct fio_text *t)
{
	static const char *const names[] = {"nsec", "usec", "msec"}, *const units[] = {"ns", "us",
										       "ms"};
	const char *p = text_after(t->line.s, "lat ("), *colon = strchr(t->line.s, ':');
	char unit[16], word[16];
	double percent;
	size_t i;

	if (!p || !colon || !fio_line_unit(&t->line, unit, sizeof(unit)) || !strchr(colon, '%'))
		return false;
	for (i = 0; i < COUNT(names) && strcmp(names[i], unit) != 0; i++)
		;
	if (i == COUNT(names))
		return false;
	fio_text_job(t);
	p = colon + 1;
	while (next_share(t, &p, word, &percent)) {
		struct fio_share *s = &t->shares[t->nshares];

		if (t->nshares == SHARES_MAX)
			break;
		snprintf(s->word, sizeof(s->word), "%s", word);
		s->unit = units[i];
		s->percent = percent;
		t->nshares++;
	}
	return true;
}

static bool read_depths(struct fio_text *t)
{
	static const struct {
		const char *label, *name;
	} of[] = {{"IO depths", "iodepth_level"},
		  {"submit", "iodepth_submit"},
		  {"complete", "iodepth_complete"}};
	const char *p = NULL;
	char word[16];
	double percent;
	size_t i;

	for (i = 0; i < COUNT(of); i++) {
		p = text_after(t->line.s, of[i].label);
		p = p ? text_after(p, ":") : NULL;
		if (p && strchr(p, '%'))
			break;
	}
	if (i == COUNT(of))
		return false;
	while (next_share(t, &p, word, &percent))
		fio_add(t->all, fio_text_job(t), FIO_MEAN, 0, "%", percent, "%s_%s%%", of[i].name,
			word);
	return true;
}

/* --- the rest of a job --- */

/* "bw (  MiB/s): min= 1524, …" and "iops        : min=24384, …"; of fio 2 "bw (KB  /s): …", which
 * are KiB: fio 3 writes "kB" for thousands, with a small k. */
static bool read_samples(struct fio_text *t)
{
	const char *bw = text_after(t->line.s, "bw (");
	const char *p = bw ? strchr(bw, ':') : text_after(t->line.s, "iops");
	const char *unit_name = bw ? "KiB/s" : "IO/s";
	char unit[16];
	double factor = 1;

	if (!p || !text_after(p, ":") || !fio_line_find(&t->line, "min"))
		return false;
	if (bw) {
		bool named = fio_line_unit(&t->line, unit, sizeof(unit));

		factor = named ? fio_size_factor(unit, t->old || text_after(unit, "KB")) : 0;
		if (factor <= 0)
			return false;
	}
	fio_text_job(t);
	add(t, FIO_ALONE, unit_name, fio_scaled(value(t, "min"), factor),
	    bw ? "bw_min" : "iops_min");
	add(t, FIO_ALONE, unit_name, fio_scaled(value(t, "max"), factor),
	    bw ? "bw_max" : "iops_max");
	add(t, FIO_ALONE, unit_name, fio_scaled(value(t, "avg"), factor),
	    bw ? "bw_mean" : "iops_mean");
	add(t, FIO_ALONE, unit_name, fio_scaled(value(t, "stdev"), factor),
	    bw ? "bw_dev" : "iops_stddev");
	if (bw)
		add(t, FIO_ALONE, "%", value(t, "per"), "bw_agg%");
	add(t, FIO_ALONE, "samples", value(t, "samples"), bw ? "bw_samples" : "iops_samples");
	return true;
}

static bool read_cpu(struct fio_text *t)
{
	static const struct {
		const char *key, *name, *unit;
		enum fio_how how;
	} of[] = {{"usr", "usr_cpu%", "%", FIO_MEAN},
		  {"sys", "sys_cpu%", "%", FIO_MEAN},
		  {"ctx", "ctx", "switches", FIO_SUM},
		  {"majf", "majf", "faults", FIO_SUM},
		  {"minf", "minf", "faults", FIO_SUM}};
	const char *p = text_after(t->line.s, "cpu");

	if (!p || !text_after(p, ":") || !fio_line_find(&t->line, "usr"))
		return false;
	for (size_t i = 0; i < COUNT(of); i++)
		fio_add(t->all, fio_text_job(t), of[i].how, 0, of[i].unit, value(t, of[i].key),
			"%s", of[i].name);
	return true;
}

/* "total=592,432,0,0 short=…" of reads, writes, trims and syncs; fio 2: "total=r=592/w=432/d=0". */
static void read_counts(struct fio_text *t, const char *key, const char *name)
{
	const char *p = fio_line_find(&t->line, key);

	for (int side = 0; p && side < SIDE_MIXED; side++) {
		double v;

		if (*p && p[1] == '=')
			p += 2;
		if (!text_number(&p, false, &v))
			break;
		if (t->sides[side].seen)
			fio_add(t->all, fio_text_job(t), FIO_SUM, 0, "IOs", v, "%s_%s",
				side_names[side], name);
		if (!strcmp(key, "total"))
			t->sides[side].ios = v;
		if (*p == ',' || *p == '/')
			p++;
	}
}

static bool read_issued(struct fio_text *t)
{
	const char *p = text_after(t->line.s, "issued");

	if (!p || !fio_line_find(&t->line, "total"))
		return false;
	fio_text_job(t);
	read_counts(t, "total", "total_ios");
	read_counts(t, "short", "short_ios");
	read_counts(t, fio_line_find(&t->line, "dropped") ? "dropped" : "drop", "drop_ios");
	return true;
}

static bool read_target(struct fio_text *t)
{
	static const char *const keys[] = {"target", "window", "percentile", "depth"};
	static const char *const units[] = {"us", "us", "%", NULL};
	const char *p = text_after(t->line.s, "latency");

	if (!p || !text_after(p, ":") || !fio_line_find(&t->line, "target"))
		return false;
	for (size_t i = 0; i < COUNT(keys); i++)
		fio_add(t->all, fio_text_job(t), FIO_ALONE, 0, units[i], value(t, keys[i]),
			"latency_%s%s", keys[i], i == 2 ? "%" : "");
	return true;
}

bool fio_text_read_job(struct fio_text *t)
{
	if (text_after(t->line.s, "fsync/fdatasync/sync_file_range:")) {
		t->side = SIDE_SYNC;
		return true;
	}
	return read_direction(t) || read_percentiles(t) || read_latency(t) || read_shares(t) ||
	       read_samples(t) || read_cpu(t) || read_depths(t) || read_issued(t) || read_target(t);
}

/* Of the directions that fio counts as one, under the first of them. */
static void count_mixed(struct fio_text *t, struct fio_job *j)
{
	double ios = 0;

	for (int side = 0; side <= SIDE_TRIM; side++)
		ios += t->sides[side].ios > 0 ? t->sides[side].ios : 0;
	if (!t->sides[SIDE_MIXED].seen || ios <= 0)
		return;
	t->sides[SIDE_MIXED].ios = ios;
	fio_add(t->all, j, FIO_SUM, 0, "IOs", ios, "mixed_total_ios");
}

void fio_text_end_job(struct fio_text *t)
{
	double ios = 0, max = (double)NAN, work = (double)NAN;
	struct fio_job *j;

	if (!t->has_job)
		return;
	j = fio_text_job(t);
	count_mixed(t, j);
	for (int side = 0; side < SIDES; side++) {
		struct fio_text_side *s = &t->sides[side];

		if (side <= SIDE_TRIM && s->ios > 0)
			ios += s->ios;
		if (side <= SIDE_WRITE && !isnan(s->ios))
			work = isnan(work) ? s->ios : work + s->ios;
		for (int kind = 0; kind < KINDS; kind++) {
			if (!s->has[kind] && !s->has_percentiles[kind])
				continue;
			s->lat[kind].operations = s->ios > 0 ? s->ios : 0;
			max = fmax(max, s->lat[kind].max);
			fio_add_latency(t->all, j, &s->lat[kind]);
		}
	}
	fio_add(t->all, j, FIO_SUM, 0, "IOs", work, "workload");
	fio_add_shares(t->all, j, t->shares, t->nshares, ios, max > 2e6 ? max : (double)NAN, "us");
	for (int side = 0; !t->is_named && side < SIDES; side++)
		for (int kind = 0; kind < KINDS; kind++)
			if (t->sides[side].has[kind] || t->sides[side].has_percentiles[kind])
				t->all->now->latencies |= 1U << kind;
	t->has_job = false;
	t->percentiles = NULL;
}
