/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a report says in words: the test, its parameters and machine, the commit that it is about
 * with its tree, patch and links, what it claims of it, and warnings of compilers. A mail can quote
 * several reports; each begins anew where it names its commit or test again.
 */
#include "importers/robot_mail.h"

#include <ctype.h>
#include <math.h>

#include "server/base/arena.h"
#include "server/base/num.h"

#define PARAMS_MAX   100
#define SETUPS_MAX   200
#define WARNINGS_MAX 200
#define HEX_RUN      28 /* longer than any head of a column */

static const char *skip_spaces(const char *s)
{
	return s + strspn(s, " ");
}

void mail_pair_add(struct mail *m, struct pair **pairs, size_t *n, size_t *cap, const char *name,
		   const char *value)
{
	if (!name || !value || !import_text_valid(name, MAIL_NAME_MAX) ||
	    !import_text_valid(value, MAIL_TEXT_MAX) || *n >= PARAMS_MAX ||
	    mail_pair_find(*pairs, *n, name))
		return;
	*pairs = arena_grow(m->a, *pairs, cap, *n + 1, sizeof(**pairs));
	(*pairs)[(*n)++] = (struct pair){name, value};
}

const char *mail_pair_find(const struct pair *pairs, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(pairs[i].name, name) == 0)
			return pairs[i].value;
	}
	return NULL;
}

const struct mail_setup *mail_setup_at(const struct mail *m, size_t line)
{
	const struct mail_setup *found = m->nsetups ? &m->setups[0] : NULL;

	for (size_t i = 0; i < m->nsetups && m->setups[i].line <= line; i++)
		found = &m->setups[i];
	return found;
}

const char *mail_machine_line(struct mail *m, const struct mail_line *l, const char **name)
{
	const char *s = skip_spaces(l->s), *colon = strchr(s, ':');
	size_t n = colon ? (size_t)(colon - s) : 0, digits;

	*name = NULL;
	if (colon && n && n < 64 && strcspn(s, " ") == n && colon[1] == ' ' &&
	    isalpha((unsigned char)*s) && strcspn(s, "0123456789") < n) {
		*name = arena_strn(m->a, s, n);
		s = skip_spaces(colon + 1);
	}
	digits = strspn(s, "0123456789");
	if (!digits || digits > 6 || strncmp(s + digits, " threads", 8) != 0 ||
	    l->len > MAIL_NAME_MAX)
		return NULL;
	return s;
}

static size_t word_length(const char *s)
{
	return strcspn(s, " ");
}

/* --- lines of a report --------------------------------------------------------------------------
 */

static struct mail_setup *add_setup(struct mail *m, size_t line)
{
	if (m->nsetups == SETUPS_MAX)
		return &m->setups[m->nsetups - 1];
	m->setups = arena_grow(m->a, m->setups, &m->setups_cap, m->nsetups + 1, sizeof(*m->setups));
	m->setups[m->nsetups] = (struct mail_setup){.line = line, .change = NAN};
	return &m->setups[m->nsetups++];
}

/* The report that is being read. Where a line says again what it has said, the next one begins. */
static struct mail_setup *last_setup(struct mail *m, size_t line)
{
	return m->nsetups ? &m->setups[m->nsetups - 1] : add_setup(m, line);
}

/* This line and those that it is wrapped over, up to three; one is the case. */
static const char *joined(struct mail *m, size_t i, size_t lines)
{
	const struct mail_line *l = &m->lines[i];
	const char *s = l->s;

	for (size_t k = 1; k < lines && i + k < m->nlines; k++) {
		const struct mail_line *next = &m->lines[i + k];

		if (!next->len || next->depth != l->depth || next->part != l->part ||
		    next->len > MAIL_TEXT_MAX)
			break;
		s = arena_fmt(m->a, "%s %s", s, skip_spaces(next->s));
	}
	return s;
}

static void read_claim(struct mail *m, size_t i)
{
	const char *s = strstr(m->lines[i].s, "noticed ");
	struct mail_setup claim = {0}, *to;

	if (!s || m->lines[i].len > MAIL_TEXT_MAX)
		return;
	s = strstr(joined(m, i, 3), "noticed ") + strlen("noticed ");
	if (strncmp(s, "a ", 2) == 0 || strncmp(s, "an ", 3) == 0)
		s = skip_spaces(s + 2);
	if (*s != '+' && *s != '-' && !isdigit((unsigned char)*s))
		return;
	if (!mail_claim_read(m, s, &claim))
		return;
	to = last_setup(m, i);
	if (to->metric || to->commit)
		to = add_setup(m, i);
	to->metric = claim.metric;
	to->verdict = claim.verdict;
	to->change = claim.change;
	to->is_signed = claim.is_signed;
}

