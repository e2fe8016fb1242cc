/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What importers of programs' text share. A file holds one or more outputs of a program, one after
 * the other; each is a run. Outputs of different setups (other numbers of clients, other subtests)
 * must not become runs of one series: when a file has several, each setup gets a submission of its
 * own, with the axes that tell them apart.
 */
#ifndef IMPORTERS_PROGRAM_OUTPUT_H
#define IMPORTERS_PROGRAM_OUTPUT_H

#include "importers/record.h"
#include "importers/text_lines.h"

#define OUTPUT_AXES     2
#define OUTPUTS_MAX     5000000 /* of one file; 16 bytes each */
#define SETUPS_MAX      200     /* different ones */
#define OUTPUT_WORD_MAX 256     /* bytes of a name that is made of words */

struct program_output;

struct program_form {
	const char *program; /* what the test is called and metrics begin with; NULL: the value of
				the first axis, which is the test then */
	/* Whether an output begins with the line, or ends with it; NULL: never. Neither: the file
	 * is one output. What stands before the first belongs to it. */
	bool (*begins)(const char *line);
	bool (*ends)(const char *line);
	/* Axes that the text itself tells; NULL behind the last. setup: what a line says of an axis
	 * into value of OUTPUT_WORD_MAX bytes, or false. The first that is said counts. */
	const char *axes[OUTPUT_AXES];
	bool (*setup)(const char *line, size_t axis, char *value);
	/* Reads one output. */
	void (*read)(struct program_output *o, const char *bytes, size_t n);
	/* After the outputs of a setup, when there were figures: adds to the last run. NULL:
	 * nothing. */
	void (*finish)(struct program_output *o);
	size_t state; /* bytes of program_output.state */
};

/* One setup being read. Its runs may be handed on while later outputs are read: what an output says
 * of itself by output_info belongs to it and to those behind it. */
struct program_output {
	struct import *in;
	const struct program_form *form;
	const char *program; /* metrics begin with it and a '.' */
	struct record *r;
	bool found;  /* there was a figure */
	void *state; /* of one setup, zeroed; NULL when the form wants none */
};

/* Splits, reads and seals. E_OK; E_INVALID: nothing found, or what is missing; E_TOO_LARGE. */
int program_import(struct import *in, const char *bytes, size_t n, const struct program_form *form);

/* What follows is a run of its own. Without figures none is made. */
void output_next(struct program_output *o);
/* record_value, under "<program>."; nothing when v is not finite. */
void output_value(struct program_output *o, const char *unit, double v, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* d->metric is the whole name. */
void output_distribution(struct program_output *o, const struct distribution_in *d);
void output_info(struct program_output *o, const char *key, const char *value);

/* Lines of an output that live until the next is read, so that memory does not grow with the file.
 */
struct output_lines {
	struct text_lines t;
	struct arena *own;
};
void output_lines_begin(struct output_lines *l, const char *bytes, size_t n);
/* NULL: no more. */
char *output_line(struct output_lines *l);
void output_lines_end(struct output_lines *l);

const char *past_spaces(const char *p);
/* Words as a part of a metric's name: spaces, commas, quotes, colons and brackets become one '_',
 * none at the ends: "write64 MB per sec" -> "write64_MB_per_sec". out has OUTPUT_WORD_MAX bytes;
 * what does not fit is left out. Returns out. */
char *join_words(const char *s, size_t n, char *out);
/* The number behind a label anywhere in the line ("min=12": label "min="); spaces may stand
 * between. grouping as in text_number. */
bool number_behind(const char *line, const char *label, double *v);
/* True when the bytes at the file's beginning, as far as a sniffer looks, hold the text. */
bool sniff_finds(const char *bytes, size_t n, const char *text);
/* The same for a text at the beginning of a line, behind marks of quoting and spaces. */
bool sniff_line(const char *bytes, size_t n, const char *text);

#endif
