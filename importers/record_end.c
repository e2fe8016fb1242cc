/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes submissions of what record.c collected: one, or one a run where distributions stand beside
 * them. A run that names the same metrics in the same order as the one before it shares its sorted
 * names.
 */
#include "importers/record_parts.h"

#include "importers/json_read.h"
#include "importers/native.h"
#include "server/base/arena.h"

#define SOURCE_MAX 900 /* bytes of a source that keys carry; a longer one goes by its digest */

struct placed {
	const char *name;
	size_t came;
};

static int by_placed_name(const void *a, const void *b)
{
	return strcmp(((const struct placed *)a)->name, ((const struct placed *)b)->name);
}

/* The run before, with its names, to be shared. */
struct shared {
	const struct one_run *run;
	const uint32_t *rank; /* came at i -> stands at rank[i] */
	const struct metric_names *names;
};

static void sort_run(struct record *r, const struct one_run *run, struct shared *last)
{
	struct arena *a = r->ctx->arena;
	struct placed *sorted = arena_array(a, struct placed, run->n);
	struct metric_names *names = arena_array(a, struct metric_names, 1);
	const char **list = arena_array(a, const char *, run->n);
	uint32_t *rank = arena_array(a, uint32_t, run->n);
	struct digest_state d;

	for (size_t i = 0; i < run->n; i++)
		sorted[i] = (struct placed){r->metrics[run->ids[i]].name, i};
	if (run->n)
		qsort(sorted, run->n, sizeof(*sorted), by_placed_name);
	digest_init(&d);
	for (size_t i = 0; i < run->n; i++) {
		list[i] = sorted[i].name;
		rank[sorted[i].came] = (uint32_t)i;
		digest_add_str(&d, list[i]);
	}
	*names = (struct metric_names){list, run->n, digest_end(&d)};
	*last = (struct shared){run, rank, names};
}

/* The values go where their names stand, in the memory that they are in. */
static void finish_run(struct record *r, const struct one_run *run, struct shared *last,
		       struct run_in *out)
{
	if (!last->run || last->run->n != run->n ||
	    (run->n && last->run->ids != run->ids &&
	     memcmp(last->run->ids, run->ids, run->n * sizeof(*run->ids)) != 0))
		sort_run(r, run, last);
	if (run->n > r->scratch_room) {
		r->scratch_room = 2 * run->n;
		r->scratch = arena_array(r->ctx->arena, double, r->scratch_room);
	}
	for (size_t i = 0; i < run->n; i++)
		r->scratch[last->rank[i]] = run->values[i];
	if (run->n)
		memcpy(run->values, r->scratch, run->n * sizeof(*run->values));
	*out = (struct run_in){last->names, run->values};
}

static int by_metric(const void *a, const void *b)
{
	return strcmp(((const struct distribution_in *)a)->metric,
		      ((const struct distribution_in *)b)->metric);
}

static int by_cell(const void *a, const void *b)
{
	return strcmp(((const struct summary_in *)a)->metric,
		      ((const struct summary_in *)b)->metric);
}

/* Notes the unit of a metric that the submission (stamp) has, once. */
static void add_unit(struct record *r, uint32_t id, size_t stamp, struct pair *units, size_t *n)
{
	struct metric_seen *m = &r->metrics[id];

	if (m->stamp == stamp || !m->unit)
		return;
	m->stamp = stamp;
	units[(*n)++] = (struct pair){m->name, m->unit};
}

static void take_units(struct record *r, const struct one_run *runs, size_t n, size_t stamp,
		       struct submission *s)
{
	size_t room = 0;
	struct pair *units;

	for (size_t i = 0; i < n; i++)
		room += runs[i].n + runs[i].ndistributions;
	if (room > r->nmetrics)
		room = r->nmetrics;
	s->units = units = arena_array(r->ctx->arena, struct pair, room);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < runs[i].n; k++)
			add_unit(r, runs[i].ids[k], stamp, units, &s->nunits);
		for (size_t k = 0; k < runs[i].ndistributions; k++) {
			const char *name = runs[i].distributions[k].metric;

			add_unit(r, record_metric(r, name, strlen(name)), stamp, units, &s->nunits);
		}
	}
	json_read_sort_pairs(units, s->nunits);
}

/* n runs (and the distributions of the only one) into a submission that has all else. */
static void take_runs(struct record *r, const struct one_run *runs, size_t n, struct shared *last,
		      size_t sub)
{
	struct submission *s = &r->in->subs[sub];
	struct run_in *out = arena_array(r->ctx->arena, struct run_in, n);

	for (size_t i = 0; i < n; i++)
		finish_run(r, &runs[i], last, &out[i]);
	s->kind = SUBMISSION_RUNS;
	s->runs = out;
	s->nruns = n;
	if (runs[0].ndistributions) {
		qsort(runs[0].distributions, runs[0].ndistributions, sizeof(*runs->distributions),
		      by_metric);
		s->distributions = runs[0].distributions;
		s->ndistributions = runs[0].ndistributions;
	}
	take_units(r, runs, n, sub + 1, s);
}

