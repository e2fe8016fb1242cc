/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A diff of diffs. Patches are read by the counts in their hunks' heads, so that a removed line
 * "-- x" is not taken for a file's head. Everything is bounded: lines that are told, and the
 * product of the lines that are compared.
 */
#include "server/model/interdiff.h"

#include <string.h>

#include "server/base/arena.h"
#include "server/base/out.h"

#define AROUND 2 /* common lines that are shown on either side */

struct piece {
	const char *s;
	size_t n;
};

struct patched {
	struct piece path;
	struct piece *lines; /* changed ones, with their sign */
	size_t n, cap;
};

struct patched_list {
	struct patched *files;
	size_t n, cap;
};

/* Reading ----------------------------------------------------------------------------------------
 */

/* The path behind "--- " or "+++ ", without a/ or b/; n 0: /dev/null. */
static struct piece path_of(const char *line, size_t n)
{
	struct piece p = {line + 4, n - 4};
	const char *tab = memchr(p.s, '\t', p.n);

	if (tab)
		p.n = (size_t)(tab - p.s);
	if (p.n == 9 && memcmp(p.s, "/dev/null", 9) == 0)
		p.n = 0;
	else if (p.n > 2 && (p.s[0] == 'a' || p.s[0] == 'b') && p.s[1] == '/')
		p = (struct piece){p.s + 2, p.n - 2};
	return p;
}

/* "-12,3 +12,4": how many lines of either side follow. */
static void read_counts(const char *s, const char *end, long *old, long *new)
{
	long *counts[] = {old, new};

	*old = *new = 1;
	for (size_t i = 0; i < 2; i++) {
		while (s < end && *s != '-' && *s != '+')
			s++;
		while (s < end && *s != ',' && *s != ' ')
			s++;
		if (s < end && *s == ',')
			*counts[i] = strtol(s + 1, NULL, 10);
	}
}

static struct patched *add_file(struct arena *a, struct patched_list *l, struct piece path)
{
	l->files = arena_grow(a, l->files, &l->cap, l->n + 1, sizeof(*l->files));
	l->files[l->n] = (struct patched){.path = path};
	return &l->files[l->n++];
}

static void read_patch(struct arena *a, const char *text, struct patched_list *out)
{
	struct piece old_path = {0};
	struct patched *file = NULL;
	long old = 0, new = 0;

	for (const char *s = text; *s;) {
		size_t n = strcspn(s, "\n");
		bool in_hunk = old > 0 || new > 0;

		if (in_hunk && file && (*s == '+' || *s == '-')) {
			file->lines = arena_grow(a, file->lines, &file->cap, file->n + 1,
						 sizeof(*file->lines));
			file->lines[file->n++] = (struct piece){s, n};
		}
		if (in_hunk) {
			old -= *s != '+' && *s != '\\';
			new -= *s != '-' && *s != '\\';
		} else if (!strncmp(s, "--- ", 4)) {
			old_path = path_of(s, n);
		} else if (!strncmp(s, "+++ ", 4)) {
			struct piece path = path_of(s, n);

			file = add_file(a, out, path.n ? path : old_path);
		} else if (!strncmp(s, "@@ ", 3)) {
			read_counts(s + 3, s + n, &old, &new);
		}
		s += n + (s[n] == '\n');
	}
}

/* Comparing --------------------------------------------------------------------------------------
 */

struct telling {
	struct arena *a;
	struct interdiff *out;
	size_t cap;
};

static void tell(struct telling *t, char kind, struct piece p)
{
	if (t->out->n == INTERDIFF_LINES_MAX) {
		t->out->cut = true;
		return;
	}
	t->out->lines =
		arena_grow(t->a, t->out->lines, &t->cap, t->out->n + 1, sizeof(*t->out->lines));
	t->out->lines[t->out->n++] = (struct diff_line){kind, p.s, p.n};
}

static bool equal(const struct piece *a, const struct piece *b)
{
	return a->n == b->n && memcmp(a->s, b->s, a->n) == 0;
}

/* Marks what each side has alone: lengths of common subsequences of the rests, from the end. False:
 * they are too long. */
