/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the tables of a mail and their rows. At each level of quoting one table can be open, since
 * a reply's sentences stand between the rows that it quotes; rows go to the table of their own
 * level. A table is opened by a row of commits with a rule, or heads of figures, below it, and
 * ended by a sentence, a signature or what begins another. Rows that are wrapped are put together
 * again from up to four lines. Rows without a table above them are nobody's, and counted.
 */
#include "importers/robot_mail.h"

#include <ctype.h>

#include "server/base/arena.h"

#define ROW_LINES    4
#define HEAD_LINES   6  /* over which the row of commits is wrapped */
#define FULL_LINE    64 /* bytes of a line in which nothing more had room */
#define RULE_LEAST   4
#define WORDS_TO_END 3 /* plain words in a line that make it a sentence */

/* A row of commits that may be the head of a table. */
struct head {
	size_t line, last; /* where it begins and ends */
	size_t n;
	const char *words[MAIL_COLUMNS_MAX];
	const char *path_names;
	bool given;
};

struct reader {
	struct mail *m;
	struct mail_table *open[MAIL_QUOTES_MAX];
	struct head heads[MAIL_QUOTES_MAX];
	bool lists[MAIL_QUOTES_MAX];         /* a list of commits goes on */
	struct head listed[MAIL_QUOTES_MAX]; /* what the last list has, where the heads are lost */
	struct head full[MAIL_QUOTES_MAX];   /* the same, for every table below it */
	unsigned part;

	/* a row that has begun */
	struct mail_table *table;
	const char *text;
	size_t text_len, text_lines, last_line;
	unsigned depth;

	struct mail_paths paths;
};

static const char *skip_spaces(const char *s)
{
	return s + strspn(s, " ");
}

/* --- rows ---------------------------------------------------------------------------------------
 */

static void take_row(struct reader *r, struct mail_table *t, const struct mail_row *row)
{
	mail_row_take(r->m, &r->paths, t, row);
	r->table = NULL;
}

/* Its text is the end of line i. */
static void begin_row(struct reader *r, struct mail_table *t, size_t i, const char *text)
{
	r->table = t;
	r->text = text;
	r->text_len = strlen(text);
	r->text_lines = 1;
	r->last_line = i;
	r->depth = r->m->lines[i].depth;
}

/* A name that was wrapped behind a hyphen can have been cut where a line was full, too: the rest is
 * alone in the next line. */
static char *rest_of_name(struct reader *r, size_t i, char *text, size_t *next)
{
	while (i + 1 < r->m->nlines && r->m->lines[i].len >= FULL_LINE) {
		const struct mail_line *l = &r->m->lines[i + 1];

		if (!l->len || l->depth != r->depth || strchr(skip_spaces(l->s), ' ') ||
		    strlen(text) + l->len > MAIL_ROW_BYTES)
			break;
		text = arena_fmt(r->m->a, "%s%s", text, skip_spaces(l->s));
		*next = ++i + 1;
	}
	return text;
}

/* The row that has begun goes on in this line. True: it was taken. */
static bool continue_row(struct reader *r, size_t i, struct mail_row *row, size_t *next)
{
	const struct mail_line *l = &r->m->lines[i];
	struct mail_table *t = r->table;
	enum mail_row_kind kind;
	bool is_cut = t && r->text[r->text_len - 1] == '-';
	char *text;

	if (!t || l->depth > r->depth || r->text_lines == ROW_LINES ||
	    (l->depth < r->depth && i != r->last_line + 1) || i > r->last_line + 2 ||
	    r->text_len + l->len > MAIL_ROW_BYTES)
		return false;
	text = arena_fmt(r->m->a, "%s%s%s", r->text, is_cut ? "" : " ", skip_spaces(l->s));
	if (is_cut)
		text = rest_of_name(r, i, text, next);
	kind = mail_row_parse(text, strlen(text), t->ncolumns, t->is_loose, row);
	if (kind == ROW_WHOLE) {
		take_row(r, t, row);
		return true;
	}
	if (kind != ROW_BEGUN)
		return false;
	r->text = text;
	r->text_len = strlen(text);
	r->text_lines++;
	r->last_line = i;
	return true;
}