/* <source>#<digest of what it says>, and its place among the submissions behind the first. */
static void make_key(struct record *r, size_t sub)
{
	struct submission *s = &r->in->subs[sub];
	const char *source = r->in->source;
	char hex[DIGEST_HEX + 1];

	if (!source || s->key_given)
		return;
	if (!import_text_valid(source, SOURCE_MAX)) {
		struct digest_state d;
		struct digest of_source;

		digest_init(&d);
		digest_add_str(&d, source);
		of_source = digest_end(&d);
		digest_hex(&of_source, hex);
		source = arena_str(r->ctx->arena, hex);
	}
	digest_hex(&s->content, hex);
	s->key = sub ? arena_fmt(r->ctx->arena, "%s#%.16s/%zu", source, hex, sub)
		     : arena_fmt(r->ctx->arena, "%s#%.16s", source, hex);
	s->key_given = true;
}

/* What every submission of the record has: setup and commit. Faults say what is missing. */
static void take_setup(struct record *r, struct submission *s)
{
	struct pair *info = arena_array(r->ctx->arena, struct pair, r->ninfo);
	struct ctx *c = r->ctx;

	json_read_sort_pairs(r->axes, r->naxes);
	json_read_sort_pairs(r->info, r->ninfo);
	s->axes = r->axes;
	s->naxes = r->naxes;
	for (size_t i = 0; i < r->naxes; i++) {
		if (!strcmp(r->axes[i].name, "testcase"))
			s->testcase = r->axes[i].value;
		else if (!strcmp(r->axes[i].name, "tbox_group"))
			s->tbox_group = r->axes[i].value;
	}
	for (size_t i = 0; i < r->ninfo; i++) {
		if (!strcmp(r->info[i].name, "boot"))
			s->boot = r->info[i].value;
		else
			info[s->ninfo++] = r->info[i];
	}
	s->info = info;
	if (r->in->commit)
		s->commit.id = record_commit_name(c->arena, r->in->commit, &s->commit.is_hex);
	if (r->in->tree)
		s->commit.tree = r->in->tree;
	if (r->in->commit && !s->commit.id)
		fault(c, "commit", "must be a commit id of 7 to 40 hex digits or a ref name");
	else if (!s->commit.id)
		fault(c, "commit",
		      "the file does not name the commit: give --commit ID or commit=ID");
	if (!s->testcase)
		fault(c, "testcase",
		      "the file does not name the test: give --axis testcase=NAME or "
		      "axis.testcase=NAME");
	if (!s->tbox_group)
		fault(c, "tbox_group",
		      "the file does not name the machine: give --axis tbox_group=NAME or "
		      "axis.tbox_group=NAME");
	if (r->naxes > NATIVE_AXES_MAX)
		fault(c, "axes", "there are %zu, at most %d are allowed", r->naxes,
		      NATIVE_AXES_MAX);
}

/* Runs without any figure go, unless the importer says that they failed. */
static void drop_empty(struct record *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->nruns; i++) {
		if (r->runs[i].n || r->runs[i].ndistributions ||
		    record_submission(r)->status != RUN_OK)
			r->runs[kept++] = r->runs[i];
	}
	r->nruns = kept;
}

/* Without runs: figures that the importer laid in the submission itself, or a note. */
static void take_rest(struct record *r, struct submission *s)
{
	if (s->ncells) {
		struct summary_in *cells =
			arena_copy(r->ctx->arena, s->cells, s->ncells * sizeof(*s->cells));

		qsort(cells, s->ncells, sizeof(*cells), by_cell);
		s->cells = cells;
		s->kind = SUBMISSION_SUMMARY;
	} else if (s->headline.given || s->commit.build.given) {
		s->kind = SUBMISSION_NOTE;
	} else if (r->testcase) {
		fault(r->ctx, "", "no figure of %.100s was found in it", r->testcase);
	} else {
		fault(r->ctx, "", "no figure was found in it");
	}
}

int record_end(struct record *r)
{
	size_t each = r->distributed ? 1 : NATIVE_RUNS_MAX;
	struct shared last = {0};
	struct submission base;

	drop_empty(r);
	take_setup(r, record_submission(r));
	if (!r->nruns)
		take_rest(r, record_submission(r));
	if (r->ctx->err)
		return r->ctx->err;
	base = *record_submission(r);
	if (!r->nruns) {
		submission_seal(r->ctx->arena, record_submission(r));
		make_key(r, r->sub);
	}
	for (size_t first = 0; first < r->nruns; first += each) {
		size_t n = r->nruns - first < each ? r->nruns - first : each, sub = r->sub;

		if (first) {
			*import_add(r->in) = base;
			sub = r->in->n - 1;
		}
		take_runs(r, &r->runs[first], n, &last, sub);
		submission_seal(r->ctx->arena, &r->in->subs[sub]);
		make_key(r, sub);
	}
	return E_OK;
}
