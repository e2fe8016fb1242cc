/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the columns of a table are. Names that every table may have are known; a table with the
 * columns metric and value has a value a row, any other column is an axis then. In any other table
 * a column is a metric when all its cells are numbers, unless its name is one of the parameters
 * that tests have (nr_threads) or begins with "axis.".
 */
#include "importers/csv.h"

#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

#include "importers/json_read.h"
#include "importers/text_map.h"
#include "server/base/arena.h"
#include "server/base/num.h"

static const struct {
	const char *name;
	enum csv_role role;
	const char *means; /* the axis; NULL: its own name */
} known[] = {
	{"commit", CSV_COMMIT, NULL},
	{"commit.id", CSV_COMMIT, NULL},
	{"tree", CSV_TREE, NULL},
	{"commit.tree", CSV_TREE, NULL},
	{"subject", CSV_SUBJECT, NULL},
	{"commit.subject", CSV_SUBJECT, NULL},
	{"testcase", CSV_AXIS, "testcase"},
	{"tbox_group", CSV_AXIS, "tbox_group"},
	{"machine", CSV_AXIS, "tbox_group"},
	{"started", CSV_STARTED, NULL},
	{"date", CSV_STARTED, NULL},
	{"timestamp", CSV_STARTED, NULL},
	{"status", CSV_STATUS, NULL},
	{"run", CSV_RUN, NULL},
	{"metric", CSV_METRIC, NULL},
	{"value", CSV_VALUE, NULL},
	{"unit", CSV_UNIT, NULL},
};

