/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The YAML that stress-ng writes: sections of "key: value", and lists whose entries begin with a
 * stressor's name. It is read line by line, for it is no more than that. Names are those of the
 * text form (stress_ng.c); what has no place there is <stressor>.<section>.<key> or
 * run.<section>.<key>.
 */
#include "importers/stress_ng.h"

/* What the metrics of every stressor are called here and there. */
static const struct {
	const char *key, *name, *unit;
} known[] = {
	{"bogo-ops-per-second-usr-sys-time", "ops_per_cpu_sec", "bogo ops/s"},
	{"bogo-ops-per-second-real-time", "ops_per_sec", "bogo ops/s"},
	{"wall-clock-time", "real_time", "s"},
	{"user-time", "user_time", "s"},
	{"system-time", "system_time", "s"},
	{"cpu-usage-per-instance", "cpu_used_per_instance%", "%"},
	{"max-rss", "rss_max", "KB"},
};

static const struct {
	const char *key, *name, *unit;
} times[] = {
	{"run-time", "run_time", "s"},
	{"available-cpu-time", "available_CPU_time", "s"},
	{"user-time", "user_time", "s"},
	{"system-time", "system_time", "s"},
	{"total-time", "total_time", "s"},
	{"user-time-percent", "user_time%", "%"},
	{"system-time-percent", "system_time%", "%"},
	{"total-time-percent", "total_time%", "%"},
	{"load-average-1-minute", "load_average_1_minute", NULL},
	{"load-average-5-minute", "load_average_5_minutes", NULL},
	{"load-average-15-minute", "load_average_15_minutes", NULL},
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* "write128-mb-per-sec" -> "write128_MB_per_sec", as the text form has it. */
static void words_of(const char *key, char *out)
{
	size_t n;

	join_words(key, strlen(key), out);
	for (n = 0; out[n]; n++) {
		if (out[n] == '-')
			out[n] = '_';
	}
	for (char *p = out; (p = strstr(p, "mb_per_sec")); p++) {
		if (p == out || p[-1] == '_') {
			p[0] = 'M';
			p[1] = 'B';
		}
	}
}

static const char *unit_of(const char *words)
{
	if (!strncmp(words, "nanosec", 7))
		return "ns";
	if (!strncmp(words, "microsec", 8))
		return "us";
	return strstr(words, "MB_per_sec") ? "MB/s" : NULL;
}

static void read_metric(struct stress_ng *s, const char *stressor, const char *key, double v)
{
	char words[OUTPUT_WORD_MAX];

	if (!strcmp(key, "bogo-ops")) {
		stress_ng_stressor(s, stressor, v);
		return;
	}
	for (size_t i = 0; i < COUNT(known); i++) {
		if (!strcmp(key, known[i].key)) {
			output_value(s->o, known[i].unit, v, "%s.%s", stressor, known[i].name);
			return;
		}
	}
	words_of(key, words);
	output_value(s->o, unit_of(words), v, "%s.%s", stressor, words);
}

static void read_time(struct stress_ng *s, const char *key, double v)
{
	for (size_t i = 0; i < COUNT(times); i++) {
		if (!strcmp(key, times[i].key))
			output_value(s->o, times[i].unit, v, "run.%s", times[i].name);
	}
}

static void read_system(struct stress_ng *s, const char *key, const char *value)
{
	char text[OUTPUT_WORD_MAX];
	size_t n;

	static const char *const kept[][2] = {{"hostname", "hostname"},
					      {"release", "kernel"},
					      {"machine", "machine"},
					      {"stress-ng-version", "program_version"},
					      {"compiler", "program_compiler"}};

	snprintf(text, sizeof(text), "%s", value + (*value == '\''));
	n = strlen(text);
	if (n && text[n - 1] == '\'')
		text[n - 1] = '\0';
	for (size_t i = 0; i < COUNT(kept); i++) {
		if (!strcmp(key, kept[i][0]))
			output_info(s->o, kept[i][1], text);
	}
}

static void read_other(struct stress_ng *s, const struct stress_ng_yaml *y, const char *key,
		       double v)
{
	char section[OUTPUT_WORD_MAX], words[OUTPUT_WORD_MAX];

	words_of(y->section, section);
	words_of(key, words);
	output_value(s->o, NULL, v, "%s.%s.%s", *y->stressor ? y->stressor : "run", section, words);
}

/* A line that begins at the margin: "metrics:" or "---". */
static void begin_section(struct stress_ng *s, struct stress_ng_yaml *y, const char *line)
{
	bool document = !strncmp(line, "---", 3);

	*y->stressor = '\0';
	snprintf(y->section, sizeof(y->section), "%.*s", (int)strcspn(line, ":"), line);
	if (document || (!strcmp(y->section, "metrics") && y->metrics)) {
		stress_ng_flush(s);
		output_next(s->o);
		y->metrics = false;
	}
	y->metrics = y->metrics || !strcmp(y->section, "metrics");
}

bool stress_ng_yaml_line(struct stress_ng *s, struct stress_ng_yaml *y, const char *line)
{
	const char *p = past_spaces(line), *colon = strchr(p, ':'), *value, *end;
	char key[OUTPUT_WORD_MAX];
	double v = 0;
	bool number;

	if (p == line && (!strncmp(p, "---", 3) || (colon && !colon[1]))) {
		begin_section(s, y, line);
		return true;
	}
	if (!colon || p == line || !*y->section)
		return false;
	if (*p == '-')
		p = past_spaces(p + 1);
	snprintf(key, sizeof(key), "%.*s", (int)(colon - p), p);
	value = past_spaces(colon + 1);
	if (!strcmp(key, "stressor")) {
		snprintf(y->stressor, sizeof(y->stressor), "%s", value);
		return true;
	}
	end = value;
	number = text_number(&end, false, &v) && !*end;
	if (!strcmp(y->section, "system-info"))
		read_system(s, key, value);
	else if (!number)
		return false;
	else if (!strcmp(y->section, "metrics") && *y->stressor)
		read_metric(s, y->stressor, key, v);
	else if (!strcmp(y->section, "times"))
		read_time(s, key, v);
	else
		read_other(s, y, key, v);
	return true;
}
