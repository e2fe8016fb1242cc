/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Distributions, packed and stored. A percentile keeps its name as it was printed, so that "99.00"
 * comes back as such. Unpacking trusts nothing: what does not add up is refused whole, and the
 * counts are held against the bytes before memory is taken for them.
 */
#include "db/distributions.h"

#include <assert.h>
#include <math.h>

#include "db/metrics.h"
#include "server/base/arena.h"
#include "server/base/num.h"

#define VERSION        1
#define PERCENTILE_MIN 10 /* bytes of one, with a name of one digit */
#define BUCKET_BYTES   16

enum { REALS = 4, N_FLAG = 1 << REALS };

bool percentile_parse(const char *name, double *value)
{
	size_t digits = strspn(name, "0123456789"), len = digits;

	if (name[len] == '.') {
		size_t more = strspn(name + len + 1, "0123456789");

		len += 1 + more;
		if (!more)
			return false;
	}
	return digits && !name[len] && len <= PERCENTILE_NAME_MAX && num_parse_real(name, value) &&
	       *value >= 0 && *value <= 100;
}

/* --- packed --- */

static void put(struct out *o, uint64_t v, unsigned nbytes)
{
	for (unsigned i = 0; i < nbytes; i++)
		out_char(o, (char)(v >> (8 * i) & 0xff));
}

static void put_real(struct out *o, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	put(o, bits, 8);
}

void distribution_pack(const struct distribution_in *d, struct out *o)
{
	const double reals[REALS] = {d->mean, d->stddev, d->min, d->max};
	unsigned flags = d->n >= 0 ? N_FLAG : 0;

	assert(d->npercentiles <= PERCENTILES_MAX && d->nbuckets <= BUCKETS_MAX);
	for (unsigned i = 0; i < REALS; i++)
		flags |= isnan(reals[i]) ? 0 : 1U << i;
	put(o, VERSION, 1);
	put(o, flags, 1);
	for (unsigned i = 0; i < REALS; i++)
		if (flags & 1U << i)
			put_real(o, reals[i]);
	if (flags & N_FLAG)
		put(o, (uint64_t)d->n, 8);
	put(o, d->npercentiles, 2);
	for (size_t i = 0; i < d->npercentiles; i++) {
		size_t len = strlen(d->percentiles[i].name);

		assert(len && len <= PERCENTILE_NAME_MAX);
		put(o, len, 1);
		out_bytes(o, d->percentiles[i].name, len);
		put_real(o, d->percentiles[i].value);
	}
	put(o, d->nbuckets, 4);
	for (size_t i = 0; i < d->nbuckets; i++) {
		put_real(o, d->buckets[i].le);
		put(o, (uint64_t)d->buckets[i].count, 8);
	}
}

/* Takes bytes from the front; past the end it gives 0 and remembers. */
struct reader {
	const uint8_t *p;
	size_t left;
	bool failed;
};

static uint64_t take(struct reader *r, unsigned nbytes)
{
	uint64_t v = 0;

	if (r->failed || r->left < nbytes) {
		r->failed = true;
		return 0;
	}
	for (unsigned i = 0; i < nbytes; i++)
		v |= (uint64_t)r->p[i] << (8 * i);
	r->p += nbytes;
	r->left -= nbytes;
	return v;
}

/* No upload brings a figure that is not finite. */
static double take_real(struct reader *r)
{
	uint64_t bits = take(r, 8);
	double v;

	memcpy(&v, &bits, sizeof(v));
	r->failed |= !isfinite(v);
	return v;
}

static int64_t take_whole(struct reader *r)
{
	int64_t v = (int64_t)take(r, 8);

	r->failed |= v < 0;
	return v;
}

static void take_percentiles(struct arena *a, struct reader *r, struct distribution_in *out)
{
	size_t n = (size_t)take(r, 2);
	double last = -1, value;
	struct percentile_in *list;

	r->failed |= n > PERCENTILES_MAX || n > r->left / PERCENTILE_MIN;
	if (r->failed)
		return;
	out->percentiles = list = arena_array(a, struct percentile_in, n);
	for (size_t i = 0; i < n && !r->failed; i++) {
		size_t len = (size_t)take(r, 1);

		if (r->failed || len > r->left || len > PERCENTILE_NAME_MAX) {
			r->failed = true;
			return;
		}
		list[i].name = arena_strn(a, (const char *)r->p, len);
		r->p += len;
		r->left -= len;
		list[i].value = take_real(r);
		if (!percentile_parse(list[i].name, &value) || value <= last)
			r->failed = true;
		else
			last = value;
	}
	out->npercentiles = n;
}

