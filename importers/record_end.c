/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes submissions of what record.c collected: of as many runs as one may have, or of one where
 * distributions stand beside it. Runs that name the same metrics in the same order share their
 * sorted names.
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

/* Bytes for a moment. */
static void *scratch(struct record *r, size_t n)
{
	if (n > r->scratch_room) {
		r->scratch_room = 2 * n;
		r->scratch = arena_alloc(r->a, r->scratch_room);
	}
	return r->scratch;
}

/* The sorted names of a layout, for the submissions that are made now: a stream's are gone when it
 * took them. */
static void sort_names(struct record *r, struct run_layout *l)
{
	struct arena *a = import_room(r->in);
	struct placed *sorted = scratch(r, l->n * sizeof(*sorted));
	struct metric_names *names = arena_array(a, struct metric_names, 1);
	const char **list = arena_array(a, const char *, l->n);
	uint32_t *rank = arena_array(a, uint32_t, l->n);
	struct digest_state d;

	for (size_t i = 0; i < l->n; i++)
		sorted[i] = (struct placed){record_metric_at(r, l->ids[i])->name, i};
	qsort(sorted, l->n, sizeof(*sorted), by_placed_name);
	digest_init(&d);
	for (size_t i = 0; i < l->n; i++) {
		list[i] = sorted[i].name;
		rank[sorted[i].came] = (uint32_t)i;
		digest_add_str(&d, list[i]);
	}
	*names = (struct metric_names){list, l->n, digest_end(&d)};
	l->names = names;
	l->rank = rank;
	l->piece = r->pieces;
}

static const struct metric_names *no_names(struct record *r)
{
	struct metric_names *names = arena_array(import_room(r->in), struct metric_names, 1);
	struct digest_state d;

	digest_init(&d);
	names->digest = digest_end(&d);
	return names;
}

/* The values go where their names stand, in the memory that they are in. */
static struct run_in finish_run(struct record *r, const struct one_run *run)
{
	struct run_layout *l = run->layout;
	double *sorted;

	if (!l)
		return (struct run_in){no_names(r), run->values};
	if (!l->piece || (r->in->stream && l->piece != r->pieces))
		sort_names(r, l);
	sorted = scratch(r, l->n * sizeof(*sorted));
	for (size_t i = 0; i < l->n; i++)
		sorted[l->rank[i]] = run->values[i];
	memcpy(run->values, sorted, l->n * sizeof(*run->values));
	return (struct run_in){l->names, run->values};
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

/* Notes the unit of a metric that the piece has, once. */
static void add_unit(struct record *r, uint32_t id, struct pair *units, size_t *n)
{
	struct metric_seen *m = record_metric_at(r, id);

	if (m->stamp == r->pieces || !m->unit)
		return;
	m->stamp = r->pieces;
	units[(*n)++] = (struct pair){m->name, m->unit};
}

static const struct one_run *run_at(const struct record *r, size_t i)
{
	return block_list_at(&r->runs, i);
}

static void take_units(struct record *r, size_t first, size_t n, struct submission *s)
{
	const struct run_layout *last = NULL;
	size_t room = 0;
	struct pair *units;

	for (size_t i = first; i < first + n && room < r->metrics.n; i++) {
		const struct one_run *run = run_at(r, i);

		room += run->layout ? run->layout->n : 0;
		room += run->distributions ? run->distributions->n : 0;
	}
	if (room > r->metrics.n)
		room = r->metrics.n;
	s->units = units = arena_array(import_room(r->in), struct pair, room);
	for (size_t i = first; i < first + n; i++) {
		const struct one_run *run = run_at(r, i);
		const struct run_distributions *ds = run->distributions;

		for (size_t k = 0; run->layout && run->layout != last && k < run->layout->n; k++)
			add_unit(r, run->layout->ids[k], units, &s->nunits);
		for (size_t k = 0; ds && k < ds->n; k++) {
			const char *name = ds->list[k].metric;

			add_unit(r, record_metric(r, name, strlen(name)), units, &s->nunits);
		}
		last = run->layout;
	}
	json_read_sort_pairs(units, s->nunits);
}

/* n runs, or one with distributions, into a submission that has all else. */
static void take_runs(struct record *r, size_t first, size_t n, struct submission *s)
{
	const struct run_distributions *ds = run_at(r, first)->distributions;
	struct run_in *out = arena_array(import_room(r->in), struct run_in, n);

	for (size_t i = 0; i < n; i++)
		out[i] = finish_run(r, run_at(r, first + i));
	s->kind = SUBMISSION_RUNS;
	s->runs = out;
	s->nruns = n;
	if (ds) {
		qsort(ds->list, ds->n, sizeof(*ds->list), by_metric);
		s->distributions = ds->list;
		s->ndistributions = ds->n;
	}
	take_units(r, first, n, s);
}

/* <source>#<digest of what it says>, and its place among the submissions behind the first. */
static void make_key(struct import *in, struct submission *s, size_t before)
{
	struct arena *a = import_room(in);
	const char *source = in->source;
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
		source = arena_str(a, hex);
	}
	digest_hex(&s->content, hex);
	s->key = before ? arena_fmt(a, "%s#%.16s/%zu", source, hex, before)
			: arena_fmt(a, "%s#%.16s", source, hex);
	s->key_given = true;
}

