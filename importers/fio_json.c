/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fio's --output-format=json and json+, of fio 2 (latencies in microseconds) and 3 (nanoseconds).
 * A direction in which nothing was done is left out, as is a latency of no operation: they were not
 * measured. With unified_rw_reporting there is a direction "mixed", alone or (=both) beside the
 * others, which then is not counted again. The bins of json+ are kept as buckets, each with the
 * latency that its name says.
 */
#include "importers/fio.h"

#include <math.h>

#include "db/distributions.h"
#include "importers/fio_line.h"
#include "importers/json_documents.h"
#include "server/base/arena.h"
#include "server/base/num.h"

struct field {
	const char *key, *unit;
	enum fio_how how;
};

/* Of a direction. bw has its own function. */
static const struct field side_fields[] = {
	{"iops", "IO/s", FIO_SUM},
	{"bw_bytes", "B/s", FIO_SUM},
	{"io_bytes", "B", FIO_SUM},
	{"io_kbytes", "KiB", FIO_SUM},
	{"runtime", "ms", FIO_MAX},
	{"total_ios", "IOs", FIO_SUM},
	{"short_ios", "IOs", FIO_SUM},
	{"drop_ios", "IOs", FIO_SUM},
	{"bw_min", "KiB/s", FIO_ALONE},
	{"bw_max", "KiB/s", FIO_ALONE},
	{"bw_mean", "KiB/s", FIO_ALONE},
	{"bw_dev", "KiB/s", FIO_ALONE},
	{"bw_agg", "%", FIO_ALONE},
	{"bw_samples", "samples", FIO_ALONE},
	{"iops_min", "IO/s", FIO_ALONE},
	{"iops_max", "IO/s", FIO_ALONE},
	{"iops_mean", "IO/s", FIO_ALONE},
	{"iops_stddev", "IO/s", FIO_ALONE},
	{"iops_samples", "samples", FIO_ALONE},
};

/* Of a job. */
static const struct field job_fields[] = {
	{"usr_cpu", "%", FIO_MEAN},          {"sys_cpu", "%", FIO_MEAN},
	{"ctx", "switches", FIO_SUM},        {"majf", "faults", FIO_SUM},
	{"minf", "faults", FIO_SUM},         {"job_runtime", "ms", FIO_MAX},
	{"elapsed", "s", FIO_MAX},           {"latency_depth", NULL, FIO_ALONE},
	{"latency_target", "us", FIO_ALONE}, {"latency_percentile", "%", FIO_ALONE},
	{"latency_window", "us", FIO_ALONE},
};

static const struct field disk_fields[] = {
	{"read_ios", "IOs", FIO_ALONE},    {"write_ios", "IOs", FIO_ALONE},
	{"read_merges", "IOs", FIO_ALONE}, {"write_merges", "IOs", FIO_ALONE},
	{"read_sectors", NULL, FIO_ALONE}, {"write_sectors", NULL, FIO_ALONE},
	{"read_ticks", "ms", FIO_ALONE},   {"write_ticks", "ms", FIO_ALONE},
	{"in_queue", "ms", FIO_ALONE},     {"util", "%", FIO_ALONE},
};

#define COUNT(a)   (sizeof(a) / sizeof((a)[0]))
#define SHARES_MAX 100

/* A word for nan, see json_piece.h. */
static bool is_nothing(const json_t *v)
{
	return !v || (json_is_string(v) && !json_string_length(v));
}

/* NAN when it is not there; a fault when it is no number. */
static double number(const struct json_object *o, const char *key)
{
	return is_nothing(json_read_member(o, key)) ? (double)NAN : json_read_real(o, key);
}

/* True when v is an object; a fault when it is there and none. */
static bool open_object(const struct fio_outputs *all, json_t *v, const struct json_at *at,
			struct json_object *o)
{
	*o = (struct json_object){.ctx = all->ctx, .v = v, .at = at};
	if (v && !json_is_object(v))
		json_read_fault(all->ctx, at, "must be an object, is %s", json_read_kind(v));
	return json_is_object(v);
}

static void add_fields(struct fio_outputs *all, struct fio_job *j, const struct json_object *o,
		       const struct field *fields, size_t n, const char *prefix)
{
	for (size_t i = 0; i < n; i++) {
		const char *percent = fields[i].unit && *fields[i].unit == '%' ? "%" : "";

		fio_add(all, j, fields[i].how, 0, fields[i].unit, number(o, fields[i].key),
			"%s%s%s", prefix, fields[i].key, percent);
	}
}

