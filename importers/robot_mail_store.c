/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was found in a mail -> submissions: one for each column of a table, with the cells that this
 * import does not have yet. A cell is known again by commit (its first digits, since replies cut
 * ids), machine and test, metric and figures; a table that a reply cut off from its block, by
 * everything but machine and test.
 */
#include "importers/robot_mail.h"

#include <math.h>

#include "server/analysis/comparison.h"
#include "server/base/arena.h"
#include "server/base/clock.h"

#define ID_KNOWN   10    /* digits of an id that replies keep */
#define CELLS_MAX  10000 /* of one submission: as a native line it stays far below its limit */
#define SEEN_FIRST 1024

static uint64_t mix(uint64_t h, const void *p, size_t n)
{
	return (h ^ hash_bytes(p, n)) * UINT64_C(0x9e3779b97f4a7c15) + (h >> 29);
}

bool mail_seen_add(struct mail_seen *seen, uint64_t hash)
{
	size_t i;

	if (4 * (seen->n + 1) > 3 * seen->size) {
		struct mail_seen bigger = {.size = seen->size ? 2 * seen->size : SEEN_FIRST};

		bigger.slots = calloc(bigger.size, sizeof(*bigger.slots));
		if (!bigger.slots)
			die("out of memory (%zu cells)", bigger.size);
		for (i = 0; i < seen->size; i++) {
			if (seen->slots[i])
				mail_seen_add(&bigger, seen->slots[i]);
		}
		free(seen->slots);
		*seen = bigger;
	}
	hash += !hash; /* 0 is an empty slot */
	for (i = hash & (seen->size - 1); seen->slots[i]; i = (i + 1) & (seen->size - 1)) {
		if (seen->slots[i] == hash)
			return false;
	}
	seen->slots[i] = hash;
	seen->n++;
	return true;
}

/* --- submissions --------------------------------------------------------------------------------
 */

static const struct pair *copy_pairs(struct arena *a, const struct pair *pairs, size_t n)
{
	struct pair *copy = arena_array(a, struct pair, n);

	for (size_t i = 0; i < n; i++) {
		copy[i].name = arena_str(a, pairs[i].name);
		copy[i].value = arena_str(a, pairs[i].value);
	}
	return copy;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct pair *)a)->name, ((const struct pair *)b)->name);
}

const char *mail_table_machine(const struct mail *m, const struct mail_table *t,
			       const struct mail_setup *setup)
{
	const struct mail_block *b = t ? t->block : NULL;
	const char *box = b ? mail_pair_find(b->axes, b->naxes, "tbox_group") : NULL;

	if (b && b->machine)
		return b->machine;
	for (size_t i = 0; setup && box && i < m->nblocks; i++) {
		const struct mail_block *first = m->blocks[i];
		const char *other = mail_pair_find(first->axes, first->naxes, "tbox_group");

		if (first->line > setup->line && other)
			return strcmp(box, other) == 0 ? setup->machine : NULL;
	}
	return setup ? setup->machine : NULL;
}

static void set_info(struct mail *m, struct submission *s, const struct mail_setup *setup,
		     const char *machine)
{
	struct pair *info = NULL;
	size_t n = 0, cap = 0;

	mail_pair_add(m, &info, &n, &cap, "machine", machine);
	for (size_t i = 0; setup && i < setup->nlinks; i++)
		mail_pair_add(m, &info, &n, &cap, setup->links[i].name, setup->links[i].value);
	if (!n)
		return;
	qsort(info, n, sizeof(*info), by_name);
	s->info = copy_pairs(import_room(m->in), info, n);
	s->ninfo = n;
}

/* "…/all/20230628095740.589893-1-someone@example.org/" -> its last part. */
static const char *message_id_of(struct arena *a, const char *link)
{
	size_t n = strlen(link), from;

	while (n && link[n - 1] == '/')
		n--;
	for (from = n; from && link[from - 1] != '/'; from--)
		;
	return memchr(link + from, '@', n - from) ? arena_strn(a, link + from, n - from) : NULL;
}

/* "[PATCH v2 3/5]" */
static void read_patch_tag(const char *subject, struct patch_in *p)
{
	const char *v = strstr(subject, " v"), *end = strrchr(subject, ']');
	const char *slash = strchr(subject, '/'), *part = slash;

	if (v && end && v < end && v[2] >= '1' && v[2] <= '9')
		p->version = strtol(v + 2, NULL, 10);
	while (part && part > subject && part[-1] >= '0' && part[-1] <= '9')
		part--;
	if (!slash || !end || slash > end || part == slash || slash[1] < '1' || slash[1] > '9' ||
	    slash - part > 6 || strspn(slash + 1, "0123456789") > 6)
		return;
	p->index = strtol(part, NULL, 10);
	p->total = strtol(slash + 1, NULL, 10);
	if (p->index > p->total)
		p->index = p->total = -1;
}

