/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each test on each system is a series: the axis "test" is its identifier with its version. A
 * metric is <test>.<description>.<scale>, its runs are the samples of RawString, or the one value;
 * pass and fail are functional, and an entry without a value failed. Two results that are called
 * the same are told apart by their arguments. A system is called the commit when its name looks
 * like one; where the request names the commit, the axis "system" tells several apart. Graphs over
 * time and pictures are left out and named in info. Whether more is better (Proportion) is kept as
 * info, since rules by name tell it here.
 */
#include "importers/phoronix.h"

#include "importers/program_output.h"
#include "server/base/arena.h"
#include "server/base/num.h"

/* "pts/compress-7zip-1.10.0" -> "compress-7zip" */
static const char *short_name(struct arena *a, const char *identifier)
{
	const char *name = result_base_name(identifier), *dash = strrchr(name, '-');

	if (dash && dash > name && dash[1] && strspn(dash + 1, "0123456789.") == strlen(dash + 1))
		return arena_strn(a, name, (size_t)(dash - name));
	return name;
}

/* The robot calls these so; any other scale is as in the file. */
static const char *scale_word(const char *scale, char *out)
{
	static const char *const words[][2] = {
		{"Frames Per Second", "fps"},     {"FPS", "fps"},
		{"Seconds", "seconds"},           {"sec", "seconds"},
		{"Milliseconds", "milliseconds"}, {"ms", "milliseconds"}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strcasecmp(words[i][0], scale))
			return words[i][1];
	}
	return join_words(scale, strlen(scale), out);
}

static size_t group_of(struct phoronix *p, const char *tested, const char *test)
{
	struct arena *a = p->c->arena;
	const char *key = arena_fmt(a, "%s\x1f%s", tested, test);
	struct phoronix_group *g;
	bool fresh;
	size_t i = text_map_add(&p->groups, key, strlen(key), &fresh);

	p->list = arena_grow(a, p->list, &p->cap, i + 1, sizeof(*p->list));
	g = &p->list[i];
	if (!fresh)
		return i;
	g->tested = result_clean(a, tested, strlen(tested));
	g->s = samples_begin(p->in, "phoronix-test-suite");
	record_axis(samples_record(g->s), "test", result_clean(a, test, strlen(test)));
	return i;
}

/* What the result is called in the group; with its arguments where another one is called so. */
static const char *metric_of(struct phoronix *p, size_t group, const char *const *text)
{
	struct arena *a = p->c->arena;
	char what[OUTPUT_WORD_MAX], scale[OUTPUT_WORD_MAX], args[OUTPUT_WORD_MAX];
	const char *s, *word, *name, *key;
	bool fresh;
	size_t i;

	s = *text[RESULT_DESCRIPTION] ? text[RESULT_DESCRIPTION] : text[RESULT_TITLE];
	join_words(s, strlen(s), what);
	word = scale_word(text[RESULT_SCALE], scale);
	name = arena_fmt(a, "%.300s%s%s%s%s", short_name(a, text[RESULT_IDENTIFIER]),
			 *what ? "." : "", what, *word ? "." : "", word);
	key = arena_fmt(a, "%zu %s", group, name);
	i = text_map_add(&p->metrics, key, strlen(key), &fresh);
	p->arguments = arena_grow(a, p->arguments, &p->argument_cap, i + 1, sizeof(*p->arguments));
	join_words(text[RESULT_ARGUMENTS], strlen(text[RESULT_ARGUMENTS]), args);
	if (fresh)
		p->arguments[i] = arena_str(a, args);
	if (!*args || !strcmp(p->arguments[i], args))
		return name;
	return arena_fmt(a, "%s.%s", name, args);
}

static void add_text(struct samples *s, const char *metric, const char *value)
{
	samples_add(s, NULL, 1, "%s.%s", metric, strstr(value, "FAIL") ? "fail" : "pass");
}