static const char *const axes[] = {
#define PARAM(name) name,
#include "importers/lkp_params.def"
#undef PARAM
#define AXIS(name, class) name,
#include "db/axes.def"
#undef AXIS
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

void csv_fault(struct ctx *c, long line, const char *fmt, ...)
{
	char place[40], text[500];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (char *p = text; *p; p++) { /* it quotes from the file */
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
	}
	snprintf(place, sizeof(place), "line %ld", line);
	fault(c, place, "%s", text);
}

bool csv_is_absent(const char *cell)
{
	static const char *const words[] = {"NA", "N/A", "NaN", "null", "none", "-", "inf", "-inf"};

	if (!*cell)
		return true;
	for (size_t i = 0; i < COUNT(words); i++) {
		if (!strcasecmp(cell, words[i]))
			return true;
	}
	return false;
}

static bool is_axis(const char *name)
{
	for (size_t i = 0; i < COUNT(axes); i++) {
		if (!strcmp(axes[i], name))
			return true;
	}
	return false;
}

/* "latency (us)", "throughput [KB/s]": the end in brackets is the unit. */
static void split_unit(struct arena *a, struct csv_column *k)
{
	size_t n = strlen(k->name), open;
	const char *bracket;

	if (n < 4 || (k->name[n - 1] != ')' && k->name[n - 1] != ']'))
		return;
	bracket = strrchr(k->name, k->name[n - 1] == ')' ? '(' : '[');
	open = bracket ? (size_t)(bracket - k->name) : 0;
	if (open < 2 || k->name[open - 1] != ' ' || open + 2 >= n)
		return;
	k->unit = arena_strn(a, bracket + 1, n - open - 2);
	while (open && k->name[open - 1] == ' ')
		open--;
	k->name = arena_strn(a, k->name, open);
}

static void read_column(struct arena *a, const char *cell, bool is_long, struct csv_column *k)
{
	*k = (struct csv_column){.name = arena_str(a, cell), .role = CSV_OPEN};
	if (!*cell) { /* the numbers of rows that some programs write first */
		k->role = CSV_IGNORED;
		return;
	}
	for (size_t i = 0; i < COUNT(known); i++) {
		bool of_long = known[i].role >= CSV_METRIC;

		if (strcasecmp(cell, known[i].name) != 0 || (of_long && !is_long))
			continue;
		k->role = known[i].role;
		k->name = known[i].means ? known[i].means : k->name;
		return;
	}
	if (!strncmp(cell, "axis.", 5) || !strncmp(cell, "axes.", 5)) {
		k->role = CSV_AXIS;
		k->name += 5;
	} else if (!strncmp(cell, "info.", 5)) {
		k->role = CSV_INFO;
		k->name += 5;
	} else if (is_long || is_axis(cell)) {
		k->role = CSV_AXIS;
	} else {
		split_unit(a, k);
	}
}

/* What the request says wins: the file's need not be looked at. */
static bool is_said(const struct import *in, const struct csv_column *k)
{
	if (k->role == CSV_COMMIT)
		return in->commit != NULL;
	if (k->role == CSV_TREE)
		return in->tree != NULL;
	for (size_t i = 0; k->role == CSV_AXIS && i < in->naxes; i++) {
		if (!strcmp(in->axes[i].name, k->name))
			return true;
	}
	return false;
}

static bool has_column(const struct csv_rows *r, const char *name)
{
	for (size_t i = 0; i < r->n; i++) {
		if (!strcasecmp(csv_cell(r, i), name))
			return true;
	}
	return false;
}

bool csv_read_header(struct import *in, const struct csv_rows *r, struct csv_columns *out)
{
	struct ctx *c = in->ctx;
	struct text_map seen;
	double number;

	*out = (struct csv_columns){.n = r->n};
	out->is_long = has_column(r, "metric") && has_column(r, "value");
	out->list = arena_array(c->arena, struct csv_column, r->n);
	for (size_t i = 0; i <= CSV_OPEN; i++)
		out->by_role[i] = SIZE_MAX;
	text_map_init(&seen, c->arena);
	for (size_t i = 0; i < r->n; i++) {
		struct csv_column *k = &out->list[i];
		char key[JSON_METRIC_MAX + 16];
		bool fresh;

		read_column(c->arena, csv_cell(r, i), out->is_long, k);
		if (*csv_cell(r, i) &&
		    !import_text_valid(k->name,
				       k->role == CSV_OPEN ? JSON_METRIC_MAX : JSON_NAME_MAX))
			csv_fault(c, r->line, "the name of column %zu is no valid text", i + 1);
		if (num_parse_real(csv_cell(r, i), &number))
			csv_fault(c, r->line,
				  "the first line must name the columns, column %zu is a number",
				  i + 1);
		snprintf(key, sizeof(key), "%d %.1030s", k->role == CSV_INFO,
			 k->role == CSV_AXIS || k->role == CSV_INFO || k->role == CSV_OPEN ? k->name
											   : "");
		text_map_add(&seen, key, strlen(key), &fresh);
		if (k->role != CSV_IGNORED && (key[2] ? !fresh : out->by_role[k->role] != SIZE_MAX))
			csv_fault(c, r->line, "there are two columns \"%.100s\"", csv_cell(r, i));
		out->by_role[k->role] = i;
		if (is_said(in, k))
			k->role = CSV_IGNORED;
	}
	return !c->err;
}

/* What the cells of each column allow, over all rows: open columns, and the values of the long
 * form. An open column with a cell that is no number is an axis. */
static void weigh_rows(struct csv_rows rows, struct csv_columns *columns, unsigned *allowed,
		       bool *filled)
{
	size_t open = columns->is_long;
	const bool commas = rows.separator == ';' || (columns->is_long && rows.separator != ',');
	const char *why;

	for (size_t i = 0; i < columns->n; i++) {
		open += columns->list[i].role == CSV_OPEN;
		allowed[i] = commas ? CSV_IF_ANY : CSV_IF_GROUPS;
	}
	/* buffers of its own: the caller's are where they were */
	rows.text = NULL;
	rows.cells = NULL;
	rows.room = rows.cap = 0;
	while (open && csv_next(&rows, &why) > 0) {
		for (size_t i = 0; i < columns->n; i++) {
			struct csv_column *k = &columns->list[i];
			const char *cell = csv_cell(&rows, i);
			unsigned told;

			if ((k->role != CSV_OPEN && k->role != CSV_VALUE) || csv_is_absent(cell))
				continue;
			filled[i] = true;
			told = csv_comma_told(cell) & allowed[i];
			if (told) {
				allowed[i] = told;
			} else if (k->role == CSV_OPEN) {
				k->role = CSV_AXIS;
				open--;
			}
		}
	}
	csv_end(&rows);
}

/* What commas are in all numbers. */
static enum csv_comma settle_commas(const struct csv_columns *columns, const unsigned *allowed)
{
	unsigned both = CSV_IF_ANY;

	for (size_t i = 0; i < columns->n; i++)
		if (columns->list[i].role == CSV_OPEN || columns->list[i].role == CSV_VALUE)
			both &= allowed[i];
	return both == CSV_IF_GROUPS    ? CSV_COMMA_GROUPS
	       : both == CSV_IF_DECIMAL ? CSV_COMMA_DECIMAL
					: CSV_COMMA_EITHER;
}

bool csv_settle(struct import *in, struct csv_rows rows, struct csv_columns *columns)
{
	unsigned *allowed = arena_array(in->ctx->arena, unsigned, columns->n);
	bool *filled = arena_array(in->ctx->arena, bool, columns->n);
	size_t figures = columns->is_long;

	weigh_rows(rows, columns, allowed, filled);
	columns->comma = settle_commas(columns, allowed);
	for (size_t i = 0; i < columns->n; i++) {
		struct csv_column *k = &columns->list[i];

		if (k->role == CSV_OPEN)
			k->role = filled[i] ? CSV_FIGURE : CSV_IGNORED;
		if (k->role == CSV_AXIS && is_said(in, k))
			k->role = CSV_IGNORED;
		figures += k->role == CSV_FIGURE;
	}
	if (!figures)
		fault(in->ctx, "",
		      "no column has figures: the table has neither the columns metric and value "
		      "nor one with numbers alone");
	return !in->ctx->err;
}
