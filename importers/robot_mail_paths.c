/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where rows go. Old mails print a small table for each metric: a row for each path (machine, test,
 * parameters), and below them the row of all, which alone names the metric. Such rows are kept
 *until then, and the rows of one path become a table of its own, over all the small tables.
 *
 *	1588009 ~ 2%     -54.9%     716407 ~ 3%  lkp-nex04/micro/netperf/120s-200%-UDP_RR
 *	3088072 ~ 2%     -55.3%    1380765 ~ 4%  TOTAL proc-vmstat.pgfault
 */
#include "importers/robot_mail.h"

#include "server/base/arena.h"

#define TABLE_ROWS_MAX 60000

static void add_row(struct mail *m, struct mail_table *t, const struct mail_row *row)
{
	if (t->nrows == TABLE_ROWS_MAX) {
		m->excess = "has a table of too many rows";
		return;
	}
	t->metrics = arena_grow(m->a, t->metrics, &t->rows_cap, t->nrows + 1, sizeof(*t->metrics));
	t->cells = arena_grow(m->a, t->cells, &t->cells_cap, (t->nrows + 1) * t->ncolumns,
			      sizeof(*t->cells));
	memcpy(&t->cells[t->nrows * t->ncolumns], row->cells, t->ncolumns * sizeof(*t->cells));
	t->metrics[t->nrows++] = arena_strn(m->a, row->metric, row->metric_len);
}

struct mail_table *mail_table_add(struct mail *m, const struct mail_table *t)
{
	if (m->ntables == MAIL_TABLES_MAX) {
		m->excess = "has too many tables";
		return NULL;
	}
	m->tables = arena_grow(m->a, m->tables, &m->tables_cap, m->ntables + 1, sizeof(*m->tables));
	m->tables[m->ntables] = arena_copy(m->a, t, sizeof(*t));
	m->tables[m->ntables]->number = m->ntables;
	return m->tables[m->ntables++];
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_heads(const struct mail_table *a, const struct mail_table *b)
{
	if (a->ncolumns != b->ncolumns)
		return false;
	for (size_t i = 0; i < a->ncolumns; i++) {
		if (strcmp(a->heads[i], b->heads[i]) != 0)
			return false;
	}
	return true;
}

/* The table of one path, or of all: old mails print a small table for each metric, and one path's
 * rows in all of them belong together. */
static struct mail_table *table_of_path(struct mail *m, const struct mail_table *t,
					const char *path, const char *aggregate)
{
	struct mail_table new = *t;

	for (size_t i = m->ntables; i-- > 0 && i + MAIL_TABLES_NEAR >= m->ntables;) {
		struct mail_table *k = m->tables[i];

		if ((k->path || k->aggregate) && same_text(k->path, path) &&
		    same_text(k->aggregate, aggregate) && same_heads(k, t))
			return k;
	}
	new.path = path;
	new.aggregate = aggregate;
	new.metrics = NULL;
	new.cells = NULL;
	new.nrows = new.rows_cap = new.cells_cap = 0;
	return mail_table_add(m, &new);
}

/* A path has slashes and, before the first, no dot: "lkp-nex05/micro/…", but not
 * "filebench.sum_bytes_mb/s". */
static bool is_path(const struct mail_row *row)
{
	const char *slash = memchr(row->metric, '/', row->metric_len);

	return slash && !memchr(row->metric, '.', (size_t)(slash - row->metric));
}

static void keep_path(struct mail *m, struct mail_paths *p, struct mail_table *t,
		      const struct mail_row *row)
{
	if (p->of != t)
		p->n = 0;
	p->of = t;
	if (p->n == TABLE_ROWS_MAX)
		return;
	p->rows = arena_grow(m->a, p->rows, &p->cap, p->n + 1, sizeof(*p->rows));
	p->rows[p->n] = *row;
	p->rows[p->n++].metric = arena_strn(m->a, row->metric, row->metric_len);
}

/* The last row of an old table names the metric of those before it. */
static void name_paths(struct mail *m, struct mail_paths *p, struct mail_table *t,
		       const struct mail_row *total)
{
	struct mail_table *to;

	for (size_t i = 0; p->of == t && i < p->n; i++) {
		struct mail_row *row = &p->rows[i];

		to = table_of_path(m, t, row->metric, NULL);
		row->metric = total->metric;
		row->metric_len = total->metric_len;
		if (to)
			add_row(m, to, row);
	}
	p->n = 0;
	to = table_of_path(m, t, NULL, total->aggregate);
	if (to)
		add_row(m, to, total);
}

void mail_row_take(struct mail *m, struct mail_paths *p, struct mail_table *t,
		   const struct mail_row *row)
{
	if (row->aggregate)
		name_paths(m, p, t, row);
	else if (is_path(row))
		keep_path(m, p, t, row);
	else
		add_row(m, t, row);
}
