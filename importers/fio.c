/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fio, in its JSON, terse and human forms. Each output is a run and a submission of its own, since
 * distributions stand beside it. Names are the robot's where it has some; latencies are in
 * nanoseconds in JSON ("fio.read_clat_mean_ns") and in microseconds in the other two forms and of
 * fio 2 ("…_us"), whatever unit a line was printed in, so that runs can be compared. JSON has two
 * names of the robot's that tell no unit, or a wrong one: "…_stddev", and "…_slat_mean_us", in
 * nanoseconds as well. The other two forms call these "…_stddev_us" and "…_slat_avg_us": one name
 * is in one unit, and a rig that changes the form goes on in the same series (only JSON of fio 2
 * and of fio 3 cannot share one). Operations of both directions told as one
 * (unified_rw_reporting) are "fio.mixed_…".
 *
 * With --status-interval fio prints all its figures again and again while it runs. That is one run,
 * of which the last output tells everything; JSON is known by its times, text by its processes, and
 * terse lines, which have neither, cannot be told from jobs of the same name.
 *
 * With several jobs each figure is kept under "fio.<job>.", with ".instanceN" behind it where jobs
 * have the same name, and "fio." alone is all of them together: bandwidths, operations and
 * processor switches are summed; means are weighted by their operations, which is exact; a standard
 * deviation is that of all operations together; a percentile is the mean of the jobs' percentiles
 * by the same weights, which is near the truth only where jobs are alike (their own are kept). What
 * has no sense over jobs, such as the samples of bandwidth, is kept for each job alone; where there
 * are more than a hundred jobs it is left out, as are their percentages and single percentiles
 * (their distributions are kept).
 *
 * Where outputs of one file differ in what was done (rw, bs, ioengine, iodepth, numjobs), that
 * becomes an axis of each.
 */
#include "importers/fio.h"

#include <math.h>
#include <stdarg.h>

#include "importers/formats.h"
#include "importers/json_piece.h"
#include "importers/record.h"
#include "server/base/arena.h"
#include "server/base/clock.h"

#define SNIFF_MAX ((size_t)64 << 10)
#define MANY_JOBS 100 /* of more, each keeps what adds up alone */

struct fio_output *fio_add_output(struct fio_outputs *all)
{
	all->list =
		arena_grow(all->ctx->arena, all->list, &all->cap, all->n + 1, sizeof(*all->list));
	all->list[all->n] = (struct fio_output){.started = TIME_NONE, .printed = NAN};
	return &all->list[all->n++];
}

struct fio_job *fio_add_job(struct fio_outputs *all, struct fio_output *o, const char *name)
{
	o->jobs = arena_grow(all->ctx->arena, o->jobs, &o->cap, o->njobs + 1, sizeof(*o->jobs));
	o->jobs[o->njobs] = (struct fio_job){.name = arena_str(all->ctx->arena, name)};
	return &o->jobs[o->njobs++];
}

void fio_add_figure(struct fio_outputs *all, struct fio_job *j, struct fio_figure f)
{
	if (!isfinite(f.v) || all->nfigures > FIO_FIGURES_MAX)
		return;
	if (all->nfigures++ == FIO_FIGURES_MAX) {
		fail(all->ctx, E_TOO_LARGE, "the file has more than %d figures: import it in parts",
		     FIO_FIGURES_MAX);
		return;
	}
	j->figures =
		arena_grow(all->ctx->arena, j->figures, &j->cap, j->n + 1, sizeof(*j->figures));
	j->figures[j->n++] = f;
}

void fio_add(struct fio_outputs *all, struct fio_job *j, enum fio_how how, double weight,
	     const char *unit, double v, const char *fmt, ...)
{
	const char *name;
	va_list ap;

	va_start(ap, fmt);
	name = arena_vfmt(all->ctx->arena, fmt, ap);
	va_end(ap);
	fio_add_figure(all, j, (struct fio_figure){name, unit, v, weight, NAN, how});
}

void fio_add_option(struct fio_outputs *all, struct fio_job *j, const char *name, const char *value)
{
	struct arena *a = all->ctx->arena;

	j->options =
		arena_grow(a, j->options, &j->option_cap, j->noptions + 1, sizeof(*j->options));
	j->options[j->noptions++] = (struct pair){arena_str(a, name), arena_str(a, value)};
}

void fio_add_distribution(struct fio_outputs *all, struct fio_job *j,
			  const struct distribution_in *d)
{
	j->distributions = arena_grow(all->ctx->arena, j->distributions, &j->distribution_cap,
				      j->ndistributions + 1, sizeof(*j->distributions));
	j->distributions[j->ndistributions++] = *d;
}

/* --- all jobs together --- */

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct fio_figure *)a)->name, ((const struct fio_figure *)b)->name);
}