/* "https://…/kernel/git/torvalds/linux.git master" -> "torvalds/linux". */
static const char *tree_of(struct mail *m, const char *url)
{
	size_t n = strcspn(url, " "), from;

	if (n > 4 && strncmp(url + n - 4, ".git", 4) == 0)
		n -= 4;
	from = n;
	for (int slashes = 0; from > 0; from--) {
		if (url[from - 1] == '/' && ++slashes == 2)
			break;
	}
	return from && from < n ? arena_strn(m->a, url + from, n - from) : NULL;
}

/* "commit: ID ("subject")", and the tree in the line behind it. */
static void read_commit(struct mail *m, size_t i, const char *s)
{
	struct mail_setup *to;
	size_t n = mail_hex_length(s), next;
	const char *id, *url;

	if (!n || !mail_commit_entry(m, i, s, &next))
		return;
	id = mail_commit_resolve(m, arena_strn(m->a, s, n)).name;
	to = last_setup(m, i);
	if (to->commit && strcmp(to->commit, id) != 0)
		to = add_setup(m, i);
	to->commit = id;
	to->subject = mail_commit_resolve(m, id).subject;
	if (next >= m->nlines)
		return;
	url = skip_spaces(m->lines[next].s);
	if (!to->tree && (strncmp(url, "https://git.", 12) == 0 || strncmp(url, "git://", 6) == 0))
		to->tree = tree_of(m, url);
}

/* "name: value" lines from i on, behind "parameters:" and empty lines. */
static void read_params(struct mail *m, size_t i)
{
	struct mail_setup *to = last_setup(m, i);
	const struct mail_line *head = &m->lines[i++];

	if (to->nparams)
		to = add_setup(m, i);
	for (int empty = 0; empty < 3 && i < m->nlines && !m->lines[i].len; empty++)
		i++;
	for (; i < m->nlines && m->lines[i].depth == head->depth && m->lines[i].len; i++) {
		const char *s = skip_spaces(m->lines[i].s);
		size_t n = strcspn(s, ": ");
		const char *value = s[n] == ':' ? skip_spaces(s + n + 1) : "";

		if (!n || s[n] != ':' || s[n + 1] != ' ' || n > MAIL_NAME_MAX ||
		    m->lines[i].part != head->part || strncmp(value, "//", 2) == 0)
			break;
		mail_pair_add(m, &to->params, &to->nparams, &to->params_cap, arena_strn(m->a, s, n),
			      arena_str(m->a, value));
	}
}

static void read_machine(struct mail *m, size_t i, const char *s)
{
	struct mail_setup *to = last_setup(m, i);
	const char *all = s, *colon = strchr(s, ':');
	size_t n = colon ? (size_t)(colon - s) : 0;

	if (m->lines[i].len > 60 && !strstr(s, "emory"))
		all = skip_spaces(strstr(joined(m, i, 2), s));
	if (to->machine)
		to = add_setup(m, i);
	if (colon && n && n < 64 && word_length(s) == n + 1 && isalpha((unsigned char)*s)) {
		to->machine_name = arena_strn(m->a, s, n);
		all = skip_spaces(strchr(all, ':') + 1);
	}
	to->machine = import_text_valid(all, MAIL_TEXT_MAX) ? all : NULL;
	if (to->machine_name && !import_text_valid(to->machine_name, MAIL_NAME_MAX))
		to->machine_name = NULL;
}

static void read_testcase(struct mail *m, size_t i, const char *s)
{
	struct mail_setup *to = last_setup(m, i);

	if (!*s || s[word_length(s)] || !import_text_valid(s, MAIL_NAME_MAX))
		return;
	if (to->testcase)
		to = add_setup(m, i);
	to->testcase = s;
}

