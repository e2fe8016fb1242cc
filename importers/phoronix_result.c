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

void phoronix_init(struct phoronix *p, struct import *in)
{
	struct arena *own = in->ctx->arena;

	*p = (struct phoronix){.in = in, .c = in->ctx, .own = own};
	text_map_init(&p->tested, own);
	text_map_init(&p->tests, own);
	text_map_init(&p->groups, own);
	block_list_init(&p->list, own, sizeof(struct phoronix_group));
	block_list_init(&p->results, own, RESULT_FIELDS * sizeof(const char *));
	block_list_init(&p->entries, own, sizeof(struct phoronix_kept));
}

static const char *keep(struct phoronix *p, const char *text)
{
	return *text ? arena_str(p->own, text) : "";
}

/* --- what is kept ------------------------------------------------------------------------------
 */

static uint32_t name_of(struct text_map *m, const char *name)
{
	bool fresh;

	return (uint32_t)text_map_add(m, name, strlen(name), &fresh);
}

static uint32_t group_of(struct phoronix *p, const char *tested, const char *test)
{
	const struct phoronix_group key = {name_of(&p->tested, tested), name_of(&p->tests, test)};
	bool fresh;
	size_t i = text_map_add(&p->groups, (const char *)&key, sizeof(key), &fresh);

	if (fresh)
		*(struct phoronix_group *)block_list_add(&p->list) = key;
	return (uint32_t)i;
}

/* Values of these are lists: over time, or over other results. */
static bool is_left_out(const char *format)
{
	return strstr(format, "LINE_GRAPH") || strstr(format, "_PLOT") ||
	       !strcmp(format, "BAR_ANALYZE_GRAPH") || !strcmp(format, "IMAGE_COMPARISON");
}

void phoronix_result(struct phoronix *p, const char *const *text,
		     const struct phoronix_entry *entries, size_t n)
{
	const char *format = text[RESULT_FORMAT];
	const char **copy;

	if (!*text[RESULT_IDENTIFIER] || !n) /* notes of the one who compared */
		return;
	copy = block_list_add(&p->results);
	for (size_t i = 0; i < RESULT_FIELDS; i++)
		copy[i] = keep(p, text[i]);
	for (size_t i = 0; i < n; i++) {
		const char *const *told = entries[i].text;
		const char *value = *told[ENTRY_RAW] && !strstr(format, "PASS_FAIL")
					    ? told[ENTRY_RAW]
					    : told[ENTRY_VALUE];

		*(struct phoronix_kept *)block_list_add(&p->entries) = (struct phoronix_kept){
			keep(p, is_left_out(format) ? "" : value), (uint32_t)p->results.n - 1,
			group_of(p, told[ENTRY_IDENTIFIER], text[RESULT_IDENTIFIER]),
			entries[i].line};
	}
}

/* --- one group -----------------------------------------------------------------------------------
 */

/* Its submission while it is made. */
struct making {
	struct phoronix *p;
	struct samples *s;
	struct arena *a; /* lives as long */
	struct text_map metrics;
	const char **arguments; /* of the first result that is called so */
	size_t argument_cap;
};

/* What the result is called in the group; with its arguments where another one is called so. */
static const char *metric_of(struct making *g, const char *const *text)
{
	char what[OUTPUT_WORD_MAX], scale[OUTPUT_WORD_MAX], args[OUTPUT_WORD_MAX];
	const char *s, *word, *name;
	bool fresh;
	size_t i;

	s = *text[RESULT_DESCRIPTION] ? text[RESULT_DESCRIPTION] : text[RESULT_TITLE];
	join_words(s, strlen(s), what);
	word = scale_word(text[RESULT_SCALE], scale);
	name = arena_fmt(g->a, "%.300s%s%s%s%s", short_name(g->a, text[RESULT_IDENTIFIER]),
			 *what ? "." : "", what, *word ? "." : "", word);
	i = text_map_add(&g->metrics, name, strlen(name), &fresh);
	g->arguments =
		arena_grow(g->a, g->arguments, &g->argument_cap, i + 1, sizeof(*g->arguments));
	join_words(text[RESULT_ARGUMENTS], strlen(text[RESULT_ARGUMENTS]), args);
	if (fresh)
		g->arguments[i] = arena_str(g->a, args);
	if (!*args || !strcmp(g->arguments[i], args))
		return name;
	return arena_fmt(g->a, "%s.%s", name, args);
}

static void add_text(struct samples *s, const char *metric, const char *value)
{
	samples_add(s, NULL, 1, "%s.%s", metric, strstr(value, "FAIL") ? "fail" : "pass");
}

/* "1.5:1.6:1.4", each a sample. */
static void add_samples(struct making *g, const char *metric, const char *unit,
			const struct phoronix_kept *e)
{
	struct ctx *c = g->p->c;
	const char *list = e->value;
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
			samples_add(g->s, unit, v, "%s", metric);
		else if (c->nfaults < FAULTS_MAX)
			fault(c, arena_fmt(g->a, "line %d", e->line), "\"%s\" is no number",
			      result_clean(g->a, word, strlen(word)));
		else
			fault(c, "", "not kept");
	}
}

