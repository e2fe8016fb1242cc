/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * OpenMetrics and Prometheus' text: gauges, and what has no type. Counters, histograms, summaries
 * and states are left out: they count since a start that is not told. A metric is called as in the
 * file, its labels in braces, sorted; labels commit, tree, testcase and tbox_group say what they
 * are called. The same name and labels again, at another time, is one more run. A file that does
 * not end with "# EOF" must at least end with a line end: else its last number may be cut.
 */
#include "importers/formats.h"
#include "importers/line_groups.h"
#include "importers/result_file.h"
#include "server/base/arena.h"
#include "server/base/clock.h"

#define LABELS_MAX  64
#define TEXT_SIZE   4096
#define GROUPS_MAX  20000  /* commits, testcases, machines */
#define TYPED_MAX   200000 /* metrics that a comment tells something of */
#define ASKED_EVERY 1000   /* lines */

enum { OWN_COMMIT, OWN_TREE, OWN_TESTCASE, OWN_MACHINE, OWNS };
static const char *const own_names[OWNS] = {"commit", "tree", "testcase", "tbox_group"};

struct label {
	char *name, *value; /* value as in the file, with its escapes */
};

struct sample_line {
	char name[TEXT_SIZE], full[2 * TEXT_SIZE];
	struct label labels[LABELS_MAX];
	size_t nlabels;
	double v, time; /* time: NAN */
};

struct family {
	bool taken;
	const char *unit;
};

struct reading {
	struct import *in;
	struct ctx *c;
	struct arena *own, *line_arena; /* line_arena: of the line that is read */
	struct text_map names;
	struct family *families; /* by number in names */
	size_t family_cap;
	struct line_groups groups;
	struct sample_line *sample;
	long line;
	bool ended;
};

static void refuse(struct reading *g, const char *what)
{
	char place[32];

	snprintf(place, sizeof(place), "line %ld", g->line);
	fault(g->c, place, "%s", what);
}

static struct family *family(struct reading *g, const char *name, size_t n)
{
	bool fresh;
	size_t i = text_map_add(&g->names, name, n, &fresh);

	g->families = arena_grow(g->own, g->families, &g->family_cap, i + 1, sizeof(*g->families));
	if (fresh)
		g->families[i].taken = true;
	return &g->families[i];
}

/* "# TYPE name gauge", "# UNIT name seconds", "# EOF" */
static void read_comment(struct reading *g, const char *line)
{
	char word[16], name[TEXT_SIZE], rest[256];
	const char *p = line + 1;

	if (!text_word(&p, word, sizeof(word)))
		return;
	if (!strcmp(word, "EOF"))
		g->ended = true;
	if (!text_word(&p, name, sizeof(name)) || !text_word(&p, rest, sizeof(rest)))
		return;
	if (!strcmp(word, "TYPE"))
		family(g, name, strlen(name))->taken = !strcmp(rest, "gauge") ||
						       !strcmp(rest, "unknown") ||
						       !strcmp(rest, "untyped");
	else if (!strcmp(word, "UNIT") && !family(g, name, strlen(name))->unit)
		family(g, name, strlen(name))->unit = arena_str(g->own, rest);
}

/* Whether it is a gauge's; *unit as the file says. */
static bool is_taken(struct reading *g, const char *name, const char **unit)
{
	static const char *const ends[] = {"_total",   "_bucket", "_sum",  "_count",
					   "_created", "_info",   "_gsum", "_gcount"};
	size_t n = strlen(name), i = text_map_find(&g->names, name, n);

	*unit = NULL;
	if (i != TEXT_MAP_NONE) {
		*unit = g->families[i].unit;
		return g->families[i].taken;
	}
	for (size_t k = 0; k < sizeof(ends) / sizeof(ends[0]); k++) {
		size_t len = strlen(ends[k]);

		if (n <= len || strcmp(name + n - len, ends[k]) != 0)
			continue;
		i = text_map_find(&g->names, name, n - len);
		if (i != TEXT_MAP_NONE && !g->families[i].taken)
			return false;
	}
	return true;
}