static void set_commit(struct mail *m, struct submission *s, const struct mail_commit *k,
		       const struct mail_setup *setup)
{
	struct arena *a = import_room(m->in);
	struct commit_in *c = &s->commit;
	bool about =
		setup && setup->commit && k->is_hex && mail_same_commit(setup->commit, k->name);
	const char *link;

	c->id = arena_str(a, k->name);
	c->is_hex = k->is_hex;
	c->subject = arena_str(a, k->subject);
	c->label = arena_str(a, k->label);
	c->tree = arena_str(a, about && setup->tree && import_text_valid(setup->tree, MAIL_NAME_MAX)
				       ? setup->tree
				       : m->in->tree);
	if (!about)
		return;
	if (!c->subject)
		c->subject = arena_str(a, setup->subject);
	link = mail_pair_find(setup->links, setup->nlinks, "patch_link");
	if (!link)
		return;
	c->patch.given = true;
	c->patch.message_id = message_id_of(a, link);
	link = mail_pair_find(setup->links, setup->nlinks, "patch_subject");
	if (link)
		read_patch_tag(link, &c->patch);
}

struct submission *mail_submission(struct mail *m, const struct mail_commit *k,
				   const struct pair *axes, size_t naxes,
				   const struct mail_setup *setup, const char *machine)
{
	struct arena *a = import_room(m->in);
	struct submission *s = import_add(m->in);

	s->axes = copy_pairs(a, axes, naxes);
	s->naxes = naxes;
	s->testcase = mail_pair_find(s->axes, naxes, "testcase");
	s->tbox_group = mail_pair_find(s->axes, naxes, "tbox_group");
	s->kind = SUBMISSION_NOTE;
	set_commit(m, s, k, setup);
	set_info(m, s, setup, machine);
	if (m->message_id || m->subject || m->url || m->date != TIME_NONE) {
		s->report =
			(struct report_in){true, arena_str(a, m->message_id),
					   arena_str(a, m->subject), arena_str(a, m->url), m->date};
	}
	return s;
}

/* --- tables -------------------------------------------------------------------------------------
 */

struct new_row;
struct storing {
	struct mail *m;
	const struct mail_table *t;
	const char **kept;    /* names of its rows */
	struct new_row *rows; /* room for all of them */
	const struct mail_setup *setup;
	struct pair *axes;
	size_t naxes;
	bool own;
	uint64_t axes_hash;
};

static uint64_t hash_commit(uint64_t h, const struct mail_commit *k)
{
	size_t n = strlen(k->name);

	return mix(h, k->name, k->is_hex && n > ID_KNOWN ? ID_KNOWN : n);
}

/* True when the cell is new; it is known from then on. */
static bool is_new(struct storing *st, size_t column, const char *metric, const struct mail_cell *k)
{
	const double reals[] = {k->mean,
				isnan(k->stddev_pct) ? -1 : k->stddev_pct,
				column ? k->change : 0,
				(double)k->fails,
				(double)k->runs,
				(double)k->kind};
	uint64_t h = hash_commit(0, &st->t->columns[column]);
	bool fresh_anywhere, fresh;

	h = mix(h, metric, strlen(metric));
	h = mix(h, reals, sizeof(reals));
	if (column && st->t->columns[0].name)
		h = hash_commit(h, &st->t->columns[0]);
	fresh_anywhere = mail_seen_add(st->m->seen, h);
	fresh = mail_seen_add(st->m->seen, mix(h, &st->axes_hash, sizeof(st->axes_hash)));
	return st->own ? fresh : fresh_anywhere;
}

static void set_cell(const struct storing *st, size_t column, const struct mail_cell *k,
		     const char *metric, struct summary_in *out)
{
	static const int kinds[] = {
		[CHANGE_NONE] = PRINTED_BASE,
		[CHANGE_PCT] = PRINTED_PCT,
		[CHANGE_ABS] = PRINTED_ABS,
		[CHANGE_REPRODUCTION] = PRINTED_REPRODUCTION,
	};

	*out = (struct summary_in){.metric = metric,
				   .mean = k->mean,
				   .stddev = NAN,
				   .stddev_pct = k->stddev_pct,
				   .min = NAN,
				   .max = NAN,
				   .n = -1,
				   .fails = k->fails,
				   .runs = k->runs,
				   .printed = PRINTED_BASE,
				   .printed_change = NAN};
	if (!column || k->kind == CHANGE_NONE || !st->t->columns[0].name)
		return;
	out->printed = kinds[k->kind];
	out->printed_base = st->t->columns[0].name;
	out->printed_change = k->change;
}