/* "ivb44/vm-scalability/300s-migrate" */
static void read_path(struct mail *m, size_t i, const char *s)
{
	struct mail_setup *to = last_setup(m, i);

	if (!strchr(s, '/') || s[word_length(s)] || !import_text_valid(s, MAIL_NAME_MAX))
		return;
	if (to->testcase)
		to = add_setup(m, i);
	mail_path_axes(m, NULL, s, &to->params, &to->nparams, &to->params_cap);
	to->testcase = mail_pair_find(to->params, to->nparams, "testcase");
	to->machine_name = mail_pair_find(to->params, to->nparams, "tbox_group");
}

static const struct {
	const char *said, *name;
} links[] = {
	{"url: ", "url"},
	{"base: ", "base"},
	{"patch link: ", "patch_link"},
	{"patch subject: ", "patch_subject"},
	{"test-url: ", "test_url"},
	{"Closes: ", "closes"},
	{"Link: ", "link"},
	{"Fixes: ", "fixes"},
	{"Reported-by: ", "reported_by"},
	{"Tested-by: ", "tested_by"},
	{"version: ", "test_version"},
};

static void read_link(struct mail *m, const char *s)
{
	for (size_t k = 0; k < sizeof(links) / sizeof(links[0]); k++) {
		struct mail_setup *to;
		const char *value;

		if (strncmp(s, links[k].said, strlen(links[k].said)) != 0)
			continue;
		value = skip_spaces(s + strlen(links[k].said));
		if (!m->nsetups || !*value)
			return;
		to = &m->setups[m->nsetups - 1];
		mail_pair_add(m, &to->links, &to->nlinks, &to->links_cap, links[k].name, value);
		return;
	}
	if (strncmp(s, "https://download.01.org/0day-ci/archive/", 40) == 0 && m->nsetups) {
		struct mail_setup *to = &m->setups[m->nsetups - 1];

		mail_pair_add(m, &to->links, &to->nlinks, &to->links_cap, "materials", s);
	}
}

/* "mm/swap.c:727:6: warning: no previous prototype …" */
static void read_warning(struct mail *m, const char *s)
{
	const char *mark = strstr(s, ": warning: "), *colon = strchr(s, ':');
	struct warning w = {.line = -1, .column = -1};
	int64_t v[2] = {-1, -1};

	if (!mark || !colon || colon == s || memchr(s, ' ', (size_t)(colon - s)) ||
	    m->nwarnings == WARNINGS_MAX || !import_text_valid(s, MAIL_TEXT_MAX))
		return;
	w.file = arena_strn(m->a, s, (size_t)(colon - s));
	for (int k = 0; k < 2 && *colon == ':' && isdigit((unsigned char)colon[1]); k++) {
		size_t n = strspn(colon + 1, "0123456789");

		if (!num_parse_int(arena_strn(m->a, colon + 1, n), 0, INT32_MAX, &v[k]))
			return;
		colon += n + 1;
	}
	if (v[0] < 0 || colon != mark)
		return;
	w.line = v[0];
	w.column = v[1];
	w.message = mark + strlen(": warning: ");
	for (size_t i = 0; i < m->nwarnings; i++) {
		const struct warning *k = &m->warnings[i];

		if (k->line == w.line && k->column == w.column && !strcmp(k->file, w.file) &&
		    !strcmp(k->message, w.message))
			return;
	}
	if (!*w.message)
		return;
	m->warnings = arena_grow(m->a, m->warnings, &m->warnings_cap, m->nwarnings + 1,
				 sizeof(*m->warnings));
	m->warnings[m->nwarnings++] = w;
}

/* Commits in full, wherever they stand: one look every HEX_RUN bytes finds each. */
static void find_ids(struct mail *m, const struct mail_line *l)
{
	for (size_t i = HEX_RUN - 1; i < l->len; i += HEX_RUN) {
		size_t from = i, n;

		if (!isxdigit((unsigned char)l->s[i]))
			continue;
		while (from > 0 && i - from < HEX_RUN && isxdigit((unsigned char)l->s[from - 1]))
			from--;
		if (from > 0 && isalnum((unsigned char)l->s[from - 1]))
			continue;
		n = mail_hex_length(l->s + from);
		if (n >= HEX_RUN)
			mail_commit_add(m, l->s + from, n, NULL, NULL);
	}
}

static const char *after(const char *s, const char *with)
{
	size_t n = strlen(with);

	return strncmp(s, with, n) == 0 ? skip_spaces(s + n) : NULL;
}

