/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of perf stat. Those of -x have no fixed number of fields: before the count may stand
 * the time of an interval, a place and how many processors it has; the variance is there with -r
 * alone; and an event's name may hold the separator ("cpu/event=0x3c,umask=0x1/"), unquoted. So the
 * fields are found by what can stand in them.
 */
#include "importers/perf_stat.h"

#include <jansson.h>
#include <math.h>

#include "server/base/arena.h"

#define FIELDS_MAX  40
#define LINES_TRIED 50
#define NONE        ((double)NAN)

static struct perf_row empty_row(void)
{
	return (struct perf_row){.time = NONE,
				 .where = "",
				 .event = "",
				 .unit = "",
				 .value = NONE,
				 .variance = NONE,
				 .run_time = NONE,
				 .running = NONE,
				 .metric = NONE,
				 .metric_unit = ""};
}

/* The whole text as a number, with a '%' behind it when percent. */
static bool whole_number(const char *s, bool percent, double *v)
{
	const char *p = s;
	double read;

	if (!text_number(&p, false, &read) || (percent && *p++ != '%') || *past_spaces(p))
		return false;
	*v = read;
	return true;
}

static const char *missing_of(const char *s)
{
	return !strcmp(s, "<not counted>")     ? "not counted"
	       : !strcmp(s, "<not supported>") ? "not supported"
					       : NULL;
}

/* --- -x --- */

static size_t cut(char *line, const char *separator, char **fields)
{
	size_t n = 0, len = strlen(separator);
	char *p = line, *next;

	while (n < FIELDS_MAX) {
		fields[n] = (char *)past_spaces(p);
		next = strstr(p, separator);
		if (*separator == ' ')
			fields[n] = p;
		n++;
		if (!next)
			break;
		*next = '\0';
		p = next + len;
	}
	for (size_t i = 0; i < n; i++) {
		size_t end = strlen(fields[i]);

		while (end && (fields[i][end - 1] == ' ' || fields[i][end - 1] == '\t'))
			fields[i][--end] = '\0';
	}
	return n;
}

/* Whether a unit can be: "msec", "Joules", none; not a number and not an event's long name. */
static bool is_unit(const char *s)
{
	double v;

	if (strlen(s) > 16 || *s == '<' || *s == '(')
		return false;
	return !text_number(&(const char *){s}, false, &v);
}

