/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stress-ng: the tables of --metrics and --metrics-brief of all versions, the times of --times,
 * the counters of --perf, and the file of --yaml. A table is a run; a stressor met again, of other
 * processes, begins the next. Names, behind "stress-ng.":
 *
 *	<stressor>.ops, .ops_per_sec  bogo operations; a second of real time
 *	<stressor>.ops_per_cpu_sec    a second of user and system time
 *	<stressor>.real_time, .user_time, .system_time, .cpu_used_per_instance%, .rss_max
 *	<stressor>.<unit_words>       what is printed behind the number of a further metric,
 *	                              words joined by '_': pipe.MB_per_sec_pipe_write_rate
 *	<stressor>.pass or .fail      it did operations; it did none, or is told to have failed
 *	<stressor>.perfstats.<counter>_total and …_per_second
 *	sigaction.fail                it could not even set up its signals
 *	run.<time>                    of the whole run: --times
 *
 * Not taken: what stressors tell on the way, in lines of info and debug.
 */
#include "importers/stress_ng.h"

#include "importers/formats.h"
#include "server/base/arena.h"

static bool listed(const char **list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(list[i], name))
			return true;
	}
	return false;
}

#define STRESSORS_MAX 1000 /* there are 330; lists are searched from end to end */

static void add(struct stress_ng *s, const char ***list, size_t *n, size_t *cap, const char *name)
{
	if (*n == STRESSORS_MAX || listed(*list, *n, name))
		return;
	*list = arena_grow(s->own, *list, cap, *n + 1, sizeof(**list));
	(*list)[(*n)++] = arena_str(s->own, name);
}

void stress_ng_stressor(struct stress_ng *s, const char *name, double ops)
{
	add(s, &s->seen, &s->nseen, &s->seen_cap, name);
	output_value(s->o, "bogo ops", ops, "%s.ops", name);
	if (ops <= 0)
		stress_ng_failed(s, name, true);
}

void stress_ng_failed(struct stress_ng *s, const char *name, bool summed_up)
{
	add(s, &s->failed, &s->nfailed, &s->failed_cap, name);
	if (summed_up)
		add(s, &s->seen, &s->nseen, &s->seen_cap, name);
}

void stress_ng_flush(struct stress_ng *s)
{
	for (size_t i = 0; i < s->nseen; i++) {
		bool failed = listed(s->failed, s->nfailed, s->seen[i]);

		output_value(s->o, NULL, 1, "%s.%s", s->seen[i], failed ? "fail" : "pass");
	}
	s->seen = s->failed = NULL;
	s->nseen = s->nfailed = 0;
	arena_reset(s->own);
}

/* Behind "stress-ng: <level>: [<pid>] ", with the level; NULL: it is no such line. */
static const char *message(const char *line, char *level, size_t size)
{
	const char *p = text_find(line, "stress-ng: "), *q;
	size_t n;

	if (!p)
		return NULL;
	n = strcspn(p, ":");
	if (p[n] != ':' || n >= size || memchr(p, ' ', n))
		return NULL;
	memcpy(level, p, n);
	level[n] = '\0';
	p = past_spaces(p + n + 1);
	if (*p == '[' && (q = strchr(p, ']')))
		p = past_spaces(q + 1);
	return p;
}

/* Behind a row people write "<--- (1)". */
static bool is_note(const char *p)
{
	return !*p || strchr("<#", *p);
}