static bool mark_alone(const struct patched *x, const struct patched *y, bool *alone_x,
		       bool *alone_y)
{
	size_t head = 0, tail = 0, n, m;

	while (head < x->n && head < y->n && equal(&x->lines[head], &y->lines[head]))
		head++;
	while (tail < x->n - head && tail < y->n - head &&
	       equal(&x->lines[x->n - 1 - tail], &y->lines[y->n - 1 - tail]))
		tail++;
	n = x->n - head - tail;
	m = y->n - head - tail;
	if (n >= UINT16_MAX || m >= UINT16_MAX || (n && m > INTERDIFF_CELLS_MAX / n))
		return false;
	auto_arena struct arena *scratch = arena_new();
	uint16_t *best = arena_array(scratch, uint16_t, (n + 1) * (m + 1));
	for (size_t i = n; i-- > 0;)
		for (size_t k = m; k-- > 0;) {
			uint16_t down = best[(i + 1) * (m + 1) + k],
				 right = best[i * (m + 1) + k + 1];

			if (equal(&x->lines[head + i], &y->lines[head + k]))
				best[i * (m + 1) + k] =
					(uint16_t)(best[(i + 1) * (m + 1) + k + 1] + 1);
			else
				best[i * (m + 1) + k] = down > right ? down : right;
		}
	for (size_t i = 0, k = 0; i < n || k < m;) {
		if (i < n && k < m && equal(&x->lines[head + i], &y->lines[head + k])) {
			i++;
			k++;
		} else if (k == m ||
			   (i < n && best[(i + 1) * (m + 1) + k] >= best[i * (m + 1) + k + 1])) {
			alone_x[head + i++] = true;
		} else {
			alone_y[head + k++] = true;
		}
	}
	return true;
}

/* The merged lines of a file. */
static size_t merge(const struct patched *x, const struct patched *y, const bool *alone_x,
		    const bool *alone_y, struct diff_line *out)
{
	size_t n = 0;

	for (size_t i = 0, k = 0; i < x->n || k < y->n;) {
		if (i < x->n && alone_x[i]) {
			out[n++] = (struct diff_line){'-', x->lines[i].s, x->lines[i].n};
			i++;
		} else if (k < y->n && alone_y[k]) {
			out[n++] = (struct diff_line){'+', y->lines[k].s, y->lines[k].n};
			k++;
		} else {
			out[n++] = (struct diff_line){' ', x->lines[i].s, x->lines[i].n};
			i++;
			k++;
		}
	}
	return n;
}

static bool near_change(const struct diff_line *lines, size_t n, size_t at)
{
	size_t from = at > AROUND ? at - AROUND : 0, to = at + AROUND < n ? at + AROUND : n - 1;

	for (size_t i = from; i <= to; i++)
		if (lines[i].kind != ' ')
			return true;
	return false;
}

static void compare_file(struct telling *t, const struct patched *x, const struct patched *y)
{
	bool *alone_x = arena_array(t->a, bool, x->n + 1);
	bool *alone_y = arena_array(t->a, bool, y->n + 1);
	struct diff_line *lines;
	size_t n;
	bool gap = false;

	if (!mark_alone(x, y, alone_x, alone_y)) {
		t->out->cut = t->out->different = true;
		tell(t, 'f', y->path);
		return;
	}
	lines = arena_array(t->a, struct diff_line, x->n + y->n);
	n = merge(x, y, alone_x, alone_y, lines);
	for (size_t i = 0, told = 0; i < n; i++) {
		if (!near_change(lines, n, i)) {
			gap = true;
			continue;
		}
		if (!told++)
			tell(t, 'f', y->path.n ? y->path : x->path);
		else if (gap)
			tell(t, '@', (struct piece){"…", strlen("…")});
		gap = false;
		t->out->different = true;
		tell(t, lines[i].kind, (struct piece){lines[i].text, lines[i].n});
	}
}

static const struct patched *file_in(const struct patched_list *l, const struct piece *path)
{
	for (size_t i = 0; i < l->n; i++)
		if (equal(&l->files[i].path, path))
			return &l->files[i];
	return NULL;
}

void interdiff_make(struct arena *a, const char *first, const char *second, struct interdiff *out)
{
	struct telling t = {.a = a, .out = out};
	struct patched_list x = {0}, y = {0};

	*out = (struct interdiff){0};
	read_patch(a, first, &x);
	read_patch(a, second, &y);
	for (size_t i = 0; i < y.n; i++) {
		const struct patched *old = file_in(&x, &y.files[i].path);
		const struct patched none = {.path = y.files[i].path};

		compare_file(&t, old ? old : &none, &y.files[i]);
	}
	for (size_t i = 0; i < x.n; i++) {
		const struct patched none = {.path = x.files[i].path};

		if (!file_in(&y, &x.files[i].path))
			compare_file(&t, &x.files[i], &none);
	}
}

const char *interdiff_text(struct arena *a, const struct object_commit *k)
{
	auto_out struct out o;

	out_init(&o, 4 * DIFF_BYTES_MAX);
	for (size_t i = 0; i < k->nlines; i++) {
		const struct diff_line *l = &k->lines[i];

		if (l->kind == 'f') {
			out_str(&o, "--- a/");
			out_bytes(&o, l->text, l->n);
			out_str(&o, "\n+++ b/");
		} else if (l->kind != '@' && strncmp(l->text, "\\ No newline", 12) != 0) {
			out_char(&o, l->kind);
		}
		out_bytes(&o, l->text, l->n);
		out_char(&o, '\n');
	}
	return arena_strn(a, o.p ? o.p : "", o.len);
}
