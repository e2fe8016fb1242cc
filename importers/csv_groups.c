/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pass over the rows that only notes which submission each is of, so that the next one can fill
 * one submission after the other: 16 bytes wherever one ends and another begins, and some 50 for
 * each submission.
 */
#include <stdlib.h>
#include <string.h>

#include "importers/csv.h"
#include "server/base/arena.h"
#include "server/base/digest.h"
#include "server/base/err.h"

#define SUBMISSIONS_MAX 200000 /* of one table */
#define FIRST_SLOTS     64     /* a power of two */

/* The cells of a row that tell its submission, each with its NUL. */
struct key {
	char *text;
	size_t n, room;
};

bool csv_in_key(enum csv_role role)
{
	return role == CSV_AXIS || role == CSV_INFO || role == CSV_COMMIT || role == CSV_TREE ||
	       role == CSV_STARTED || role == CSV_STATUS;
}

bool csv_asked_to_stop(const struct import *in)
{
	return in->after_document && in->after_document(in->after_arg) < 0;
}

static void make_key(const struct csv_rows *rows, const struct csv_columns *columns, struct key *k)
{
	k->n = 0;
	for (size_t i = 0; i < columns->n; i++) {
		const char *cell = csv_cell(rows, i);
		size_t n = strlen(cell) + 1;

		if (!csv_in_key(columns->list[i].role))
			continue;
		if (k->room - k->n < n) {
			k->room = 2 * k->room + n + 256;
			k->text = realloc(k->text, k->room);
			if (!k->text)
				die("out of memory");
		}
		memcpy(k->text + k->n, cell, n);
		k->n += n;
	}
}

static struct csv_group *group_at(const struct csv_groups *g, size_t i)
{
	return block_list_at(&g->list, i);
}

static struct csv_segment *segment_at(const struct csv_groups *g, size_t i)
{
	return block_list_at(&g->segments, i);
}

static size_t slot_of(const struct csv_groups *g, const unsigned char *key)
{
	uint64_t hash;

	memcpy(&hash, key, sizeof(hash));
	return hash & (g->nslots - 1);
}

static void place(struct csv_groups *g, size_t group)
{
	size_t i = slot_of(g, group_at(g, group)->key);

	while (g->slots[i])
		i = (i + 1) & (g->nslots - 1);
	g->slots[i] = (uint32_t)group + 1;
}

/* The group of a key, a new one has no segments: first is not before last then. */
static struct csv_group *find_group(struct csv_groups *g, const struct key *k, bool *fresh)
{
	struct digest_state d;
	struct digest whole;

	digest_init(&d);
	digest_add(&d, k->text, k->n);
	whole = digest_end(&d);
	*fresh = false;
	for (size_t i = slot_of(g, whole.b); g->nslots && g->slots[i];
	     i = (i + 1) & (g->nslots - 1)) {
		struct csv_group *one = group_at(g, g->slots[i] - 1);

		if (!memcmp(one->key, whole.b, sizeof(one->key)))
			return one;
	}
	*fresh = true;
	*(struct csv_group *)block_list_add(&g->list) = (struct csv_group){0};
	memcpy(group_at(g, g->list.n - 1)->key, whole.b, sizeof(group_at(g, 0)->key));
	if (2 * g->list.n > g->nslots) {
		g->nslots = g->nslots ? 2 * g->nslots : FIRST_SLOTS;
		g->slots = arena_array(g->list.a, uint32_t, g->nslots);
		for (size_t i = 0; i + 1 < g->list.n; i++)
			place(g, i);
	}
	place(g, g->list.n - 1);
	return group_at(g, g->list.n - 1);
}

/* A row at which another group's rows begin. */
static void begin_segment(struct csv_groups *g, const struct key *k, const char *at, long line)
{
	uint32_t number = (uint32_t)g->segments.n;
	struct csv_group *group;
	bool fresh;

	group = find_group(g, k, &fresh);
	*(struct csv_segment *)block_list_add(&g->segments) =
		(struct csv_segment){(uint64_t)(at - g->begin), (uint32_t)line, 0};
	if (fresh)
		group->first = number;
	else
		segment_at(g, group->last)->next = number;
	group->last = number;
}

static bool has_room(struct import *in, const struct csv_groups *g, size_t row)
{
	if (row % CSV_ROWS_ASKED == 0 && csv_asked_to_stop(in))
		return false;
	if (g->list.n > SUBMISSIONS_MAX) {
		fail(in->ctx, E_TOO_LARGE,
		     "the table has more than %d commits and setups: import it in parts",
		     SUBMISSIONS_MAX);
		return false;
	}
	return in->ctx->nfaults < FAULTS_MAX;
}

bool csv_find_groups(struct import *in, struct csv_rows rows, const struct csv_columns *columns,
		     struct csv_groups *g)
{
	struct key now = {0}, last = {0};
	bool go_on = true;
	const char *why;
	int more = 1;

	/* buffers of its own: the caller's are where they were */
	rows.text = NULL;
	rows.cells = NULL;
	rows.room = rows.cap = 0;
	*g = (struct csv_groups){.begin = rows.p, .end = rows.p};
	block_list_init(&g->list, in->ctx->arena, sizeof(struct csv_group));
	block_list_init(&g->segments, in->ctx->arena, sizeof(struct csv_segment));
	for (size_t row = 1; go_on; row++) {
		const char *at = rows.p;
		long line = rows.next;

		more = csv_next(&rows, &why);
		if (more <= 0)
			break;
		g->end = rows.p;
		if (rows.n == columns->n) {
			make_key(&rows, columns, &now);
			if (!g->list.n || now.n != last.n ||
			    (now.n && memcmp(now.text, last.text, now.n) != 0)) {
				struct key swap = last;

				begin_segment(g, &now, at, line);
				last = now;
				now = swap;
			}
		} else {
			csv_fault(in->ctx, rows.line, "has %zu cells, the first line has %zu",
				  rows.n, columns->n);
		}
		go_on = has_room(in, g, row);
	}
	if (more < 0)
		csv_fault(in->ctx, rows.line, "%s", why);
	csv_end(&rows);
	free(now.text);
	free(last.text);
	return go_on;
}

void csv_go_to(const struct csv_groups *g, uint32_t segment, struct csv_rows *rows)
{
	const struct csv_segment *s = segment_at(g, segment);

	rows->p = g->begin + s->at;
	rows->next = (long)s->line;
	rows->end =
		segment + 1 < g->segments.n ? g->begin + segment_at(g, segment + 1)->at : g->end;
}