/* --- latencies --- */

/* fio 2 tells microseconds. */
static double in_ns(double v, const struct fio_latency *l)
{
	return *l->unit == 'u' ? fio_scaled(v, 1000) : v;
}

static void read_percentiles(struct fio_outputs *all, const struct fio_job *j, json_t *v,
			     const struct json_at *at, struct fio_latency *l)
{
	struct json_object o;
	const char *key;
	json_t *value;

	if (!open_object(all, v, at, &o))
		return;
	l->percentiles = arena_array(j->a, struct percentile_in, json_object_size(v));
	json_object_foreach(v, key, value)
	{
		double rank;

		if (is_nothing(value))
			continue;
		if (!json_is_number(value))
			json_read_fault(all->ctx, JSON_AT_ENTRY(at, key), "must be a number, is %s",
					json_read_kind(value));
		else if (!percentile_parse(key, &rank))
			json_read_fault(all->ctx, JSON_AT_ENTRY(at, key), "is no percentile");
		else if (rank > 0) /* fio 2 fills up with 0 */
			l->percentiles[l->npercentiles++] =
				(struct percentile_in){fio_text_kept(j->of, key, strlen(key)),
						       in_ns(json_number_value(value), l)};
	}
}

static int by_end(const void *a, const void *b)
{
	const struct bucket_in *x = a, *y = b;

	return (x->le > y->le) - (x->le < y->le);
}

static void read_bins(struct fio_outputs *all, const struct fio_job *j, json_t *v,
		      const struct json_at *at, struct fio_latency *l)
{
	struct json_object o;
	const char *key;
	json_t *value;

	if (!open_object(all, v, at, &o))
		return;
	l->buckets = arena_array(j->a, struct bucket_in, json_object_size(v));
	json_object_foreach(v, key, value)
	{
		double end, count = json_number_value(value);

		if (!num_parse_real(key, &end))
			json_read_fault(all->ctx, JSON_AT_ENTRY(at, key), "is no latency");
		else if (!json_is_number(value) || count < 0 || count > JSON_WHOLE_MAX)
			json_read_fault(all->ctx, JSON_AT_ENTRY(at, key),
					"must be a count of operations");
		else
			l->buckets[l->nbuckets++] =
				(struct bucket_in){in_ns(end, l), (int64_t)count};
	}
	if (l->nbuckets)
		qsort(l->buckets, l->nbuckets, sizeof(*l->buckets), by_end);
}

/* kind_ns (fio 3) or kind (fio 2). ios: of the direction, where the latency does not say it.
 * Returns the longest one; NAN: it is not told. */
static double read_latency(struct fio_outputs *all, struct fio_job *j,
			   const struct json_object *side, const char *prefix, const char *kind,
			   double ios)
{
	struct fio_latency l = {.side = prefix, .kind = kind, .unit = "ns", .of_json = true};
	const struct json_at *at;
	struct json_object o;
	char key[16];
	json_t *v;

	snprintf(key, sizeof(key), "%s_ns", kind);
	v = json_read_member(side, key);
	if (!v) {
		snprintf(key, sizeof(key), "%s", kind);
		l.unit = "us";
		v = json_read_member(side, key);
	}
	at = JSON_AT_KEY(side->at, key);
	if (!open_object(all, v, at, &o))
		return (double)NAN;
	l.min = in_ns(number(&o, "min"), &l);
	l.max = in_ns(number(&o, "max"), &l);
	l.mean = in_ns(number(&o, "mean"), &l);
	l.stddev = in_ns(number(&o, "stddev"), &l);
	l.operations = number(&o, "N");
	if (isnan(l.operations))
		l.operations = l.max > 0 && ios > 0 ? ios : 0;
	if (l.operations <= 0)
		return l.max;
	read_percentiles(all, j, json_read_member(&o, "percentile"), JSON_AT_KEY(at, "percentile"),
			 &l);
	read_bins(all, j, json_read_member(&o, "bins"), JSON_AT_KEY(at, "bins"), &l);
	l.unit = "ns";
	fio_add_latency(all, j, &l);
	return l.max;
}

