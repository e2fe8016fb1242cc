/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the invented year: one line a boot, in the order of the commits, each with all that a rig
 * tells about itself.
 */
#include "deploy/sample/invent_year.h"

#include "server/base/num.h"

static const char *const statuses[] = {"ok", "incomplete", "failed"};

static void put_axes(size_t box, size_t test)
{
	const struct year_test *t = &year_tests[test];

	printf("\"axes\":{\"testcase\":\"%s\",\"tbox_group\":\"%s\",\"%s\":\"%s\","
	       "\"kconfig\":\"x86_64-rhel-9.4\",\"compiler\":\"gcc-13\","
	       "\"rootfs\":\"debian-12-x86_64-20250101.cgz\",\"cpufreq_governor\":\"performance\"}",
	       t->testcase, year_boxes[box].name, t->axis, t->value);
}

/* The value of a key that an event changes. */
static const char *told(uint64_t seed, const struct year_boot *b, size_t event)
{
	const struct year_event *e = &year_events[event];

	return year_event_holds(seed, event, b->box, b->started) ? e->after : e->before;
}

static void put_info(uint64_t seed, const struct year_boot *b)
{
	const struct year_box *box = &year_boxes[b->box];
	bool has_event = year_events[EVENT_MICROCODE].box == (int)b->box;

	printf("\"info\":{\"origin\":\"invented\",\"hostname\":\"%s-1\",\"firmware\":\"%s\","
	       "\"microcode\":\"%s\",\"cmdline\":\"%s\",\"rig_version\":\"%s\"",
	       box->name, box->firmware,
	       has_event ? told(seed, b, EVENT_MICROCODE) : box->microcode,
	       told(seed, b, EVENT_CMDLINE), told(seed, b, EVENT_BAD_RIG));
	if (b->box == BOX_OF_BOOTS)
		printf(",\"boot\":\"%s-%lld\"", box->name, (long long)b->started);
	putchar('}');
}

static void put_run(uint64_t seed, const struct year_boot *b, int run)
{
	char name[64], number[NUM_MAX];
	const char *comma = "";
	double v;

	putchar('{');
	if (b->status == YEAR_FAILED) {
		fputs("\"last_state.booting\":1", stdout);
		comma = ",";
	}
	for (size_t m = 0; m < YEAR_METRICS; m++) {
		if (!year_value(seed, b, run, m, &v))
			continue;
		printf("%s\"%s\":%.*s", comma, year_metric(b->test, m, name).name,
		       (int)num_rounded(v, 7, number), number);
		comma = ",";
	}
	putchar('}');
}

/* {"key":…,"axes":…,"commit":… of an object that is left open. */
static void put_head(uint64_t seed, size_t box, size_t test, struct year_commit k, int number)
{
	char id[41];

	year_commit_id(seed, k, id);
	printf("{\"key\":\"%s/%s/%.12s/%d\",", year_boxes[box].name, year_tests[test].testcase, id,
	       number);
	put_axes(box, test);
	putchar(',');
	year_put_commit(seed, k);
}

static void put_boot(uint64_t seed, const struct year_boot *b)
{
	char date[32];

	put_head(seed, b->box, b->test, b->commit, b->number);
	year_time_text(b->started, date);
	printf(",\"started\":\"%s\",\"status\":\"%s\",", date, statuses[b->status]);
	put_info(seed, b);
	fputs(",\"runs\":[", stdout);
	for (int r = 0; r < b->runs; r++) {
		if (r)
			putchar(',');
		put_run(seed, b, r);
	}
	puts("]}");
}

static void put_commit_results(uint64_t seed, struct year_commit k)
{
	for (size_t box = 0; box < year_nboxes; box++)
		for (size_t test = 0; test < year_ntests; test++)
			for (int number = 0; number < 2; number++) {
				struct year_boot b = year_boot(seed, box, test, k, number);

				if (b.runs)
					put_boot(seed, &b);
			}
}

void invent_year(uint64_t seed)
{
	for (int c = 0; c < YEAR_COMMITS; c++) {
		struct year_commit k = {c, -1};

		put_commit_results(seed, k);
		if (c == UNBUILT) { /* all that there is to say is that it did not build */
			put_head(seed, 0, 0, k, 0);
			puts("}");
		}
		for (size_t p = 0; p < year_npatches; p++)
			if (year_patches[p].base + 3 == c)
				put_commit_results(
					seed, (struct year_commit){year_patches[p].base, (int)p});
	}
}