/* A row whose cell in the column is new. */
struct new_row {
	const char *metric;
	size_t row;
};

static int by_metric(const void *a, const void *b)
{
	const struct new_row *x = a, *y = b;
	int order = strcmp(x->metric, y->metric);

	return order ? order : (x->row > y->row) - (x->row < y->row);
}

/* The name in the import's arena, once for all columns. */
static const char *kept_metric(struct storing *st, size_t row)
{
	if (!st->kept[row])
		st->kept[row] = arena_str(import_room(st->m->in), st->t->metrics[row]);
	return st->kept[row];
}

/* Of several cells of one metric the first stays. */
static void add_summary(struct storing *st, size_t column, struct new_row *rows, size_t n)
{
	const struct mail_table *t = st->t;
	struct summary_in *cells;
	struct submission *s;

	if (!n)
		return;
	s = mail_submission(st->m, &t->columns[column], st->axes, st->naxes, st->setup,
			    mail_table_machine(st->m, t, st->setup));
	s->kind = SUBMISSION_SUMMARY;
	s->cells = cells = arena_array(import_room(st->m->in), struct summary_in, n);
	qsort(rows, n, sizeof(*rows), by_metric);
	for (size_t i = 0; i < n; i++) {
		const size_t row = rows[i].row;

		if (!i || strcmp(rows[i - 1].metric, rows[i].metric) != 0)
			set_cell(st, column, &t->cells[row * t->ncolumns + column],
				 kept_metric(st, row), &cells[s->ncells++]);
	}
}

static void store_column(struct storing *st, size_t column)
{
	const struct mail_table *t = st->t;
	size_t n = 0;

	if (!t->columns[column].name) {
		st->m->left.columns++;
		return;
	}
	for (size_t i = 0; i < t->nrows; i++) {
		const struct mail_cell *k = &t->cells[i * t->ncolumns + column];

		if (!k->given || !import_text_valid(t->metrics[i], MAIL_METRIC_MAX) ||
		    !is_new(st, column, t->metrics[i], k))
			continue;
		st->rows[n++] = (struct new_row){t->metrics[i], i};
		if (n == CELLS_MAX) {
			add_summary(st, column, st->rows, n);
			n = 0;
		}
	}
	add_summary(st, column, st->rows, n);
}

static size_t store_table(struct mail *m, const struct mail_table *t)
{
	struct storing st = {.m = m, .t = t, .setup = mail_setup_at(m, t->line)};

	if (!t->nrows)
		return 0;
	st.kept = arena_array(m->a, const char *, t->nrows);
	st.rows = arena_array(m->a, struct new_row, t->nrows < CELLS_MAX ? t->nrows : CELLS_MAX);
	mail_table_axes(m, t, &st.axes, &st.naxes, &st.own);
	for (size_t i = 0; i < st.naxes; i++) {
		st.axes_hash = mix(st.axes_hash, st.axes[i].name, strlen(st.axes[i].name));
		st.axes_hash = mix(st.axes_hash, st.axes[i].value, strlen(st.axes[i].value));
	}
	for (size_t c = 0; c < t->ncolumns; c++)
		store_column(&st, c);
	return 1;
}

/* "base", "patched": names in this mail only, and no refs. The mail's day makes refs of them. */
static struct mail_commit name_of_the_day(struct mail *m, const char *head)
{
	char day[TIME_TEXT];

	clock_rfc3339(m->date, day);
	day[strcspn(day, "T")] = '\0';
	if (!*day || strcspn(head, "0123456789") < strlen(head))
		return (struct mail_commit){0};
	return mail_commit_resolve(m, arena_fmt(m->a, "%s-%s", head, day));
}

static void resolve_columns(struct mail *m, struct mail_table *t)
{
	for (size_t c = 0; c < t->ncolumns; c++) {
		t->columns[c] = mail_commit_resolve(m, t->heads[c]);
		if (!t->columns[c].name)
			t->columns[c] = name_of_the_day(m, t->heads[c]);
		t->columns[c].name = arena_str(import_room(m->in), t->columns[c].name);
	}
}

size_t mail_store(struct mail *m)
{
	size_t first = m->in->n, found = m->nsamples;

	for (size_t i = 0; i < m->ntables; i++)
		resolve_columns(m, m->tables[i]);
	for (size_t i = 0; i < m->ntables; i++)
		found += store_table(m, m->tables[i]);
	mail_store_samples(m);
	if (found) {
		mail_store_claims(m, first);
		mail_store_warnings(m, first);
	}
	for (size_t i = first; i < m->in->n; i++)
		submission_seal(import_room(m->in), &m->in->subs[i]);
	return found;
}