static void take_buckets(struct arena *a, struct reader *r, struct distribution_in *out)
{
	size_t n = (size_t)take(r, 4);
	struct bucket_in *list;

	r->failed |= n > BUCKETS_MAX || n != r->left / BUCKET_BYTES;
	if (r->failed)
		return;
	out->buckets = list = arena_array(a, struct bucket_in, n);
	for (size_t i = 0; i < n && !r->failed; i++) {
		list[i].le = take_real(r);
		list[i].count = take_whole(r);
		r->failed |= i && list[i].le <= list[i - 1].le;
	}
	out->nbuckets = n;
}

int distribution_unpack(struct ctx *c, const void *bytes, size_t nbytes,
			struct distribution_in *out)
{
	struct reader r = {bytes, nbytes, false};
	double *reals[REALS] = {&out->mean, &out->stddev, &out->min, &out->max};
	bool known;
	unsigned flags;

	*out = (struct distribution_in){.n = -1};
	known = take(&r, 1) == VERSION;
	flags = (unsigned)take(&r, 1);
	for (unsigned i = 0; i < REALS; i++)
		*reals[i] = flags & 1U << i ? take_real(&r) : (double)NAN;
	if (flags & N_FLAG)
		out->n = take_whole(&r);
	take_percentiles(c->arena, &r, out);
	if (!r.failed)
		take_buckets(c->arena, &r, out);
	if (r.failed || r.left || !known || flags >= N_FLAG * 2U)
		return fail(c, E_INTERNAL, "a stored distribution is damaged");
	return E_OK;
}

/* --- stored --- */

/* They lie under the series that the run counts in: a correction moves both. */

SQL(distributions_rows,
    "SELECT m.name, x.unit, d.data, d.metric_id FROM run r"
    " JOIN distribution d ON d.series_id = r.series_id AND d.run_id = r.run_id"
    " JOIN metric m ON m.metric_id = d.metric_id"
    " LEFT JOIN series_metric x ON x.series_id = r.series_id AND x.metric_id = d.metric_id"
    " WHERE r.run_id = $1 ORDER BY m.name LIMIT $2")

#define OF_RUN_MAX 100000

int distributions_of_run(struct ctx *c, int64_t run_id, struct distribution_in **out, size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, &distributions_rows);
	size_t cap = 0, nbytes;

	*out = NULL;
	*n = 0;
	bind_int(st, 1, run_id);
	bind_int(st, 2, OF_RUN_MAX);
	while (stmt_step(st) == STMT_ROW) {
		const void *bytes = col_blob_peek(st, 2, &nbytes);

		*out = arena_grow(c->arena, *out, &cap, *n + 1, sizeof(**out));
		struct distribution_in *d = &(*out)[*n];
		int e = distribution_unpack(c, bytes, nbytes, d);
		if (e < 0)
			return e;
		d->metric = col_text(st, 0);
		d->unit = col_text(st, 1);
		const struct metric *m = d->unit ? NULL : metric_by_id(c, (uint32_t)col_int(st, 3));
		if (!m && c->err)
			return (int)c->err;
		if (m)
			d->unit = m->facts.unit;
		++*n;
	}
	return stmt_status(st);
}

SQL(distribution_insert, "INSERT INTO distribution (series_id, run_id, metric_id, data)"
			 " VALUES ($1, $2, $3, $4)")

static int store_one(struct ctx *c, int64_t series_id, int64_t run_id,
		     const struct distribution_in *d, struct out *packed)
{
	uint32_t metric_id;
	int e = metric_ensure(c, d->metric, &metric_id);

	if (e < 0 || (e = series_has_metric(c, series_id, metric_id)) < 0)
		return e;
	out_truncate(packed, 0);
	distribution_pack(d, packed);
	auto_stmt struct stmt *st = db_stmt(c, &distribution_insert);
	bind_int(st, 1, series_id);
	bind_int(st, 2, run_id);
	bind_int(st, 3, metric_id);
	bind_blob(st, 4, packed->p, packed->len);
	return stmt_run(st);
}

int distributions_store(struct ctx *c, int64_t series_id, int64_t run_id,
			const struct distribution_in *list, size_t n)
{
	auto_out struct out packed;
	int e = E_OK;

	out_init(&packed, OUT_MAX_DEFAULT);
	for (size_t i = 0; i < n && e >= 0; i++)
		e = store_one(c, series_id, run_id, &list[i], &packed);
	return e;
}