/* {a="b",c="d"}; *pp behind it. The line is cut to pieces. */
static bool read_labels(struct sample_line *s, char **pp)
{
	char *p = *pp + 1;

	for (;;) {
		p += strspn(p, " \t,");
		if (*p == '}')
			break;
		if (s->nlabels == LABELS_MAX)
			return false;
		s->labels[s->nlabels].name = p;
		p += strcspn(p, "= \t\"{}");
		if (*p != '=' || p[1] != '"')
			return false;
		*p = '\0';
		p += 2;
		s->labels[s->nlabels++].value = p;
		while (*p && *p != '"')
			p += *p == '\\' && p[1] ? 2 : 1;
		if (!*p)
			return false;
		*p++ = '\0';
	}
	*pp = p + 1;
	return true;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct label *)a)->name, ((const struct label *)b)->name);
}

/* NaN and infinities are numbers that are left out. */
static bool read_number(const char **p, double *v)
{
	char word[64];
	const char *at = *p, *end = word;

	if (!text_word(&at, word, sizeof(word)))
		return false;
	*p = at;
	if (text_number(&end, false, v) && !*end)
		return true;
	*v = (double)NAN;
	end = word + (*word == '+' || *word == '-');
	return !strcasecmp(end, "nan") || !strcasecmp(end, "inf") || !strcasecmp(end, "infinity");
}

static bool parse(struct sample_line *s, char *line)
{
	size_t n = strcspn(line, " \t{");
	char *p = line + n;
	const char *rest;

	s->nlabels = 0;
	s->time = (double)NAN;
	if (!n || n >= sizeof(s->name))
		return false;
	memcpy(s->name, line, n);
	s->name[n] = '\0';
	p += strspn(p, " \t");
	if (*p == '{' && !read_labels(s, &p))
		return false;
	rest = p;
	if (!read_number(&rest, &s->v))
		return false;
	rest = past_spaces(rest);
	return !*rest || *rest == '#' || read_number(&rest, &s->time);
}

static size_t group_of(struct reading *g, const char *const *own)
{
	char key[OWNS * (JSON_NAME_MAX + 1)];
	bool fresh;
	size_t n = (size_t)snprintf(key, sizeof(key), "%s\x1f%s\x1f%s\x1f%s", own[OWN_COMMIT],
				    own[OWN_TREE], own[OWN_TESTCASE], own[OWN_MACHINE]);

	return text_map_add(&g->groups.keys, key, n < sizeof(key) ? n : sizeof(key) - 1, &fresh);
}

/* Labels that are no names of ours go into braces behind the name, as far as there is room. */
static const char *full_name(struct reading *g, struct sample_line *s, const char **own)
{
	size_t n = strlen(s->name);
	char comma = '{';

	for (size_t i = 0; i < OWNS; i++)
		own[i] = "";
	memcpy(s->full, s->name, n + 1);
	if (s->nlabels)
		qsort(s->labels, s->nlabels, sizeof(*s->labels), by_name);
	for (size_t i = 0; i < s->nlabels; i++) {
		const struct label *l = &s->labels[i];
		size_t k, room = sizeof(s->full) - n;

		for (k = 0; k < OWNS && strcmp(own_names[k], l->name) != 0; k++)
			;
		if (k < OWNS) {
			own[k] = result_clean(g->line_arena, l->value,
					      strnlen(l->value, JSON_NAME_MAX));
			continue;
		}
		n += (size_t)snprintf(s->full + n, room, "%c%s=\"%s\"", comma, l->name, l->value);
		if (n >= sizeof(s->full) - 1)
			return NULL;
		comma = ',';
	}
	if (comma == ',')
		memcpy(s->full + n, "}", 2);
	return s->full;
}

/* The first time: which submission the line belongs to. */
static void place_sample(struct reading *g, const struct output_lines *l, const char *begin,
			 char *line)
{
	const char *own[OWNS], *unit;

	if (!parse(g->sample, line)) {
		refuse(g, "is neither a comment nor a sample: name{label=\"…\"} number");
		return;
	}
	if (!is_taken(g, g->sample->name, &unit)) {
		line_groups_break(&g->groups);
		return;
	}
	if (isnan(g->sample->v))
		return;
	if (full_name(g, g->sample, own))
		line_groups_add(&g->groups, group_of(g, own), l, begin);
	else
		refuse(g, "the labels are too long");
}