/* "f71ed0f653e9d subject", as git log prints it; figures have no letters among their digits. */
static bool is_log_line(const char *s)
{
	size_t n = mail_hex_length(s);

	return n && strcspn(s, "abcdef") < n && s[n] == ' ' && !mail_hex_length(skip_spaces(s + n));
}

/* A sentence can begin like one: they come in numbers. */
static bool is_in_log(const struct mail *m, size_t i)
{
	const struct mail_line *l = &m->lines[i];

	return (i > 0 && l[-1].depth == l->depth && is_log_line(skip_spaces(l[-1].s))) ||
	       (i + 1 < m->nlines && l[1].depth == l->depth && is_log_line(skip_spaces(l[1].s)));
}

static void read_line(struct mail *m, size_t i)
{
	const char *s = skip_spaces(m->lines[i].s), *rest;
	size_t next;

	if (*s == '|' && s[1] == ' ') /* the box around a report's trailers */
		s = skip_spaces(s + 1);
	if ((rest = after(s, "commit: ")) && *rest)
		read_commit(m, i, rest);
	else if ((rest = after(s, "in testcase:")) || (rest = after(s, "testcase:")))
		read_testcase(m, i, rest);
	else if ((rest = after(s, "test case:")))
		read_path(m, i, rest);
	else if ((rest = after(s, "on test machine:")) || (rest = after(s, "test machine:")))
		read_machine(m, i, rest);
	else if (after(s, "with following parameters:") || after(s, "parameters:"))
		read_params(m, i);
	else if (strchr("ubptCLFRvh", *s) && *s)
		read_link(m, s);
	else if (is_log_line(s) && is_in_log(m, i))
		mail_commit_entry(m, i, s, &next);
	read_claim(m, i);
}

/* The report of the commit that the subject names, since "commit: ID" in the text may be of
 * another: then one that says the same of test and machine, and stands behind all tables. NULL:
 * there are too many. */
static struct mail_setup *setup_of(struct mail *m, const char *commit)
{
	struct mail_setup *to;

	for (size_t i = 0; i < m->nsetups; i++) {
		to = &m->setups[i];
		if (!to->commit || !commit || mail_same_commit(to->commit, commit))
			return to;
	}
	if (m->nsetups == SETUPS_MAX)
		return NULL;
	to = add_setup(m, m->nlines);
	if (m->nsetups > 1) {
		to->testcase = m->setups[0].testcase;
		to->machine = m->setups[0].machine;
		to->machine_name = m->setups[0].machine_name;
		to->params = m->setups[0].params;
		to->nparams = m->setups[0].nparams;
	}
	return to;
}

/* What no sentence claims the subject may: "[mm] 8cc621d2f4: fio.write_iops -21.8% regression". */
static void read_subject(struct mail *m)
{
	struct mail_setup claim = {0}, *to;
	const char *id = m->subject, *commit = NULL;

	for (size_t i = 0; i < m->nsetups; i++) {
		if (m->setups[i].metric)
			return;
	}
	if (!m->subject || !mail_claim_read(m, m->subject, &claim))
		return;
	while (*id && !(mail_hex_length(id) && id[mail_hex_length(id)] == ':'))
		id = skip_spaces(id + word_length(id));
	if (!*id && !m->nsetups)
		return;
	if (*id)
		commit = mail_commit_resolve(m, arena_strn(m->a, id, mail_hex_length(id))).name;
	to = setup_of(m, commit);
	if (!to)
		return;
	to->metric = claim.metric;
	to->verdict = claim.verdict;
	to->change = claim.change;
	to->is_signed = claim.is_signed;
	if (!to->commit)
		to->commit = commit;
}

void mail_facts_read(struct mail *m)
{
	for (size_t i = 0; i < m->nlines && !mail_is_full(m); i++) {
		const struct mail_line *l = &m->lines[i];
		const char *s = skip_spaces(l->s);

		if (!l->len)
			continue;
		if (l->len >= HEX_RUN)
			find_ids(m, l);
		if (l->len <= MAIL_TEXT_MAX && isalpha((unsigned char)*s))
			read_warning(m, s);
		/* figures are the greater part of most mails */
		if (l->len <= MAIL_TEXT_MAX &&
		    (isalpha((unsigned char)*s) || *s == '|' || is_log_line(s)))
			read_line(m, i);
	}
	read_subject(m);
}
