/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands above a table and says of what it is: the axes block, in its two forms, and the paths
 * of old tables' rows.
 *
 *	===========
 *	compiler/kconfig/tbox_group/testcase:
 *	  gcc-12/x86_64-rhel-8.3/lkp-icl-2sp2/hackbench
 *	testcase/path_params/tbox_group/run: will-it-scale/unlink2-performance/lkp-sb03
 */
#include "importers/robot_mail.h"

#include "server/base/arena.h"

#define BLOCK_LINES 6 /* over which names, or values, are wrapped */
#define AXES_MAX    100
#define EMPTY_LINES 3
#define LINES_ABOVE 10 /* in which a machine is described */

static const char *skip_spaces(const char *s)
{
	return s + strspn(s, " ");
}

bool mail_is_rule(const struct mail_line *l, char c, size_t n)
{
	const char *s = skip_spaces(l->s);
	size_t len = l->len - (size_t)(s - l->s);

	if (len < n)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (s[i] != c)
			return false;
	}
	return true;
}

/* Each is a word of some block; the machine or the test is in every one. */
static bool has_axis(const char *s, size_t n)
{
	static const char *const words[] = {"testcase", "tbox_group", "testbox"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (memmem(s, n, words[i], strlen(words[i])))
			return true;
	}
	return false;
}

/* "a/b/c:" of axis names; the length without the colon, or 0. */
static size_t names_length(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+");

	return n && s[n] == ':' && (!s[n + 1] || s[n + 1] == ' ') && memchr(s, '/', n) &&
			       has_axis(s, n)
		       ? n
		       : 0;
}

static bool goes_on(const struct mail *m, size_t i, const struct mail_line *first)
{
	return i < m->nlines && m->lines[i].len && m->lines[i].depth == first->depth &&
	       m->lines[i].part == first->part && m->lines[i].len <= MAIL_TEXT_MAX;
}

static size_t count_parts(const char *s)
{
	size_t n = 1;

	for (; *s; s++)
		n += *s == '/';
	return n;
}

/* Names as we call them: what old tables call otherwise is the same thing. */
static const char *axis_name(const char *name)
{
	return strcmp(name, "testbox") == 0 ? "tbox_group" : name;
}

/* Names that end at a line's end without a colon go on in the next; *i is then the last line. */
static const char *read_names(struct mail *m, size_t *i, bool after_rule)
{
	const struct mail_line *first = &m->lines[*i];
	const char *s = skip_spaces(first->s);
	size_t at = *i;

	if (names_length(s))
		return s;
	if (!after_rule || !strchr(s, '/') || strchr(s, ' ') || first->len > MAIL_TEXT_MAX)
		return NULL;
	for (int k = 0; k < BLOCK_LINES && goes_on(m, at + 1, first); k++) {
		s = arena_fmt(m->a, "%s%s", s, skip_spaces(m->lines[++at].s));
		if (names_length(s)) {
			*i = at;
			return s;
		}
	}
	return NULL;
}

/* The line of values from line i on, behind the empty lines that a mailer puts before what it could
 * not wrap; 0: there is none. */
static size_t line_of_values(const struct mail *m, size_t i, const struct mail_line *first)
{
	size_t at = i;

	while (at < m->nlines && at < i + EMPTY_LINES && !m->lines[at].len)
		at++;
	return goes_on(m, at, first) && (at == i || strchr(m->lines[at].s, '/')) ? at : 0;
}

/* The values behind the names or in the next lines: as many as there are names. */
static const char *read_values(struct mail *m, size_t *i, const char *rest, size_t wanted)
{
	const struct mail_line *first = &m->lines[*i];
	size_t at = *i;

	rest = skip_spaces(rest);
	if (!*rest) {
		at = line_of_values(m, at + 1, first);
		if (!at)
			return NULL;
		rest = skip_spaces(m->lines[at].s);
	}
	for (int k = 0; k < BLOCK_LINES && count_parts(rest) < wanted && goes_on(m, at + 1, first);
	     k++) {
		const char *next = skip_spaces(m->lines[at + 1].s);

		if (strchr(next, ' ') || strncmp(next, "commit", 6) == 0)
			break;
		rest = arena_fmt(m->a, "%s%s", rest, next);
		at++;
	}
	if (strchr(rest, ' ') && count_parts(rest) != wanted)
		return NULL; /* a sentence; a value can have spaces */
	*i = at;
	return rest;
}

/* A value with a slash in it makes more values than names. Parameters in one piece may have some;
 * else the machine's is known by its look, and what is too many is before it or behind it. */
static size_t surplus_at(const char *names, const char *values, size_t surplus)
{
	size_t at = 0, machine = SIZE_MAX, name = 0, found = 0;

	for (const char *s = values; *s; s += strcspn(s, "/"), s += *s == '/', at++) {
		if (strncmp(s, "lkp-", 4) == 0 || strncmp(s, "vm-", 3) == 0)
			machine = at;
	}
	for (const char *s = names; *s && *s != ':';
	     s += strcspn(s, "/:"), s += *s == '/', name++) {
		if (strncmp(s, "testparams", 10) == 0 || strncmp(s, "path_params", 11) == 0)
			return name;
		if (strncmp(s, "tbox_group", 10) == 0 && machine != SIZE_MAX)
			found = machine == name + surplus ? 0 : name + 1;
	}
	return found;
}