/* "cpu   902   1.00   0.42   0.00   900.47   2166.25   [41.57   [6364]]" */
static bool read_row(struct stress_ng *s, const char *p)
{
	static const struct {
		const char *name, *unit;
	} columns[] = {{"ops", NULL},
		       {"real_time", "s"},
		       {"user_time", "s"},
		       {"system_time", "s"},
		       {"ops_per_sec", "bogo ops/s"},
		       {"ops_per_cpu_sec", "bogo ops/s"},
		       {"cpu_used_per_instance%", "%"},
		       {"rss_max", "KB"}};
	enum { BRIEF = 6, ALL = sizeof(columns) / sizeof(columns[0]) };
	char name[OUTPUT_WORD_MAX];
	double v[ALL], more;
	size_t n = 0;

	if (!text_word(&p, name, sizeof(name)))
		return false;
	while (n < ALL && (*p == ' ' || *p == '\t') && text_number(&p, false, &v[n]))
		n++;
	if (n == ALL)
		text_number(&p, false, &more);
	if (n < BRIEF || !is_note(past_spaces(p)))
		return false;
	if (listed(s->seen, s->nseen, name)) {
		stress_ng_flush(s);
		output_next(s->o);
	}
	stress_ng_stressor(s, name, v[0]);
	for (size_t i = 1; i < n; i++)
		output_value(s->o, columns[i].unit, v[i], "%s.%s", name, columns[i].name);
	return true;
}

/* The length of the words without "(geometric mean of 1 instances)" and the like at their end; 0:
 * there is no such end. */
static size_t without_kind(const char *words)
{
	static const char *const kinds[] = {"(average", "(geom",    "(harmonic", "(total",
					    "(maximum", "(minimum", "(mean",     NULL};

	for (size_t i = 0; kinds[i]; i++) {
		const char *p = NULL, *next = words;

		while ((next = strstr(next, kinds[i])))
			p = next++;
		if (p && p > words)
			return (size_t)(p - words);
	}
	return 0;
}

static const char *unit_of(const char *words)
{
	if (!strncmp(words, "nanosec", 7))
		return "ns";
	if (!strncmp(words, "microsec", 8))
		return "us";
	if (*words == '%')
		return "%";
	return strstr(words, "MB_per_sec") || strstr(words, "MB/sec") ? "MB/s" : NULL;
}

/* "pipe   110.03 MB per sec pipe write rate (geometric mean of 1 instances)" */
static bool read_further(struct stress_ng *s, const char *p)
{
	char name[OUTPUT_WORD_MAX], words[OUTPUT_WORD_MAX];
	size_t n;
	double v;

	if (!text_word(&p, name, sizeof(name)) || !text_number(&p, false, &v) || *p != ' ')
		return false;
	p = past_spaces(p);
	n = without_kind(p);
	if (!n || !*join_words(p, n, words))
		return false;
	output_value(s->o, unit_of(words), v, "%s.%s", name, words);
	return true;
}

/* Of --times: "for a 1.00s run time:", "1.21s user time   ( 60.29%)", "load average: 0.60 0.27
 * 0.63" */
static void read_times(struct stress_ng *s, const char *p)
{
	static const char *const after[] = {"1_minute", "5_minutes", "15_minutes"};
	const char *rest = text_after(p, "load average:"), *percent;
	char words[OUTPUT_WORD_MAX];
	double v, share;

	if (rest) {
		for (size_t i = 0; i < 3 && text_number(&rest, false, &v); i++)
			output_value(s->o, NULL, v, "run.load_average_%s", after[i]);
		return;
	}
	rest = text_after(p, "for a ");
	p = rest ? rest : p;
	if (!text_number(&p, false, &v) || *p++ != 's' || *p != ' ')
		return;
	p = past_spaces(p);
	if (strcmp(p, "run time:") != 0 && !text_after(p, "available CPU time") &&
	    !text_after(p, "user time") && !text_after(p, "system time") &&
	    !text_after(p, "total time"))
		return;
	percent = strchr(p, '(');
	join_words(p, percent ? (size_t)(percent - p) : strlen(p), words);
	output_value(s->o, "s", v, "run.%s", words);
	if (percent && number_behind(percent, "(", &share))
		output_value(s->o, "%", share, "run.%s%%", words);
}

/* Of --perf, below a line with the stressor's name: "489 Page Faults Total   487.863 /sec". Called
 * as the YAML has it: <stressor>.perfstats.page_faults_total_total and …_per_second. */
