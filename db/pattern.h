/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Patterns for "lower(column) LIKE $1 ESCAPE '!'": the same on both engines, whatever the text
 * holds. */
#ifndef DB_PATTERN_H
#define DB_PATTERN_H

struct arena;

/* Of texts that contain the text, or begin with it; ASCII letters of any case. Cut to 200 bytes. */
char *pattern_containing(struct arena *a, const char *text);
char *pattern_beginning(struct arena *a, const char *text);

#endif
