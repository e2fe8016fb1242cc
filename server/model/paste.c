/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Submissions of pasted texts -> columns -> a comparison. Columns of one setup are held against the
 * first of that setup; where every column has a setup of its own, all are held against the first.
 */
#include "server/model/paste.h"

#include <math.h>

#include "importers/import.h"
#include "server/base/arena.h"

/* --- columns --- */

struct reading {
	struct ctx *c;
	struct paste *p;
	size_t text;
	bool names_commit;
	bool splits; /* each run is a column */
};

static bool same_axes(const struct submission *a, const struct submission *b)
{
	if (a->naxes != b->naxes)
		return false;
	for (size_t i = 0; i < a->naxes; i++) {
		if (strcmp(a->axes[i].name, b->axes[i].name) != 0 ||
		    strcmp(a->axes[i].value, b->axes[i].value) != 0)
			return false;
	}
	return true;
}

static void add_run(struct arena *a, struct paste_column *col, const struct run_in *run)
{
	col->runs = arena_grow(a, col->runs, &col->runs_cap, col->nruns + 1, sizeof(*col->runs));
	col->runs[col->nruns++] = run;
}

static void add_sub(struct arena *a, struct paste_column *col, const struct submission *s)
{
	col->subs = arena_grow(a, col->subs, &col->subs_cap, col->nsubs + 1, sizeof(*col->subs));
	col->subs[col->nsubs++] = s;
}

/* NULL: there are enough. */
static struct paste_column *add_column(struct reading *k, const struct submission *s)
{
	struct paste *p = k->p;
	struct paste_column *col = &p->columns[p->ncolumns];

	if (p->ncolumns == PASTE_COLUMNS_MAX) {
		p->columns_left_out++;
		return NULL;
	}
	*col = (struct paste_column){
		.text = k->text, .base = p->ncolumns, .labelled_commit = k->names_commit};
	add_sub(k->c->arena, col, s);
	p->ncolumns++;
	return col;
}

/* The column of this text that the runs belong to as well; NULL: none. */
static struct paste_column *find_column(struct reading *k, const struct submission *s)
{
	for (size_t i = 0; k->p->outputs == PASTE_RUNS && i < k->p->ncolumns; i++) {
		struct paste_column *col = &k->p->columns[i];

		if (col->text == k->text && col->nruns && same_axes(col->subs[0], s) &&
		    !strcmp(col->subs[0]->commit.id, s->commit.id))
			return col;
	}
	return NULL;
}

static void take_submission(struct reading *k, const struct submission *s)
{
	struct paste_column *col;

	if (s->kind == SUBMISSION_NOTE)
		return;
	if (k->splits && s->nruns > 1) {
		for (size_t i = 0; i < s->nruns; i++) {
			col = add_column(k, s);
			if (col)
				add_run(k->c->arena, col, &s->runs[i]);
		}
		return;
	}
	col = s->kind == SUBMISSION_RUNS ? find_column(k, s) : NULL;
	if (col)
		add_sub(k->c->arena, col, s);
	else
		col = add_column(k, s);
	for (size_t i = 0; col && i < s->nruns; i++)
		add_run(k->c->arena, col, &s->runs[i]);
}

/* A document says itself which runs belong together; a log of a terminal does not. */
static bool is_document(const struct paste_text *t)
{
	size_t i = 0;

	while (i < t->n && strchr(" \t\r\n>", t->bytes[i]) && t->bytes[i])
		i++;
	return (i < t->n && strchr("{[<", t->bytes[i]) && t->bytes[i]) ||
	       !strcmp(t->format->name, "robot-mail") || !strcmp(t->format->name, "csv");
}

static bool splits_runs(const struct paste *p, const struct paste_text *t,
			const struct submission *subs, size_t n)
{
	size_t runs = 0;

	for (size_t i = 0; i < n; i++)
		runs += subs[i].nruns;
	if (p->outputs != PASTE_AUTO)
		return p->outputs == PASTE_COLUMNS;
	return p->ntexts == 1 && runs <= PASTE_COLUMNS_MAX && !is_document(t);
}

