/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * netperf's figures with names: THROUGHPUT=38912.61 (-k), a line of names and a line of values with
 * commas (-o), or a table whose columns are named by the words that stand above them (-O, and what
 * the omni test prints by itself). Each is kept under its name in small letters with '_' for
 * spaces. The throughput with its units is what netperf.c makes Throughput_Mbps or _tps of.
 */
#include "importers/netperf.h"

#include "importers/program_output.h"
#include "server/base/arena.h"

#define COLUMNS_MAX 200
#define CELL_MAX    80 /* bytes of a figure */

struct cell {
	const char *p;
	size_t n;
};

/* --- one figure --- */

/* Of the units that netperf prints, in 10^6 bit/s; 0: another. */
static double in_mbps(const char *units)
{
	static const struct {
		const char *name;
		double mbps;
	} known[] = {{"10^6bits/s", 1},           {"10^3bits/s", 1e-3},
		     {"10^9bits/s", 1e3},         {"KBytes/s", 8192 / 1e6},
		     {"MBytes/s", 8388608 / 1e6}, {"GBytes/s", 8589934592 / 1e6}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!strcmp(units, known[i].name))
			return known[i].mbps;
	}
	return 0;
}

static void note_throughput(struct omni *k)
{
	double factor = in_mbps(k->units);

	if (k->value > 0 && factor > 0)
		k->mbps = k->value * factor;
	else if (k->value > 0 && !strcmp(k->units, "Trans/s"))
		k->tps = k->value;
}

static void add(struct omni *k, struct program_output *o, const char *name, struct cell value)
{
	char text[CELL_MAX];
	const char *p = text;
	double v;

	if (value.n >= sizeof(text))
		return; /* a word */
	memcpy(text, value.p, value.n);
	text[value.n] = '\0';
	if (!strcmp(name, "throughput_units")) {
		snprintf(k->units, sizeof(k->units), "%.39s", text);
		note_throughput(k);
		return;
	}
	if (!text_number(&p, false, &v) || (*p && strcmp(p, "%")))
		return; /* a word */
	if (!strcmp(name, "throughput")) {
		k->value = v;
		note_throughput(k);
	} else if (!strcmp(name, "elapsed_time") || !strcmp(name, "elapsed_time_sec")) {
		k->seconds = v;
	} else if (!strcmp(name, "local_send_size")) {
		k->size = v;
	}
	output_value(o, NULL, v, "%s", name);
}

/* Small letters, digits, '%' and '.'; all else between words becomes one '_'. */
static void make_name(char name[OUTPUT_WORD_MAX], size_t *n, const char *s, size_t len)
{
	for (size_t i = 0; i < len && *n + 2 < OUTPUT_WORD_MAX; i++) {
		char ch = s[i] >= 'A' && s[i] <= 'Z' ? (char)(s[i] | 0x20) : s[i];
		bool kept = (ch >= 'a' && ch <= 'z') || (ch >= '0' && ch <= '9') || ch == '%' ||
			    ch == '.';

		if (kept)
			name[(*n)++] = ch;
		else if (*n && name[*n - 1] != '_')
			name[(*n)++] = '_';
	}
	name[*n] = '\0';
}

static void end_name(char name[OUTPUT_WORD_MAX], size_t *n)
{
	while (*n && name[*n - 1] == '_')
		name[--*n] = '\0';
}

/* --- lines --- */

static bool read_key(struct omni *k, struct program_output *o, const char *line)
{
	size_t n = strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"), len = 0;
	char name[OUTPUT_WORD_MAX];

	if (!n || line[n] != '=' || n >= sizeof(name))
		return false;
	make_name(name, &len, line, n);
	if (!*k->first)
		snprintf(k->first, sizeof(k->first), "%.*s", (int)n, line);
	add(k, o, name, (struct cell){line + n + 1, strlen(line + n + 1)});
	return true;
}