/* Of the standard deviations s_i of w_i operations around m_i: that of all around their mean. */
static double spread(const struct fio_figure *f, size_t n, double weight)
{
	double mean = 0, squares = 0;

	for (size_t i = 0; i < n; i++)
		mean += f[i].mean * (weight > 0 ? f[i].weight / weight : 1 / (double)n);
	for (size_t i = 0; i < n; i++) {
		double off = f[i].mean - mean;

		squares += (f[i].v * f[i].v + off * off) *
			   (weight > 0 ? f[i].weight / weight : 1 / (double)n);
	}
	return sqrt(squares);
}

/* shared: operations of all jobs that tell of shares. */
static double combine(const struct fio_figure *f, size_t n, double shared)
{
	double sum = 0, weight = 0, weighted = 0, least = f->v, most = f->v;

	for (size_t i = 0; i < n; i++) {
		sum += f[i].v;
		weight += f[i].weight;
		weighted += f[i].v * f[i].weight;
		least = fmin(least, f[i].v);
		most = fmax(most, f[i].v);
	}
	switch (f->how) {
	case FIO_SUM:
		return sum;
	case FIO_MEAN:
		return weight > 0 ? weighted / weight : sum / (double)n;
	case FIO_SHARE:
		return shared > 0 ? weighted / shared : (double)NAN;
	case FIO_MIN:
		return least;
	case FIO_MAX:
		return most;
	case FIO_SPREAD:
		return spread(f, n, weight);
	case FIO_ALONE:
		break;
	}
	return (double)NAN;
}

static double sum_shared(const struct fio_output *o)
{
	double sum = 0;

	for (size_t i = 0; i < o->njobs; i++) {
		for (size_t k = 0; k < o->jobs[i].n; k++) {
			if (o->jobs[i].figures[k].how != FIO_SHARE)
				continue;
			sum += o->jobs[i].figures[k].weight;
			break;
		}
	}
	return sum;
}

static void record_all(struct fio_outputs *all, const struct fio_output *o, struct record *r)
{
	struct fio_figure *f;
	double shared = sum_shared(o);
	size_t n = 0, room = 0;

	for (size_t i = 0; i < o->njobs; i++)
		room += o->jobs[i].n;
	f = arena_array(all->ctx->arena, struct fio_figure, room);
	for (size_t i = 0; i < o->njobs; i++) {
		for (size_t k = 0; k < o->jobs[i].n; k++)
			f[n++] = o->jobs[i].figures[k];
	}
	if (n)
		qsort(f, n, sizeof(*f), by_name);
	for (size_t i = 0, same; i < n; i += same) {
		for (same = 1; i + same < n && !strcmp(f[i].name, f[i + same].name); same++)
			;
		record_value(r, f[i].unit, combine(f + i, same, shared), "fio.%s", f[i].name);
	}
}

/* --- one output --- */

struct numbered {
	const char *name;
	size_t job;
};

static int by_job(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->job > y->job) - (x->job < y->job);
}

/* instance[i]: 0 where no other job has the name of the i-th, else its place among them, from 1. */
static size_t *number_jobs(struct fio_outputs *all, const struct fio_output *o)
{
	struct numbered *sorted = arena_array(all->ctx->arena, struct numbered, o->njobs);
	size_t *instance = arena_array(all->ctx->arena, size_t, o->njobs);

	for (size_t i = 0; i < o->njobs; i++)
		sorted[i] = (struct numbered){o->jobs[i].name, i};
	if (o->njobs)
		qsort(sorted, o->njobs, sizeof(*sorted), by_job);
	for (size_t i = 0, same; i < o->njobs; i += same) {
		for (same = 1;
		     i + same < o->njobs && !strcmp(sorted[i].name, sorted[i + same].name); same++)
			;
		for (size_t k = 0; same > 1 && k < same; k++)
			instance[sorted[i + k].job] = k + 1;
	}
	return instance;
}

/* prefix and suffix of names: "fio." or "fio.<job>.", "" or ".instanceN". */
static void record_job(struct arena *a, struct record *r, const struct fio_job *j,
		       const char *prefix, const char *suffix, bool briefly)
{
	for (size_t i = 0; i < j->n; i++)
		if (!briefly ||
		    (j->figures[i].how != FIO_ALONE && !strchr(j->figures[i].name, '%')))
			record_value(r, j->figures[i].unit, j->figures[i].v, "%s%s%s", prefix,
				     j->figures[i].name, suffix);
	for (size_t i = 0; i < j->ndistributions; i++) {
		struct distribution_in d = j->distributions[i];

		d.metric = arena_fmt(a, "%s%s%s", prefix, d.metric, suffix);
		record_distribution(r, &d);
	}
	for (size_t i = 0; i < j->noptions; i++)
		record_info(r, arena_fmt(a, "%s%s%s", prefix, j->options[i].name, suffix),
			    j->options[i].value);
}

/* --- what tells outputs of one file from each other --- */