static int take_text(struct ctx *c, struct paste *p, size_t text)
{
	struct reading k = {.c = c, .p = p, .text = text};
	size_t before = p->ncolumns + p->columns_left_out, n = 0;
	struct submission *subs = NULL;
	int e = paste_read(c, p, text, &subs, &n, &k.names_commit);

	if (e < 0)
		return e;
	k.splits = splits_runs(p, &p->texts[text], subs, n);
	for (size_t i = 0; i < n; i++)
		take_submission(&k, &subs[i]);
	if (p->ncolumns + p->columns_left_out == before)
		return fault(c, arena_fmt(c->arena, "text[%zu]", text),
			     "there are no figures in it to compare");
	return E_OK;
}

static void choose_bases(struct paste *p)
{
	bool any = false;

	for (size_t i = 1; i < p->ncolumns; i++) {
		for (size_t k = 0; k < i && p->columns[i].base == i; k++) {
			if (same_axes(p->columns[k].subs[0], p->columns[i].subs[0]))
				p->columns[i].base = k;
		}
		any |= p->columns[i].base != i;
	}
	for (size_t i = 1; i < p->ncolumns && !any; i++)
		p->columns[i].base = 0;
}

/* --- what the columns are called --- */

static const char *find_value(const struct pair *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(list[i].name, name))
			return list[i].value;
	}
	return NULL;
}

/* What the text itself calls the output; NULL: nothing. */
static const char *own_label(struct arena *a, const struct paste_column *col)
{
	static const char end[] = ".label";
	const struct submission *s = col->subs[0];

	for (size_t i = 0; i < s->ninfo; i++) {
		size_t n = strlen(s->info[i].name);

		if (n > sizeof(end) - 1 && !strcmp(s->info[i].name + n - (sizeof(end) - 1), end))
			return s->info[i].value;
	}
	if (!col->labelled_commit || !s->commit.id)
		return NULL;
	return arena_fmt(a, "%.*s%s%s", s->commit.is_hex ? 12 : 200, s->commit.id,
			 s->commit.label ? " " : "", s->commit.label ? s->commit.label : "");
}

static const char *text_label(struct arena *a, const struct paste *p, size_t text)
{
	if (p->texts[text].label)
		return p->texts[text].label;
	if (p->ntexts == 1)
		return NULL;
	return text < 2 ? text ? "After" : "Before" : arena_fmt(a, "Text %zu", text + 1);
}

static bool axis_differs(const struct paste *p, const struct pair *axis)
{
	for (size_t k = 0; k < p->ncolumns; k++) {
		const struct submission *s = p->columns[k].subs[0];
		const char *v = find_value(s->axes, s->naxes, axis->name);

		if (!v || strcmp(v, axis->value) != 0)
			return true;
	}
	return false;
}

/* What differs among the columns, as " (fio, rw: read)": the test, and axes; "" when nothing does.
 */
static const char *setup_words(struct arena *a, const struct paste *p, size_t col)
{
	const struct submission *own = p->columns[col].subs[0];
	const char *text = "";

	for (size_t i = 0; i < own->naxes; i++) {
		const struct pair *axis = &own->axes[i];

		if (!axis_differs(p, axis))
			continue;
		if (!strcmp(axis->name, "testcase"))
			text = arena_fmt(a, "%.100s%s%s", axis->value, *text ? ", " : "", text);
		else
			text = arena_fmt(a, "%s%s%s: %.100s", text, *text ? ", " : "", axis->name,
					 axis->value);
	}
	return *text ? arena_fmt(a, " (%.300s)", text) : "";
}

