/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The native form, written: samples by metric, distributions, and what only a copy of a store says.
 * A copy is read back by native_stored.c and native_aside.c.
 */
#include "importers/native_write.h"

#include <math.h>
#include <sodium.h>

#include "db/events.h"
#include "db/machines.h"
#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/base/err.h"

static void text(struct jw *w, const char *name, const char *s)
{
	if (s)
		jw_str(w, name, s);
}

static void real(struct jw *w, const char *name, double v)
{
	if (!isnan(v))
		jw_num(w, name, v);
}

/* --- samples by metric --- */

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* All names of all runs, sorted, each once. */
static const char **all_names(struct arena *a, const struct submission *s, size_t *n)
{
	const char **names = NULL;
	size_t cap = 0, all = 0;

	for (size_t i = 0; i < s->nruns; i++) {
		const struct metric_names *own = s->runs[i].names;

		if (i && own == s->runs[i - 1].names)
			continue; /* mostly */
		names = arena_grow(a, names, &cap, all + own->n, sizeof(*names));
		memcpy(names + all, own->names, own->n * sizeof(*names));
		all += own->n;
	}
	*n = 0;
	if (all)
		qsort(names, all, sizeof(*names), by_bytes);
	for (size_t i = 0; i < all; i++)
		if (!*n || strcmp(names[*n - 1], names[i]) != 0)
			names[(*n)++] = names[i];
	return names;
}

/* Place of a name in a run, or -1. */
static long find_name(const struct metric_names *names, const char *name)
{
	size_t lo = 0, hi = names->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int d = strcmp(names->names[mid], name);

		if (!d)
			return (long)mid;
		if (d < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return -1;
}

bool native_write_matrix(struct jw *w, const struct submission *s)
{
	auto_arena struct arena *a = arena_new();
	size_t n, values = 0;
	const char **names = all_names(a, s, &n);

	for (size_t i = 0; i < s->nruns; i++)
		values += s->runs[i].names->n;
	/* a name takes the place of several values that are null */
	if (s->nruns < 2 || !n || n * s->nruns > 4 * values)
		return false;
	jw_obj(w, "matrix");
	for (size_t m = 0; m < n; m++) {
		jw_arr(w, names[m]);
		for (size_t i = 0; i < s->nruns; i++) {
			long at = find_name(s->runs[i].names, names[m]);

			jw_num(w, NULL, at < 0 ? (double)NAN : s->runs[i].values[at]);
		}
		jw_end(w);
	}
	jw_end(w);
	return true;
}

/* --- distributions --- */

void native_write_distributions(struct jw *w, const struct submission *s)
{
	jw_obj(w, "distributions");
	for (size_t i = 0; i < s->ndistributions; i++) {
		const struct distribution_in *d = &s->distributions[i];

		jw_obj(w, d->metric);
		text(w, "unit", d->unit);
		if (d->n >= 0)
			jw_int(w, "n", d->n);
		real(w, "min", d->min);
		real(w, "max", d->max);
		real(w, "mean", d->mean);
		real(w, "stddev", d->stddev);
		jw_obj(w, "percentiles");
		for (size_t k = 0; k < d->npercentiles; k++)
			jw_num(w, d->percentiles[k].name, d->percentiles[k].value);
		jw_end(w);
		jw_arr(w, "buckets");
		for (size_t k = 0; k < d->nbuckets; k++) {
			jw_arr(w, NULL);
			jw_num(w, NULL, d->buckets[k].le);
			jw_int(w, NULL, d->buckets[k].count);
			jw_end(w);
		}
		jw_end(w);
		jw_end(w);
	}
	jw_end(w);
}

/* --- what only a copy says --- */

static void write_texts(struct jw *w, const char *name, const char *const *list, size_t n)
{
	jw_arr(w, name);
	for (size_t i = 0; i < n; i++)
		jw_str(w, NULL, list[i]);
	jw_end(w);
}

static void write_stored_commit(struct jw *w, const struct stored_in *k)
{
	jw_obj(w, "commit");
	jw_str(w, "name", k->commit_name);
	write_texts(w, "aliases", k->aliases, k->naliases);
	write_texts(w, "trees", k->trees, k->ntrees);
	jw_arr(w, "builds");
	for (size_t i = 0; i < k->nbuilds; i++) {
		jw_obj(w, NULL);
		jw_time(w, "received", k->builds[i].received);
		native_write_build(w, &k->builds[i].build);
		jw_end(w);
	}
	jw_end(w);
	jw_end(w);
}

void native_write_stored(struct jw *w, const struct submission *s)
{
	const struct stored_in *k = s->stored;
	size_t nstatuses = s->kind == SUBMISSION_RUNS ? s->nruns : 1;
	char hex[DIGEST_HEX + 1];

	digest_hex(&k->content, hex);
	jw_obj(w, "stored");
	jw_time(w, "received", k->received);
	text(w, "by", k->by);
	jw_str(w, "content", hex);
	if (k->statuses) {
		jw_arr(w, "statuses");
		for (size_t i = 0; i < nstatuses; i++)
			jw_str(w, NULL, run_status_name(k->statuses[i]));
		jw_end(w);
	}
	if (k->commit_name)
		write_stored_commit(w, k);
	jw_end(w);
}

void native_write_artifact(struct out *o, const struct artifact_line *f)
{
	struct jw w;

	jw_init(&w, o);
	jw_obj(&w, NULL);
	jw_obj(&w, "artifact");
	jw_str(&w, "series", f->series);
	jw_str(&w, "key", f->key);
	jw_int(&w, "position", f->position);
	jw_str(&w, "name", f->name);
	jw_time(&w, "received", f->received);
	text(&w, "by", f->by);
	jw_str(&w, "digest", f->digest);
	jw_int(&w, "size", f->size);
	if (f->bytes) {
		size_t room = sodium_base64_ENCODED_LEN(f->nbytes, sodium_base64_VARIANT_ORIGINAL);
		char *base64 = malloc(room);

		if (!base64)
			die("out of memory");
		sodium_bin2base64(base64, room, f->bytes, f->nbytes,
				  sodium_base64_VARIANT_ORIGINAL);
		jw_str(&w, "encoding", f->encoding);
		jw_str(&w, "data", base64);
		free(base64);
	}
	jw_end(&w);
	jw_end(&w);
}

void native_write_machine(struct out *o, const struct machine *m)
{
	struct jw w;

	jw_init(&w, o);
	jw_obj(&w, NULL);
	jw_obj(&w, "machine");
	jw_str(&w, "name", m->name);
	text(&w, "description", m->description);
	jw_str(&w, "state", m->state);
	if (m->expect_every >= 0)
		jw_int(&w, "expect_every", m->expect_every);
	jw_time(&w, "changed", m->changed);
	jw_end(&w);
	jw_end(&w);
}

void native_write_event(struct out *o, const struct event *k, const char *by)
{
	struct jw w;

	jw_init(&w, o);
	jw_obj(&w, NULL);
	jw_obj(&w, "event");
	jw_str(&w, "machine", k->machine);
	jw_time(&w, "at", k->at);
	jw_str(&w, "key", k->key);
	text(&w, "old", k->old_value);
	text(&w, "new", k->new_value);
	text(&w, "note", k->note);
	text(&w, "by", by);
	jw_time(&w, "created", k->created);
	jw_end(&w);
	jw_end(&w);
}