static void add_entry(struct making *g, const struct phoronix_kept *e)
{
	const char *const *text = block_list_at(&g->p->results, e->result);
	const char *format = text[RESULT_FORMAT], *metric = metric_of(g, text);
	struct record *r = samples_record(g->s);

	if (*text[RESULT_PROPORTION])
		record_info(r, arena_fmt(g->a, "proportion.%.200s", metric),
			    text[RESULT_PROPORTION]);
	if (*text[RESULT_VERSION])
		record_info(r, "program_version", text[RESULT_VERSION]);
	if (*text[RESULT_ARGUMENTS])
		record_info(r, arena_fmt(g->a, "arguments.%.200s", metric), text[RESULT_ARGUMENTS]);
	if (strstr(format, "PASS_FAIL"))
		add_text(g->s, metric, e->value);
	else if (is_left_out(format))
		record_info(r, arena_fmt(g->a, "left_out.%.200s", metric), format);
	else if (!*e->value)
		samples_add(g->s, NULL, 1, "%s.fail", metric);
	else
		add_samples(g, metric, text[RESULT_SCALE], e);
}

static void describe(struct making *g, const char *tested, const struct phoronix_system *one)
{
	static const char *const keys[SYSTEM_FIELDS] = {"system", "hardware", "software",
							"user",   NULL,       "notes"};
	struct record *r = samples_record(g->s);

	record_info(r, "system", tested);
	if (result_is_commit(tested))
		record_commit(r, tested);
	if (g->p->nsystems > 1 && g->p->in->commit)
		record_axis(r, "system", tested);
	if (!one)
		return;
	record_submission(r)->started = result_parse_time(one->text[SYSTEM_TIME]);
	for (size_t k = 1; k < SYSTEM_FIELDS; k++) {
		if (keys[k])
			record_info(r, keys[k],
				    result_clean(g->a, one->text[k], strlen(one->text[k])));
	}
}

static struct phoronix_kept *entry_at(const struct phoronix *p, size_t i)
{
	return block_list_at(&p->entries, i);
}

/* n entries of the group, by their numbers. systems: by name, the first that is called so. */
static int make_group(struct phoronix *p, const struct phoronix_group *group,
		      const uint32_t *entries, size_t n, const struct text_map *systems)
{
	const struct text_map_entry *tested = &p->tested.list[group->tested];
	const char *test = p->tests.list[group->test].text;
	struct making g = {.p = p, .s = samples_begin(p->in, "phoronix-test-suite")};
	struct record *r = samples_record(g.s);
	size_t which = text_map_find(systems, tested->text, tested->len);

	g.a = record_arena(r);
	text_map_init(&g.metrics, g.a);
	record_axis(r, "test", result_clean(g.a, test, strlen(test)));
	for (size_t i = 0; i < n; i++)
		add_entry(&g, entry_at(p, entries[i]));
	describe(&g, result_clean(g.a, tested->text, tested->len),
		 which == TEXT_MAP_NONE ? NULL : &p->systems[which]);
	return samples_end(g.s);
}

/* --- all -----------------------------------------------------------------------------------------
 */

/* The numbers of entries, group by group; those of group i end at end[i]. */
static uint32_t *by_group(struct phoronix *p, uint32_t *end)
{
	uint32_t *order = arena_array(p->own, uint32_t, p->entries.n);

	for (size_t i = 0; i < p->entries.n; i++) {
		if (entry_at(p, i)->group + 1 < p->groups.n)
			end[entry_at(p, i)->group + 1]++;
	}
	for (size_t i = 1; i < p->groups.n; i++)
		end[i] += end[i - 1];
	for (size_t i = 0; i < p->entries.n; i++)
		order[end[entry_at(p, i)->group]++] = (uint32_t)i;
	return order;
}

int phoronix_end(struct phoronix *p)
{
	uint32_t *end = arena_array(p->own, uint32_t, p->groups.n);
	uint32_t *order = by_group(p, end);
	struct text_map systems;
	bool fresh;

	if (!p->groups.n)
		return fail(p->c, E_INVALID, "no result was found in it");
	text_map_init(&systems, p->own);
	for (size_t i = 0, at; i < p->nsystems; i++) {
		const char *name = p->systems[i].text[SYSTEM_IDENTIFIER];

		at = text_map_add(&systems, name, strlen(name), &fresh);
		if (fresh) /* at <= i */
			p->systems[at] = p->systems[i];
	}
	for (size_t i = 0, from = 0; i < p->groups.n; from = end[i++]) {
		make_group(p, block_list_at(&p->list, i), &order[from], end[i] - from, &systems);
		if (p->in->after_document && p->in->after_document(p->in->after_arg) < 0)
			break;
	}
	return p->c->err;
}
