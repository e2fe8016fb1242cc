/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `go test -bench` prints: "BenchmarkName/k=v-8  N  value unit [value unit …]". Names are
 * <Name/k=v-8>.<unit>; the same line again is one more run; "--- FAIL: Benchmark…" is <Name>.fail.
 * Lines "key: value" before them tell the setup: pkg is an axis, commit, tree, tbox_group and date
 * are what they say, commit-time is the commit's date, all others are info. After another pkg,
 * commit or machine it is another submission. "Unit u better=…" is kept as info, since rules by
 * name tell here which way is good.
 */
#include "importers/formats.h"
#include "importers/line_groups.h"
#include "importers/result_file.h"
#include "server/base/arena.h"
#include "server/base/clock.h"

#define WORD_MAX    1024
#define GROUPS_MAX  20000 /* packages, commits, machines */
#define INFO_MAX    100   /* other keys */
#define ASKED_EVERY 1000  /* lines */

enum { KEY_PKG, KEY_COMMIT, KEY_TREE, KEY_MACHINE, KEY_TESTCASE, KEY_DATE, KEY_COMMIT_TIME, KEYS };
static const char *const key_names[KEYS] = {"pkg",      "commit", "tree",       "tbox_group",
					    "testcase", "date",   "commit-time"};

/* What was said before the first line of a submission. */
struct setup {
	const char *said[KEYS]; /* "": nothing */
	const struct pair *info;
	size_t ninfo;
};

struct reading {
	struct import *in;
	struct ctx *c;
	struct arena *own, *line_arena;
	struct text_map texts; /* each once, however often it is said */
	struct line_groups groups;
	struct setup *setups; /* by number in groups */
	size_t cap, now;      /* now: TEXT_MAP_NONE after the setup has changed */
	struct setup last;
	struct pair *info; /* the same as last.info; NULL: a submission has it */
	size_t info_cap;
	struct samples *s; /* of the group that is read again */
	long line;
};

static const char *keep(struct reading *g, const char *text, size_t n)
{
	bool fresh;
	size_t i = text_map_add(&g->texts, text, n, &fresh); /* may move the list */

	return g->texts.list[i].text;
}

static size_t group(struct reading *g)
{
	const char *const *said = g->last.said;
	char key[KEYS * (JSON_NAME_MAX + 1)];
	bool fresh;
	int n;

	if (g->now != TEXT_MAP_NONE)
		return g->now;
	n = snprintf(key, sizeof(key), "%s\x1f%s\x1f%s\x1f%s\x1f%s", said[KEY_PKG],
		     said[KEY_COMMIT], said[KEY_TREE], said[KEY_MACHINE], said[KEY_TESTCASE]);
	g->now = text_map_add(&g->groups.keys, key, (size_t)n, &fresh);
	if (!fresh)
		return g->now;
	g->setups = arena_grow(g->own, g->setups, &g->cap, g->now + 1, sizeof(*g->setups));
	g->setups[g->now] = g->last;
	g->info = NULL;
	return g->now;
}

static void note(struct reading *g, const char *key, const char *value)
{
	const struct pair *old = g->last.info;
	const char *kept = keep(g, value, strlen(value));
	size_t i, n = g->last.ninfo;

	for (i = 0; i < n && strcmp(old[i].name, key) != 0; i++)
		;
	if (i == INFO_MAX || (i < n && old[i].value == kept))
		return;
	if (!g->info) {
		g->info_cap = n + 1;
		g->info = arena_array(g->own, struct pair, g->info_cap);
		if (n)
			memcpy(g->info, old, n * sizeof(*old));
	}
	g->info = arena_grow(g->own, g->info, &g->info_cap, i + 1, sizeof(*g->info));
	g->info[i] = (struct pair){keep(g, key, strlen(key)), kept};
	g->last.info = g->info;
	g->last.ninfo = i == n ? n + 1 : n;
}

/* "pkg: example.org/x". Keys begin with a small letter and hold no space and no capital. */
static bool read_setting(struct reading *g, const char *line)
{
	const char *colon = strchr(line, ':'), *value;
	char key[64];
	size_t n = colon ? (size_t)(colon - line) : 0;

	if (!n || n >= sizeof(key) || *line < 'a' || *line > 'z' ||
	    (colon[1] != ' ' && colon[1] != '\t' && colon[1]))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (line[i] == ' ' || line[i] == '\t' || (line[i] >= 'A' && line[i] <= 'Z'))
			return false;
	}
	memcpy(key, line, n);
	key[n] = '\0';
	value = past_spaces(colon + 1);
	for (size_t i = 0; i < KEYS; i++) {
		if (strcmp(key, key_names[i]) != 0)
			continue;
		value = result_clean(g->line_arena, value, strnlen(value, JSON_NAME_MAX));
		value = keep(g, value, strlen(value));
		if (g->last.said[i] != value)
			g->now = TEXT_MAP_NONE;
		g->last.said[i] = value;
		return true;
	}
	note(g, key, value);
	return true;
}

static void refuse(struct reading *g, const char *word, const char *what)
{
	char place[32];

	snprintf(place, sizeof(place), "line %ld", g->line);
	fault(g->c, place, "\"%.100s\" is %s", result_clean(g->line_arena, word, strlen(word)),
	      what);
	arena_reset(g->line_arena);
}

/* A benchmark's name without "Benchmark"; NULL: it is another word. */
static const char *name_of(const char *word)
{
	static const char prefix[] = "Benchmark";
	const char *name = word + sizeof(prefix) - 1;

	if (strncmp(word, prefix, sizeof(prefix) - 1) != 0 || (*name >= 'a' && *name <= 'z'))
		return NULL;
	return *name ? name : word;
}