static void place_lines(struct reading *g, const char *bytes, size_t n)
{
	const char *begin = bytes;
	struct output_lines l;
	char *line;

	output_lines_begin(&l, bytes, n);
	for (;
	     (line = output_line(&l)) && g->groups.keys.n <= GROUPS_MAX && g->names.n <= TYPED_MAX;
	     begin = l.t.p) {
		arena_reset(g->line_arena);
		g->line = l.t.number;
		line += strspn(line, " \t");
		if (*line && g->ended)
			refuse(g, "stands behind # EOF");
		else if (*line == '#')
			read_comment(g, line);
		else if (*line)
			place_sample(g, &l, begin, line);
		if (g->line % ASKED_EVERY == 0 && g->in->after_document &&
		    g->in->after_document(g->in->after_arg) < 0)
			break;
	}
	output_lines_end(&l);
}

/* The second time: its figure. */
static void take_sample(struct reading *g, struct samples *to, char *line)
{
	struct submission *sub = record_submission(samples_record(to));
	struct sample_line *s = g->sample;
	const char *own[OWNS], *unit, *name;

	arena_reset(g->line_arena);
	line += strspn(line, " \t");
	if (*line == '#' || !parse(s, line) || isnan(s->v) || !(name = full_name(g, s, own)))
		return;
	is_taken(g, s->name, &unit);
	samples_add(to, unit, s->v, "%s", name);
	if (s->time > 1e11) /* Prometheus tells milliseconds */
		s->time /= 1000;
	if (s->time > 0 && s->time < 1e11 &&
	    (sub->started == TIME_NONE || s->time < (double)sub->started))
		sub->started = (int64_t)s->time;
}

/* What is called so, from its first line on. */
static struct samples *begin_group(struct reading *g, char *line)
{
	const char *own[OWNS];
	struct samples *s;
	struct record *r;
	char *copy = arena_str(g->line_arena, line + strspn(line, " \t"));

	parse(g->sample, copy);
	full_name(g, g->sample, own);
	s = samples_begin_bare(g->in, *own[OWN_TESTCASE] ? own[OWN_TESTCASE] : NULL);
	r = samples_record(s);
	record_axis(r, "tbox_group", own[OWN_MACHINE]);
	record_commit(r, own[OWN_COMMIT]);
	if (*own[OWN_TREE])
		record_submission(r)->commit.tree = arena_str(record_arena(r), own[OWN_TREE]);
	return s;
}

static int take_groups(struct reading *g)
{
	for (size_t i = 0; i < g->groups.keys.n; i++) {
		struct samples *s = NULL;
		char *line;

		while ((line = line_groups_next(&g->groups, i, &g->line))) {
			if (!s)
				s = begin_group(g, line);
			take_sample(g, s, line);
		}
		samples_end(s);
	}
	return g->c->err;
}

int import_openmetrics(struct import *in, const char *bytes, size_t n)
{
	auto_arena struct arena *line = arena_new();
	struct arena *own = in->ctx->arena;
	struct reading g = {.in = in, .c = in->ctx, .own = own, .line_arena = line};

	g.sample = arena_array(own, struct sample_line, 1);
	text_map_init(&g.names, own);
	line_groups_init(&g.groups, own, bytes);
	place_lines(&g, bytes, n);
	if (g.groups.keys.n > GROUPS_MAX)
		return fail(g.c, E_TOO_LARGE,
			    "the file has more than %d commits and machines: import it in parts",
			    GROUPS_MAX);
	if (g.names.n > TYPED_MAX)
		return fail(
			g.c, E_TOO_LARGE,
			"line %ld: more than %d metrics have a type or unit: import it in parts",
			g.line, TYPED_MAX);
	if (!g.ended && n && bytes[n - 1] != '\n')
		refuse(&g, "the file ends inside a line and without # EOF: it was cut");
	if (g.c->err == E_TOO_LARGE)
		return g.c->err;
	if (!g.groups.keys.n && !g.c->err)
		return fail(g.c, E_INVALID, "no gauge was found in it");
	return take_groups(&g);
}

int openmetrics_sniff(const char *bytes, size_t n)
{
	if (sniff_line(bytes, n, "# TYPE ") || sniff_line(bytes, n, "# HELP "))
		return 95;
	return sniff_line(bytes, n, "# EOF") ? 90 : 0;
}