static bool read_perf(struct stress_ng *s, const char *p)
{
	char words[OUTPUT_WORD_MAX];
	double total, rate, scale;
	const char *name, *end;

	if (!*s->perf || !text_number(&p, false, &total) || *p != ' ')
		return false;
	name = past_spaces(p);
	end = strstr(name, "  ");
	if (!end)
		return false;
	p = end;
	if (!text_number(&p, false, &rate) || *p != ' ')
		return false;
	p++;
	scale = *p == 'B' ? 1e9 : text_scale(&(const char *){p});
	if (!strstr(p, "/sec"))
		return false;
	join_words(name, (size_t)(end - name), words);
	for (char *c = words; *c; c++)
		*c = *c == '-' ? '_' : *c >= 'A' && *c <= 'Z' ? (char)(*c + 'a' - 'A') : *c;
	output_value(s->o, NULL, total, "%s.perfstats.%s_total", s->perf, words);
	output_value(s->o, NULL, rate * scale, "%s.perfstats.%s_per_second", s->perf, words);
	return true;
}

/* "pipe:" alone */
static bool begins_perf(struct stress_ng *s, const char *p)
{
	size_t n = strcspn(p, ": ");

	if (!n || p[n] != ':' || p[n + 1] || n >= sizeof(s->perf))
		return false;
	memcpy(s->perf, p, n);
	s->perf[n] = '\0';
	return true;
}

/* "failed: 2: cpu (1) vm (1)" */
static void read_failed(struct stress_ng *s, const char *list)
{
	char name[OUTPUT_WORD_MAX];
	const char *p = strchr(list, ':');

	for (p = p ? p + 1 : ""; text_word(&p, name, sizeof(name));) {
		if (*name != '(')
			stress_ng_failed(s, name, true);
	}
}

static void read_message(struct stress_ng *s, const char *level, const char *p)
{
	char name[OUTPUT_WORD_MAX];
	const char *rest;
	size_t n;

	if (!strcmp(level, "fail")) {
		if (strstr(p, "sigaction signal"))
			stress_ng_failed(s, "sigaction", true);
		else if (text_word(&p, name, sizeof(name))) {
			n = strlen(name);
			name[n - (name[n - 1] == ':')] = '\0';
			stress_ng_failed(s, name, false);
		}
	} else if (strcmp(level, "info") != 0 && strcmp(level, "metrc") != 0) {
		return;
	} else if (text_after(p, "stressor") && strstr(p, "bogo ops")) {
		if (s->nseen)
			stress_ng_flush(s);
		output_next(s->o);
	} else if ((rest = text_after(p, "failed: "))) {
		read_failed(s, rest);
	} else if (text_after(p, "dispatching hogs:")) {
		stress_ng_flush(s);
		output_next(s->o);
	} else if (!begins_perf(s, p) && !read_row(s, p) && !read_further(s, p) &&
		   !read_perf(s, p)) {
		read_times(s, p);
	}
}

static void read_output(struct program_output *o, const char *bytes, size_t n)
{
	auto_arena struct arena *own = arena_new();
	struct stress_ng s = {.o = o, .own = own};
	struct stress_ng_yaml y = {.section = ""};
	struct output_lines l;
	char level[16];
	const char *p;
	char *line;

	output_lines_begin(&l, bytes, n);
	while ((line = output_line(&l))) {
		if ((p = message(line, level, sizeof(level))))
			read_message(&s, level, p);
		else
			stress_ng_yaml_line(&s, &y, line);
	}
	output_lines_end(&l);
	stress_ng_flush(&s);
}

int import_stress_ng(struct import *in, const char *bytes, size_t n)
{
	static const struct program_form form = {.program = "stress-ng", .read = read_output};

	return program_import(in, bytes, n, &form);
}

int stress_ng_sniff(const char *bytes, size_t n)
{
	if (sniff_finds(bytes, n, "stress-ng: ") && sniff_finds(bytes, n, "bogo ops"))
		return 95;
	if (sniff_finds(bytes, n, "stress-ng-version:") ||
	    (sniff_finds(bytes, n, "- stressor: ") && sniff_finds(bytes, n, "bogo-ops:")))
		return 95;
	return sniff_finds(bytes, n, "stress-ng: info:") ? 70 : 0;
}
