/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One pass over the lines finds where outputs begin and what setup each has; then each setup's
 * outputs are read in their order. Lines are copied into an arena of their own that is emptied as
 * reading goes on: the memory of a file is that of its figures.
 */
#include "importers/program_output.h"

#include <math.h>
#include <stdarg.h>

#include "server/base/arena.h"

#define LINES_KEPT ((size_t)1 << 20) /* bytes of lines before their memory is used again */
#define SNIFF_LOOK ((size_t)64 << 10)

/* --- lines and words --- */

void output_lines_begin(struct output_lines *l, const char *bytes, size_t n)
{
	l->own = arena_new();
	text_lines_init(&l->t, l->own, bytes, n);
}

char *output_line(struct output_lines *l)
{
	if (arena_used(l->own) > LINES_KEPT)
		arena_reset(l->own);
	return text_line(&l->t);
}

void output_lines_end(struct output_lines *l)
{
	arena_free(l->own);
	l->own = NULL;
}

const char *past_spaces(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

char *join_words(const char *s, size_t n, char *out)
{
	size_t len = 0;
	bool gap = false;

	for (size_t i = 0; i < n && s[i] && len + 2 < OUTPUT_WORD_MAX; i++) {
		if (strchr(" \t,;:\"'`()[]{}<>", s[i])) {
			gap = len > 0;
			continue;
		}
		if (gap)
			out[len++] = '_';
		gap = false;
		out[len++] = s[i];
	}
	out[len] = '\0';
	return out;
}

bool number_behind(const char *line, const char *label, double *v)
{
	const char *p = text_find(line, label);

	if (!p)
		return false;
	p = past_spaces(p);
	return text_number(&p, false, v);
}

bool sniff_finds(const char *bytes, size_t n, const char *text)
{
	return memmem(bytes, n < SNIFF_LOOK ? n : SNIFF_LOOK, text, strlen(text)) != NULL;
}

bool sniff_line(const char *bytes, size_t n, const char *text)
{
	const char *end = bytes + (n < SNIFF_LOOK ? n : SNIFF_LOOK), *p = bytes;
	size_t len = strlen(text);

	while (p < end) {
		while (p < end && (*p == ' ' || *p == '\t' || *p == '>'))
			p++;
		if ((size_t)(end - p) >= len && !memcmp(p, text, len))
			return true;
		p = memchr(p, '\n', (size_t)(end - p));
		if (!p)
			return false;
		p++;
	}
	return false;
}

/* --- figures --- */

static struct record *begun(struct program_output *o)
{
	if (!o->r) {
		o->r = record_begin(o->in, o->program);
		for (size_t i = 0; o->axes && i < OUTPUT_AXES && o->form->axes[i]; i++) {
			if (o->axes[i])
				record_axis(o->r, o->form->axes[i], o->axes[i]);
		}
		for (size_t i = 0; i < o->ninfo; i++)
			record_info(o->r, o->info[i].name, o->info[i].value);
	}
	if (o->fresh)
		record_run(o->r);
	o->fresh = false;
	return o->r;
}

void output_next(struct program_output *o)
{
	o->fresh = true;
}

void output_value(struct program_output *o, const char *unit, double v, const char *fmt, ...)
{
	char name[8 * OUTPUT_WORD_MAX];
	va_list ap;

	if (!isfinite(v))
		return;
	va_start(ap, fmt);
	vsnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);
	record_value(begun(o), unit, v, "%s.%s", o->program, name);
}

void output_distribution(struct program_output *o, const struct distribution_in *d)
{
	record_distribution(begun(o), d);
}

void output_info(struct program_output *o, const char *key, const char *value)
{
	struct arena *a = o->in->ctx->arena;

	if (o->r) {
		record_info(o->r, key, value);
		return;
	}
	o->info = arena_grow(a, o->info, &o->info_cap, o->ninfo + 1, sizeof(*o->info));
	o->info[o->ninfo++] = (struct pair){arena_str(a, key), arena_str(a, value)};
}

/* --- outputs of a file --- */

struct part {
	const char *bytes;
	size_t n;
	const char *setup[OUTPUT_AXES]; /* "" what is not said */
	bool read;
};

struct parts {
	struct import *in;
	const struct program_form *form;
	struct part *list;
	size_t n, cap;
	bool told[OUTPUT_AXES];
};

static struct part *part_begin(struct parts *ps, const char *bytes)
{
	ps->list = arena_grow(ps->in->ctx->arena, ps->list, &ps->cap, ps->n + 1, sizeof(*ps->list));
	ps->list[ps->n] = (struct part){.bytes = bytes, .setup = {"", ""}};
	return &ps->list[ps->n++];
}

