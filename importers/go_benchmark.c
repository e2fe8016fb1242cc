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
#include "importers/program_output.h"
#include "importers/result_file.h"
#include "importers/text_map.h"
#include "server/base/arena.h"
#include "server/base/clock.h"

#define WORD_MAX   1024
#define GROUPS_MAX 20000 /* packages, commits, machines */

enum { KEY_PKG, KEY_COMMIT, KEY_TREE, KEY_MACHINE, KEY_TESTCASE, KEY_DATE, KEY_COMMIT_TIME, KEYS };
static const char *const key_names[KEYS] = {"pkg",      "commit", "tree",       "tbox_group",
					    "testcase", "date",   "commit-time"};

struct reading {
	struct import *in;
	struct ctx *c;
	const char *said[KEYS]; /* "": nothing */
	struct text_map groups;
	struct samples **list; /* by number in groups */
	size_t cap;
	struct samples *now; /* NULL: the setup has changed */
	struct pair *info;
	size_t ninfo, info_cap;
	long line;
};

static struct samples *group(struct reading *g)
{
	struct record *r;
	const char *key;
	bool fresh;
	size_t i;

	if (g->now)
		return g->now;
	key = arena_fmt(g->c->arena, "%s\x1f%s\x1f%s\x1f%s\x1f%s", g->said[KEY_PKG],
			g->said[KEY_COMMIT], g->said[KEY_TREE], g->said[KEY_MACHINE],
			g->said[KEY_TESTCASE]);
	i = text_map_add(&g->groups, key, strlen(key), &fresh);
	g->list = arena_grow(g->c->arena, g->list, &g->cap, i + 1, sizeof(struct samples *));
	if (!fresh)
		return g->now = g->list[i];
	g->now = g->list[i] = samples_begin(g->in, *g->said[KEY_TESTCASE] ? g->said[KEY_TESTCASE]
									  : "go-benchmark");
	r = samples_record(g->now);
	record_axis(r, "pkg", g->said[KEY_PKG]);
	record_axis(r, "tbox_group", g->said[KEY_MACHINE]);
	record_commit(r, g->said[KEY_COMMIT]);
	record_submission(r)->started = result_parse_time(g->said[KEY_DATE]);
	record_submission(r)->commit.date = result_parse_time(g->said[KEY_COMMIT_TIME]);
	if (*g->said[KEY_TREE])
		record_submission(r)->commit.tree = g->said[KEY_TREE];
	for (i = 0; i < g->ninfo; i++)
		record_info(r, g->info[i].name, g->info[i].value);
	return g->now;
}

static void note(struct reading *g, const char *key, const char *value)
{
	size_t i;

	for (i = 0; i < g->ninfo && strcmp(g->info[i].name, key) != 0; i++)
		;
	if (i == OUTPUT_WORD_MAX)
		return;
	g->info = arena_grow(g->c->arena, g->info, &g->info_cap, i + 1, sizeof(*g->info));
	if (i == g->ninfo)
		g->info[g->ninfo++].name = arena_str(g->c->arena, key);
	g->info[i].value = arena_str(g->c->arena, value);
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
		value = result_clean(g->c->arena, value, strnlen(value, JSON_NAME_MAX));
		if (strcmp(g->said[i], value) != 0)
			g->now = NULL;
		g->said[i] = value;
		return true;
	}
	note(g, key, value);
	return true;
}

static void refuse(struct reading *g, const char *word, const char *what)
{
	fault(g->c, arena_fmt(g->c->arena, "line %ld", g->line), "\"%.100s\" is %s",
	      result_clean(g->c->arena, word, strlen(word)), what);
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
		samples_add(group(g), unit, v, "%s.%s", name, unit);
	}
	return true;
}

static void read_line(struct reading *g, const char *line)
{
	const char *rest, *name;
	char word[WORD_MAX], unit[OUTPUT_WORD_MAX];

	if (read_benchmark(g, line) || read_setting(g, line))
		return;
	if ((rest = text_after(line, "Unit ")) && text_word(&rest, unit, sizeof(unit))) {
		note(g, arena_fmt(g->c->arena, "unit.%.200s", unit), past_spaces(rest));
		return;
	}
	rest = text_after(line, "--- FAIL: ");
	if (rest && text_word(&rest, word, sizeof(word)) && (name = name_of(word)))
		samples_add(group(g), NULL, 1, "%s.fail", name);
}

int import_go_benchmark(struct import *in, const char *bytes, size_t n)
{
	struct reading g = {.in = in, .c = in->ctx};
	struct output_lines l;
	char *line;

	text_map_init(&g.groups, g.c->arena);
	for (size_t i = 0; i < KEYS; i++)
		g.said[i] = "";
	output_lines_begin(&l, bytes, n);
	while ((line = output_line(&l)) && g.groups.n <= GROUPS_MAX) {
		g.line = l.t.number;
		read_line(&g, line);
	}
	output_lines_end(&l);
	if (g.groups.n > GROUPS_MAX)
		return fail(g.c, E_TOO_LARGE,
			    "the file has more than %d packages and commits: import it in parts",
			    GROUPS_MAX);
	if (!g.groups.n)
		return samples_end(samples_begin(in, "go-benchmark"));
	for (size_t i = 0; i < g.groups.n; i++)
		samples_end(g.list[i]);
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
