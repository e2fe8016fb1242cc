/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of a program's output as people paste them: LF or CRLF ends, escape sequences of terminals,
 * marks of quoting ("> > ") in front, spaces of other kinds. And the numbers in them.
 */
#ifndef IMPORTERS_TEXT_LINES_H
#define IMPORTERS_TEXT_LINES_H

#include <stdbool.h>
#include <stddef.h>

struct arena;

struct text_lines {
	const char *p, *end;
	long number;         /* of the last line, from 1 */
	size_t quote;        /* how deep the last line was quoted */
	struct arena *arena; /* for lines that had to be changed */
};

void text_lines_init(struct text_lines *t, struct arena *a, const char *bytes, size_t n);
/* The next line without its end, quoting, trailing spaces and escape sequences; NUL-terminated, in
 * the arena. Lines over 64 KiB are cut. NULL: no more. NULs become spaces. */
char *text_line(struct text_lines *t);

/* A number at *p, which moves behind it: "12", "-1.5e3", "1,234" only with grouping. False: none.
 * No locale, no hex, no inf or nan. */
bool text_number(const char **p, bool grouping, double *v);
/* Behind a number: k M G T P (1000) or Ki Mi Gi Ti Pi (1024); moves *p and returns the factor, 1
 * when there is none. */
double text_scale(const char **p);
/* p when the line begins with the text (spaces before it skipped): what follows it, else NULL. */
const char *text_after(const char *line, const char *text);
/* The same anywhere in the line. */
const char *text_find(const char *line, const char *text);
/* The next word into buf (cut to size), *p moved behind it; false: no more. */
bool text_word(const char **p, char *buf, size_t size);

#endif
