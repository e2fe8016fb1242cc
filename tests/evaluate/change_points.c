/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Change points against human marks: series of the Turing Change Point Dataset, scored by cover and
 * by F1 with a margin of five points, as van den Burg and Williams (2020) define them: covering and
 * recall are means over the annotators, precision is against the marks of all, and the first point
 * counts as a mark of everyone. Beside it always what saying nothing at all scores.
 *
 *	change_points FILE      {"series": {name: {"values": [], "annotations": {who: [index]}}}}
 */
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "server/analysis/changepoint.h"
#include "server/base/arena.h"

#define MARGIN    5
#define MARKS_MAX 512

struct marks {
	size_t at[MARKS_MAX], n; /* ascending, the first is 0 */
};

struct score {
	double cover, f1;
};

static void add_mark(struct marks *m, size_t at)
{
	size_t i = m->n;

	for (size_t k = 0; k < m->n; k++)
		if (m->at[k] == at)
			return;
	if (m->n == MARKS_MAX)
		return;
	for (m->n++; i > 0 && m->at[i - 1] > at; i--)
		m->at[i] = m->at[i - 1];
	m->at[i] = at;
}

/* How many of the true marks have a found one near, each found one used once. */
static size_t matches(const struct marks *truth, const struct marks *found)
{
	bool used[MARKS_MAX] = {false};
	size_t n = 0;

	for (size_t i = 0; i < truth->n; i++) {
		size_t best = MARKS_MAX;
		size_t least = MARGIN + 1;

		for (size_t k = 0; k < found->n; k++) {
			size_t far = truth->at[i] > found->at[k] ? truth->at[i] - found->at[k]
								 : found->at[k] - truth->at[i];
			if (!used[k] && far < least) {
				least = far;
				best = k;
			}
		}
		if (best < MARKS_MAX) {
			used[best] = true;
			n++;
		}
	}
	return n;
}

static double overlap(size_t a, size_t a_end, size_t b, size_t b_end)
{
	size_t from = a > b ? a : b, to = a_end < b_end ? a_end : b_end;
	double both = to > from ? (double)(to - from) : 0;

	return both / ((double)(a_end - a) + (double)(b_end - b) - both);
}

static size_t end_of(const struct marks *m, size_t i, size_t n)
{
	return i + 1 < m->n ? m->at[i + 1] : n;
}

static double cover(const struct marks *truth, const struct marks *found, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < truth->n; i++) {
		size_t end = end_of(truth, i, n);
		double best = 0;

		for (size_t k = 0; k < found->n; k++)
			best = fmax(best,
				    overlap(truth->at[i], end, found->at[k], end_of(found, k, n)));
		sum += (double)(end - truth->at[i]) * best;
	}
	return sum / (double)n;
}

static struct score score_one(json_t *annotations, const struct marks *found, size_t n)
{
	struct marks all = {.n = 0};
	double recall = 0, covered = 0, people = 0;
	const char *who;
	json_t *list;

	json_object_foreach(annotations, who, list)
	{
		struct marks truth = {.n = 0};

		add_mark(&truth, 0);
		for (size_t i = 0; i < json_array_size(list); i++)
			add_mark(&truth, (size_t)json_integer_value(json_array_get(list, i)));
		for (size_t i = 0; i < truth.n; i++)
			add_mark(&all, truth.at[i]);
		recall += (double)matches(&truth, found) / (double)truth.n;
		covered += cover(&truth, found, n);
		people++;
	}
	double p = (double)matches(&all, found) / (double)found->n, r = recall / people;
	return (struct score){covered / people, 2 * p * r / (p + r)};
}

/* As pages do: a full pass where the last one was due, and one of all where more happened since. */
static struct marks find(const double *v, size_t n)
{
	auto_arena struct arena *a = arena_new();
	struct changepoint_series all = {.kind = CHANGEPOINT_FOREIGN, .mean = v, .n = n};
	struct changepoint_series first = all;
	struct segmentation g;
	struct marks m = {.n = 0};

	first.n = changepoint_anchor(n);
	if (!changepoint_line_extend(changepoint_line_new(a, &first), &all, &g))
		g = changepoint_find(a, &all);

	for (size_t i = 0; i < g.n; i++)
		add_mark(&m, g.segments[i].begin);
	return m;
}

int main(int argc, char **argv)
{
	json_error_t e;
	json_t *doc = argc == 2 ? json_load_file(argv[1], 0, &e) : NULL, *one;
	struct score ours = {0, 0}, none = {0, 0};
	const char *name;
	double count = 0;

	if (!doc) {
		fprintf(stderr, "usage: change_points FILE.json\n");
		return 2;
	}
	printf("%-24s %6s  %13s  %13s\n", "series", "points", "nothing at all", "change points");
	printf("%-24s %6s  %6s %6s   %6s %6s\n", "", "", "cover", "F1", "cover", "F1");
	json_object_foreach(json_object_get(doc, "series"), name, one)
	{
		json_t *values = json_object_get(one, "values");
		json_t *annotations = json_object_get(one, "annotations");
		size_t n = json_array_size(values);
		double *v = calloc(n, sizeof(*v));
		struct marks nothing = {.at = {0}, .n = 1}, found;

		for (size_t i = 0; v && i < n; i++)
			v[i] = json_number_value(json_array_get(values, i));
		found = find(v, n);
		struct score a = score_one(annotations, &nothing, n);
		struct score b = score_one(annotations, &found, n);
		printf("%-24s %6zu  %6.3f %6.3f   %6.3f %6.3f\n", name, n, a.cover, a.f1, b.cover,
		       b.f1);
		none.cover += a.cover;
		none.f1 += a.f1;
		ours.cover += b.cover;
		ours.f1 += b.f1;
		count++;
		free(v);
	}
	printf("%-24s %6s  %6.3f %6.3f   %6.3f %6.3f\n", "mean", "", none.cover / count,
	       none.f1 / count, ours.cover / count, ours.f1 / count);
	json_decref(doc);
	return 0;
}