/* Cells between commas, or between two spaces and more; how many. */
static size_t split(const char *line, bool commas, struct cell cells[COLUMNS_MAX])
{
	size_t n = 0;

	for (const char *p = past_spaces(line); *p && n < COLUMNS_MAX;) {
		const char *end = commas ? strchr(p, ',') : strpbrk(p, " \t");
		size_t len = end ? (size_t)(end - p) : strlen(p);

		cells[n++] = (struct cell){p, len};
		if (!end)
			break;
		p = commas ? end + 1 : past_spaces(end);
	}
	return n;
}

static bool read_commas(struct omni *k, struct program_output *o, const char *line)
{
	struct cell names[COLUMNS_MAX], values[COLUMNS_MAX];
	size_t n, len;

	if (!k->nhead || !strchr(line, ','))
		return false;
	n = split(k->head[k->nhead - 1], true, names);
	if (n < 2 || split(line, true, values) != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		char name[OUTPUT_WORD_MAX];

		len = 0;
		make_name(name, &len, names[i].p, names[i].n);
		end_name(name, &len);
		add(k, o, name, values[i]);
	}
	return true;
}

/* Words of all lines of the head that stand from a column on to the next. */
static void name_above(const struct omni *k, size_t from, size_t to, char name[OUTPUT_WORD_MAX])
{
	size_t n = 0;

	name[0] = '\0';
	for (int i = 0; i < k->nhead; i++) {
		size_t len = strlen(k->head[i]);

		if (from >= len)
			continue;
		make_name(name, &n, k->head[i] + from, (to < len ? to : len) - from);
		if (n && name[n - 1] != '_' && n + 1 < OUTPUT_WORD_MAX) {
			name[n++] = '_';
			name[n] = '\0';
		}
	}
	end_name(name, &n);
}

/* Whether the words of the head begin where the cells do, so that each column has its own. */
static bool fits(const struct omni *k, const char *line, const struct cell *cells, size_t n)
{
	for (int h = 0; h < k->nhead; h++) {
		for (size_t i = 1; i < n; i++) {
			size_t at = (size_t)(cells[i].p - line);

			if (at < strlen(k->head[h]) && k->head[h][at - 1] != ' ')
				return false;
		}
	}
	return true;
}

static bool read_table(struct omni *k, struct program_output *o, const char *line)
{
	struct cell cells[COLUMNS_MAX];
	size_t n = split(line, false, cells);
	const char *p = cells[0].p;
	double v;

	if (!k->nhead || n < 2 || !text_number(&p, false, &v) || !fits(k, line, cells, n) ||
	    !text_find(k->head[0], "Throughput"))
		return false;
	for (size_t i = 0; i < n; i++) {
		char name[OUTPUT_WORD_MAX];

		name_above(k, (size_t)(cells[i].p - line),
			   i + 1 < n ? (size_t)(cells[i + 1].p - line) : (size_t)-1, name);
		if (*name)
			add(k, o, name, cells[i]);
	}
	return true;
}

static void forget_head(struct omni *k)
{
	k->nhead = 0;
	arena_reset(k->arena);
}

bool omni_line(struct omni *k, struct program_output *o, const char *line)
{
	if (strstr(line, " TEST from ") || strstr(line, " TEST to ")) {
		forget_head(k);
		k->begun = true;
		return false;
	}
	if (read_key(k, o, line))
		return true;
	if (!k->begun || !*past_spaces(line))
		return false;
	if (read_commas(k, o, line) || read_table(k, o, line)) {
		forget_head(k);
		k->begun = false;
		return true;
	}
	if (k->nhead < OMNI_HEAD_MAX)
		k->head[k->nhead++] = arena_str(k->arena, line);
	return false;
}

bool omni_repeats(const struct omni *k, const char *line)
{
	size_t n = strlen(k->first);

	return n && !strncmp(line, k->first, n) && line[n] == '=';
}

void omni_reset(struct omni *k)
{
	forget_head(k);
	*k = (struct omni){.arena = k->arena};
}
