/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lkp-stats and lkp-json: single files of a run. stats.json is a run: metric and value. The file of
 * a monitor holds samples over time, which are not runs: a run's value is their mean, as it is in
 * stats.json. avg.json lies beside the runs and holds means over them, so it becomes a summary.
 * What a file does not say, its path may, when it lies in a result tree.
 */
#include "importers/formats.h"
#include "importers/lkp.h"

#include <math.h>

#include "importers/json_scan.h"
#include "server/analysis/comparison.h"
#include "server/base/arena.h"

void lkp_take_values(struct record *r, const struct lkp_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (rows[i].kind != LKP_TEXTS)
			record_value(r, NULL, rows[i].value, "%s", rows[i].name);
	}
}

bool lkp_is_incomplete(const struct lkp_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(rows[i].name, "last_state.is_incomplete_run") == 0 &&
		    rows[i].kind == LKP_NUMBER && rows[i].value > 0)
			return true;
	}
	return false;
}

/* Name of the file that the bytes came from, and its folder; "" where nobody said. */
static const char *file_name(const struct import *in, const char **folder)
{
	const char *slash = in->source ? strrchr(in->source, '/') : NULL;

	*folder = slash ? arena_strn(in->ctx->arena, in->source, (size_t)(slash - in->source)) : "";
	return slash ? slash + 1 : in->source ? in->source : "";
}

static bool begins_with(const char *s, const char *begin)
{
	return strncmp(s, begin, strlen(begin)) == 0;
}

/* A record for a file in the folder of a run, or of a commit when that is where it lies. */
static struct record *begin(struct import *in, const char *folder, bool beside_runs,
			    struct lkp_place *place, bool *placed)
{
	struct record *r = record_begin(in, NULL);
	const struct lkp_job none = {0};

	*placed = beside_runs ? lkp_place_of_commit(in->ctx->arena, folder, place)
			      : lkp_place_of_run(in->ctx->arena, folder, place);
	lkp_job_apply(r, &none, *placed ? place : NULL);
	return r;
}

int import_lkp_stats(struct import *in, const char *bytes, size_t n)
{
	struct lkp_row *rows;
	struct lkp_place place;
	struct record *r;
	const char *folder;
	size_t nrows;
	bool placed;
	int e = lkp_json_read(in->ctx, bytes, n, &rows, &nrows);

	for (size_t i = 0; e != E_SYNTAX && i < nrows; i++) {
		if (rows[i].kind != LKP_NUMBER)
			lkp_row_fault(in->ctx, &rows[i], "must be a number, is an array");
	}
	if (in->ctx->err)
		return in->ctx->err;
	file_name(in, &folder);
	r = begin(in, folder, false, &place, &placed);
	if (placed) {
		record_submission(r)->key = lkp_key(in->ctx->arena, &place, place.run);
		record_submission(r)->key_given = true;
	}
	if (lkp_is_incomplete(rows, nrows))
		record_submission(r)->status = RUN_INCOMPLETE;
	lkp_take_values(r, rows, nrows);
	return record_end(r);
}

static void take_means(struct record *r, const struct lkp_row *rows, size_t n)
{
	struct summary_in *cells = arena_array(record_arena(r), struct summary_in, n);
	struct submission *s = record_submission(r);

	s->cells = cells;
	for (size_t i = 0; i < n; i++) {
		double mean = rows[i].kind == LKP_TEXTS ? NAN : rows[i].value;

		if (isnan(mean))
			continue;
		cells[s->ncells++] = (struct summary_in){
			.metric = rows[i].name,
			.mean = mean,
			.stddev = NAN,
			.stddev_pct = NAN,
			.min = NAN,
			.max = NAN,
			.n = -1,
			.fails = -1,
			.runs = -1,
			.printed = PRINTED_NO,
			.printed_change = NAN,
		};
	}
}

static int by_row_name(const void *a, const void *b)
{
	return strcmp(((const struct lkp_row *)a)->name, ((const struct lkp_row *)b)->name);
}

/* A summary has each metric once. */
static void refuse_repeats(struct ctx *c, const struct lkp_row *rows, size_t n)
{
	struct lkp_row *sorted = arena_copy(c->arena, rows, n * sizeof(*rows));

	if (n)
		qsort(sorted, n, sizeof(*sorted), by_row_name);
	for (size_t i = 1; i < n; i++) {
		if (strcmp(sorted[i - 1].name, sorted[i].name) == 0)
			lkp_row_fault(c, &sorted[i], "is there twice");
	}
}

int import_lkp_json(struct import *in, const char *bytes, size_t n)
{
	struct lkp_row *rows;
	struct lkp_place place;
	struct record *r;
	const char *folder, *name = file_name(in, &folder);
	bool is_average = begins_with(name, "avg.json"), placed;
	size_t nrows;
	int e;

	if (begins_with(name, "stddev.json"))
		return fault(in->ctx, "",
			     "holds the spread of other values, which lie in avg.json "
			     "and matrix.json");
	e = lkp_json_read(in->ctx, bytes, n, &rows, &nrows);
	if (e >= 0 && is_average)
		refuse_repeats(in->ctx, rows, nrows);
	if (in->ctx->err)
		return in->ctx->err;
	r = begin(in, folder, is_average, &place, &placed);
	if (is_average) {
		take_means(r, rows, nrows);
	} else {
		if (lkp_is_incomplete(rows, nrows))
			record_submission(r)->status = RUN_INCOMPLETE;
		lkp_take_values(r, rows, nrows);
	}
	return record_end(r);
}

/* --- what is whose -----------------------------------------------------------------------------
 */

/* The first member of an object: where its name begins and ends, and its value's first byte. NULL:
 * it is none, or has no name with a dot, as all of theirs have but stats_source. */
static const char *first_value(const char *bytes, size_t n)
{
	const char *end = bytes + n, *p = json_skip_space(bytes, end), *stop;
	bool source;

	if (p == end || *p++ != '{')
		return NULL;
	p = json_skip_space(p, end);
	if (p == end || *p++ != '"')
		return NULL;
	stop = memchr(p, '"', (size_t)(end - p));
	if (!stop)
		return NULL;
	source = stop - p == 12 && memcmp(p, "stats_source", 12) == 0;
	if (!source && !memchr(p, '.', (size_t)(stop - p)))
		return NULL;
	p = json_skip_space(stop + 1, end);
	if (p == end || *p++ != ':')
		return NULL;
	p = json_skip_space(p, end);
	return p < end ? p : NULL;
}

static bool is_numeral(char ch)
{
	return (ch >= '0' && ch <= '9') || ch == '-' || ch == 'N';
}

int lkp_stats_sniff(const char *bytes, size_t n)
{
	const char *p = first_value(bytes, n);

	return p && is_numeral(*p) ? 70 : 0;
}

/* Without stats_source it may as well be a monitor's. */
int lkp_matrix_sniff(const char *bytes, size_t n)
{
	const char *p = first_value(bytes, n);

	if (!p || *p != '[')
		return 0;
	return memmem(bytes, n, "\"stats_source\"", 14) ? 95 : 50;
}

int lkp_json_sniff(const char *bytes, size_t n)
{
	const char *p = first_value(bytes, n);

	if (!p)
		return 0;
	return *p == '[' ? 40 : is_numeral(*p) ? 30 : 0;
}
