/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commits of the invented year: a line of 300 with a patch under test beside it here and there.
 * What the plan plants is told by the messages of those commits that undo it, as in a real tree.
 */
#include "deploy/sample/invent_year.h"

#include <time.h>

#define YEAR_BEGIN INT64_C(1735693200) /* 2025-01-01 01:00 UTC */
#define YEAR_STEP  105120              /* seconds: 365 days over 300 commits */

void year_commit_id(uint64_t seed, struct year_commit k, char id[41])
{
	uint64_t which = k.patch >= 0 ? 100000 + (uint64_t)k.patch : (uint64_t)k.position;

	for (uint64_t i = 0; i < 5; i++)
		snprintf(id + 8 * i, 9, "%08x",
			 (unsigned)invent_mix(invent_mix(seed ^ 0x79656172) + which * 8 + i));
}

int64_t year_commit_date(uint64_t seed, int position)
{
	double late = invent_uniform(seed, 20, (uint64_t)position, 0, 0) * 90000;

	return YEAR_BEGIN + (int64_t)position * YEAR_STEP + (int64_t)late;
}

void year_time_text(int64_t t, char text[32])
{
	time_t clock = t;
	struct tm tm;

	gmtime_r(&clock, &tm);
	strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

/* The first planted step that this commit undoes, or NULL. */
static const struct year_step *undone_by(int position)
{
	for (size_t i = 0; i < year_nsteps; i++)
		if (year_steps[i].reverted == position)
			return &year_steps[i];
	return NULL;
}

static void plain_subject(uint64_t seed, int position, char text[160])
{
	static const char *const rooms[] = {"sched/fair", "mm", "mm/slub", "block",   "ext4",
					    "net",        "fs", "x86/mm",  "locking", "cgroup"};
	static const char *const verbs[] = {"shorten", "split",  "batch", "defer",
					    "tidy up", "inline", "bound", "simplify"};
	static const char *const things[] = {
		"the wakeup path",     "the fault path",      "the free list",
		"the reference count", "the lookup",          "the slow path",
		"the statistics",      "the writeback queue", "the spinning"};
	uint64_t h = invent_mix(seed * 31 + (uint64_t)position);

	snprintf(text, 160, "%s: invented: %s %s (%d)", rooms[h % 10], verbs[h / 16 % 8],
		 things[h / 256 % 9], position);
}

void year_subject(uint64_t seed, int position, char text[160])
{
	const struct year_step *s = undone_by(position);
	char other[160];

	if (s && !s->fix) {
		plain_subject(seed, s->at, other);
		snprintf(text, 160, "Revert \"%.140s\"", other);
	} else {
		plain_subject(seed, position, text);
	}
}

void year_put_string(const char *s)
{
	putchar('"');
	for (; *s; s++) {
		if (*s == '\n')
			fputs("\\n", stdout);
		else if (*s == '"' || *s == '\\')
			printf("\\%c", *s);
		else
			putchar(*s);
	}
	putchar('"');
}

/* Only those that undo something have more to say than their subject. */
static void put_message(uint64_t seed, int position)
{
	const struct year_step *s = undone_by(position);
	char subject[160], undone[160], id[41], text[600];

	if (!s)
		return;
	year_subject(seed, position, subject);
	year_subject(seed, s->at, undone);
	year_commit_id(seed, (struct year_commit){s->at, -1}, id);
	if (s->fix)
		snprintf(text, sizeof(text),
			 "%s\n\nInvented for the sample lab.\n\nFixes: %.12s (\"%s\")\n"
			 "Signed-off-by: Sample Generator <invented@example.org>\n",
			 subject, id, undone);
	else
		snprintf(text, sizeof(text),
			 "%s\n\nThis reverts commit %s, which was invented as well.\n\n"
			 "Signed-off-by: Sample Generator <invented@example.org>\n",
			 subject, id);
	fputs(",\"message\":", stdout);
	year_put_string(text);
}

static void put_patch(uint64_t seed, int number)
{
	const struct year_patch *p = &year_patches[number];
	char base[41];

	year_commit_id(seed, (struct year_commit){p->base, -1}, base);
	printf(",\"label\":\"patch v%d\",\"patch\":{\"message_id\":\"%s@example.org\","
	       "\"version\":%d,\"index\":1,\"total\":1,\"base\":\"%s\"}",
	       p->version, p->series, p->version, base);
	if (p->version == 1)
		printf(",\"build\":{\"config\":\"x86_64-rhel-9.4\",\"compiler\":\"gcc-13\","
		       "\"status\":\"ok\",\"warnings\":[{\"file\":\"mm/invented.c\",\"line\":%d,"
		       "\"column\":6,\"message\":\"no previous prototype for "
		       "'invented_drain' [-Wmissing-prototypes]\"}]}",
		       200 + p->base);
}

void year_put_commit(uint64_t seed, struct year_commit k)
{
	bool is_patch = k.patch >= 0;
	char id[41], date[32], subject[160];

	year_commit_id(seed, k, id);
	/* a patch was written two days after the commit that it is for */
	year_time_text(year_commit_date(seed, k.position) + (is_patch ? 172800 : 0), date);
	year_subject(seed, k.position, subject);
	printf("\"commit\":{\"id\":\"%s\",\"date\":\"%s\",\"subject\":", id, date);
	year_put_string(is_patch ? year_patches[k.patch].subject : subject);
	fputs(",\"author\":{\"name\":\"Sample Generator\",\"email\":\"invented@example.org\"}",
	      stdout);
	if (!is_patch) {
		fputs(",\"tree\":\"invented-year\"", stdout);
		put_message(seed, k.position);
	}
	if (is_patch || k.position > 0) {
		struct year_commit parent = {k.position - !is_patch, -1};

		year_commit_id(seed, parent, id);
		printf(",\"parents\":[\"%s\"]", id);
	}
	if (is_patch)
		put_patch(seed, k.patch);
	if (k.position == UNBUILT && !is_patch)
		fputs(",\"build\":{\"config\":\"x86_64-rhel-9.4\",\"compiler\":\"gcc-13\","
		      "\"status\":\"failed\",\"warnings\":[{\"file\":\"mm/invented.c\","
		      "\"line\":77,\"column\":2,\"message\":\"implicit declaration of function "
		      "'invented_check'\"}]}",
		      stdout);
	putchar('}');
}
