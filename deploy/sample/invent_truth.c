/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The truth of the invented year, as JSON: what was planted, where it can be seen first, and how
 * noisy the metric is there. An object a line, so that a change of the plan reads well as a diff.
 */
#include "deploy/sample/invent_year.h"

#include <string.h>

#include "server/base/num.h"

static void put_number(const char *key, double v)
{
	char number[NUM_MAX];

	printf(",\"%s\":%.*s", key, (int)num_rounded(v, 7, number), number);
}

static void put_commit(uint64_t seed, const char *key, int position)
{
	char id[41];

	year_commit_id(seed, (struct year_commit){position, -1}, id);
	printf("\"%s\":\"%s\"", key, id);
}

static struct year_metric find_metric(int test, const char *name)
{
	static char own[64];
	struct year_metric k = {0};

	for (size_t m = 0; m < YEAR_METRICS && (!k.name || strcmp(k.name, name) != 0); m++)
		k = year_metric((size_t)test, m, own);
	return k;
}

/* Whether the box has sound runs of the test on a commit of the line. */
static bool is_measured(uint64_t seed, size_t box, int test, int position)
{
	for (int number = 0; number < 2; number++) {
		struct year_boot b = year_boot(seed, box, (size_t)test,
					       (struct year_commit){position, -1}, number);

		if (b.runs && b.status == YEAR_OK &&
		    !year_event_holds(seed, EVENT_BAD_RIG, box, b.started))
			return true;
	}
	return false;
}

/* Where each box that a change concerns sees it: the last commit without and the first with it. */
static void put_seen(uint64_t seed, int box, int test, int at)
{
	const char *comma = "";

	fputs(",\"seen\":[", stdout);
	for (size_t b = 0; b < year_nboxes; b++) {
		int before = at - 1, after = at;

		if (!(year_tests[test].boxes >> b & 1) || (box != YEAR_ALL && box != (int)b))
			continue;
		while (before >= 0 && !is_measured(seed, b, test, before))
			before--;
		while (after < YEAR_COMMITS && !is_measured(seed, b, test, after))
			after++;
		if (before < 0 || after == YEAR_COMMITS)
			continue;
		printf("%s{\"box\":\"%s\",\"last_before\":%d,\"first_with\":%d}", comma,
		       year_boxes[b].name, before, after);
		comma = ",";
	}
	putchar(']');
}

/* {"commit":…,"position":…,"box":…,"test":…,"metric":… of an object that is left open. */
static void put_place(uint64_t seed, int at, int box, int test, const char *metric)
{
	putchar('{');
	put_commit(seed, "commit", at);
	printf(",\"position\":%d,\"box\":\"%s\",\"test\":\"%s\",\"metric\":\"%s\"", at,
	       box == YEAR_ALL ? "all" : year_boxes[box].name, year_tests[test].testcase, metric);
}

static void put_step(uint64_t seed, const struct year_step *s)
{
	const struct year_metric k = find_metric(s->test, s->metric);

	put_place(seed, s->at, s->box, s->test, s->metric);
	if (k.shape == SHAPE_FAILS) {
		fputs(",\"kind\":\"functional\"", stdout);
		put_number("probability", s->change);
	} else {
		fputs(",\"kind\":\"step\"", stdout);
		put_number(k.shape == SHAPE_PERCENT ? "points" : "factor", s->change);
		put_number("sd_within", k.within);
		put_number("sd_between", k.between);
	}
	if (s->reverted == YEAR_ALL)
		fputs(",\"reverted_at\":null", stdout);
	else
		printf(",\"reverted_at\":%d", s->reverted);
	put_seen(seed, s->box, s->test, s->at);
	putchar('}');
}

static void put_drift(uint64_t seed, const struct year_drift *d)
{
	put_place(seed, d->from, d->box, d->test, d->metric);
	printf(",\"kind\":\"drift\",\"to\":%d", d->to);
	put_number("slope", d->slope);
	fputs(",\"reverted_at\":null}", stdout);
}

static void put_shifts(uint64_t seed)
{
	const char *comma = "";
	char name[64];

	fputs(",\"shifts\":[", stdout);
	for (size_t t = 0; t < year_ntests; t++)
		for (size_t m = 0; m < YEAR_METRICS; m++) {
			double f = year_microcode_factor(seed, t, m);

			if (f >= 1 && f <= 1)
				continue;
			printf("%s\n  {\"test\":\"%s\",\"metric\":\"%s\"", comma,
			       year_tests[t].testcase, year_metric(t, m, name).name);
			put_number("factor", f);
			putchar('}');
			comma = ",";
		}
	putchar(']');
}