static bool is_event(const char *s)
{
	return (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || *s == '{' || *s == '_' ||
	       (*s == '0' && s[1] == 'x');
}

/* Joins fields first … last again: an event whose name holds the separator. */
static void join(char **fields, size_t first, size_t last, const char *separator)
{
	size_t len = strlen(separator);

	for (size_t i = first; i < last; i++) {
		char *end = fields[i] + strlen(fields[i]);

		if (fields[i + 1] == end + len) /* nothing was trimmed between them */
			memcpy(end, separator, len);
	}
}

/* Where the fields behind the event begin: [variance or nothing,] run time, share. 0: nowhere. */
static size_t behind_event(char **f, size_t n, size_t event)
{
	double v, share;

	for (size_t i = event + 1; i + 1 < n; i++) {
		size_t at = !*f[i] || whole_number(f[i], true, &v) ? i + 1 : i;

		if (at + 1 < n && whole_number(f[at], false, &v) && v >= 0 &&
		    whole_number(f[at + 1], false, &share) && share >= 0 && share <= 100.5)
			return i;
	}
	return 0;
}

/* Whether an event's name ends here: between slashes or braces it may hold the separator. */
static bool is_whole(const char *s)
{
	size_t slashes = 0, open = 0, closed = 0;

	for (; *s; s++) {
		slashes += *s == '/';
		open += *s == '{';
		closed += *s == '}';
	}
	return slashes % 2 == 0 && open == closed;
}

/* The fields first … last: an event, and with --for-each-cgroup the group, which is its place. */
static void take_event(char **f, size_t first, size_t last, bool placed, const char *separator,
		       struct perf_row *r)
{
	r->event = f[first];
	if (last > first && !placed && *f[last]) {
		join(f, first, last - 1, separator);
		if (is_whole(f[first])) {
			r->where = f[last];
			return;
		}
	}
	join(f, first, last, separator);
}

/* The rest of a line whose count is field i. */
static bool take_count(char **f, size_t n, size_t i, const char *separator, struct perf_row *r)
{
	bool placed = false;
	double v;
	size_t at;

	if (i + 3 >= n || !is_unit(f[i + 1]) || !is_event(f[i + 2]))
		return false;
	at = behind_event(f, n, i + 2);
	if (!at)
		return false;
	for (size_t k = 0; k < i; k++)
		placed = placed || !whole_number(f[k], false, &v);
	take_event(f, i + 2, at - 1, placed, separator, r);
	r->missing = missing_of(f[i]);
	if (!r->missing)
		whole_number(f[i], false, &r->value);
	r->unit = f[i + 1];
	if (!*f[at] || whole_number(f[at], true, &r->variance))
		at++;
	whole_number(f[at], false, &r->run_time);
	whole_number(f[at + 1], false, &r->running);
	if (at + 2 < n && whole_number(f[at + 2], false, &r->metric) && at + 3 < n) {
		join(f, at + 3, n - 1, separator);
		r->metric_unit = f[at + 3];
	}
	return true;
}

/* ",,,,,,0.50,insn per cycle": a further metric of the event before. */
static bool take_metric(char **f, size_t n, struct perf_row *r)
{
	size_t i = n >= 2 ? n - 2 : 0;

	if (n < 5 || !whole_number(f[i], false, &r->metric) || !is_event(f[n - 1]))
		return false;
	while (i--) {
		if (*f[i] && (i > 1 || !is_event(f[i])))
			return false;
	}
	r->metric_unit = f[n - 1];
	r->where = *f[0] ? f[0] : "";
	return true;
}

bool perf_stat_csv_line(char *line, const char *separator, struct perf_row *r)
{
	char *f[FIELDS_MAX];
	double v;
	size_t n;

	*r = empty_row();
	if (*past_spaces(line) == '#')
		return false;
	n = cut((char *)past_spaces(line), separator, f);
	for (size_t i = 0; i < n && i < 5; i++) {
		if (!missing_of(f[i]) && !whole_number(f[i], false, &v))
			continue;
		if (!take_count(f, n, i, separator, r))
			continue;
		for (size_t k = 0; k < i; k++) {
			if (k == 0 && strchr(f[0], '.') && whole_number(f[0], false, &v))
				r->time = v;
			else if (!*r->where && strcmp(f[k], "summary") != 0 &&
				 !whole_number(f[k], false, &v))
				r->where = f[k];
		}
		return true;
	}
	return take_metric(f, n, r);
}

const char *perf_stat_separator(const char *bytes, size_t n)
{
	static const char *const candidates[] = {",", ";", "|", "\t", "::", "||", ":", "~",
						 "^", "!", "@", "#",  "&",  "/",  "=", " "};
	size_t best = 0;
	const char *found = NULL;

	for (size_t i = 0; i < sizeof(candidates) / sizeof(candidates[0]); i++) {
		struct output_lines l;
		struct perf_row r;
		size_t hits = 0;
		char *line;

		output_lines_begin(&l, bytes, n);
		for (int k = 0; k < LINES_TRIED && (line = output_line(&l)); k++)
			hits += perf_stat_csv_line(line, candidates[i], &r) && *r.event;
		output_lines_end(&l);
		if (hits > best) {
			best = hits;
			found = candidates[i];
		}
	}
	return found;
}

/* --- -j --- */

static double json_figure(const json_t *object, const char *key)
{
	const json_t *v = json_object_get(object, key);
	double x;

	if (json_is_number(v))
		return json_number_value(v);
	if (json_is_string(v) && whole_number(json_string_value(v), false, &x))
		return x;
	return NONE;
}

static const char *json_word(struct arena *a, const json_t *object, const char *key)
{
	const char *s = json_string_value(json_object_get(object, key));

	return s ? arena_str(a, s) : "";
}

/* "cpu": "0" is CPU0 in the other forms. */
static const char *json_place(struct arena *a, const json_t *object)
{
	static const char *const keys[] = {"core",  "die",     "socket", "node",
					   "cache", "cluster", "thread", "cgroup"};
	const char *s = json_word(a, object, "cpu");

	if (*s)
		return *s >= '0' && *s <= '9' ? arena_fmt(a, "CPU%s", s) : s;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		s = json_word(a, object, keys[i]);
		if (*s)
			return s;
	}
	return "";
}

bool perf_stat_json_line(struct arena *a, const char *line, struct perf_row *r)
{
	json_t *v = json_loads(past_spaces(line), JSON_DECODE_INT_AS_REAL, NULL);
	const char *count;

	*r = empty_row();
	if (!json_is_object(v)) {
		json_decref(v);
		return false;
	}
	count = json_word(a, v, "counter-value");
	r->missing = missing_of(count);
	r->value = json_figure(v, "counter-value");
	r->time = json_figure(v, "interval");
	r->where = json_place(a, v);
	r->event = json_word(a, v, "event");
	r->unit = json_word(a, v, "unit");
	r->variance = json_figure(v, "variance");
	r->run_time = json_figure(v, "event-runtime");
	r->running = json_figure(v, "pcnt-running");
	r->metric = json_figure(v, "metric-value");
	r->metric_unit = json_word(a, v, "metric-unit");
	json_decref(v);
	return *r->event || *r->metric_unit;
}