static void name_columns(struct arena *a, struct paste *p)
{
	size_t of_text[PASTE_TEXTS_MAX] = {0}, seen[PASTE_TEXTS_MAX] = {0};

	for (size_t i = 0; i < p->ncolumns; i++)
		of_text[p->columns[i].text]++;
	for (size_t i = 0; i < p->ncolumns; i++) {
		struct paste_column *col = &p->columns[i];
		const char *label = text_label(a, p, col->text), *own = own_label(a, col);
		size_t number = ++seen[col->text];

		if (label && of_text[col->text] > 1)
			label = own ? arena_fmt(a, "%s: %s", label, own)
				    : arena_fmt(a, "%s %zu", label, number);
		else if (!label)
			label = own ? own : arena_fmt(a, "Output %zu", number);
		col->label = arena_fmt(a, "%.200s%s", label, setup_words(a, p, i));
	}
}

/* --- metrics --- */

struct names {
	const char **list;
	size_t n, cap;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_name(struct arena *a, struct names *all, const char *name)
{
	all->list = arena_grow(a, all->list, &all->cap, all->n + 1, sizeof(*all->list));
	all->list[all->n++] = name;
}

static void gather_names(struct arena *a, const struct paste_column *col, struct names *all)
{
	const struct metric_names *last = NULL;

	for (size_t i = 0; i < col->nruns; i++) {
		const struct metric_names *own = col->runs[i]->names;

		for (size_t k = 0; own != last && k < own->n; k++)
			add_name(a, all, own->names[k]);
		last = own;
	}
	for (size_t i = 0; i < col->nsubs; i++)
		for (size_t k = 0; k < col->subs[i]->ncells; k++)
			add_name(a, all, col->subs[i]->cells[k].metric);
}

struct dictionary {
	struct metric *list; /* by name, ids ascending */
	size_t n;
};

static struct dictionary make_dictionary(struct arena *a, const struct paste *p)
{
	struct dictionary d = {0};
	struct names all = {0};

	for (size_t i = 0; i < p->ncolumns; i++)
		gather_names(a, &p->columns[i], &all);
	if (all.n)
		qsort(all.list, all.n, sizeof(*all.list), by_text);
	d.list = arena_array(a, struct metric, all.n);
	for (size_t i = 0; i < all.n; i++) {
		if (i && !strcmp(all.list[i], all.list[i - 1]))
			continue;
		d.list[d.n] = (struct metric){
			.id = (uint32_t)d.n + 1,
			.name = all.list[i],
			.name_len = strlen(all.list[i]),
			.facts = metric_facts_of(all.list[i]),
		};
		d.n++;
	}
	return d;
}

static int by_metric_name(const void *key, const void *m)
{
	return strcmp(key, ((const struct metric *)m)->name);
}

static const struct metric *find_metric(const struct dictionary *d, const char *name)
{
	return bsearch(name, d->list, d->n, sizeof(*d->list), by_metric_name);
}

/* --- the comparison --- */

/* The names of a run ascend by bytes, and so do the numbers that the dictionary gave them. */
static void fill_runs(struct arena *a, const struct dictionary *d, const struct paste_column *col,
		      struct comparison_column *out)
{
	struct sample_run *runs = arena_array(a, struct sample_run, col->nruns);
	const struct metric *const *metrics = NULL;
	const struct metric_names *last = NULL;

