/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What two versions of a patch do differently: the changed lines of both, file by file, compared
 * with each other (a longest common subsequence). Where a hunk stands does not count, so that the
 * same change on another base is no difference. Pure.
 */
#ifndef MODEL_INTERDIFF_H
#define MODEL_INTERDIFF_H

#include "server/history/objects.h"

#define INTERDIFF_LINES_MAX 2000              /* that are told */
#define INTERDIFF_CELLS_MAX ((size_t)4 << 20) /* lines of one version times those of the other */

/* Lines as in a diff: 'f' heads; '-' and '+' what only the first and only the second version has,
 * ' ' around them what both have. The text begins with the sign that the line has in the patch. */
struct interdiff {
	struct diff_line *lines;
	size_t n;
	bool cut;       /* there is more, or a file changed too much to be compared */
	bool different; /* false: both do the same */
};

/* Two patches as `git diff` writes them; NULL-terminated, in any encoding. */
void interdiff_make(struct arena *a, const char *first, const char *second, struct interdiff *out);
/* The lines of a commit's diff as such a text. */
const char *interdiff_text(struct arena *a, const struct object_commit *k);

#endif
