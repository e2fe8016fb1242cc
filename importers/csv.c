/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CSV and TSV, long form (columns metric, value and perhaps unit: a row is a value) or wide form (a
 * column a metric: a row is a run); csv_header.c says what the columns are. Rows of one commit,
 * setup, time and status are a submission: csv_groups.c finds which, and one after the other is
 * read. In the long form the column run tells runs apart; without it, and where it does not, the
 * same metric again is one more run. An empty cell, NA, nan and the like are no value. Commas in
 * numbers: csv_number.c.
 */
#include "importers/csv.h"

#include "db/commits.h"
#include "importers/formats.h"
#include "importers/result_file.h"
#include "importers/text_map.h"
#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/base/num.h"

#define SNIFFED ((size_t)64 << 10)

struct group {
	struct record *r;
	struct samples *s;             /* long form */
	struct text_map runs, repeats; /* names of runs; metrics that a run has more than once */
	uint32_t *times;               /* how often more, by number in repeats */
	size_t cap;
};

struct table {
	struct import *in;
	struct ctx *c;
	struct csv_rows rows;
	struct csv_columns columns;
	uint32_t
		*metrics; /* wide form: numbers of the columns in the record, once they are known */
	size_t nrows;
};

static void read_started(struct table *t, struct submission *s, const char *cell)
{
	double seconds;

	s->started = result_parse_time(cell);
	if (s->started != TIME_NONE)
		return;
	if (num_parse_real(cell, &seconds) && seconds >= 0 && seconds < 1e11)
		s->started = (int64_t)seconds;
	else
		csv_fault(t->c, t->rows.line, "\"%.60s\" is no time", cell);
}

static void read_status(struct table *t, struct submission *s, const char *cell)
{
	int status = run_status_find(cell);

	if (status >= 0 && status <= RUN_FAILED)
		s->status = (enum run_status)status;
	else
		csv_fault(t->c, t->rows.line, "\"%.60s\" is no status: ok, incomplete or failed",
			  cell);
}

/* What a cell says of the submission that its row begins. */
static void describe(struct table *t, struct record *r, const struct csv_column *k,
		     const char *cell)
{
	struct submission *s = record_submission(r);

	if (k->role == CSV_STARTED)
		read_started(t, s, cell);
	else if (k->role == CSV_STATUS)
		read_status(t, s, cell);
	else if (k->role == CSV_INFO)
		record_info(r, k->name, result_clean(record_arena(r), cell, strlen(cell)));
	else if (!import_text_valid(cell, k->role == CSV_TREE ? JSON_NAME_MAX : JSON_TEXT_MAX))
		csv_fault(t->c, t->rows.line,
			  "%.100s: must be UTF-8 without control characters, and not too long",
			  k->name);
	else if (k->role == CSV_AXIS)
		record_axis(r, k->name, cell);
	else if (k->role == CSV_TREE)
		s->commit.tree = arena_str(record_arena(r), cell);
	else if (k->role == CSV_SUBJECT)
		s->commit.subject = arena_str(record_arena(r), cell);
	else if (k->role == CSV_COMMIT) {
		record_commit(r, cell);
		if (!s->commit.id)
			csv_fault(t->c, t->rows.line,
				  "\"%.80s\" is neither a commit id of 7 to 40 hex digits nor a "
				  "ref name with a digit in it",
				  cell);
	}
}

/* The submission that the row begins. */
static void begin_group(struct table *t, struct group *g)
{
	*g = (struct group){0};
	if (t->columns.is_long) {
		g->s = samples_begin_bare(t->in, NULL);
		g->r = samples_record(g->s);
		text_map_init(&g->runs, record_arena(g->r));
		text_map_init(&g->repeats, record_arena(g->r));
	} else {
		g->r = record_begin(t->in, NULL);
		for (size_t i = 0; i < t->columns.n; i++)
			t->metrics[i] = RECORD_NO_METRIC;
	}
	for (size_t i = 0; i < t->columns.n; i++) {
		const struct csv_column *k = &t->columns.list[i];
		const char *cell = csv_cell(&t->rows, i);

		if (*cell && (csv_in_key(k->role) || k->role == CSV_SUBJECT))
			describe(t, g->r, k, cell);
	}
	record_settled(g->r);
}

/* The run of that name to which a value of the metric belongs. A name that has one already goes on
 * with a further run. */
static size_t run_of(struct group *g, const char *metric, const char *name)
{
	struct {
		uint32_t metric, run;
	} key;
	char again[1024];
	size_t i, run;
	bool fresh;

	snprintf(again, sizeof(again), "%.900s", name);
	run = text_map_add(&g->runs, again, strlen(again), &fresh);
	key.metric = samples_metric(g->s, metric);
	key.run = (uint32_t)run;
	if (fresh || !samples_has(g->s, key.metric, run))
		return run;
	i = text_map_add(&g->repeats, (const char *)&key, sizeof(key), &fresh);
	g->times = arena_grow(record_arena(g->r), g->times, &g->cap, i + 1, sizeof(*g->times));
	snprintf(again, sizeof(again), "%.900s\x1f%u", name, ++g->times[i]);
	return text_map_add(&g->runs, again, strlen(again), &fresh);
}

static bool read_number(struct table *t, const char *what, const char *cell, double *v)
{
	bool either = t->columns.comma == CSV_COMMA_EITHER && csv_comma_told(cell);

	if (csv_number(cell, t->columns.comma, v))
		return true;
	csv_fault(t->c, t->rows.line,
		  either ? "%.100s: \"%.60s\": other numbers of the table do not tell whether its "
			   "comma groups digits or is the decimal sign"
			 : "%.100s: \"%.60s\" is no number",
		  what, cell);
	return false;
}