	for (size_t i = 0; i < col->nruns; i++) {
		const struct metric_names *own = col->runs[i]->names;

		if (own != last) {
			const struct metric **list = arena_array(a, const struct metric *, own->n);

			for (size_t k = 0; k < own->n; k++)
				list[k] = find_metric(d, own->names[k]);
			metrics = list;
			last = own;
		}
		runs[i] = (struct sample_run){metrics, col->runs[i]->values, own->n, (int64_t)i};
	}
	out->runs = runs;
	out->nruns = col->nruns;
}

/* Whether the column that a change was printed against is this one. */
static bool names_base(const char *said, const struct submission *base)
{
	size_t n = strlen(said), m = strlen(base->commit.id);

	return !strcmp(said, base->commit.id) ||
	       (base->commit.is_hex && n >= 7 && !strncmp(said, base->commit.id, n < m ? n : m));
}

static void fill_cells(struct arena *a, const struct dictionary *d, const struct paste_column *col,
		       const struct paste_column *base, struct comparison_column *out)
{
	const struct submission *s = col->subs[0];
	struct summary_cell *cells = arena_array(a, struct summary_cell, s->ncells);

	for (size_t i = 0; i < s->ncells; i++) {
		const struct summary_in *in = &s->cells[i];

		cells[i] = (struct summary_cell){
			.metric = find_metric(d, in->metric),
			.mean = in->mean,
			.stddev = in->stddev,
			.stddev_pct = in->stddev_pct,
			.min = in->min,
			.max = in->max,
			.n = in->n,
			.fails = in->fails,
			.runs = in->runs,
			.printed = (enum printed_kind)in->printed,
			.printed_base = in->printed_base,
			.printed_base_matches =
				in->printed_base && names_base(in->printed_base, base->subs[0]),
			.printed_change = in->printed_change,
		};
	}
	out->cells = cells;
	out->ncells = s->ncells;
}

static const char *find_unit(const struct paste *p, const struct metric *m)
{
	for (size_t i = 0; i < p->ncolumns; i++) {
		const struct submission *s = p->columns[i].subs[0];
		const char *unit = find_value(s->units, s->nunits, m->name);

		if (unit)
			return unit;
	}
	return m->facts.unit;
}

static void take_units(struct arena *a, struct paste *p)
{
	const char **units = arena_array(a, const char *, p->nrows);

	for (size_t i = 0; i < p->nrows; i++)
		units[i] = find_unit(p, p->all.rows[i].metric);
	p->units = units;
}

/* One run tells nothing of how much runs scatter: there "the same" would be as wrong as a change.
 */
static void leave_unjudged(struct paste *p)
{
	for (size_t i = 0; i < p->all.nrows; i++) {
		struct comparison_row *row = &p->all.rows[i];

		row->verdict = VERDICT_NO_DATA;
		for (size_t k = 0; k < p->ncolumns; k++) {
			struct cell *c = &row->cells[k];
			const struct cell *base = &row->cells[p->columns[k].base];

			if (c->verdict == VERDICT_SAME && (c->n == 1 || base->n == 1))
				c->verdict = VERDICT_NO_DATA;
			if (verdict_weight(c->verdict) > verdict_weight(row->verdict))
				row->verdict = c->verdict;
		}
	}
}

static int compare(struct ctx *c, struct paste *p)
{
	struct comparison_column cols[PASTE_COLUMNS_MAX] = {0};
	struct dictionary d = make_dictionary(c->arena, p);

	if (d.n > PASTE_METRICS_MAX)
		return fail(c, E_TOO_LARGE, "the texts have more than %d different metrics",
			    PASTE_METRICS_MAX);
	for (size_t i = 0; i < p->ncolumns; i++) {
		struct paste_column *col = &p->columns[i];

		fill_runs(c->arena, &d, col, &cols[i]);
		fill_cells(c->arena, &d, col, &p->columns[col->base], &cols[i]);
		cols[i].base = col->base;
	}
	if (!comparison_build(c->arena, p->columns[0].subs[0]->testcase, cols, p->ncolumns,
			      &p->all))
		return fail(c, E_TOO_LARGE,
			    "the texts have more figures than can be compared at once");
	leave_unjudged(p);
	p->nrows = p->all.nrows < PASTE_ROWS_MAX ? p->all.nrows : PASTE_ROWS_MAX;
	p->rows_left_out = p->all.nrows - p->nrows;
	take_units(c->arena, p);
	return E_OK;
}

int paste_compare(struct ctx *c, struct paste *p)
{
	int e;

	for (size_t i = 0; i < p->ntexts; i++) {
		e = take_text(c, p, i);
		if (e < 0 && e != E_INVALID) /* of the others the faults are told as well */
			return e;
	}
	if (c->err)
		return c->err;
	choose_bases(p);
	name_columns(c->arena, p);
	e = paste_align_units(c, p);
	if (e >= 0)
		e = compare(c, p);
	if (e < 0)
		return e;
	paste_distributions(c->arena, p);
	paste_say(c->arena, p);
	return p->charge && p->charge(p->charge_arg) < 0 ? (int)c->err : E_OK;
}
