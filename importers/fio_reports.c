/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of fio's outputs are reports of one run. Two that follow each other are, when their jobs
 * are the same, the later one has run longer and done no less, and either the processes are the
 * same or as much time went by between them as the runtime grew: a further run would have begun
 * after the first was over.
 */
#include "importers/fio.h"

#include <math.h>

#include "server/base/arena.h"

#define LEAST_GROWTH 50 /* ms: two that ran side by side end almost at once */

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && !strcmp(s + n - m, end);
}

/* The operations that all jobs did, and the longest time of one in ms. */
static void measure(const struct fio_output *o, double *work, double *time)
{
	*work = *time = 0;
	for (size_t i = 0; i < o->njobs; i++) {
		for (size_t k = 0; k < o->jobs[i].n; k++) {
			const struct fio_figure *f = &o->jobs[i].figures[k];
			const char *name = fio_figure_name(&o->jobs[i], f);

			if (ends_with(name, "_total_ios"))
				*work += f->v;
			else if (ends_with(name, "_runtime") && strcmp(name, "job_runtime"))
				*time = fmax(*time, f->v);
		}
	}
}

static bool same_jobs(const struct fio_output *a, const struct fio_output *b)
{
	for (size_t i = 0; a->njobs == b->njobs && i < a->njobs; i++) {
		if (strcmp(a->jobs[i].name, b->jobs[i].name) != 0)
			return false;
	}
	return a->njobs == b->njobs && a->njobs > 0;
}

bool fio_is_report(const struct fio_output *earlier, const struct fio_output *later)
{
	double work, time, work_later, time_later, passed, grown, within;

	if (!same_jobs(earlier, later))
		return false;
	measure(earlier, &work, &time);
	measure(later, &work_later, &time_later);
	grown = time_later - time;
	if (grown <= 0 || work <= 0 || work_later < work)
		return false;
	if (earlier->processes && later->processes)
		return earlier->processes == later->processes;
	passed = later->printed - earlier->printed;
	within = fmax(earlier->printed_within, later->printed_within);
	if (!isfinite(passed) || passed <= 0 || fabs(passed - grown) > within)
		return false;
	return grown >= LEAST_GROWTH || earlier->reports > 0;
}

void fio_hand_on(const struct fio_output *from, struct fio_output *to)
{
	to->reports = from->reports + 1;
	to->version = to->version ? to->version : arena_str(to->a, from->version);
	to->label = to->label ? to->label : arena_str(to->a, from->label);
	for (size_t i = 0; i < to->njobs; i++) {
		const struct fio_job *old = &from->jobs[i];
		size_t n = to->jobs[i].noptions ? 0 : old->noptions;

		for (size_t k = 0; k < n; k++)
			fio_add_option(&to->jobs[i], old->options[k].name, old->options[k].value);
	}
}
