/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One pasted text -> submissions. Text out of mails is quoted and has the line ends of a browser's
 * form: ends become LF, and marks of quoting that all lines have are taken off (what is quoted in
 * parts is the importers' business). Importers want to know machine, commit and test, which only
 * the store needs: where one misses them it is asked again with stand-ins.
 */
#include "server/model/paste.h"

#include "importers/import.h"
#include "server/base/arena.h"

#define STAND_IN        "pasted"
#define STAND_IN_COMMIT "0000000"

struct stand_ins {
	struct pair axes[2]; /* sorted by name */
	size_t naxes;
	const char *commit;
};

/* Marks of quoting at the line's beginning, at most max; what follows them in *rest. */
static size_t quote_depth(const char *s, const char *end, size_t max, const char **rest)
{
	size_t depth = 0;

	while (depth < max && s < end && *s == '>') {
		depth++;
		s++;
		if (s < end && *s == ' ')
			s++;
	}
	*rest = s;
	return depth;
}

static const char *line_end(const char *p, const char *end)
{
	const char *stop = memchr(p, '\n', (size_t)(end - p));

	return stop ? stop : end;
}

/* How deep every line is quoted that has anything in it. */
static size_t common_depth(const char *p, const char *end)
{
	size_t least = SIZE_MAX;

	while (p < end && least > 0) {
		const char *stop = line_end(p, end), *rest;
		size_t depth = quote_depth(p, stop, least, &rest);

		while (p < stop && (*p == ' ' || *p == '\t' || *p == '\r'))
			p++;
		if (p < stop)
			least = depth < least ? depth : least;
		p = stop + 1;
	}
	return least == SIZE_MAX ? 0 : least;
}

/* The text as the importers want it, NUL-terminated. */
static char *make_plain(struct arena *a, const char *p, size_t n, size_t *len)
{
	const char *end = p + n;
	size_t depth = common_depth(p, end), k = 0;
	char *out = arena_alloc(a, n + 1);

	while (p < end) {
		const char *stop = line_end(p, end), *from;
		size_t take;

		quote_depth(p, stop, depth, &from);
		take = (size_t)(stop - from);
		if (take && stop < end && from[take - 1] == '\r')
			take--;
		memcpy(out + k, from, take);
		k += take;
		if (stop < end)
			out[k++] = '\n';
		p = stop + 1;
	}
	out[k] = '\0';
	*len = k;
	return out;
}

static bool is_setup(const struct fault *f)
{
	return !strcmp(f->path, "commit") || !strcmp(f->path, "testcase") ||
	       !strcmp(f->path, "tbox_group");
}

static bool misses(const struct ctx *c, const char *path)
{
	for (size_t i = 0; i < c->nfaults; i++) {
		if (!strcmp(c->faults[i].path, path))
			return true;
	}
	return false;
}

/* Adds what was missing, where that is all that was wrong; false: it is not. */
static bool stand_in(const struct ctx *c, struct stand_ins *s)
{
	static const char *const names[] = {"tbox_group", "testcase"};

	if (!c->nfaults || s->naxes || s->commit)
		return false;
	for (size_t i = 0; i < c->nfaults; i++) {
		if (!is_setup(&c->faults[i]))
			return false;
	}
	for (size_t i = 0; i < 2; i++) {
		if (misses(c, names[i]))
			s->axes[s->naxes++] = (struct pair){names[i], STAND_IN};
	}
	s->commit = misses(c, "commit") ? STAND_IN_COMMIT : NULL;
	return true;
}

/* The native form may be a document or lines. */
static void read_lines(const struct importer *format, struct import *in, const char *p, size_t n)
{
	const char *end = p + n;

	while (p < end && !in->ctx->err) {
		const char *stop = line_end(p, end);

		if (p + strspn(p, " \t\r") < stop)
			format->line(in, p, (size_t)(stop - p));
		p = stop + 1;
	}
}

static void read_once(const struct importer *format, struct import *in, const char *p, size_t n)
{
	struct import lines = *in;
	struct ctx whole;

	format->run(in, p, n);
	if (in->ctx->err != E_SYNTAX || !format->line || !memchr(p, '\n', n))
		return;
	whole = *in->ctx;
	ctx_clear(in->ctx);
	read_lines(format, &lines, p, n);
	if (lines.n)
		*in = lines;
	else
		*in->ctx = whole; /* not even its first line is one */
}

/* Ends the reading of a text for which there is no more memory. */
struct watch {
	struct paste *p;
	struct ctx *c, *own;
};

static int watch_memory(void *arg)
{
	struct watch *w = arg;

	if (!w->p->charge || w->p->charge(w->p->charge_arg) >= 0)
		return E_OK;
	return fail(w->own, w->c->err, "%s", w->c->detail);
}

/* Files what is wrong under the text. */
static int refuse(struct ctx *c, size_t text, const struct ctx *own)
{
	const char *place = arena_fmt(c->arena, "text[%zu]", text);

	if (own->err == E_TOO_LARGE || own->err == E_BUSY || own->err == E_INTERNAL)
		return fail(c, own->err, "%s: %s", place, own->detail);
	for (size_t i = 0; i < own->nfaults; i++) {
		const struct fault *f = &own->faults[i];

		fault(c,
		      arena_fmt(c->arena, "%s%s%s%s", place,
				f->item >= 0 ? arena_fmt(c->arena, "[%ld]", f->item) : "",
				f->path[0] ? "." : "", f->path),
		      "%s", f->message);
	}
	if (!own->nfaults)
		fault(c, place, "%s", own->detail);
	return c->err;
}

static int take_format(struct ctx *c, struct paste *p, size_t text, const char *bytes, size_t n)
{
	struct paste_text *t = &p->texts[text];
	struct import_guess g;

	t->format = p->format;
	t->words = "";
	if (t->format)
		return E_OK;
	importer_guess(bytes, n, &g);
	t->words = importer_guess_words(c->arena, &g);
	if (!g.n && memchr(bytes, '\0', n))
		t->words = "it is no text, nor an output of a program: is it an image, or packed?";
	if (!g.n)
		return fault(c, arena_fmt(c->arena, "text[%zu]", text), "%s", t->words);
	t->format = g.list[0].format;
	return E_OK;
}

/* Stand-ins are nothing that the text says. */
static void forget_stand_ins(struct arena *a, const struct stand_ins *given, struct submission *s)
{
	struct pair *axes = arena_array(a, struct pair, s->naxes);
	size_t n = 0;

	for (size_t i = 0; i < s->naxes; i++) {
		bool ours = false;

		for (size_t k = 0; k < given->naxes; k++)
			ours |= !strcmp(given->axes[k].name, s->axes[i].name);
		if (!ours)
			axes[n++] = s->axes[i];
	}
	s->axes = axes;
	s->naxes = n;
}

int paste_read(struct ctx *c, struct paste *p, size_t text, struct submission **subs, size_t *n,
	       bool *names_commit)
{
	struct paste_text *t = &p->texts[text];
	struct stand_ins s = {.naxes = 0};
	const enum err before = c->err; /* faults of the texts above */
	struct import in;
	struct ctx own;
	struct watch watch = {p, c, &own};
	size_t len;
	char *plain = make_plain(c->arena, t->bytes, t->n, &len);

	if (take_format(c, p, text, plain, len) < 0)
		return c->err;
	do {
		ctx_init(&own, c->arena, NULL);
		in = (struct import){
			.ctx = &own,
			.axes = s.axes,
			.naxes = s.naxes,
			.commit = s.commit,
			.after_document = watch_memory,
			.after_arg = &watch,
		};
		read_once(t->format, &in, plain, len);
		if (c->err != before || (p->charge && p->charge(p->charge_arg) < 0))
			return c->err;
	} while (own.err && stand_in(&own, &s));
	if (own.err)
		return refuse(c, text, &own);
	if (in.remark)
		t->words = arena_fmt(c->arena, "%s%s; %s", *t->words ? t->words : "read as ",
				     *t->words ? "" : t->format->name, in.remark);
	for (size_t i = 0; i < in.n; i++)
		forget_stand_ins(c->arena, &s, &in.subs[i]);
	*subs = in.subs;
	*n = in.n;
	*names_commit = !s.commit;
	return E_OK;
}
