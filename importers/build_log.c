/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What gcc, clang, linkers, objtool, modpost and make print while a kernel is built: the build of a
 * commit, without figures. Warnings are kept as "text [-Wflag]", errors as "error: text"; the same
 * one (a header's, once a file that includes it) is kept once. The build failed when there was an
 * error, of make too; else it is ok. Notes, and lines of context below a warning, are left out.
 */
#include "importers/formats.h"
#include "importers/program_output.h"

#include "importers/json_read.h"
#include "server/base/arena.h"
#include "server/base/utf8.h"

#define WARNINGS_MAX 50000

struct build_log {
	struct ctx *ctx;
	struct arena *a;    /* of what is kept */
	struct arena *line; /* of the line that is read */
	struct warning *list;
	size_t n, cap;
	uint32_t *slots; /* open addressing: number + 1 */
	size_t nslots;
	size_t errors, lines; /* lines that only a build prints */
	const char *compiler;
};

/* A copy without control characters and broken UTF-8, cut to JSON_TEXT_MAX. */
static const char *clean(struct arena *a, const char *s, size_t n)
{
	size_t len = 0, bytes;
	char *out;

	while (n && (*s == ' ' || *s == '\t')) {
		s++;
		n--;
	}
	while (n && (s[n - 1] == ' ' || s[n - 1] == '\t'))
		n--;
	out = arena_alloc(a, n + 1);
	for (size_t i = 0; i < n; i += bytes) {
		bytes = utf8_length(s + i, n - i);
		if (len + 4 > JSON_TEXT_MAX)
			break;
		if (!bytes || (unsigned char)s[i] < 0x20 || s[i] == 0x7f ||
		    (bytes == 2 && utf8_is_c1(s + i))) {
			out[len++] = ' ';
			bytes = bytes ? bytes : 1;
			continue;
		}
		memcpy(out + len, s + i, bytes);
		len += bytes;
	}
	return out;
}

static size_t hash_of(const struct warning *w)
{
	size_t h = 5381 + (size_t)w->line * 31 + (size_t)w->column;

	for (const char *s = w->message; *s; s++)
		h = h * 33 ^ (unsigned char)*s;
	for (const char *s = w->file ? w->file : ""; *s; s++)
		h = h * 33 ^ (unsigned char)*s;
	return h ^ (h >> 17);
}

static bool same(const struct warning *a, const struct warning *b)
{
	return a->line == b->line && a->column == b->column && !strcmp(a->message, b->message) &&
	       !strcmp(a->file ? a->file : "", b->file ? b->file : "");
}

/* Its slot, free or of the same warning. */
static uint32_t *slot_of(struct build_log *b, const struct warning *w)
{
	size_t i = hash_of(w) & (b->nslots - 1);

	while (b->slots[i] && !same(&b->list[b->slots[i] - 1], w))
		i = (i + 1) & (b->nslots - 1);
	return &b->slots[i];
}

static void add(struct build_log *b, const struct warning *w)
{
	uint32_t *slot;

	if (!w->message || !*w->message || b->ctx->err)
		return;
	if (2 * (b->n + 1) > b->nslots) {
		b->nslots = b->nslots ? 2 * b->nslots : 64;
		b->slots = arena_array(b->a, uint32_t, b->nslots);
		for (size_t i = 0; i < b->n; i++)
			*slot_of(b, &b->list[i]) = (uint32_t)i + 1;
	}
	slot = slot_of(b, w);
	if (*slot)
		return;
	if (b->n == WARNINGS_MAX) {
		fail(b->ctx, E_TOO_LARGE,
		     "the build has more than %d different warnings and errors: import a part",
		     WARNINGS_MAX);
		return;
	}
	b->list = arena_grow(b->a, b->list, &b->cap, b->n + 1, sizeof(*b->list));
	b->list[b->n] = *w;
	b->list[b->n].file = arena_str(b->a, w->file);
	b->list[b->n++].message = arena_str(b->a, w->message);
	*slot = (uint32_t)b->n;
}

/* Cuts ":12" off the end of the first *n bytes; -1: there is none. */
static int64_t take_number(const char *s, size_t *n)
{
	size_t i = *n;
	int64_t v = 0;

	while (i && s[i - 1] >= '0' && s[i - 1] <= '9' && *n - i < 9)
		i--;
	if (i == *n || !i || s[i - 1] != ':')
		return -1;
	for (size_t k = i; k < *n; k++)
		v = v * 10 + (s[k] - '0');
	*n = i - 1;
	return v;
}

/* "drivers/x.c:12:5", "x.c:12", "vmlinux.o", "/usr/bin/ld" as a place. False: it is none. */
static bool read_place(struct arena *a, const char *s, size_t n, struct warning *w)
{
	int64_t last;

	while (n && *s == ' ') {
		s++;
		n--;
	}
	*w = (struct warning){.line = -1, .column = -1};
	last = take_number(s, &n);
	if (last >= 0) {
		w->line = take_number(s, &n);
		if (w->line >= 0)
			w->column = last;
		else
			w->line = last;
	}
	if (!n || (w->line < 0 && memchr(s, ' ', n)) || memchr(s, '"', n))
		return false;
	w->file = clean(a, s, n);
	return *w->file != '\0';
}

/* "place: warning: text", "place: error: text", "place: fatal error: text" */
static bool read_said(struct build_log *b, const char *line)
{
	static const struct {
		const char *mark;
		bool error;
	} kinds[] = {{": sparse: warning: ", false},
		     {": sparse: error: ", true},
		     {": warning: ", false},
		     {": error: ", true},
		     {": fatal error: ", true}};
	struct warning w;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const char *at = strstr(line, kinds[i].mark), *text;

		if (!at || !read_place(b->line, line, (size_t)(at - line), &w))
			continue;
		text = at + strlen(kinds[i].mark);
		w.message = clean(b->line, text, strlen(text));
		if (kinds[i].error)
			w.message = arena_fmt(b->line, "%serror: %.4000s",
					      strstr(kinds[i].mark, "fatal") ? "fatal " : "",
					      w.message);
		b->errors += kinds[i].error;
		b->lines++;
		add(b, &w);
		return true;
	}
	return false;
}

