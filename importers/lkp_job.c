/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What job.yaml says of a run. It names the axes that every run has (test, machine, rootfs, kernel
 * configuration, compiler), the test's parameters (lkp_params.c), the commit, when the machine took
 * the job, and facts of the machine, which become info. All else in it is bookkeeping of the
 * robot's queue, and is kept with the run as the file itself.
 */
#include "importers/lkp.h"

#include "server/base/arena.h"
#include "server/base/clock.h"

/* Facts that do not split a series: key of the job, name of the info. */
static const struct pair facts[] = {
	{"testbox", "hostname"}, {"model", "model"},   {"brand", "cpu_model"},
	{"memory", "memory"},    {"nr_cpu", "nr_cpu"}, {"nr_node", "nr_node"},
	{"arch", "arch"},        {"ucode", "ucode"},   {"branch", "branch"},
};

static const char *said(const struct lkp_job *job, const char *key)
{
	return lkp_yaml_top(job->list, job->n, key);
}

/* "2016-05-21 12:37:52.471634 +08:00": a time with a space before its zone. */
static int64_t read_time(const char *s)
{
	char text[64];
	int64_t t;
	char *zone;

	if (!s || strlen(s) >= sizeof(text))
		return TIME_NONE;
	memcpy(text, s, strlen(s) + 1);
	zone = strchr(text, ' ');
	zone = zone ? strchr(zone + 1, ' ') : NULL;
	if (zone)
		memmove(zone, zone + 1, strlen(zone));
	return clock_parse(text, &t) ? t : TIME_NONE;
}

static const char *first(const char *a, const char *b)
{
	return a ? a : b;
}

static const char *group(struct arena *a, const struct lkp_job *job)
{
	const char *host = said(job, "testbox");

	return first(said(job, "tbox_group"), host ? lkp_group_of_host(a, host) : NULL);
}

static void apply_params(struct record *r, struct arena *a, const struct lkp_job *job,
			 const char *path_params)
{
	struct pair *params;
	size_t n;
	bool spelled;

	lkp_params(a, job, path_params, &params, &n, &spelled);
	for (size_t i = 0; i < n; i++)
		record_axis(r, params[i].name, params[i].value);
	if (path_params && !spelled && strcmp(path_params, "defaults") != 0)
		record_axis(r, "path_params", path_params);
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		bool is_axis = false;

		for (size_t k = 0; k < n; k++)
			is_axis |= strcmp(params[k].name, facts[i].name) == 0;
		if (!is_axis)
			record_info(r, facts[i].value, said(job, facts[i].name));
	}
}

void lkp_job_apply(struct record *r, const struct lkp_job *job, const struct lkp_place *place)
{
	static const struct lkp_place nowhere = {.run = -1};
	const struct lkp_place *p = place ? place : &nowhere;
	struct submission *s = record_submission(r);
	struct arena *a = record_arena(r);

	record_axis(r, "testcase",
		    first(first(said(job, "testcase"), p->testcase), said(job, "suite")));
	record_axis(r, "tbox_group", first(group(a, job), p->tbox_group));
	record_axis(r, "rootfs", first(said(job, "rootfs"), p->rootfs));
	record_axis(r, "kconfig", first(said(job, "kconfig"), p->kconfig));
	record_axis(r, "compiler", first(said(job, "compiler"), p->compiler));
	apply_params(r, a, job, p->path_params);
	record_commit(r, p->commit);
	record_commit(r, said(job, "commit"));
	s->started = read_time(said(job, "dequeue_time"));
}

bool lkp_job_place(struct arena *a, const struct lkp_job *job, const char *path,
		   struct lkp_place *out)
{
	const char *testcase = first(said(job, "testcase"), said(job, "suite"));
	const char *root = said(job, "result_root");

	if (lkp_place_of_run(a, path, out) && (!testcase || !strcmp(out->testcase, testcase)))
		return true;
	return root && lkp_place_of_run(a, root, out);
}
