/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What differs between a column and its base besides the commit, in words that stand beside a
 * verdict: what the machine says of itself (microcode, firmware, kernel command line …), the
 * compiler that built both kernels, and what happened to the machine between their runs. What is
 * others for each run or kernel anyway (a boot, the name of an image) is left out.
 */
#include "server/model/compare_table.h"

#include "db/events.h"
#include "server/base/arena.h"
#include "server/base/clock.h"

#define EVENTS_SHOWN 4
#define VALUE_BYTES  80

static const char *const facts[] = {
#define FACT(key) key,
#define VARIES(begin)
#include "db/machine_facts.def"
#undef FACT
#undef VARIES
	"hostname", "compiler", "rootfs", "kconfig", "cpufreq_governor",
};

static const char *const varying[] = {
#define FACT(key)
#define VARIES(begin) begin,
#include "db/machine_facts.def"
#undef FACT
#undef VARIES
};

static bool is_fact(const char *key)
{
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		if (strcmp(facts[i], key) == 0)
			return true;
	return false;
}

static bool is_command_line(const char *key)
{
	return strcmp(key, "cmdline") == 0 || strcmp(key, "kernel_cmdline") == 0;
}

static bool varies(const char *word, size_t n)
{
	for (size_t i = 0; i < sizeof(varying) / sizeof(varying[0]); i++)
		if (n >= strlen(varying[i]) && memcmp(word, varying[i], strlen(varying[i])) == 0)
			return true;
	return false;
}

static bool has_word(const char *line, const char *word, size_t n)
{
	while (*line) {
		size_t len = strcspn(line, " ");

		if (len == n && memcmp(line, word, n) == 0)
			return true;
		line += len;
		line += strspn(line, " ");
	}
	return false;
}

/* The words of a command line that the other does not have, "none" without. */
static const char *own_words(struct arena *a, const char *line, const char *other)
{
	char *text = arena_str(a, "");

	while (*line) {
		size_t n = strcspn(line, " ");

		if (n && !varies(line, n) && !has_word(other, line, n) &&
		    strlen(text) < VALUE_BYTES)
			text = arena_fmt(a, "%s%s%.*s", text, *text ? " " : "", (int)n, line);
		line += n;
		line += strspn(line, " ");
	}
	return *text ? text : "none";
}

static const char *cut(struct arena *a, const char *s)
{
	size_t n = VALUE_BYTES;

	if (strlen(s) <= n)
		return s;
	while (n && ((unsigned char)s[n] & 0xc0) == 0x80)
		n--;
	return arena_fmt(a, "%.*s…", (int)n, s);
}

static void add(struct arena *a, const char **text, const char *more)
{
	*text = *text ? arena_fmt(a, "%s; %s", *text, more) : more;
}

static void add_difference(struct arena *a, const char **text, const char *key, const char *from,
			   const char *to)
{
	if (is_command_line(key)) {
		const char *before = own_words(a, from, to);

		to = own_words(a, to, from);
		from = before;
		if (strcmp(from, to) == 0) /* both none: it names another kernel, no more */
			return;
	}
	add(a, text,
	    arena_fmt(a, "%s differs too: %s -> %s", cut(a, key), cut(a, from), cut(a, to)));
}

/* The one compiler that is told of the commit's builds with this config; NULL: none, or several. */
static int find_compiler(struct ctx *c, struct compare_rows rows, const char *config,
			 const char **out)
{
	bool several = false;

	*out = NULL;
	for (size_t r = 0; r < rows.n; r++) {
		struct build *builds;
		size_t n;
		int rc = commit_builds(c, rows.ids[r], &builds, &n);

		if (rc < 0)
			return rc;
		for (size_t i = 0; i < n; i++) {
			const struct build *b = &builds[i];

			if (!b->compiler || (config && b->config && strcmp(b->config, config) != 0))
				continue;
			several |= *out && strcmp(*out, b->compiler) != 0;
			*out = b->compiler;
		}
	}
	if (several)
		*out = NULL;
	return E_OK;
}

static int add_compilers(struct ctx *c, const struct series *s, struct compare_rows base,
			 struct compare_rows commit, const char **text)
{
	const char *config = series_axis(s, "kconfig"), *from, *to;
	int rc = find_compiler(c, base, config, &from);