/* A row of two to four columns whose table nobody knows. */
static bool is_lost_row(const struct mail_line *l)
{
	struct mail_row row;

	for (size_t columns = 2; columns <= 4; columns++) {
		if (mail_row_parse(l->s, l->len, columns, false, &row) == ROW_WHOLE)
			return true;
	}
	return false;
}

static bool read_row(struct reader *r, size_t i, size_t *next)
{
	const struct mail_line *l = &r->m->lines[i];
	struct mail_table *t = r->open[l->depth];
	enum mail_row_kind kind = ROW_NOT;
	struct mail_row row;

	if (t)
		kind = mail_row_parse(l->s, l->len, t->ncolumns, t->is_loose, &row);
	if (kind == ROW_WHOLE) {
		take_row(r, t, &row);
		return true;
	}
	if (continue_row(r, i, &row, next))
		return true;
	if (kind == ROW_BEGUN)
		begin_row(r, t, i, l->s);
	r->m->left.rows += !t && is_lost_row(l);
	return kind == ROW_BEGUN;
}

/* --- heads --------------------------------------------------------------------------------------
 */

static size_t word_length(const char *s)
{
	return strcspn(s, " ");
}

/* All words are runs of dashes: their number; 0. */
static size_t count_dashes(const char *s)
{
	size_t n = 0;

	for (s = skip_spaces(s); *s; s = skip_spaces(s)) {
		size_t len = strspn(s, "-");

		if (len < RULE_LEAST || (s[len] && s[len] != ' '))
			return 0;
		s += len;
		n++;
	}
	return n;
}

static const char *skip_pointers(const char *s)
{
	return s + strspn(s, "\\| ");
}

/* Heads of figures: how many columns of values there are; 0 when it is no such line. *rest is
 * behind the pointers that a mailer has put into the same line. */
static size_t count_heads(const char *s, bool *is_loose, const char **rest)
{
	size_t values = 0, others = 0;

	*is_loose = false;
	*rest = s;
	for (s = skip_spaces(s); *s; s = skip_spaces(s + word_length(s))) {
		size_t n = word_length(s);

		if ((n == 7 && !memcmp(s, "%stddev", 7)) || (n == 9 && !memcmp(s, "fail:runs", 9)))
			values++;
		else if ((n == 7 && !memcmp(s, "%change", 7)) ||
			 (n == 13 && !memcmp(s, "%reproduction", 13)))
			others++;
		else if (n == 6 && !memcmp(s, "change", 6))
			others++, *is_loose = true;
		else if ((*s == '\\' || *s == '|') && n == 1)
			break;
		else
			return 0;
	}
	*rest = skip_pointers(s);
	return values + (values ? 0 : others);
}

static bool is_path_names(const char *s, size_t n)
{
	return memchr(s, '/', n) && (memmem(s, n, "testcase", 8) || memmem(s, n, "testbox", 7) ||
				     memmem(s, n, "tbox_group", 10));
}

/* A line that is nothing but names of commits begins a head, or goes on with one. */
static bool read_head(struct reader *r, size_t i)
{
	const struct mail_line *l = &r->m->lines[i];
	struct head *h = &r->heads[l->depth], new = {.line = i, .last = i};
	const char *s = skip_spaces(l->s);

	if (l->len > MAIL_TEXT_MAX || !*s || strchr("=*|+\"([<", *s))
		return false;
	if (h->given && h->last + 1 == i && i < h->line + HEAD_LINES)
		new = *h;
	for (; *s; s = skip_spaces(s + word_length(s))) {
		size_t n = word_length(s);

		if (is_path_names(s, n) && (!s[n] || count_dashes(s + n))) {
			new.path_names = arena_strn(r->m->a, s, n);
			break;
		}
		if (new.n == MAIL_COLUMNS_MAX || !mail_is_commit_name(s, n))
			return false;
		new.words[new.n++] = s;
	}
	new.last = i;
	new.given = new.n > 0;
	*h = new;
	return new.given;
}

/* Heads that are no names of commits, under a rule with as many parts: the list above names them.
 */
static bool head_from_words(struct reader *r, size_t i, size_t groups, struct head *h)
{
	const struct mail_line *l = &r->m->lines[i];
	const char *s = skip_spaces(l->s);

	*h = (struct head){.line = i, .last = i, .given = true};
	for (; *s && h->n < MAIL_COLUMNS_MAX; s = skip_spaces(s + word_length(s)))
		h->words[h->n++] = s;
	return !*s && h->n == groups && l->len <= MAIL_TEXT_MAX;
}