/* The operations done in a direction; 0: it was not used. *max: its longest latency, ns. */
static double read_side(struct fio_outputs *all, struct fio_job *j, const struct json_object *job,
			const char *name, double *max)
{
	static const char *const kinds[] = {"slat", "clat", "lat"};
	const struct json_at *at = JSON_AT_KEY(job->at, name);
	double ios, bw, longest = (double)NAN;
	struct json_object o;
	char prefix[16];

	snprintf(prefix, sizeof(prefix), "%s_", name);
	if (!open_object(all, json_read_member(job, name), at, &o))
		return 0;
	ios = number(&o, "total_ios");
	bw = number(&o, "bw");
	if (!(ios > 0) && !(bw > 0) && !(number(&o, "io_bytes") > 0) && !(number(&o, "iops") > 0))
		return 0;
	if (isnan(bw))
		bw = number(&o, "bw_bytes") / 1024;
	fio_add_bandwidth(all, j, prefix, bw);
	add_fields(all, j, &o, side_fields, COUNT(side_fields), prefix);
	for (size_t i = 0; i < COUNT(kinds); i++)
		longest = read_latency(all, j, &o, prefix, kinds[i], ios);
	*max = fmax(*max, longest); /* of "lat" */
	return ios > 0 ? ios : 0;
}

/* --- a job --- */

static const char *const share_keys[] = {"latency_ns", "latency_us", "latency_ms"};
static const char *const share_units[] = {"ns", "us", "ms"};

static void read_shares(struct fio_outputs *all, struct fio_job *j, const struct json_object *job,
			double ios, double max)
{
	struct fio_share list[SHARES_MAX];
	size_t n = 0;

	for (size_t i = 0; i < COUNT(share_keys); i++) {
		const struct json_at *at = JSON_AT_KEY(job->at, share_keys[i]);
		struct json_object o;
		const char *word;
		json_t *v;

		if (!open_object(all, json_read_member(job, share_keys[i]), at, &o))
			continue;
		json_object_foreach(o.v, word, v)
		{
			double percent = number(&o, word);

			if (isnan(percent) || n == SHARES_MAX)
				continue;
			snprintf(list[n].word, sizeof(list[n].word), "%s", word);
			list[n].unit = share_units[i];
			list[n++].percent = percent;
		}
	}
	fio_add_shares(all, j, list, n, ios, max > 2e9 ? max : (double)NAN, "ns");
}

static void read_depths(struct fio_outputs *all, struct fio_job *j, const struct json_object *job,
			double ios)
{
	static const char *const keys[] = {"iodepth_level", "iodepth_submit", "iodepth_complete"};

	for (size_t i = 0; i < COUNT(keys); i++) {
		const struct json_at *at = JSON_AT_KEY(job->at, keys[i]); /* as long as o */
		struct json_object o;
		const char *depth;
		json_t *v;

		if (!open_object(all, json_read_member(job, keys[i]), at, &o))
			continue;
		json_object_foreach(o.v, depth, v) fio_add(
			all, j, FIO_MEAN, ios, "%", number(&o, depth), "%s_%s%%", keys[i], depth);
	}
}

static void read_options(const struct fio_outputs *all, struct fio_job *j, json_t *v,
			 const struct json_at *at)
{
	static const struct json_pairs_rule rule = {JSON_NAME_MAX, 4 * JSON_TEXT_MAX, true, true};
	const struct pair *pairs;
	size_t n;

	json_read_pairs(all->ctx, v, at, &rule, &pairs, &n);
	for (size_t i = 0; i < n; i++)
		fio_add_option(j, pairs[i].name, pairs[i].value);
}

static void read_job(struct fio_outputs *all, json_t *v, const struct json_at *at)
{
	static const char *const sides[] = {"read", "write", "trim"};
	double ios = 0, work = 0, max = 0, mixed;
	struct json_object o;
	const char *name;
	struct fio_job *j;

	if (!open_object(all, v, at, &o))
		return;
	name = json_read_name(&o, "jobname", JSON_NAME_MAX);
	j = fio_add_job(all, name ? name : "job");
	for (size_t i = 0; i < COUNT(sides); i++) {
		double done = read_side(all, j, &o, sides[i], &max);

		ios += done;
		work += i < 2 ? done : 0;
	}
	mixed = read_side(all, j, &o, "mixed", &max); /* of all, alone or beside them */
	if (ios <= 0)
		ios = work = mixed;
	read_side(all, j, &o, "sync", &max);
	fio_add(all, j, FIO_SUM, 0, "IOs", ios > 0 ? work : (double)NAN, "workload");
	add_fields(all, j, &o, job_fields, COUNT(job_fields), "");
	read_depths(all, j, &o, ios);
	read_shares(all, j, &o, ios, max);
	read_options(all, j, json_read_member(&o, "job options"), JSON_AT_KEY(at, "job options"));
	if (number(&o, "error") != 0 && json_read_member(&o, "error"))
		all->now->failed = true;
}

