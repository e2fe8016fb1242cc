/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of boots that reports of a kernel that does not come up have, in lines and bars:
 *
 *	+----------------------+------------+------------+
 *	|                      | 81febe58a8 | 478e86d7c8 |
 *	+----------------------+------------+------------+
 *	| boot_successes       | 10         | 0          |
 *	| boot_failures        | 5          | 10         |
 *	| BUG:kernel_boot_hang | 0          | 11         |
 *	+----------------------+------------+------------+
 *
 * Successes and failures together are the runs; all rows but the first are so often failed ones, 0
 * where the cell is empty, under the robot's name in its other tables: "dmesg.boot_failures". What
 * came oftener than the kernel was booted is no share of the runs, and left out.
 */
#include "importers/robot_mail.h"

#include <math.h>

#include "server/base/arena.h"

#define ROWS_MAX 1000

struct boot_row {
	const char *name;
	size_t len;
	int64_t counts[MAIL_COLUMNS_MAX];
};

/* The text up to the next bar, without spaces around it; *p behind the bar. False: no bar. */
static bool next_cell(const char **p, const char **text, size_t *n)
{
	const char *bar = strchr(*p, '|');

	if (!bar)
		return false;
	*text = *p + strspn(*p, " ");
	*n = *text < bar ? (size_t)(bar - *text) : 0;
	while (*n && (*text)[*n - 1] == ' ')
		--*n;
	*p = bar + 1;
	return true;
}

/* What follows the bar that a line begins with; NULL. */
static const char *past_bar(const struct mail_line *l)
{
	const char *s = l->s + strspn(l->s, " ");

	return *s == '|' && l->len <= MAIL_ROW_BYTES ? s + 1 : NULL;
}

static bool read_head(struct mail *m, const struct mail_line *l, struct mail_table *t)
{
	const char *p = past_bar(l), *text;
	size_t n;

	if (!p || !next_cell(&p, &text, &n) || n)
		return false;
	while (next_cell(&p, &text, &n)) {
		if (t->ncolumns == MAIL_COLUMNS_MAX || !mail_is_commit_name(text, n))
			return false;
		t->heads[t->ncolumns++] = arena_strn(m->a, text, n);
	}
	return t->ncolumns > 0 && !p[strspn(p, " ")];
}

static bool read_row(const struct mail_line *l, size_t columns, struct boot_row *row)
{
	const char *p = past_bar(l), *text;
	size_t n;

	if (!p || !next_cell(&p, &row->name, &row->len) || !row->len)
		return false;
	for (size_t c = 0; c < columns; c++) {
		if (!next_cell(&p, &text, &n) || n > 9 || strspn(text, "0123456789") < n)
			return false;
		row->counts[c] = n ? strtol(text, NULL, 10) : 0;
	}
	return !p[strspn(p, " ")];
}

static bool is_named(const struct boot_row *row, const char *name)
{
	return strlen(name) == row->len && !memcmp(row->name, name, row->len);
}

static void take_row(struct mail *m, struct mail_table *t, const struct boot_row *from,
		     const int64_t *runs)
{
	struct mail_paths none = {.rows = NULL};
	struct mail_row row = {.metric_len = from->len + strlen("dmesg.")};

	row.metric = arena_fmt(m->a, "dmesg.%.*s", (int)from->len, from->name);
	for (size_t c = 0; c < t->ncolumns; c++)
		row.cells[c] = (struct mail_cell){.given = runs[c] && from->counts[c] <= runs[c],
						  .mean = NAN,
						  .stddev_pct = NAN,
						  .fails = from->counts[c],
						  .runs = runs[c]};
	mail_row_take(m, &none, t, &row);
}

static void take_table(struct mail *m, struct mail_table *new, const struct boot_row *rows,
		       size_t n)
{
	int64_t runs[MAIL_COLUMNS_MAX] = {0};
	struct mail_table *t;

	for (size_t c = 0; c < new->ncolumns; c++) {
		runs[c] = rows[0].counts[c] + rows[1].counts[c];
		mail_commit_add(m, new->heads[c], strlen(new->heads[c]), NULL, NULL);
	}
	t = mail_table_add(m, new);
	for (size_t i = 1; t && i < n; i++)
		take_row(m, t, &rows[i], runs);
}

bool mail_boots_read(struct mail *m, size_t i, size_t *next)
{
	static const char *const first[] = {"boot_successes", "boot_failures"};
	const struct mail_line *head = &m->lines[i];
	struct mail_table t = {.line = i, .depth = head->depth};
	struct boot_row *rows = NULL, row;
	size_t n = 0, cap = 0, k;

	if (!read_head(m, head, &t))
		return false;
	for (k = i + 1; k < m->nlines && n < ROWS_MAX; k++) {
		const struct mail_line *l = &m->lines[k];

		if (l->depth != head->depth || l->part != head->part)
			break;
		if (l->len && strspn(l->s, " +-") == l->len)
			continue;
		if (!read_row(l, t.ncolumns, &row) || (n < 2 && !is_named(&row, first[n])))
			break;
		rows = arena_grow(m->a, rows, &cap, n + 1, sizeof(*rows));
		rows[n++] = row;
	}
	if (n < 2)
		return false;
	take_table(m, &t, rows, n);
	*next = k;
	return true;
}
