/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stretches in the order of the text, and once that is read, sorted by group, which keeps their
 * order within one. */
#include "importers/line_groups.h"

#include "server/base/arena.h"

struct stretch {
	uint32_t begin, bytes, line, group; /* line: number of its first, from 1 */
};

void line_groups_init(struct line_groups *g, struct arena *own, const char *bytes)
{
	*g = (struct line_groups){.own = own, .bytes = bytes};
	text_map_init(&g->keys, own);
	block_list_init(&g->list, own, sizeof(struct stretch));
}

static struct stretch *stretch_at(const struct line_groups *g, size_t i)
{
	return block_list_at(&g->list, i);
}

void line_groups_add(struct line_groups *g, size_t group, const struct output_lines *l,
		     const char *begin)
{
	struct stretch *s = g->open ? stretch_at(g, g->list.n - 1) : NULL;

	if (!s || s->group != group) {
		s = block_list_add(&g->list);
		*s = (struct stretch){(uint32_t)(begin - g->bytes), 0, (uint32_t)l->t.number,
				      (uint32_t)group};
	}
	s->bytes = (uint32_t)(l->t.p - (g->bytes + s->begin));
	g->open = true;
}

void line_groups_break(struct line_groups *g)
{
	g->open = false;
}

static void sort(struct line_groups *g)
{
	size_t *at = arena_array(g->own, size_t, g->keys.n + 1);

	g->order = arena_array(g->own, uint32_t, g->list.n);
	for (size_t i = 0; i < g->list.n; i++)
		at[stretch_at(g, i)->group + 1]++;
	for (size_t i = 0; i < g->keys.n; i++)
		at[i + 1] += at[i];
	for (size_t i = 0; i < g->list.n; i++)
		g->order[at[stretch_at(g, i)->group]++] = (uint32_t)i;
}

char *line_groups_next(struct line_groups *g, size_t group, long *number)
{
	char *line;

	if (!g->order)
		sort(g);
	for (;;) {
		const struct stretch *s =
			g->next < g->list.n ? stretch_at(g, g->order[g->next]) : NULL;

		if (!s || s->group != group)
			return NULL;
		if (!g->reading)
			output_lines_begin(&g->lines, g->bytes + s->begin, s->bytes);
		g->reading = true;
		line = output_line(&g->lines);
		if (line) {
			*number = (long)s->line + g->lines.t.number - 1;
			return line;
		}
		output_lines_end(&g->lines);
		g->reading = false;
		g->next++;
	}
}