static void note_setup(struct parts *ps, struct part *p, const char *line)
{
	const struct program_form *f = ps->form;
	char value[OUTPUT_WORD_MAX];

	for (size_t i = 0; i < OUTPUT_AXES && f->axes[i]; i++) {
		if (!*p->setup[i] && f->setup(line, i, value))
			p->setup[i] = arena_str(ps->in->ctx->arena, value);
	}
}

static int split(struct parts *ps, const char *bytes, size_t n)
{
	const struct program_form *f = ps->form;
	struct part *p = part_begin(ps, bytes);
	bool seen = false, ended = false;
	struct output_lines l;
	const char *at = bytes;
	char *line;
	int e = E_OK;

	output_lines_begin(&l, bytes, n);
	for (; (line = output_line(&l)) && e == E_OK; at = l.t.p) {
		bool begins = f->begins && f->begins(line);

		if ((begins && seen) || ended) {
			p->n = (size_t)(at - p->bytes);
			p = part_begin(ps, at);
		}
		seen = seen || begins;
		ended = f->ends && f->ends(line);
		note_setup(ps, p, line);
		if (ps->n > OUTPUTS_MAX)
			e = fail(ps->in->ctx, E_TOO_LARGE,
				 "the file has more than %d outputs: import it in parts",
				 OUTPUTS_MAX);
	}
	p->n = (size_t)(bytes + n - p->bytes);
	output_lines_end(&l);
	return e;
}

/* Whether the text tells of an axis: then it is part of what was measured, and stands in the series
 * whatever else is in the file. */
static bool axis_told(const struct parts *ps, size_t axis)
{
	for (size_t i = 0; i < ps->n; i++)
		if (*ps->list[i].setup[axis])
			return true;
	return false;
}

static bool same_setup(const struct parts *ps, const struct part *a, const struct part *b)
{
	for (size_t i = 0; i < OUTPUT_AXES; i++) {
		if (ps->told[i] && strcmp(a->setup[i], b->setup[i]) != 0)
			return false;
	}
	return true;
}

static const char *program_of(const struct parts *ps, const struct part *p)
{
	if (ps->form->program)
		return ps->form->program;
	for (size_t i = 0; i < ps->in->naxes; i++) {
		if (!strcmp(ps->in->axes[i].name, "testcase"))
			return ps->in->axes[i].value;
	}
	return *p->setup[0] ? p->setup[0] : "program";
}

/* All outputs with the setup of list[first]. */
static int read_setup(struct parts *ps, size_t first, bool *found)
{
	struct part *like = &ps->list[first];
	const char *axes[OUTPUT_AXES] = {NULL, NULL};
	struct program_output o = {
		.in = ps->in, .form = ps->form, .program = program_of(ps, like), .axes = axes};

	if (ps->form->state)
		o.state = arena_alloc(ps->in->ctx->arena, ps->form->state);
	for (size_t i = ps->form->program ? 0 : 1; i < OUTPUT_AXES && ps->form->axes[i]; i++) {
		if (*like->setup[i] && ps->told[i])
			axes[i] = like->setup[i];
	}
	for (size_t i = first; i < ps->n; i++) {
		if (ps->list[i].read || !same_setup(ps, like, &ps->list[i]))
			continue;
		ps->list[i].read = true;
		output_next(&o);
		ps->form->read(&o, ps->list[i].bytes, ps->list[i].n);
	}
	if (!o.r)
		return E_OK;
	if (ps->form->finish)
		ps->form->finish(&o);
	*found = true;
	return record_end(o.r);
}

int program_import(struct import *in, const char *bytes, size_t n, const struct program_form *form)
{
	struct parts ps = {.in = in, .form = form};
	size_t setups = 0;
	bool found = false;
	int e = split(&ps, bytes, n);

	for (size_t i = 0; i < OUTPUT_AXES; i++)
		ps.told[i] = axis_told(&ps, i);
	for (size_t i = 0; i < ps.n && e == E_OK; i++) {
		if (ps.list[i].read)
			continue;
		if (++setups > SETUPS_MAX)
			return fail(
				in->ctx, E_TOO_LARGE,
				"the file has outputs of more than %d setups: import it in parts",
				SETUPS_MAX);
		e = read_setup(&ps, i, &found);
	}
	if (e == E_OK && !found)
		e = record_end(record_begin(in, program_of(&ps, &ps.list[0])));
	return e;
}