/* "1.5:1.6:1.4", each a sample. */
static void add_samples(struct phoronix *p, struct samples *s, const char *metric, const char *unit,
			const struct phoronix_entry *e)
{
	const char *list = *e->text[ENTRY_RAW] ? e->text[ENTRY_RAW] : e->text[ENTRY_VALUE];
	char word[64];
	double v;

	for (size_t n; *list; list += n + (list[n] == ':')) {
		n = strcspn(list, ":");
		while (n && (*list == ' ' || *list == '\n' || *list == '\t')) {
			list++;
			n--;
		}
		if (!n)
			continue;
		snprintf(word, sizeof(word), "%.*s", (int)(n < sizeof(word) ? n : sizeof(word)),
			 list);
		word[strcspn(word, " \t\n")] = '\0';
		if (num_parse_real(word, &v))
			samples_add(s, unit, v, "%s", metric);
		else
			fault(p->c, arena_fmt(p->c->arena, "line %d", e->line),
			      "\"%s\" is no number", result_clean(p->c->arena, word, strlen(word)));
	}
}

static void add_entry(struct phoronix *p, const char *const *text, const struct phoronix_entry *e)
{
	const char *format = text[RESULT_FORMAT], *unit = text[RESULT_SCALE], *metric;
	size_t group = group_of(p, e->text[ENTRY_IDENTIFIER], text[RESULT_IDENTIFIER]);
	struct samples *s = p->list[group].s;
	struct record *r = samples_record(s);
	struct arena *a = p->c->arena;

	metric = metric_of(p, group, text);
	if (*text[RESULT_PROPORTION])
		record_info(r, arena_fmt(a, "proportion.%.200s", metric), text[RESULT_PROPORTION]);
	if (*text[RESULT_VERSION])
		record_info(r, "program_version", text[RESULT_VERSION]);
	if (*text[RESULT_ARGUMENTS])
		record_info(r, arena_fmt(a, "arguments.%.200s", metric), text[RESULT_ARGUMENTS]);
	if (strstr(format, "PASS_FAIL"))
		add_text(s, metric, e->text[ENTRY_VALUE]);
	else if (!strcmp(format, "LINE_GRAPH") || !strcmp(format, "FILLED_LINE_GRAPH") ||
		 !strcmp(format, "IMAGE_COMPARISON"))
		record_info(r, arena_fmt(a, "left_out.%.200s", metric), format);
	else if (!*e->text[ENTRY_RAW] && !*e->text[ENTRY_VALUE])
		samples_add(s, NULL, 1, "%s.fail", metric);
	else
		add_samples(p, s, metric, unit, e);
}

void phoronix_result(struct phoronix *p, const char *const *text,
		     const struct phoronix_entry *entries, size_t n)
{
	if (!*text[RESULT_IDENTIFIER]) { /* notes of the one who compared */
		return;
	}
	for (size_t i = 0; i < n; i++)
		add_entry(p, text, &entries[i]);
}

static void describe(struct phoronix *p, const struct phoronix_group *g)
{
	static const char *const keys[SYSTEM_FIELDS] = {"system", "hardware", "software",
							"user",   NULL,       "notes"};
	struct record *r = samples_record(g->s);

	record_info(r, "system", g->tested);
	if (result_is_commit(g->tested))
		record_commit(r, g->tested);
	if (p->nsystems > 1 && p->in->commit)
		record_axis(r, "system", g->tested);
	for (size_t i = 0; i < p->nsystems; i++) {
		const struct phoronix_system *one = &p->systems[i];
		const char *name = one->text[SYSTEM_IDENTIFIER];

		if (strcmp(result_clean(p->c->arena, name, strlen(name)), g->tested) != 0)
			continue;
		record_submission(r)->started = result_parse_time(one->text[SYSTEM_TIME]);
		for (size_t k = 1; k < SYSTEM_FIELDS; k++) {
			if (keys[k])
				record_info(r, keys[k],
					    result_clean(p->c->arena, one->text[k],
							 strlen(one->text[k])));
		}
		return;
	}
}

int phoronix_end(struct phoronix *p)
{
	if (!p->groups.n)
		return fail(p->c, E_INVALID, "no result was found in it");
	for (size_t i = 0; i < p->groups.n; i++) {
		describe(p, &p->list[i]);
		samples_end(p->list[i].s);
		if (p->in->after_document && p->in->after_document(p->in->after_arg) < 0)
			break;
	}
	return p->c->err;
}