static const struct mail_block *block_for(const struct mail *m, unsigned depth)
{
	for (size_t i = m->nblocks; i-- > 0;) {
		if (m->blocks[i]->depth == depth)
			return m->blocks[i];
	}
	return m->nblocks ? m->blocks[m->nblocks - 1] : NULL;
}

/* Heads are cut, and two that were cut can be alike: the list has the same names in the same order,
 * with some left out. What is in it and is longer takes a head's place. */
static void name_heads(const struct reader *r, struct mail_table *t, const struct head *list)
{
	const char *found[MAIL_COLUMNS_MAX];
	size_t at = 0;

	for (size_t c = 0; c < t->ncolumns; c++) {
		while (at < list->n && !mail_names_head(list->words[at], t->heads[c]))
			at++;
		if (at == list->n)
			return;
		found[c] = list->words[at++];
	}
	for (size_t c = 0; c < t->ncolumns; c++) {
		if (word_length(found[c]) > strlen(t->heads[c]))
			t->heads[c] = arena_strn(r->m->a, found[c], word_length(found[c]));
	}
}

static void open_table(struct reader *r, unsigned depth, const struct head *h)
{
	struct mail_table t = {.line = h->line, .depth = depth, .ncolumns = h->n};

	for (size_t i = 0; i < h->n; i++) {
		t.heads[i] = arena_strn(r->m->a, h->words[i], word_length(h->words[i]));
		mail_commit_add(r->m, h->words[i], word_length(h->words[i]), NULL, NULL);
	}
	name_heads(r, &t, &r->full[depth]);
	t.path_names = h->path_names;
	t.block = block_for(r->m, depth);
	r->open[depth] = mail_table_add(r->m, &t);
	r->heads[depth].given = false;
	r->listed[depth].n = 0;
	r->lists[depth] = false;
	r->table = NULL;
}

/* A rule under a row of commits opens its table. Rules can be wrapped like the row. */
static bool read_rule(struct reader *r, size_t i)
{
	const struct mail_line *l = &r->m->lines[i];
	struct head *h = &r->heads[l->depth], words;
	size_t groups = l->len <= MAIL_TEXT_MAX ? count_dashes(l->s) : 0, next = i + 1;
	const char *rest;
	bool is_loose;

	if (!groups)
		return false;
	if (h->given && h->n >= 2 && h->last + 2 >= i) {
		open_table(r, l->depth, h);
		return true;
	}
	while (next < r->m->nlines && !r->m->lines[next].len && next < i + 2)
		next++;
	if (groups >= 2 && i > 0 && !count_dashes(r->m->lines[i - 1].s) && next < r->m->nlines &&
	    r->m->lines[i - 1].depth == l->depth && r->m->lines[next].depth == l->depth &&
	    count_heads(r->m->lines[next].s, &is_loose, &rest) &&
	    head_from_words(r, i - 1, groups, &words))
		open_table(r, l->depth, &words);
	return true;
}

/* "%stddev %change %stddev", and without a rule the table that it opens. */
static bool read_heads_of_figures(struct reader *r, size_t i)
{
	const struct mail_line *l = &r->m->lines[i];
	const char *s = skip_spaces(l->s), *rest;
	struct head *h = &r->heads[l->depth];
	bool is_loose;
	size_t n;

	if ((*s == '\\' || *s == '|') && !*skip_pointers(s))
		return true;
	if (!strchr("%fc", *s) || l->len > MAIL_TEXT_MAX || !(n = count_heads(s, &is_loose, &rest)))
		return false;
	if (h->given && h->n >= 2 && h->last + 2 >= i)
		open_table(r, l->depth, h);
	h = &r->listed[l->depth];
	if (!r->open[l->depth] && h->n >= 2 && n == h->n)
		open_table(r, l->depth, h);
	if (!r->open[l->depth])
		return true;
	r->open[l->depth]->is_loose |= is_loose;
	if (*rest)
		begin_row(r, r->open[l->depth], i, rest);
	return true;
}

/* A row of figures right below a row of commits: the rule was lost. */
static bool read_first_row(struct reader *r, size_t i)
{
	const struct mail_line *l = &r->m->lines[i];
	const struct head *h = &r->heads[l->depth];
	struct mail_row row;

	if (!h->given || h->n < 2 || h->last + 1 != i ||
	    mail_row_parse(l->s, l->len, h->n, false, &row) != ROW_WHOLE)
		return false;
	open_table(r, l->depth, h);
	if (r->open[l->depth])
		take_row(r, r->open[l->depth], &row);
	return true;
}