/* --- for people --- */

/* Cuts "( +-  5.89% )" and "(62.50%)" off the end of a line. */
static void take_brackets(char *line, struct perf_row *r)
{
	for (;;) {
		char *open = strrchr(line, '(');
		const char *p = open ? past_spaces(open + 1) : NULL;
		bool spread = p && !strncmp(p, "+-", 2);
		double v;

		p = spread ? p + 2 : p;
		if (!p || !text_number(&p, false, &v) || *p != '%' ||
		    *(p = past_spaces(p + 1)) != ')')
			return;
		if (*past_spaces(p + 1))
			return;
		if (spread)
			r->variance = v;
		else
			r->running = v;
		*open = '\0';
	}
}

static void trim(char *s)
{
	size_t n = strlen(s);

	while (n && (s[n - 1] == ' ' || s[n - 1] == '\t'))
		s[--n] = '\0';
}

/* "   0.015 CPUs utilized", "  3.21% of all branches" */
static void take_remark(const char *p, struct perf_row *r)
{
	if (!text_number(&p, true, &r->metric)) {
		r->metric = NONE;
		return;
	}
	r->percent = *past_spaces(p) == '%';
	r->metric_unit = p;
}

/* Time and place before the count; *p moved behind them. */
static void take_before(char **p, bool interval, struct perf_row *r)
{
	const char *q = *p, *number;
	char *word;
	double v;

	if (interval && text_number(&q, false, &r->time))
		*p = (char *)q;
	word = (char *)past_spaces(*p);
	if (!is_event(word) || *word == '{')
		return;
	*p = word + strcspn(word, " \t");
	if (**p)
		*(*p)++ = '\0';
	r->where = word;
	/* "S0  2   101.50 msec": how many processors it has */
	q = past_spaces(*p);
	if (!text_number(&q, false, &v) || *q != ' ')
		return;
	number = past_spaces(q);
	if (*number == '<' || text_number(&number, true, &v))
		*p = (char *)q;
}

/* "TopdownL1 (cpu_core)   # 7.8 %  tma_bad_speculation": a group of metrics has no count. */
static bool is_group(char *p, struct perf_row *r)
{
	p = (char *)past_spaces(p);
	if (isnan(r->metric) || !(*p >= 'A' && *p <= 'Z') || strchr(p, ':'))
		return false;
	for (const char *c = p; *c; c++) {
		if (*c == ' ' && c[1] != '(')
			return false;
	}
	r->event = p;
	return true;
}

/* "3,4814", "1.234,5": *p behind it. */
static bool comma_number(const char **p)
{
	const char *s = past_spaces(*p), *comma = strchr(s, ',');
	size_t n = strspn(s, "0123456789.,");

	*p = s + n;
	return comma && comma < *p && comma[1] >= '0' && comma[1] <= '9' &&
	       !memchr(comma, '.', (size_t)(*p - comma));
}

bool perf_stat_foreign_line(const char *line)
{
	static const char *const ends[] = {"seconds time elapsed", "seconds user", "seconds sys"};
	const char *p = strstr(line, "+-"), *q = line;

	if (p) {
		p += 2;
		if (comma_number(&p) && *p == '%')
			return true;
	}
	if (!comma_number(&q))
		return false;
	q = past_spaces(q);
	if (!strncmp(q, "+-", 2)) {
		q += 2;
		comma_number(&q);
	}
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		if (text_after(q, ends[i]))
			return true;
	}
	return false;
}

bool perf_stat_plain_line(char *line, bool interval, struct perf_row *r)
{
	char *p = line, *mark, *unit, *event;
	const char *q;

	*r = empty_row();
	take_brackets(line, r);
	trim(line);
	mark = strchr(line, '#');
	if (mark) {
		*mark = '\0';
		take_remark(mark + 1, r);
	}
	trim(line);
	if (!*past_spaces(p))
		return !isnan(r->metric);
	if (is_group(p, r))
		return true;
	take_before(&p, interval, r);
	q = past_spaces(p);
	if (!strncmp(q, "<not counted>", 13) || !strncmp(q, "<not supported>", 15)) {
		r->missing = q[5] == 'c' ? "not counted" : "not supported";
		q = strchr(q, '>') + 1;
	} else if (!text_number(&q, true, &r->value)) {
		return false;
	}
	if (*q != ' ' && *q != '\t')
		return false;
	unit = (char *)past_spaces(q);
	event = unit + strcspn(unit, " \t");
	if (*past_spaces(event)) {
		*event = '\0';
		event = (char *)past_spaces(event + 1);
		r->unit = unit;
	} else {
		event = unit;
	}
	r->event = event;
	return is_event(event) && is_unit(r->unit);
}
