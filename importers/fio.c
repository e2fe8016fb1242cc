/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fio, in its JSON, terse and human forms. Each output is a run and a submission of its own, since
 * distributions stand beside it. Names are the robot's where it has some; latencies are in
 * nanoseconds in JSON ("fio.read_clat_mean_ns"), of fio 2 too, which tells microseconds, and in
 * microseconds in the other two forms ("…_us"), whatever unit a line was printed in, so that runs
 * can be compared. JSON has two names of the robot's that tell no unit, or a wrong one:
 * "…_stddev", and "…_slat_mean_us", in nanoseconds as well. The other two forms call these
 * "…_stddev_us" and "…_slat_avg_us": one name is in one unit, and a rig that changes the form or
 * updates fio goes on in the same series. Operations of both directions told as one
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
 * The file is read twice: what differs between its outputs must be known before the first is
 * stored, and none of them is kept.
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

/* --- all jobs together --- */

/* Of the standard deviations s_i of w_i operations around m_i: that of all around their mean. */
static double spread(const struct fio_figure *const *f, size_t n, double weight)
{
	double mean = 0, squares = 0;

	for (size_t i = 0; i < n; i++)
		mean += f[i]->mean * (weight > 0 ? f[i]->weight / weight : 1 / (double)n);
	for (size_t i = 0; i < n; i++) {
		double off = f[i]->mean - mean;

		squares += (f[i]->v * f[i]->v + off * off) *
			   (weight > 0 ? f[i]->weight / weight : 1 / (double)n);
	}
	return sqrt(squares);
}

/* shared: operations of all jobs that tell of shares. */
static double combine(const struct fio_figure *const *f, size_t n, double shared)
{
	double sum = 0, weight = 0, weighted = 0, least = f[0]->v, most = f[0]->v;

	for (size_t i = 0; i < n; i++) {
		sum += f[i]->v;
		weight += f[i]->weight;
		weighted += f[i]->v * f[i]->weight;
		least = fmin(least, f[i]->v);
		most = fmax(most, f[i]->v);
	}
	switch (f[0]->how) {
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

/* The figures of all jobs by their names' numbers: those of name i begin at at[i]. */
static const struct fio_figure **by_number(const struct fio_output *o, size_t *at)
{
	size_t n = o->names.n, sum = 0;
	const struct fio_figure **f;

	for (size_t i = 0; i < o->njobs; i++) {
		for (size_t k = 0; k < o->jobs[i].n; k++)
			at[o->jobs[i].figures[k].name + 1]++;
	}
	for (size_t i = 0; i <= n; i++) {
		size_t here = at[i];

		at[i] = i ? sum += here : 0;
	}
	f = arena_array(o->a, const struct fio_figure *, sum);
	for (size_t i = 0; i < o->njobs; i++) {
		for (size_t k = 0; k < o->jobs[i].n; k++)
			f[at[o->jobs[i].figures[k].name]++] = &o->jobs[i].figures[k];
	}
	memmove(at + 1, at, n * sizeof(*at)); /* each stands at the next one's beginning now */
	at[0] = 0;
	return f;
}

static void record_all(const struct fio_output *o, struct record *r)
{
	size_t *at = arena_array(o->a, size_t, o->names.n + 1);
	const struct fio_figure **f = by_number(o, at);
	double shared = sum_shared(o);

	for (size_t i = 0; i < o->names.n; i++) {
		if (at[i] < at[i + 1])
			record_value(r, f[at[i]]->unit,
				     combine(f + at[i], at[i + 1] - at[i], shared), "fio.%s",
				     o->names.list[i].text);
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
static size_t *number_jobs(const struct fio_output *o)
{
	struct numbered *sorted = arena_array(o->a, struct numbered, o->njobs);
	size_t *instance = arena_array(o->a, size_t, o->njobs);

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
	for (size_t i = 0; i < j->n; i++) {
		const struct fio_figure *f = &j->figures[i];
		const char *name = fio_figure_name(j, f);

		if (!briefly || (f->how != FIO_ALONE && !strchr(name, '%')))
			record_value(r, f->unit, f->v, "%s%s%s", prefix, name, suffix);
	}
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

/* What is known of the whole file when its outputs are stored. */
struct varying {
	const char *first[SETUPS]; /* that was told */
	bool varies[SETUPS];
};

static int note_setup(struct fio_outputs *all, struct fio_output *o, void *arg)
{
	struct varying *v = arg;

	for (size_t i = 0; i < SETUPS; i++) {
		const char *own = setup_of(o, i);

		if (!own)
			continue;
		if (!v->first[i])
			v->first[i] = arena_str(all->ctx->arena, own);
		v->varies[i] = v->varies[i] || strcmp(v->first[i], own) != 0;
	}
	return E_OK;
}

struct storing {
	struct import *in;
	const bool *varies;
};

static int store(struct fio_outputs *all, struct fio_output *o, void *arg)
{
	const struct storing *s = arg;
	struct record *r = record_begin(s->in, "fio");
	const size_t *instance = number_jobs(o);

	(void)all;
	record_run(r);
	record_submission(r)->started = o->started;
	record_submission(r)->status = o->failed ? RUN_FAILED : RUN_OK;
	record_info(r, "fio.version", o->version);
	record_info(r, "fio.label", o->label);
	if (o->reports)
		record_info(r, "fio.status_reports", arena_fmt(o->a, "%u", o->reports));
	for (size_t i = 0; i < SETUPS; i++)
		if (s->varies[i])
			record_axis(r, setup_names[i], setup_of(o, i));
	if (o->njobs > 1)
		record_all(o, r);
	for (size_t i = 0; i < o->njobs; i++) {
		const char *prefix = "fio.", *suffix = "";

		if (o->njobs > 1)
			prefix = arena_fmt(o->a, "fio.%s.", o->jobs[i].name);
		if (instance[i])
			suffix = arena_fmt(o->a, ".instance%zu", instance[i]);
		record_job(o->a, r, &o->jobs[i], prefix, suffix, o->njobs > FIO_MANY_JOBS);
	}
	record_job(o->a, r, &o->whole, "fio.", "", false);
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

static void read_outputs(struct fio_outputs *all, const struct import *in, const char *bytes,
			 size_t n)
{
	if (is_json(bytes, n))
		fio_read_json(all, bytes, n);
	else if (fio_is_terse(bytes, n < SNIFF_MAX ? n : SNIFF_MAX))
		fio_read_terse(all, bytes, n);
	else
		fio_read_text(all, bytes, n, requested_side(in));
	fio_end(all);
}

int import_fio(struct import *in, const char *bytes, size_t n)
{
	struct varying v = {.first = {NULL}};
	struct storing s = {in, v.varies};
	struct fio_outputs all = {
		.ctx = in->ctx, .a = in->ctx->arena, .each = note_setup, .arg = &v};

	read_outputs(&all, in, bytes, n);
	if (in->ctx->err)
		return in->ctx->err;
	if (!all.n)
		return fault(in->ctx, "",
			     "no figure of fio was found in it, neither in its JSON or terse "
			     "output nor in the one for people");
	all = (struct fio_outputs){.ctx = in->ctx, .a = in->ctx->arena, .each = store, .arg = &s};
	read_outputs(&all, in, bytes, n);
	return in->ctx->err;
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