/* "x.c:(.text+0x5): undefined reference to `f'", "x.o: multiple definition of `f'; …" */
static bool read_linker(struct build_log *b, const char *line)
{
	const char *at = strstr(line, ": undefined reference to "), *begin = line, *end;
	struct warning w;

	if (!at)
		at = strstr(line, ": multiple definition of ");
	if (!at)
		return false;
	for (const char *p = line; p < at; p++) { /* "/usr/bin/ld: x.o: in function `g':x.c:(…)" */
		if (p[0] == ':' && (p[1] == ' ' || (p > line && p[-1] == '\'')))
			begin = p[1] == ' ' ? p + 2 : p + 1;
	}
	for (end = begin; end < at && !(end[0] == ':' && end[1] == '('); end++)
		;
	if (!read_place(b->line, begin, (size_t)(end - begin), &w))
		return false;
	w.message = arena_fmt(b->line, "error: %.4000s", clean(b->line, at + 2, strlen(at + 2)));
	b->errors++;
	b->lines++;
	add(b, &w);
	return true;
}

/* "WARNING: modpost: …", "ERROR: modpost: …" */
static bool read_modpost(struct build_log *b, const char *line)
{
	const char *text = text_after(line, "WARNING: modpost: ");
	struct warning w = {.file = "modpost", .line = -1, .column = -1};

	if (text) {
		w.message = clean(b->line, text, strlen(text));
	} else if ((text = text_after(line, "ERROR: modpost: "))) {
		w.message =
			arena_fmt(b->line, "error: %.4000s", clean(b->line, text, strlen(text)));
		b->errors++;
	} else {
		return false;
	}
	b->lines++;
	add(b, &w);
	return true;
}

/* "make[2]: *** [scripts/Makefile.build:243: drivers/x.o] Error 1" */
static bool read_make(struct build_log *b, const char *line)
{
	const char *p = text_after(line, "make");
	struct warning w = {.file = "make", .line = -1, .column = -1};

	if (p && *p == '[')
		p = strchr(p, ']') ? strchr(p, ']') + 1 : NULL;
	if (!p || *p != ':' || p[1] != ' ')
		return false;
	b->lines++;
	p = text_after(p + 1, "*** ");
	if (!p || !strncmp(p, "Waiting for", 11))
		return true;
	w.message = arena_fmt(b->line, "error: %.4000s", clean(b->line, p, strlen(p)));
	b->errors++;
	add(b, &w);
	return true;
}

/* Lines that tell nothing but that this is a build. */
static bool is_step(const char *line)
{
	static const char *const begins[] = {"  CC ",
					     "  LD ",
					     "  AR ",
					     "  AS ",
					     "  HOSTCC ",
					     "gcc ",
					     "cc ",
					     "clang ",
					     "g++ ",
					     "ld ",
					     "In file included from ",
					     NULL};

	for (size_t i = 0; begins[i]; i++) {
		if (!strncmp(line, begins[i], strlen(begins[i])))
			return true;
	}
	return strstr(line, " warning generated.") || strstr(line, " warnings generated.") ||
	       strstr(line, " error generated.") || strstr(line, " errors generated.");
}

static void read_line(struct build_log *b, const char *line)
{
	if (read_make(b, line) || read_modpost(b, line) || read_said(b, line) ||
	    read_linker(b, line))
		return;
	if ((!strncmp(line, "gcc (", 5) || !strncmp(line, "gcc version ", 12) ||
	     strstr(line, "clang version ")) &&
	    !b->compiler)
		b->compiler = clean(b->a, line, strlen(line) < 200 ? strlen(line) : 200);
	b->lines += is_step(line);
}

int import_build_log(struct import *in, const char *bytes, size_t n)
{
	struct record *r = record_begin(in, "build");
	struct build_log b = {.ctx = in->ctx, .a = record_arena(r)};
	struct output_lines l;
	char *line;

	output_lines_begin(&l, bytes, n);
	b.line = l.own;
	while ((line = output_line(&l)))
		read_line(&b, line);
	output_lines_end(&l);
	if (in->ctx->err)
		return in->ctx->err;
	if (b.lines)
		record_submission(r)->commit.build =
			(struct build_in){.given = true,
					  .compiler = b.compiler,
					  .status = b.errors ? "failed" : "ok",
					  .warnings = b.list,
					  .nwarnings = b.n};
	return record_end(r);
}

int build_log_sniff(const char *bytes, size_t n)
{
	if (sniff_finds(bytes, n, ": warning: ") && sniff_finds(bytes, n, " [-W"))
		return 80;
	if (sniff_line(bytes, n, "make[") || sniff_line(bytes, n, "make: ***"))
		return 60;
	if (sniff_finds(bytes, n, ": error: ") || sniff_finds(bytes, n, ": warning: "))
		return 50;
	return sniff_line(bytes, n, "CC      ") ? 50 : 0;
}