/* --- what is between tables ---------------------------------------------------------------------
 */

/* Two or more names of commits, and nothing else. */
static bool is_row_of_commits(const char *s)
{
	size_t n = 0;

	for (s = skip_spaces(s); *s; s = skip_spaces(s + word_length(s)), n++) {
		if (!mail_is_commit_name(s, word_length(s)))
			return false;
	}
	return n > 1;
}

/* "commit:" alone begins a list. */
static bool read_list(struct reader *r, size_t i, size_t *next)
{
	const struct mail_line *l = &r->m->lines[i];
	const char *s = skip_spaces(l->s);

	if (strcmp(s, "commit:") == 0) {
		r->lists[l->depth] = true;
		r->open[l->depth] = NULL;
		r->listed[l->depth] = r->full[l->depth] = (struct head){.line = i};
		return true;
	}
	if (!r->lists[l->depth])
		return false;
	if (l->len <= MAIL_TEXT_MAX && !is_row_of_commits(s) &&
	    mail_commit_entry(r->m, i, s, next)) {
		struct head *h = &r->listed[l->depth];

		if (h->n < MAIL_COLUMNS_MAX)
			h->words[h->n++] = s;
		r->full[l->depth] = *h;
		return true;
	}
	r->lists[l->depth] = false;
	return false;
}

static bool read_block(struct reader *r, size_t i, size_t *next)
{
	const struct mail_line *l = &r->m->lines[i];
	struct mail_block *b;

	if (mail_is_rule(l, '=', 20) || mail_is_rule(l, '*', 20)) {
		r->open[l->depth] = NULL;
		return true;
	}
	if (!islower((unsigned char)*skip_spaces(l->s)) || !(b = mail_block_read(r->m, i, next)))
		return false;
	r->open[l->depth] = NULL;
	r->m->blocks = arena_grow(r->m->a, r->m->blocks, &r->m->blocks_cap, r->m->nblocks + 1,
				  sizeof(*r->m->blocks));
	r->m->blocks[r->m->nblocks++] = b;
	return true;
}

static bool is_sentence(const struct mail_line *l)
{
	size_t plain = 0;

	if (l->len == 2 && memcmp(l->s, "--", 2) == 0)
		return true;
	for (const char *s = skip_spaces(l->s); *s && plain < WORDS_TO_END;
	     s = skip_spaces(s + word_length(s))) {
		size_t n = word_length(s), letters = strspn(s, "abcdefghijklmnopqrstuvwxyz"
							       "ABCDEFGHIJKLMNOPQRSTUVWXYZ'");
		plain += letters == n || (letters + 1 == n && strchr(".,:;!?", s[n - 1]));
	}
	return plain == WORDS_TO_END;
}

static void read_line(struct reader *r, size_t i, size_t *next)
{
	const struct mail_line *l = &r->m->lines[i];

	if (r->lists[l->depth] && read_list(r, i, next))
		return;
	if (mail_boots_read(r->m, i, next) || read_first_row(r, i) || read_row(r, i, next))
		return;
	if (read_rule(r, i) || read_heads_of_figures(r, i) || read_list(r, i, next) ||
	    read_block(r, i, next))
		return;
	if (!read_head(r, i) && r->open[l->depth] && is_sentence(l))
		r->open[l->depth] = NULL;
}

void mail_tables_read(struct mail *m)
{
	struct reader r = {.m = m, .part = UINT_MAX};

	for (size_t i = 0, next; i < m->nlines && !mail_is_full(m); i = next) {
		const struct mail_line *l = &m->lines[i];

		next = i + 1;
		if (l->part != r.part) {
			memset(r.open, 0, sizeof(r.open));
			memset(r.heads, 0, sizeof(r.heads));
			memset(r.lists, 0, sizeof(r.lists));
			memset(r.listed, 0, sizeof(r.listed));
			memset(r.full, 0, sizeof(r.full));
			r.table = NULL;
			r.part = l->part;
		}
		if (l->len)
			read_line(&r, i, &next);
		else
			r.lists[l->depth] = false;
	}
}