static void add_axes(struct mail *m, struct mail_block *b, const char *names, const char *values)
{
	size_t wanted = count_parts(arena_strn(m->a, names, strcspn(names, ":"))), cap = 0;
	size_t have = count_parts(values), surplus = have > wanted ? have - wanted : 0;
	size_t at = surplus ? surplus_at(names, values, surplus) : 0;

	for (size_t k = 0; *names && *names != ':' && *values && k < AXES_MAX; k++) {
		size_t n = strcspn(names, "/:"), v = strcspn(values, "/");

		for (size_t more = surplus; k == at && more && values[v]; more--)
			v += 1 + strcspn(values + v + 1, "/");
		mail_pair_add(m, &b->axes, &b->naxes, &cap, axis_name(arena_strn(m->a, names, n)),
			      arena_strn(m->a, values, v));
		names += n + (names[n] == '/');
		values += v + (values[v] == '/');
	}
}

/* The nearest line above the block's rule that describes a machine, before what ends a table. */
static void find_machine(struct mail *m, struct mail_block *b)
{
	size_t cap = b->naxes;
	const char *name;

	for (size_t k = b->line - 1; k-- > 0 && k + LINES_ABOVE >= b->line;) {
		const struct mail_line *l = &m->lines[k];

		if (l->depth != b->depth || l->part != m->lines[b->line].part || !l->len)
			continue;
		if (mail_is_rule(l, '=', 20) || mail_is_rule(l, '*', 20))
			return;
		b->machine = mail_machine_line(m, l, &name);
		if (!b->machine)
			continue;
		if (name)
			mail_pair_add(m, &b->axes, &b->naxes, &cap, "tbox_group", name);
		return;
	}
}

struct mail_block *mail_block_read(struct mail *m, size_t i, size_t *next)
{
	const struct mail_line *l = &m->lines[i];
	bool after_rule = i > 0 && mail_is_rule(&m->lines[i - 1], '=', 20) &&
			  m->lines[i - 1].depth == l->depth;
	const char *names, *values;
	struct mail_block *b;
	size_t n;

	if (l->len > MAIL_TEXT_MAX || (!after_rule && !names_length(skip_spaces(l->s))))
		return NULL;
	names = read_names(m, &i, after_rule);
	if (!names)
		return NULL;
	n = names_length(names);
	values = read_values(m, &i, names + n + 1, count_parts(arena_strn(m->a, names, n)));
	if (!values)
		return NULL;
	b = arena_array(m->a, struct mail_block, 1);
	*b = (struct mail_block){.line = (size_t)(l - m->lines), .depth = l->depth};
	add_axes(m, b, names, values);
	if (after_rule)
		find_machine(m, b);
	*next = i + 1;
	return b;
}

static bool looks_like_machine(const char *s, size_t n)
{
	return (n > 4 && (strncmp(s, "lkp-", 4) == 0 || strncmp(s, "vm-", 3) == 0)) ||
	       (n > 3 && memchr(s, '-', n) == NULL && s[n - 1] >= '0' && s[n - 1] <= '9');
}

/* "lkp-nex05/micro/netperf/120s-200%-TCP_SENDFILE": machine, kind of test where there are four
 * parts, test, parameters. The other way round the machine is last. */
static void unnamed_path(struct mail *m, const char *path, struct pair **pairs, size_t *n,
			 size_t *cap)
{
	size_t first = strcspn(path, "/"), len;
	const char *last = strrchr(path, '/');

	if (!looks_like_machine(path, first) && last > path + first &&
	    looks_like_machine(last + 1, strlen(last + 1))) {
		mail_pair_add(m, pairs, n, cap, "tbox_group", last + 1);
		path = arena_strn(m->a, path, (size_t)(last - path));
	} else if (path[first]) {
		bool has_kind = count_parts(path) > 3;

		mail_pair_add(m, pairs, n, cap, "tbox_group", arena_strn(m->a, path, first));
		path += first + 1;
		if (has_kind)
			path += strcspn(path, "/") + 1;
	}
	len = strcspn(path, "/");
	mail_pair_add(m, pairs, n, cap, "testcase", arena_strn(m->a, path, len));
	if (path[len])
		mail_pair_add(m, pairs, n, cap, "path_params", path + len + 1);
}

void mail_path_axes(struct mail *m, const char *names, const char *path, struct pair **pairs,
		    size_t *n, size_t *cap)
{
	struct mail_block b = {0};

	if (!names || count_parts(names) > count_parts(path)) {
		unnamed_path(m, path, pairs, n, cap);
		return;
	}
	add_axes(m, &b, names, path);
	for (size_t i = 0; i < b.naxes; i++)
		mail_pair_add(m, pairs, n, cap, b.axes[i].name, b.axes[i].value);
}
