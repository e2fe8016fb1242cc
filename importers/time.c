/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GNU time -v. Metrics are <program>.time.<key>, where the program is the test that the request
 * names or else the command that was timed; keys are those of the output in the robot's form:
 * brackets left out, lower case, '_' for spaces (elapsed_time, user_time,
 * maximum_resident_set_size, exit_status …).
 */
#include "importers/formats.h"
#include "importers/program_output.h"

#define MARK "Command being timed:"

static bool ends(const char *line)
{
	return text_after(line, "Exit status:") != NULL;
}

/* The command's name without its folder: "/usr/bin/sleep 0.1" -> sleep. */
static bool setup(const char *line, size_t axis, char *value)
{
	const char *p = text_after(line, MARK), *slash;
	char word[OUTPUT_WORD_MAX];

	(void)axis;
	if (!p)
		return false;
	p = past_spaces(p);
	if (*p == '"')
		p++;
	if (!text_word(&p, word, sizeof(word)))
		return false;
	word[strcspn(word, "\"")] = '\0';
	slash = strrchr(word, '/');
	return *join_words(slash ? slash + 1 : word, sizeof(word), value) != '\0';
}

/* "Elapsed (wall clock) time (h:mm:ss or m:ss)" -> "elapsed_time"; unit: what the brackets say. */
static void key_of(const char *p, size_t n, char *key, const char **unit)
{
	size_t len = 0;
	bool inside = false;

	*unit = NULL;
	for (size_t i = 0; i < n && len + 1 < OUTPUT_WORD_MAX; i++) {
		if (p[i] == '(') {
			*unit = !strncmp(p + i, "(seconds)", 9)  ? "s"
				: !strncmp(p + i, "(kbytes)", 8) ? "KiB"
				: !strncmp(p + i, "(bytes)", 7)  ? "B"
				: !strncmp(p + i, "(h:mm:ss", 8) ? "s"
								 : *unit;
			inside = true;
		} else if (p[i] == ')') {
			inside = false;
		} else if (!inside && (p[i] != ' ' || (len && key[len - 1] != '_'))) {
			key[len++] = p[i] == ' '                  ? '_'
				     : p[i] >= 'A' && p[i] <= 'Z' ? (char)(p[i] + 'a' - 'A')
								  : p[i];
		}
	}
	while (len && key[len - 1] == '_')
		len--;
	key[len] = '\0';
}

/* "1:02.03" or "3:04:05" in seconds */
static bool clock_value(const char *p, double *v)
{
	double part;

	*v = 0;
	for (int i = 0; i < 3; i++) {
		if (!text_number(&p, false, &part) || part < 0)
			return false;
		*v = *v * 60 + part;
		if (*p != ':')
			return !*past_spaces(p);
		p++;
	}
	return false;
}

static void read_pair(struct program_output *o, const char *line)
{
	static const char *const units[][2] = {{"percent_of_cpu_this_job_got", "%"},
					       {"major_page_faults", "faults"},
					       {"minor_page_faults", "faults"},
					       {"voluntary_context_switches", "switches"},
					       {"involuntary_context_switches", "switches"},
					       {"file_system_inputs", "blocks"},
					       {"file_system_outputs", "blocks"}};
	const char *p = past_spaces(line), *colon = NULL, *unit;
	char key[OUTPUT_WORD_MAX];
	double v;

	for (const char *q = p; (q = strstr(q, ": ")); q++)
		colon = q;
	if (!colon)
		return;
	key_of(p, (size_t)(colon - p), key, &unit);
	p = colon + 2;
	if (!strcmp(key, "elapsed_time")) {
		if (!clock_value(p, &v))
			return;
	} else if (!text_number(&p, false, &v) || (*p && strcmp(p, "%") != 0)) {
		return;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!strcmp(key, units[i][0]))
			unit = units[i][1];
	}
	output_value(o, unit, v, "time.%s", key);
}

static void read_output(struct program_output *o, const char *bytes, size_t n)
{
	struct output_lines l;
	bool inside = false;
	const char *rest;
	char *line;

	output_lines_begin(&l, bytes, n);
	while ((line = output_line(&l))) {
		if ((rest = text_after(line, MARK))) {
			output_info(o, "command", past_spaces(rest));
			inside = true;
		} else if (text_after(line, "Command terminated by signal")) {
			output_info(o, "terminated", past_spaces(line));
		} else if (inside) {
			read_pair(o, line);
		}
	}
	output_lines_end(&l);
}

int import_time(struct import *in, const char *bytes, size_t n)
{
	static const struct program_form form = {
		.ends = ends, .axes = {"testcase"}, .setup = setup, .read = read_output};

	return program_import(in, bytes, n, &form);
}

int time_sniff(const char *bytes, size_t n)
{
	if (!sniff_line(bytes, n, MARK))
		return 0;
	return sniff_finds(bytes, n, "Maximum resident set size") ? 75 : 60;
}