/* "BenchmarkFib/n=10-8   5000   312.4 ns/op   16 B/op" */
static bool read_benchmark(struct reading *g, const char *line)
{
	char word[WORD_MAX], value[WORD_MAX], unit[WORD_MAX];
	const char *p = line, *name, *end;
	double v;

	if (!text_word(&p, word, sizeof(word)) || !(name = name_of(word)) ||
	    !text_word(&p, value, sizeof(value)) || value[strspn(value, "0123456789")] != '\0')
		return false;
	while (text_word(&p, value, sizeof(value))) {
		end = value;
		if (!text_number(&end, false, &v) || *end) {
			if (strcmp(value, "NaN") != 0 && !strstr(value, "Inf"))
				refuse(g, value, "no number");
			v = (double)NAN;
		}
		if (!text_word(&p, unit, sizeof(unit))) {
			refuse(g, value, "without a unit");
			break;
		}
		samples_add(g->s, unit, v, "%s.%s", name, unit);
	}
	return true;
}

/* The benchmark that a line says failed, into word; NULL. */
static const char *failed(const char *line, char *word)
{
	const char *rest = text_after(line, "--- FAIL: ");

	return rest && text_word(&rest, word, WORD_MAX) ? name_of(word) : NULL;
}

/* Whether figures stand behind a benchmark's name. */
static bool has_figures(const char *line)
{
	char word[WORD_MAX];
	const char *p = line;

	return text_word(&p, word, sizeof(word)) && name_of(word) &&
	       text_word(&p, word, sizeof(word)) && !word[strspn(word, "0123456789")] &&
	       text_word(&p, word, sizeof(word));
}

/* The first time: what belongs together. */
static void place_line(struct reading *g, const struct output_lines *l, const char *begin,
		       const char *line)
{
	char word[WORD_MAX], unit[OUTPUT_WORD_MAX];
	const char *rest;

	if (has_figures(line) || failed(line, word)) {
		line_groups_add(&g->groups, group(g), l, begin);
	} else if (!read_setting(g, line) && (rest = text_after(line, "Unit ")) &&
		   text_word(&rest, unit, sizeof(unit))) {
		snprintf(word, sizeof(word), "unit.%.200s", unit);
		note(g, word, past_spaces(rest));
	}
}

static int place_lines(struct reading *g, const char *bytes, size_t n)
{
	const char *begin = bytes;
	struct output_lines l;
	char *line;

	output_lines_begin(&l, bytes, n);
	for (; (line = output_line(&l)) && g->groups.keys.n <= GROUPS_MAX; begin = l.t.p) {
		arena_reset(g->line_arena);
		place_line(g, &l, begin, line);
		if (l.t.number % ASKED_EVERY == 0 && g->in->after_document &&
		    g->in->after_document(g->in->after_arg) < 0)
			break;
	}
	output_lines_end(&l);
	if (g->groups.keys.n > GROUPS_MAX)
		return fail(g->c, E_TOO_LARGE,
			    "the file has more than %d packages and commits: import it in parts",
			    GROUPS_MAX);
	return g->c->err;
}

/* The second time: the figures of one. */
static int take_group(struct reading *g, size_t group)
{
	const struct setup *setup = &g->setups[group];
	const char *const *said = setup->said, *name;
	struct submission *sub;
	char word[WORD_MAX], *line;
	struct record *r;

	g->s = samples_begin(g->in, *said[KEY_TESTCASE] ? said[KEY_TESTCASE] : "go-benchmark");
	r = samples_record(g->s);
	sub = record_submission(r);
	record_axis(r, "pkg", said[KEY_PKG]);
	record_axis(r, "tbox_group", said[KEY_MACHINE]);
	record_commit(r, said[KEY_COMMIT]);
	sub->started = result_parse_time(said[KEY_DATE]);
	sub->commit.date = result_parse_time(said[KEY_COMMIT_TIME]);
	if (*said[KEY_TREE])
		sub->commit.tree = arena_str(record_arena(r), said[KEY_TREE]);
	for (size_t i = 0; i < setup->ninfo; i++)
		record_info(r, setup->info[i].name, setup->info[i].value);
	while ((line = line_groups_next(&g->groups, group, &g->line))) {
		if (!read_benchmark(g, line) && (name = failed(line, word)))
			samples_add(g->s, NULL, 1, "%s.fail", name);
	}
	return samples_end(g->s);
}

int import_go_benchmark(struct import *in, const char *bytes, size_t n)
{
	auto_arena struct arena *line = arena_new();
	struct arena *own = in->ctx->arena;
	struct reading g = {
		.in = in, .c = in->ctx, .own = own, .line_arena = line, .now = TEXT_MAP_NONE};

	text_map_init(&g.texts, own);
	line_groups_init(&g.groups, own, bytes);
	for (size_t i = 0; i < KEYS; i++)
		g.last.said[i] = keep(&g, "", 0);
	if (place_lines(&g, bytes, n) < 0)
		return g.c->err;
	if (!g.groups.keys.n)
		return samples_end(samples_begin(in, "go-benchmark"));
	for (size_t i = 0; i < g.groups.keys.n; i++)
		take_group(&g, i);
	return g.c->err;
}

int go_benchmark_sniff(const char *bytes, size_t n)
{
	if (!sniff_line(bytes, n, "Benchmark"))
		return 0;
	if (sniff_finds(bytes, n, " ns/op"))
		return 95;
	return sniff_line(bytes, n, "goos: ") || sniff_line(bytes, n, "pkg: ") ? 90 : 0;
}