static void check_setup(struct record *r)
{
	const struct submission *s = &r->own;
	struct ctx *c = r->ctx;

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

/* What every submission of the record has: axes and commit. Faults say what is missing. */
static void take_setup(struct record *r)
{
	struct submission *s = &r->own;

	if (r->set_up)
		return;
	r->set_up = true;
	json_read_sort_pairs(r->axes, r->naxes);
	s->axes = r->axes;
	s->naxes = r->naxes;
	for (size_t i = 0; i < r->naxes; i++) {
		if (!strcmp(r->axes[i].name, "testcase"))
			s->testcase = r->axes[i].value;
		else if (!strcmp(r->axes[i].name, "tbox_group"))
			s->tbox_group = r->axes[i].value;
	}
	if (r->in->commit)
		s->commit.id = record_commit_name(r->a, r->in->commit, &s->commit.is_hex);
	if (r->in->tree)
		s->commit.tree = r->in->tree;
	check_setup(r);
}

/* The info as it is now. Submissions that somebody may still have keep the list that they have. */
static void take_info(struct record *r)
{
	struct submission *s = &r->own;

	if (!r->info_changed)
		return;
	r->info_changed = false;
	if (!r->in->stream || r->info_room < r->ninfo) {
		r->info_room = r->ninfo + r->ninfo / 2;
		r->info_list = arena_array(r->a, struct pair, r->info_room);
	}
	json_read_sort_pairs(r->info, r->ninfo);
	s->ninfo = 0;
	for (size_t i = 0; i < r->ninfo; i++) {
		if (!strcmp(r->info[i].name, "boot"))
			s->boot = r->info[i].value;
		else
			r->info_list[s->ninfo++] = r->info[i];
	}
	s->info = r->info_list;
}

/* Runs without any figure go, unless the importer says that they failed. */
static void drop_empty(struct record *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->runs.n && r->own.status == RUN_OK; i++) {
		struct one_run *run = block_list_at(&r->runs, i);

		if (run->layout || run->distributions)
			*(struct one_run *)block_list_at(&r->runs, kept++) = *run;
	}
	if (r->own.status == RUN_OK)
		r->runs.n = kept;
}

/* How many runs the submission has that begins with the run. */
static size_t piece_length(const struct record *r, size_t first)
{
	size_t n = 0;

	while (n < NATIVE_RUNS_MAX && first + n < r->runs.n && !run_at(r, first + n)->distributions)
		n++;
	return n ? n : 1;
}

static void hand_on_piece(struct record *r, size_t first, size_t n)
{
	size_t before = import_count(r->in);
	struct submission *s = import_add(r->in);

	r->pieces++;
	*s = r->own;
	if (n)
		take_runs(r, first, n, s);
	submission_seal(import_room(r->in), s);
	make_key(r->in, s, before);
	import_take(r->in);
}

int record_hand_on(struct record *r)
{
	size_t n;

	take_setup(r);
	take_info(r);
	drop_empty(r);
	for (size_t first = 0; first < r->runs.n && !r->ctx->err; first += n) {
		n = piece_length(r, first);
		hand_on_piece(r, first, n);
	}
	record_forget_runs(r, r->in->stream != NULL);
	return r->ctx->err;
}

/* Without runs: figures that the importer laid in the submission itself, or a note. */
static void take_rest(struct record *r)
{
	struct submission *s = &r->own;

	if (s->ncells) {
		struct summary_in *cells = arena_copy(r->a, s->cells, s->ncells * sizeof(*cells));

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
	if (!r->ctx->err)
		hand_on_piece(r, 0, 0);
}

void record_drop(struct record *r)
{
	struct import_stream *stream = r->in->stream;

	if (stream && --stream->open == 0)
		arena_reset(stream->records);
}

int record_end(struct record *r)
{
	struct ctx *c = r->ctx;

	record_close_run(r);
	record_hand_on(r);
	if (!r->had_runs)
		take_rest(r);
	record_drop(r);
	return c->err;
}