static void read_disks(struct fio_outputs *all, struct fio_output *out, json_t *v,
		       const struct json_at *at)
{
	char prefix[JSON_NAME_MAX + 8];
	json_t *disk;
	size_t i;

	if (v && !json_is_array(v))
		json_read_fault(all->ctx, at, "must be an array, is %s", json_read_kind(v));
	json_array_foreach(v, i, disk)
	{
		const struct json_at *place = JSON_AT_INDEX(at, i); /* as long as o */
		struct json_object o;
		const char *name;

		if (!open_object(all, disk, place, &o))
			continue;
		name = json_read_name(&o, "name", JSON_NAME_MAX);
		if (!name)
			continue;
		snprintf(prefix, sizeof(prefix), "disk.%s.", name);
		add_fields(all, &out->whole, &o, disk_fields, COUNT(disk_fields), prefix);
	}
}

/* What stands around the jobs. */
static void read_head(struct fio_outputs *all, struct fio_output *out, json_t *v)
{
	const struct json_at top = {0};
	struct json_object o = {.ctx = all->ctx, .v = v, .at = &top};
	double seconds;

	out->version = json_read_name(&o, "fio version", JSON_NAME_MAX);
	seconds = number(&o, "timestamp");
	if (seconds > 0 && seconds < 1e11)
		out->started = (int64_t)seconds;
	out->printed = number(&o, "timestamp_ms");
	out->printed_within = isnan(out->printed) ? 1000 : 100;
	if (isnan(out->printed))
		out->printed = 1000 * seconds;
	read_options(all, &out->whole, json_read_member(&o, "global options"),
		     JSON_AT_KEY(&top, "global options"));
	read_disks(all, out, json_read_member(&o, "disk_util"), JSON_AT_KEY(&top, "disk_util"));
}

/* One after the other, each with a ctx that lasts as long as it. */
static void read_jobs(struct fio_outputs *all, const struct json_documents *d,
		      struct json_span list, const struct json_at *at)
{
	struct ctx *const c = all->ctx;
	struct json_elements e;
	json_t *job;

	if (!json_document_elements(d, &e, list, at))
		return;
	while (!fio_is_over(all) && (job = json_elements_next(&e))) {
		const char *name = json_string_value(json_object_get(job, "jobname"));

		all->ctx = &e.own;
		/* the sum of what stands before it */
		if (e.index == 0 || !name || strcmp(name, "All clients") != 0)
			read_job(all, job, JSON_AT_INDEX(at, e.index));
		all->ctx = c;
		json_decref(job);
	}
	json_elements_end(&e);
}

enum { VERSION, JOBS, CLIENTS, MEMBERS };
static const char *const members[MEMBERS] = {"fio version", "jobs", "client_stats"};

static void read_output(struct fio_outputs *all, const struct json_documents *d)
{
	const struct json_at top = {0};
	struct json_span found[MEMBERS];
	struct ctx *const c = all->ctx;
	struct fio_output *out;
	struct ctx own;
	json_t *head;
	int list;

	if (!json_find_members(c, d->bytes, d->now, members, MEMBERS, found))
		return;
	if (!found[VERSION].p && !found[JOBS].p && !found[CLIENTS].p)
		return; /* something else that was printed */
	list = found[CLIENTS].p ? CLIENTS : JOBS;
	if (!found[list].p || *found[list].p != '[')
		found[list].p = NULL;
	head = json_document_without(d, found[list]);
	if (!head)
		return;
	if (!found[list].p) {
		json_read_fault(c, JSON_AT_KEY(&top, members[list]), "must be an array, is %s",
				json_read_kind(json_object_get(head, members[list])));
	} else {
		out = fio_begin_output(all);
		read_jobs(all, d, found[list], JSON_AT_KEY(&top, members[list]));
		ctx_init(&own, out->a, NULL);
		all->ctx = &own;
		read_head(all, out, head);
		all->ctx = c;
		json_hand_over(&own, c);
		fio_end_output(all);
	}
	json_decref(head);
}

void fio_read_json(struct fio_outputs *all, const char *bytes, size_t n)
{
	struct json_documents d;

	json_documents_begin(&d, all->ctx, bytes, n);
	while (!fio_is_over(all) && all->ctx->err != E_SYNTAX && json_documents_next(&d))
		read_output(all, &d);
}
