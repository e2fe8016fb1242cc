/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of a text that make several submissions and may be mixed: which lines belong to which is
 * noted while the text is read once, stretch by stretch, and then each group's lines are read
 * again. So what a group becomes can be handed on before the next one begins.
 */
#ifndef IMPORTERS_LINE_GROUPS_H
#define IMPORTERS_LINE_GROUPS_H

#include "importers/block_list.h"
#include "importers/program_output.h"
#include "importers/text_map.h"

struct line_groups {
	const char *bytes;
	struct arena *own;
	struct text_map keys;   /* numbers the groups in the order in which they were met */
	struct block_list list; /* stretches in the order of the text */
	bool open;              /* the last one goes on */
	/* while they are read again */
	uint32_t *order; /* numbers of stretches, sorted by group */
	size_t next;
	struct output_lines lines;
	bool reading;
};

/* bytes: the text, of less than 4 GiB. own: where what is noted lives, 20 bytes a stretch. */
void line_groups_init(struct line_groups *g, struct arena *own, const char *bytes);
/* The line that was read last is of the group. Lines that nobody speaks of go along with those
 * around them, until line_groups_break. */
void line_groups_add(struct line_groups *g, size_t group, const struct output_lines *l,
		     const char *begin);
/* The next line of the same group begins a stretch of its own. */
void line_groups_break(struct line_groups *g);

/* After all lines: the first line of the next group, then its others; NULL behind the last of each.
 * Groups come in their order; every one must be read to its end. */
char *line_groups_next(struct line_groups *g, size_t group, long *number);

#endif
