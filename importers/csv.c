/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CSV and TSV, long form (columns metric, value and perhaps unit: a row is a value) or wide form (a
 * column a metric: a row is a run); csv_header.c says what the columns are. Rows of one commit,
 * setup, time and status are a submission. In the long form the column run tells runs apart;
 * without it, and where it does not, the same metric again is one more run. An empty cell, NA, nan
 * and the like are no value. Commas in numbers: csv_number.c.
 */
#include "importers/csv.h"

#include "db/commits.h"
#include "importers/formats.h"
#include "importers/result_file.h"
#include "importers/text_map.h"
#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/base/num.h"

#define SUBMISSIONS_MAX 200000 /* of one table */
#define ROWS_ASKED      256
#define SNIFFED         ((size_t)64 << 10)

struct group {
	struct record *r;
	struct samples *s;          /* long form */
	struct text_map runs, seen; /* names of runs; metrics of a run that have a value */
	uint32_t *times;            /* how often each of seen was met */
	size_t cap;
};

struct table {
	struct import *in;
	struct ctx *c;
	struct csv_rows rows;
	struct csv_columns columns;
	size_t nrows;
	struct text_map groups;
	struct group *list; /* by number in groups */
	size_t cap, last;
	char *key, *last_key; /* of a row, and of the one before */
	size_t key_len, key_room, last_len;
};

static bool in_key(enum csv_role role)
{
	return role == CSV_AXIS || role == CSV_INFO || role == CSV_COMMIT || role == CSV_TREE ||
	       role == CSV_STARTED || role == CSV_STATUS;
}

static void make_key(struct table *t)
{
	t->key_len = 0;
	for (size_t i = 0; i < t->columns.n; i++) {
		const char *cell = csv_cell(&t->rows, i);
		size_t n = strlen(cell) + 1;

		if (!in_key(t->columns.list[i].role))
			continue;
		if (t->key_room - t->key_len < n) {
			t->key_room = 2 * t->key_room + n + 256;
			t->key = realloc(t->key, t->key_room);
			t->last_key = realloc(t->last_key, t->key_room);
			if (!t->key || !t->last_key)
				die("out of memory");
		}
		memcpy(t->key + t->key_len, cell, n);
		t->key_len += n;
	}
}

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
		record_info(r, k->name, result_clean(t->c->arena, cell, strlen(cell)));
	else if (!import_text_valid(cell, k->role == CSV_TREE ? JSON_NAME_MAX : JSON_TEXT_MAX))
		csv_fault(t->c, t->rows.line,
			  "%.100s: must be UTF-8 without control characters, and not too long",
			  k->name);
	else if (k->role == CSV_AXIS)
		record_axis(r, k->name, cell);
	else if (k->role == CSV_TREE)
		s->commit.tree = arena_str(t->c->arena, cell);
	else if (k->role == CSV_SUBJECT)
		s->commit.subject = arena_str(t->c->arena, cell);
	else if (k->role == CSV_COMMIT) {
		record_commit(r, cell);
		if (!s->commit.id)
			csv_fault(t->c, t->rows.line,
				  "\"%.80s\" is neither a commit id of 7 to 40 hex digits nor a "
				  "ref name with a digit in it",
				  cell);
	}
}

/* Whoever bounds the memory says when it is enough; a failure is set then. */
static bool asked_to_stop(const struct table *t)
{
	return t->in->after_document && t->in->after_document(t->in->after_arg) < 0;
}

/* The submission of the row. NULL: a bound is reached, and the failure set. */
static struct group *group_of(struct table *t)
{
	struct group *g;
	char *swap;
	bool fresh;

