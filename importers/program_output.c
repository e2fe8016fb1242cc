/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One pass over the lines finds where outputs begin and what setup each has, 16 bytes an output;
 * then each setup's outputs are read in their order. Lines are copied into an arena of their own
 * that is emptied as reading goes on: the memory of a file is that of its figures.
 */
#include "importers/program_output.h"

#include <math.h>
#include <stdarg.h>

#include "importers/block_list.h"
#include "importers/text_map.h"
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
	if (label[0] && p[-1] == '=' && !strncmp(p, "3D", 2)) /* quoted-printable, not decoded */
		return false;
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

void output_next(struct program_output *o)
{
	record_run(o->r); /* which is dropped when there are no figures */
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
	o->found = true;
	record_value(o->r, unit, v, "%s.%s", o->program, name);
}

void output_distribution(struct program_output *o, const struct distribution_in *d)
{
	o->found = true;
	record_distribution(o->r, d);
}

void output_info(struct program_output *o, const char *key, const char *value)
{
	record_info(o->r, key, value);
}

/* --- outputs of a file --- */

struct part {
	const char *bytes;           /* up to where the next begins */
	uint16_t setup[OUTPUT_AXES]; /* numbers of texts; 0: not said */
	bool read;
};

struct parts {
	struct import *in;
	const struct program_form *form;
	const char *end;
	struct block_list list; /* of struct part */
	struct text_map texts;  /* of setups; the first is "" */
	bool told[OUTPUT_AXES];
};

static struct part *part_at(const struct parts *ps, size_t i)
{
	return block_list_at(&ps->list, i);
}

static const char *setup_of(const struct parts *ps, const struct part *p, size_t axis)
{
	return ps->texts.list[p->setup[axis]].text;
}

static struct part *part_begin(struct parts *ps, const char *bytes)
{
	struct part *p = block_list_add(&ps->list);

	*p = (struct part){.bytes = bytes};
	return p;
}

static int too_many_setups(const struct parts *ps)
{
	return fail(ps->in->ctx, E_TOO_LARGE,
		    "the file has outputs of more than %d setups: import it in parts", SETUPS_MAX);
}

static int note_setup(struct parts *ps, struct part *p, const char *line)
{
	const struct program_form *f = ps->form;
	char value[OUTPUT_WORD_MAX];
	bool fresh;

	for (size_t i = 0; i < OUTPUT_AXES && f->axes[i]; i++) {
		if (p->setup[i] || !f->setup(line, i, value))
			continue;
		p->setup[i] = (uint16_t)text_map_add(&ps->texts, value, strlen(value), &fresh);
	}
	return ps->texts.n <= OUTPUT_AXES * SETUPS_MAX + 1 ? E_OK : too_many_setups(ps);
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

		if ((begins && seen) || ended)
			p = part_begin(ps, at);
		seen = seen || begins;
		ended = f->ends && f->ends(line);
		e = note_setup(ps, p, line);
		if (ps->list.n > OUTPUTS_MAX)
			e = fail(ps->in->ctx, E_TOO_LARGE,
				 "the file has more than %d outputs: import it in parts",
				 OUTPUTS_MAX);
	}
	output_lines_end(&l);
	return e;
}

/* Whether the text tells of an axis: then it is part of what was measured, and stands in the series
 * whatever else is in the file. */
static bool axis_told(const struct parts *ps, size_t axis)
{
	for (size_t i = 0; i < ps->list.n; i++)
		if (part_at(ps, i)->setup[axis])
			return true;
	return false;
}

static bool same_setup(const struct parts *ps, const struct part *a, const struct part *b)
{
	for (size_t i = 0; i < OUTPUT_AXES; i++) {
		if (ps->told[i] && a->setup[i] != b->setup[i])
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
	return p->setup[0] ? setup_of(ps, p, 0) : "program";
}

static void begin_setup(const struct parts *ps, const struct part *like, struct program_output *o)
{
	const struct program_form *f = ps->form;

	*o = (struct program_output){.in = ps->in, .form = f, .program = program_of(ps, like)};
	o->r = record_begin(ps->in, o->program);
	if (f->state)
		o->state = arena_alloc(record_arena(o->r), f->state);
	for (size_t i = f->program ? 0 : 1; i < OUTPUT_AXES && f->axes[i]; i++) {
		if (like->setup[i])
			record_axis(o->r, f->axes[i], setup_of(ps, like, i));
	}
	record_settled(o->r);
}

/* Whatever else is wrong in the file is told, too. */
static bool may_go_on(const struct ctx *c)
{
	return !c->err || c->err == E_INVALID;
}

/* All outputs with the setup of the first. */
static int read_setup(struct parts *ps, size_t first, bool *found)
{
	const struct part *like = part_at(ps, first);
	struct program_output o;

	begin_setup(ps, like, &o);
	for (size_t i = first; i < ps->list.n && may_go_on(ps->in->ctx); i++) {
		struct part *p = part_at(ps, i);
		const char *end = i + 1 < ps->list.n ? part_at(ps, i + 1)->bytes : ps->end;

		if (p->read || !same_setup(ps, like, p))
			continue;
		p->read = true;
		output_next(&o);
		ps->form->read(&o, p->bytes, (size_t)(end - p->bytes));
	}
	if (!o.found) {
		record_drop(o.r);
		return ps->in->ctx->err;
	}
	if (ps->form->finish)
		ps->form->finish(&o);
	*found = true;
	return record_end(o.r);
}

int program_import(struct import *in, const char *bytes, size_t n, const struct program_form *form)
{
	struct parts ps = {.in = in, .form = form, .end = bytes + n};
	size_t setups = 0;
	bool found = false, fresh;
	int e;

	block_list_init(&ps.list, in->ctx->arena, sizeof(struct part));
	text_map_init(&ps.texts, in->ctx->arena);
	text_map_add(&ps.texts, "", 0, &fresh);
	e = split(&ps, bytes, n);
	for (size_t i = 0; i < OUTPUT_AXES; i++)
		ps.told[i] = axis_told(&ps, i);
	for (size_t i = 0; i < ps.list.n && e == E_OK; i++) {
		if (part_at(&ps, i)->read)
			continue;
		if (++setups > SETUPS_MAX)
			return too_many_setups(&ps);
		e = read_setup(&ps, i, &found);
	}
	if (e == E_OK && !found)
		e = record_end(record_begin(in, program_of(&ps, part_at(&ps, 0))));
	return e;
}