static void put_event(uint64_t seed, size_t i)
{
	const struct year_event *e = &year_events[i];
	char at[32];

	year_time_text(year_commit_date(seed, e->at), at);
	printf("{\"kind\":\"event\",\"machine\":\"%s\",\"at\":\"%s\",\"position\":%d,"
	       "\"key\":\"%s\",\"old\":\"%s\",\"new\":\"%s\",\"effect\":\"%s\"",
	       year_boxes[e->box].name, at, e->at, e->key, e->before, e->after, e->effect);
	if (e->until != YEAR_ALL) {
		year_time_text(year_commit_date(seed, e->until), at);
		printf(",\"until\":\"%s\"", at);
	}
	if (i == EVENT_MICROCODE)
		put_shifts(seed);
	putchar('}');
}

static void put_patch(uint64_t seed, size_t i)
{
	const struct year_patch *p = &year_patches[i];
	char id[41];

	year_commit_id(seed, (struct year_commit){p->base, (int)i}, id);
	printf("{\"commit\":\"%s\",", id);
	put_commit(seed, "base", p->base);
	printf(",\"position\":%d,\"message_id\":\"%s@example.org\",\"version\":%d,\"test\":\"%s\","
	       "\"metric\":\"%s\"",
	       p->base, p->series, p->version, year_tests[p->test].testcase, p->metric);
	put_number("factor", p->change);
	putchar('}');
}

static void put_boxes(void)
{
	for (size_t b = 0; b < year_nboxes; b++) {
		printf("%s{\"name\":\"%s\"", b ? ",\n" : "", year_boxes[b].name);
		put_number("noise", year_boxes[b].noise);
		put_number("coverage", year_boxes[b].coverage);
		putchar('}');
	}
}

/* Everything that befell one machine and is no commit's doing. */
static void put_troubles(uint64_t seed)
{
	const struct year_event *bad = &year_events[EVENT_BAD_RIG];
	char from[32], to[32];

	year_time_text(year_commit_date(seed, SILENT_FROM), from);
	printf("\"silent\":{\"machine\":\"%s\",\"from\":\"%s\",\"position\":%d},\n",
	       year_boxes[SILENT_BOX].name, from, SILENT_FROM);
	year_time_text(year_commit_date(seed, bad->at), from);
	year_time_text(year_commit_date(seed, bad->until), to);
	printf("\"bad_batch\":{\"machine\":\"%s\",\"from\":\"%s\",\"to\":\"%s\",\"factor\":%d,"
	       "\"select\":{\"machine\":\"%s\",\"info.%s\":\"%s\"}},\n",
	       year_boxes[bad->box].name, from, to, BAD_FACTOR, year_boxes[bad->box].name, bad->key,
	       bad->after);
	fputs("\"not_built\":{", stdout);
	put_commit(seed, "commit", UNBUILT);
	printf(",\"position\":%d},\n\"not_booted\":{", UNBUILT);
	put_commit(seed, "commit", UNBOOTED);
	printf(",\"position\":%d},\n", UNBOOTED);
}

void invent_year_truth(uint64_t seed)
{
	char id[41];

	printf("{\"seed\":%llu,\"tree\":\"invented-year\",\n\"boxes\":[\n",
	       (unsigned long long)seed);
	put_boxes();
	fputs("],\n\"planted\":[\n", stdout);
	for (size_t i = 0; i < year_nsteps; i++) {
		put_step(seed, &year_steps[i]);
		puts(",");
	}
	for (size_t i = 0; i < year_ndrifts; i++) {
		put_drift(seed, &year_drifts[i]);
		puts(i + 1 < year_ndrifts ? "," : "],");
	}
	puts("\"events\":[");
	for (size_t i = 0; i < year_nevents; i++) {
		put_event(seed, i);
		puts(i + 1 < year_nevents ? "," : "],");
	}
	puts("\"patches\":[");
	for (size_t i = 0; i < year_npatches; i++) {
		put_patch(seed, i);
		puts(i + 1 < year_npatches ? "," : "],");
	}
	put_troubles(seed);
	puts("\"commits\":[");
	for (int c = 0; c < YEAR_COMMITS; c++) {
		year_commit_id(seed, (struct year_commit){c, -1}, id);
		printf("\"%s\"%s\n", id, c + 1 < YEAR_COMMITS ? "," : "]}");
	}
}
