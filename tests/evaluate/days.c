/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Real benchmark figures as ground truth: nothing changed between the days, so every flag is false
 * but for the changes that are put in here.
 */
#include "tests/evaluate/days.h"

#include <math.h>
#include <stdio.h>

#include "server/base/arena.h"
#include "server/base/err.h"
#include "tests/evaluate/generate.h"

#define DAYS_MAX 64
#define CHANGE   0.05

struct entry {
	const char *name;
	double *v;
	size_t n;
};

struct day {
	const char *name;
	struct entry *entries;
	size_t n, cap;
};

struct days {
	struct arena *arena, *last; /* last: of the last trials */
	struct day of[DAYS_MAX];
	size_t n;
};

static void read_values(struct arena *a, struct entry *e, char *text)
{
	size_t cap = 0;

	for (char *end; *text; text = end) {
		double v = strtod(text, &end);

		if (end == text)
			break;
		e->v = arena_grow(a, e->v, &cap, e->n + 1, sizeof(*e->v));
		e->v[e->n++] = v;
	}
}

static void read_line(struct days *d, char *line)
{
	char *day = strsep(&line, "\t"), *name = strsep(&line, "\t");
	struct day *at = d->n ? &d->of[d->n - 1] : NULL;

	if (!line || *day == '#')
		return;
	if (!at || strcmp(at->name, day) != 0) {
		if (d->n == DAYS_MAX)
			die("more than %d days", DAYS_MAX);
		at = &d->of[d->n++];
		at->name = arena_str(d->arena, day);
	}
	at->entries = arena_grow(d->arena, at->entries, &at->cap, at->n + 1, sizeof(*at->entries));
	at->entries[at->n].name = arena_str(d->arena, name);
	read_values(d->arena, &at->entries[at->n++], line);
}

struct days *days_read(const char *path)
{
	struct arena *a = arena_new();
	struct days *d = arena_array(a, struct days, 1);
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t cap = 0;

	if (!f)
		die("%s: %m", path);
	d->arena = a;
	d->last = arena_new();
	while (getline(&line, &cap, f) > 0)
		read_line(d, line);
	free(line);
	fclose(f);
	if (d->n < 2)
		die("%s has no two days", path);
	return d;
}

size_t days_count(const struct days *d)
{
	return d->n;
}

static const struct entry *entry_of(const struct day *day, const char *name)
{
	for (size_t i = 0; i < day->n; i++)
		if (strcmp(day->entries[i].name, name) == 0)
			return &day->entries[i];
	return NULL;
}

/* n of the values, each as likely, in their order. */
static double *choose(struct days *d, struct random *r, const struct entry *e, size_t n)
{
	double *v = arena_array(d->last, double, n);
	size_t left = n, used = 0;

	for (size_t i = 0; i < e->n && left; i++)
		if (random_unit(r) * (double)(e->n - i) < (double)left) {
			v[used++] = e->v[i];
			left--;
		}
	return v;
}

static void fill_history(struct days *d, struct random *r, const char *name, size_t base, size_t n,
			 size_t k, struct trial *t)
{
	for (size_t i = 0; i < k; i++) {
		const struct entry *e = entry_of(&d->of[base - k + i], name);

		if (!e || e->n < n)
			continue;
		t->history[i] = choose(d, r, e, n);
		t->nhistory[i] = n;
	}
}

size_t days_trials(struct days *d, size_t base, size_t n, uint64_t seed, struct trial **trials,
		   size_t *k)
{
	const struct day *x = &d->of[base], *y = &d->of[base + 1];
	struct random r = {seed * 1000003 + base * 101 + n};
	size_t used = 0;

	arena_reset(d->last);
	*trials = arena_array(d->last, struct trial, x->n);
	*k = base < HISTORY_COMMITS ? base : HISTORY_COMMITS;
	for (size_t i = 0; i < x->n; i++) {
		const struct entry *from = &x->entries[i], *to = entry_of(y, from->name);
		struct trial *t = &(*trials)[used];
		double *v, change;

		if (!to || from->n < n || to->n < n)
			continue;
		used++;
		fill_history(d, &r, from->name, base, n, *k, t);
		t->x = choose(d, &r, from, n);
		t->y = v = choose(d, &r, to, n);
		t->nx = t->ny = n;
		t->moved = random_unit(&r) < 0.1;
		change = random_unit(&r) < 0.5 ? 1 + CHANGE : 1 - CHANGE;
		for (size_t j = 0; j < n && t->moved; j++)
			v[j] *= change;
	}
	return used;
}