	if (rc >= 0)
		rc = find_compiler(c, commit, config, &to);
	if (rc >= 0 && from && to && strcmp(from, to) != 0)
		add_difference(c->arena, text, "compiler of the build", from, to);
	return rc;
}

/* Whether the difference is told already. */
static bool is_told(const struct compare_table *t, size_t base, size_t col, const struct event *e)
{
	for (size_t i = 0; i < t->ninfos; i++) {
		const struct info_difference *d = &t->infos[i];
		const char *from = d->values[base], *to = d->values[col];

		if (strcmp(d->key, e->key) == 0 && from && to && e->old_value && e->new_value &&
		    strcmp(from, e->old_value) == 0 && strcmp(to, e->new_value) == 0)
			return true;
	}
	return false;
}

static void add_event(struct arena *a, const char **text, const struct event *e)
{
	char at[TIME_TEXT];

	clock_short(e->at, at);
	at[strcspn(at, " ")] = '\0'; /* the day says enough */
	*text = arena_fmt(a, "%s%s%s%s%s%s%s%s%s (%s)", *text ? *text : "", *text ? ", " : "",
			  cut(a, e->key), e->old_value || e->new_value ? " " : "",
			  e->old_value ? cut(a, e->old_value) : "", e->old_value ? " -> " : "",
			  e->new_value ? cut(a, e->new_value) : "",
			  e->note && !e->new_value ? ": " : "",
			  e->note && !e->new_value ? cut(a, e->note) : "", at);
}

/* What happened to the machine after the first run of both columns and up to the last. */
static int add_events(struct ctx *c, const struct compare_table *t, size_t base, size_t col,
		      struct compare_rows from, struct compare_rows to, const char **text)
{
	const char *machine = t->series.tbox_group, *all = NULL;
	int64_t first, last, first_now, last_now;
	struct event *events;
	size_t n, shown = 0;
	int rc = compare_span(c, t->series.id, from.ids, from.n, &first, &last);

	if (rc >= 0)
		rc = compare_span(c, t->series.id, to.ids, to.n, &first_now, &last_now);
	if (rc < 0 || first == TIME_NONE || first_now == TIME_NONE)
		return rc;
	first = first < first_now ? first : first_now;
	last = last > last_now ? last : last_now;
	rc = event_range(c, machine, first + 1, last, 4 * EVENTS_SHOWN, &events, &n);
	for (size_t i = 0; rc >= 0 && i < n; i++) {
		if (is_told(t, base, col, &events[i]))
			continue;
		if (shown++ < EVENTS_SHOWN)
			add_event(c->arena, &all, &events[i]);
	}
	if (rc >= 0 && all)
		add(c->arena, text,
		    arena_fmt(c->arena, "between them on this machine: %s%s", all,
			      shown > EVENTS_SHOWN ? " …" : ""));
	return rc;
}

int compare_besides(struct ctx *c, const struct compare_table *t, size_t base, size_t col,
		    struct compare_rows base_rows, struct compare_rows rows, const char **text)
{
	int rc;

	*text = NULL;
	for (size_t i = 0; i < t->ninfos; i++) {
		const struct info_difference *d = &t->infos[i];
		const char *from = d->values[base], *to = d->values[col];

		if (is_fact(d->key) && from && to && strcmp(from, to) != 0)
			add_difference(c->arena, text, d->key, from, to);
	}
	rc = add_compilers(c, &t->series, base_rows, rows, text);
	return rc < 0 ? rc : add_events(c, t, base, col, base_rows, rows, text);
}

int compare_load_besides(struct ctx *c, struct compare_table *t)
{
	const char **besides = NULL;
	int rc = E_OK;

	for (size_t k = 1; k < t->ncols && rc >= 0; k++) {
		size_t base = t->columns[k].base;

		if (base == k || (!t->detail && !compare_column_changed(t, k)))
			continue;
		if (!besides)
			besides = arena_array(c->arena, const char *, t->ncols);
		const struct compare_commit *from = t->columns[base].commit;
		const struct compare_commit *to = t->columns[k].commit;

		rc = compare_besides(c, t, base, k, (struct compare_rows){from->rows, from->nnames},
				     (struct compare_rows){to->rows, to->nnames}, &besides[k]);
	}
	t->besides = besides;
	return rc;
}
