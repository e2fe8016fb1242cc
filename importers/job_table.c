/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows are kept until the run ends, since only then is it known whether there was one or a ramp of
 * loads. A row may be wrapped by a mail program: its last column stands alone on the next line.
 */
#include "importers/job_table.h"

#include "server/base/arena.h"

#define ROWS_MAX 1000 /* of one run; looked through from end to end */

struct job_row {
	double tasks, v[JOB_COLUMNS_MAX];
	size_t n;
};

struct job_table {
	struct program_output *o;
	const struct job_table_form *f;
	struct job_row *rows;
	size_t n, cap;
	double max;   /* as printed below the table; -1: it was not */
	bool written; /* a run, before this one */
};

static void write_row(struct job_table *t, const struct job_row *r, const char *prefix)
{
	for (size_t i = 0; i < r->n; i++)
		output_value(t->o, t->f->columns[i].unit, r->v[i], "%s%s", prefix,
			     t->f->columns[i].name);
}

/* The run's end: writes it. */
static void flush(struct job_table *t)
{
	const struct job_row *best = NULL;
	char prefix[64];

	if (!t->n && t->max < 0)
		return;
	if (t->written)
		output_next(t->o);
	t->written = true;
	for (size_t i = 0; i < t->n; i++) {
		const struct job_row *r = &t->rows[i];

		if (!best || r->v[t->f->rate] > best->v[t->f->rate])
			best = r;
		if (t->n == 1)
			break;
		snprintf(prefix, sizeof(prefix), "%.0f.", r->tasks);
		write_row(t, r, prefix);
	}
	if (best) {
		write_row(t, best, "");
		output_value(t->o, "tasks", best->tasks, "tasks");
		if (t->f->maximum && t->max < 0)
			t->max = best->v[t->f->rate];
	}
	if (t->max >= 0)
		output_value(t->o, "jobs/min", t->max, "max_jobs_per_min");
	t->n = 0;
	t->max = -1;
}

static void add_row(struct job_table *t, const struct job_row *r)
{
	for (size_t i = 0; i < t->n; i++) {
		if (t->rows[i].tasks == r->tasks) {
			flush(t);
			break;
		}
	}
	if (t->n == ROWS_MAX)
		flush(t);
	t->rows = arena_grow(t->o->in->ctx->arena, t->rows, &t->cap, t->n + 1, sizeof(*t->rows));
	t->rows[t->n++] = *r;
}

/* The numbers of a line from its beginning, at most one more than there are columns. */
static size_t numbers(const char *line, double *v, size_t max)
{
	const char *p = line;
	size_t n = 0;

	while (n < max && text_number(&p, false, &v[n]) && (!*p || *p == ' ' || *p == '\t'))
		n++;
	return n;
}

static void read_row(struct job_table *t, const char *line)
{
	double v[JOB_COLUMNS_MAX + 1] = {0};
	size_t n = numbers(line, v, t->f->ncolumns + 1), want = t->f->ncolumns + 1;
	struct job_row r = {.tasks = v[0], .n = n ? n - 1 : 0};

	if (n == 1 && t->n && t->rows[t->n - 1].n + 2 == want) {
		struct job_row *last = &t->rows[t->n - 1];

		last->v[last->n++] = v[0];
		return;
	}
	if (n + 1 < want || n < 3 || v[0] < 0 || v[0] > 1e9)
		return;
	memcpy(r.v, v + 1, (n - 1) * sizeof(*v));
	add_row(t, &r);
}

void job_table_read(struct program_output *o, const struct job_table_form *f, const char *bytes,
		    size_t n)
{
	struct job_table t = {.o = o, .f = f, .max = -1};
	bool table = false;
	struct output_lines l;
	char *line;
	double v;

	output_lines_begin(&l, bytes, n);
	while ((line = output_line(&l))) {
		if (f->head(line)) {
			flush(&t);
			table = true;
		} else if (number_behind(line, "Max Jobs per Minute", &v)) {
			t.max = v;
		} else if (table) {
			read_row(&t, line);
		}
	}
	output_lines_end(&l);
	flush(&t);
}