	make_key(t);
	if (t->groups.n && t->key_len == t->last_len &&
	    (!t->key_len || !memcmp(t->key, t->last_key, t->key_len)))
		return &t->list[t->last];
	t->last = text_map_add(&t->groups, t->key ? t->key : "", t->key_len, &fresh);
	swap = t->last_key;
	t->last_key = t->key;
	t->key = swap;
	t->last_len = t->key_len;
	t->list = arena_grow(t->c->arena, t->list, &t->cap, t->last + 1, sizeof(*g));
	g = &t->list[t->last];
	if (!fresh)
		return g;
	if (t->groups.n > SUBMISSIONS_MAX) {
		fail(t->c, E_TOO_LARGE,
		     "the table has more than %d commits and setups: import it in parts",
		     SUBMISSIONS_MAX);
		return NULL;
	}
	if (t->columns.is_long) {
		g->s = samples_begin_bare(t->in, NULL);
		text_map_init(&g->runs, t->c->arena);
		text_map_init(&g->seen, t->c->arena);
	}
	g->r = g->s ? samples_record(g->s) : record_begin(t->in, NULL);
	for (size_t i = 0; i < t->columns.n; i++) {
		const char *cell = csv_cell(&t->rows, i);

		if (*cell &&
		    (in_key(t->columns.list[i].role) || t->columns.list[i].role == CSV_SUBJECT))
			describe(t, g->r, &t->columns.list[i], cell);
	}
	return asked_to_stop(t) ? NULL : g;
}

/* Which run of the group a value of the metric belongs to, by the name of the run. */
static size_t run_of(struct table *t, struct group *g, const char *metric, const char *name)
{
	char key[2 * JSON_METRIC_MAX + 64];
	size_t i, again;
	bool fresh;

	snprintf(key, sizeof(key), "%.1100s\x1f%.900s", metric, name);
	i = text_map_add(&g->seen, key, strlen(key), &fresh);
	g->times = arena_grow(t->c->arena, g->times, &g->cap, i + 1, sizeof(*g->times));
	again = g->times[i]++;
	if (again)
		snprintf(key, sizeof(key), "%.900s\x1f%zu", name, again);
	else
		snprintf(key, sizeof(key), "%.900s", name);
	return text_map_add(&g->runs, key, strlen(key), &fresh);
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
		samples_set(g->s, run_of(t, g, metric, csv_cell(&t->rows, at[CSV_RUN])), unit, v,
			    "%s", metric);
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

		if (k->role == CSV_FIGURE && !csv_is_absent(cell) &&
		    read_number(t, k->name, cell, &v))
			record_value(g->r, k->unit, v, "%s", k->name);
	}
}

static void read_rows(struct table *t)
{
	const char *why;
	int more;

	while ((more = csv_next(&t->rows, &why)) > 0 && t->c->nfaults < FAULTS_MAX &&
	       t->c->err != E_TOO_LARGE) {
		struct group *g;

		if (t->rows.n != t->columns.n) {
			csv_fault(t->c, t->rows.line, "has %zu cells, the first line has %zu",
				  t->rows.n, t->columns.n);
			continue;
		}
		g = group_of(t);
		if (!g || (++t->nrows % ROWS_ASKED == 0 && asked_to_stop(t)))
			return;
		if (t->columns.is_long)
			read_long(t, g);
		else
			read_wide(t, g);
	}
	if (more < 0)
		csv_fault(t->c, t->rows.line, "%s", why);
}

static void read_table(struct table *t)
{
	const char *why;
	int more = csv_next(&t->rows, &why);

	if (more < 0)
		csv_fault(t->c, t->rows.line, "%s", why);
	else if (!more)
		fail(t->c, E_INVALID, "the file is empty");
	if (more <= 0 || !csv_read_header(t->in, &t->rows, &t->columns) ||
	    !csv_settle(t->in, t->rows, &t->columns))
		return;
	read_rows(t);
	if (!t->c->err && !t->groups.n)
		fail(t->c, E_INVALID, "no row stands below the names of the columns");
	for (size_t i = 0; i < t->groups.n && !t->c->err; i++)
		if (t->list[i].s)
			samples_end(t->list[i].s);
		else
			record_end(t->list[i].r);
}

int import_csv(struct import *in, const char *bytes, size_t n)
{
	struct table t = {.in = in, .c = in->ctx};

	if (n && memchr(bytes, '\0', n))
		return fail(t.c, E_INVALID, "it is no text: is it UTF-16? Save it as UTF-8");
	text_map_init(&t.groups, t.c->arena);
	csv_begin(&t.rows, bytes, n);
	read_table(&t);
	csv_end(&t.rows);
	free(t.key);
	free(t.last_key);
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