static const char *const setup_names[] = {"rw", "bs", "ioengine", "iodepth", "numjobs"};
#define SETUPS (sizeof(setup_names) / sizeof(setup_names[0]))

static const char *find_option(const struct fio_job *j, const char *name)
{
	for (size_t i = 0; i < j->noptions; i++)
		if (!strcmp(j->options[i].name, name))
			return j->options[i].value;
	return NULL;
}

/* Of the first job, else of all; NULL: not told. */
static const char *setup_of(const struct fio_output *o, size_t which)
{
	const char *own = o->njobs ? find_option(&o->jobs[0], setup_names[which]) : NULL;

	return own ? own : find_option(&o->whole, setup_names[which]);
}

static bool setup_varies(const struct fio_outputs *all, size_t which)
{
	const char *first = NULL;

	for (size_t i = 0; i < all->n; i++) {
		const char *own = setup_of(&all->list[i], which);

		if (first && own && strcmp(first, own) != 0)
			return true;
		first = first ? first : own;
	}
	return false;
}

static int store(struct fio_outputs *all, const struct fio_output *o, struct import *in,
		 const bool *varies)
{
	struct record *r = record_begin(in, "fio");
	const size_t *instance = number_jobs(all, o);
	struct arena *a = in->ctx->arena;

	record_run(r);
	record_submission(r)->started = o->started;
	record_submission(r)->status = o->failed ? RUN_FAILED : RUN_OK;
	record_info(r, "fio.version", o->version);
	record_info(r, "fio.label", o->label);
	if (o->reports)
		record_info(r, "fio.status_reports", arena_fmt(a, "%u", o->reports));
	for (size_t i = 0; i < SETUPS; i++)
		if (varies[i])
			record_axis(r, setup_names[i], setup_of(o, i));
	if (o->njobs > 1)
		record_all(all, o, r);
	for (size_t i = 0; i < o->njobs; i++) {
		const char *prefix = "fio.", *suffix = "";

		if (o->njobs > 1)
			prefix = arena_fmt(a, "fio.%s.", o->jobs[i].name);
		if (instance[i])
			suffix = arena_fmt(a, ".instance%zu", instance[i]);
		record_job(a, r, &o->jobs[i], prefix, suffix, o->njobs > MANY_JOBS);
	}
	record_job(a, r, &o->whole, "fio.", "", false);
	return record_end(r);
}

/* What the request says of the operations, for excerpts that do not. */
static const char *requested_side(const struct import *in)
{
	for (size_t i = 0; i < in->naxes; i++) {
		const char *v = in->axes[i].value;

		if (strcmp(in->axes[i].name, "rw") != 0 &&
		    strcmp(in->axes[i].name, "readwrite") != 0)
			continue;
		if (!strcmp(v, "read") || !strcmp(v, "randread"))
			return "read_";
		if (!strcmp(v, "write") || !strcmp(v, "randwrite"))
			return "write_";
		if (!strcmp(v, "trim") || !strcmp(v, "randtrim"))
			return "trim_";
	}
	return "";
}

static bool is_json(const char *bytes, size_t n)
{
	const char *p = json_piece_find(bytes, bytes + n);

	return p && memmem(p, (size_t)(bytes + n - p), "\"fio version\"", 13);
}

int import_fio(struct import *in, const char *bytes, size_t n)
{
	struct fio_outputs all = {.ctx = in->ctx};
	size_t seen = n < SNIFF_MAX ? n : SNIFF_MAX;
	bool varies[SETUPS];
	int e = E_OK;

	if (is_json(bytes, n))
		fio_read_json(&all, bytes, n);
	else if (fio_is_terse(bytes, seen))
		fio_read_terse(&all, bytes, n);
	else
		fio_read_text(&all, bytes, n, requested_side(in));
	if (in->ctx->err)
		return in->ctx->err;
	if (!all.n)
		return fault(in->ctx, "",
			     "no figure of fio was found in it, neither in its JSON or terse "
			     "output nor in the one for people");
	fio_drop_reports(&all);
	for (size_t i = 0; i < SETUPS; i++)
		varies[i] = setup_varies(&all, i);
	for (size_t i = 0; i < all.n && e == E_OK; i++)
		e = store(&all, &all.list[i], in, varies);
	return e;
}

int fio_sniff(const char *bytes, size_t n)
{
	static const char *const marks[] = {"clat percentiles (", "(groupid=", "Run status group ",
					    "issued rwts:",       "clat (",    "slat ("};
	const char *json;
	int found = 0;

	if (n > SNIFF_MAX)
		n = SNIFF_MAX;
	json = json_piece_find(bytes, bytes + n);
	if (json && memmem(json, (size_t)(bytes + n - json), "\"fio version\"", 13))
		return 95;
	if (fio_is_terse(bytes, n))
		return 95;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		found += memmem(bytes, n, marks[i], strlen(marks[i])) != NULL;
	return found >= 2 ? 90 : found ? 70 : 0;
}