static void read_long(struct table *t, struct group *g)
{
	const size_t *at = t->columns.by_role;
	const char *metric = csv_cell(&t->rows, at[CSV_METRIC]);
	const char *value = csv_cell(&t->rows, at[CSV_VALUE]);
	const char *unit = csv_cell(&t->rows, at[CSV_UNIT]);
	double v;

	if (csv_is_absent(value))
		return;
	if (!import_text_valid(metric, JSON_METRIC_MAX)) {
		csv_fault(t->c, t->rows.line, "metric: must be a text of 1 to %d bytes",
			  JSON_METRIC_MAX);
	} else if (!read_number(t, "value", value, &v)) {
		return;
	} else if (at[CSV_RUN] != SIZE_MAX) {
		samples_set(g->s, run_of(g, metric, csv_cell(&t->rows, at[CSV_RUN])), unit, v, "%s",
			    metric);
	} else {
		samples_add(g->s, unit, v, "%s", metric);
	}
}

static void read_wide(struct table *t, struct group *g)
{
	record_run(g->r);
	for (size_t i = 0; i < t->columns.n; i++) {
		const struct csv_column *k = &t->columns.list[i];
		const char *cell = csv_cell(&t->rows, i);
		double v;

		if (k->role != CSV_FIGURE || csv_is_absent(cell) ||
		    !read_number(t, k->name, cell, &v))
			continue;
		if (t->metrics[i] == RECORD_NO_METRIC)
			t->metrics[i] = record_name(g->r, k->unit, k->name);
		record_number(g->r, t->metrics[i], v);
	}
}

static bool may_go_on(struct table *t)
{
	return t->c->nfaults < FAULTS_MAX && t->c->err != E_TOO_LARGE &&
	       (++t->nrows % CSV_ROWS_ASKED || !csv_asked_to_stop(t->in));
}

/* All rows of a submission. False: enough. */
static bool read_group(struct table *t, const struct csv_groups *all, const struct csv_group *k)
{
	uint32_t segment = k->first;
	struct group g = {0};
	const char *why;

	do {
		csv_go_to(all, segment, &t->rows);
		while (csv_next(&t->rows, &why) > 0) {
			if (!may_go_on(t))
				return false;
			if (t->rows.n != t->columns.n)
				continue;
			if (!g.r)
				begin_group(t, &g);
			if (t->columns.is_long)
				read_long(t, &g);
			else
				read_wide(t, &g);
		}
		segment = ((struct csv_segment *)block_list_at(&all->segments, segment))->next;
	} while (segment);
	if (t->c->err) {
		record_drop(g.r); /* other rows may be wrong, too */
		return true;
	}
	return (g.s ? samples_end(g.s) : record_end(g.r)) == E_OK;
}

static void read_table(struct table *t)
{
	struct csv_groups groups;
	const char *why;
	int more = csv_next(&t->rows, &why);

	if (more < 0)
		csv_fault(t->c, t->rows.line, "%s", why);
	else if (!more)
		fail(t->c, E_INVALID, "the file is empty");
	if (more <= 0 || !csv_read_header(t->in, &t->rows, &t->columns) ||
	    !csv_settle(t->in, t->rows, &t->columns))
		return;
	t->metrics = arena_array(t->c->arena, uint32_t, t->columns.n);
	if (!csv_find_groups(t->in, t->rows, &t->columns, &groups))
		return;
	for (size_t i = 0; i < groups.list.n; i++)
		if (!read_group(t, &groups, block_list_at(&groups.list, i)))
			return;
	if (!t->c->err && !groups.list.n)
		fail(t->c, E_INVALID, "no row stands below the names of the columns");
}

int import_csv(struct import *in, const char *bytes, size_t n)
{
	struct table t = {.in = in, .c = in->ctx};

	if (n && memchr(bytes, '\0', n))
		return fail(t.c, E_INVALID, "it is no text: is it UTF-16? Save it as UTF-8");
	csv_begin(&t.rows, bytes, n);
	read_table(&t);
	csv_end(&t.rows);
	return t.c->err;
}

/* How much like a table's first lines it is. */
static int sniff_rows(struct csv_rows *r)
{
	static const char *const ours[] = {"commit", "testcase", "tbox_group", "metric", "value"};
	size_t found = 0, columns;
	const char *why;
	double v;

	if (csv_next(r, &why) <= 0 || r->n < 2)
		return 0;
	columns = r->n;
	for (size_t i = 0; i < columns; i++) {
		if (num_parse_real(csv_cell(r, i), &v) || strchr(csv_cell(r, i), '{'))
			return 0;
		for (size_t k = 0; k < sizeof(ours) / sizeof(ours[0]); k++)
			found += !strcasecmp(csv_cell(r, i), ours[k]);
	}
	if (found)
		return found > 1 ? 90 : 65;
	if (csv_next(r, &why) <= 0 || r->n != columns)
		return 0;
	for (size_t i = 0; i < columns; i++) {
		if (num_parse_real(csv_cell(r, i), &v))
			return 25; /* many files look like this */
	}
	return 0;
}

int csv_sniff(const char *bytes, size_t n)
{
	struct csv_rows r;
	int sure;

	csv_begin(&r, bytes, n < SNIFFED ? n : SNIFFED);
	sure = sniff_rows(&r);
	csv_end(&r);
	return sure;
}
