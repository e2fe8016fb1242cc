/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The outputs of a file while it is read. Each has an arena of its own and is let go as soon as it
 * was handed on, so that memory is that of one output, whatever the file's length; the one before
 * is kept until the next is whole, since it may have been a report on the way to it, and excerpts
 * of text are kept as long as there is nothing but excerpts, since the later half may belong to the
 * earlier one.
 */
#include "importers/fio.h"

#include <math.h>
#include <stdarg.h>

#include "server/base/arena.h"
#include "server/base/clock.h"

#define NAME_BUFFER 2048 /* of a figure; names of disks are in it */

/* --- what is added --- */

const char *fio_text_kept(struct fio_output *o, const char *s, size_t n)
{
	bool fresh;
	size_t at = text_map_add(&o->names, s, n, &fresh); /* may move the list */

	return o->names.list[at].text;
}

const char *fio_figure_name(const struct fio_job *j, const struct fio_figure *f)
{
	return j->of->names.list[f->name].text;
}

struct fio_job *fio_add_job(struct fio_outputs *all, const char *name)
{
	struct fio_output *o = all->now;
	const struct fio_job *last;
	struct fio_job *j;

	if (o->njobs == FIO_JOBS_MAX) {
		fail(all->ctx, E_TOO_LARGE, "an output has more than %d jobs: import it in parts",
		     FIO_JOBS_MAX);
		return &o->jobs[o->njobs - 1];
	}
	o->jobs = arena_grow(o->a, o->jobs, &o->cap, o->njobs + 1, sizeof(*o->jobs));
	j = &o->jobs[o->njobs];
	*j = (struct fio_job){.a = o->a, .of = o, .name = arena_str(o->a, name)};
	last = o->njobs++ ? j - 1 : NULL;
	if (last && last->n) { /* jobs of an output are alike: growing would take more */
		j->figures = arena_array(o->a, struct fio_figure, last->n);
		j->cap = last->n;
	}
	return j;
}

static void add_figure(struct fio_outputs *all, struct fio_job *j, const char *name,
		       struct fio_figure f)
{
	struct fio_output *o = j->of;
	bool fresh;

	if (!isfinite(f.v) || o->nfigures > FIO_FIGURES_MAX)
		return;
	if (f.how == FIO_ALONE && o->njobs > FIO_MANY_JOBS && j != &o->whole)
		return; /* not kept: see the head of fio.c */
	if (o->nfigures++ == FIO_FIGURES_MAX) {
		fail(all->ctx, E_TOO_LARGE,
		     "an output has more than %d figures: import it in parts", FIO_FIGURES_MAX);
		return;
	}
	f.name = (uint32_t)text_map_add(&o->names, name, strlen(name), &fresh);
	j->figures = arena_grow(j->a, j->figures, &j->cap, j->n + 1, sizeof(*j->figures));
	j->figures[j->n++] = f;
}

void fio_add(struct fio_outputs *all, struct fio_job *j, enum fio_how how, double weight,
	     const char *unit, double v, const char *fmt, ...)
{
	char name[NAME_BUFFER];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);
	add_figure(all, j, name,
		   (struct fio_figure){
			   .how = how, .unit = unit, .v = v, .weight = weight, .mean = NAN});
}

void fio_add_spread(struct fio_outputs *all, struct fio_job *j, double weight, const char *unit,
		    double v, double mean, const char *name)
{
	add_figure(
		all, j, name,
		(struct fio_figure){
			.how = FIO_SPREAD, .unit = unit, .v = v, .weight = weight, .mean = mean});
}

void fio_add_option(struct fio_job *j, const char *name, const char *value)
{
	j->options =
		arena_grow(j->a, j->options, &j->option_cap, j->noptions + 1, sizeof(*j->options));
	j->options[j->noptions++] = (struct pair){arena_str(j->a, name), arena_str(j->a, value)};
}

void fio_add_distribution(struct fio_job *j, const struct distribution_in *d)
{
	j->distributions = arena_grow(j->a, j->distributions, &j->distribution_cap,
				      j->ndistributions + 1, sizeof(*j->distributions));
	j->distributions[j->ndistributions++] = *d;
}

/* --- one after the other --- */

struct fio_output *fio_begin_output(struct fio_outputs *all)
{
	struct arena *a = arena_new();
	struct fio_output *o = arena_array(a, struct fio_output, 1);

	fio_end_output(all);
	*o = (struct fio_output){.a = a, .started = TIME_NONE, .printed = NAN};
	o->whole = (struct fio_job){.a = a, .of = o};
	text_map_init(&o->names, a);
	all->now = o;
	return o;
}

static void hand_out(struct fio_outputs *all, struct fio_output *o)
{
	if (o && !all->stopped) {
		all->n++;
		all->stopped = all->each(all, o, all->arg) < 0;
	}
	if (o)
		arena_free(o->a);
}

/* Nothing but excerpts can still be told to belong to it. */
static void pass_on(struct fio_outputs *all, struct fio_output *o)
{
	struct fio_output *before = all->before;

	all->before = o;
	if (before && fio_is_report(before, o)) {
		fio_hand_on(before, o);
		arena_free(before->a);
	} else {
		hand_out(all, before);
	}
}

static bool is_excerpt(const struct fio_output *o)
{
	return o->latencies && o->njobs == 1 && !o->whole.n;
}

static void pass_excerpts(struct fio_outputs *all)
{
	for (size_t i = 0; i < all->nexcerpts; i++)
		pass_on(all, all->excerpts[i]);
	all->nexcerpts = 0;
}

void fio_end_output(struct fio_outputs *all)
{
	struct fio_output *o = all->now;

	all->now = NULL;
	if (!o)
		return;
	if (!all->others && is_excerpt(o) && all->nexcerpts < FIO_EXCERPTS) {
		all->excerpts = arena_grow(all->a, all->excerpts, &all->excerpt_cap,
					   all->nexcerpts + 1, sizeof(struct fio_output *));
		all->excerpts[all->nexcerpts++] = o;
		return;
	}
	all->others = true;
	pass_excerpts(all);
	pass_on(all, o);
}

/* The figures of a job under another output's. */
static void add_job(struct fio_outputs *all, struct fio_job *to, const struct fio_job *from)
{
	for (size_t k = 0; k < from->n; k++)
		add_figure(all, to, fio_figure_name(from, &from->figures[k]), from->figures[k]);
	for (size_t k = 0; k < from->ndistributions; k++)
		fio_add_distribution(to, &from->distributions[k]);
}

/* Excerpts of which the second half has the latencies that the first lacks. */
static bool join_excerpts(struct fio_outputs *all)
{
	size_t half = all->nexcerpts / 2;
	struct fio_output **list = all->excerpts;

	if (all->nexcerpts % 2 || !all->nexcerpts || (list[0]->latencies & list[half]->latencies))
		return false;
	for (size_t i = 0; i < all->nexcerpts; i++) {
		if (list[i]->latencies != list[i < half ? 0 : half]->latencies)
			return false;
	}
	for (size_t i = 0; i < half; i++)
		add_job(all, &list[i]->jobs[0], &list[half + i]->jobs[0]);
	all->nexcerpts = half;
	return true;
}

void fio_end(struct fio_outputs *all)
{
	bool joined;
	size_t n;

	fio_end_output(all);
	n = all->nexcerpts;
	joined = join_excerpts(all);
	pass_excerpts(all);
	hand_out(all, all->before);
	all->before = NULL;
	for (size_t i = n / 2; joined && i < n; i++) /* the first half has borrowed from them */
		arena_free(all->excerpts[i]->a);
}

bool fio_is_over(const struct fio_outputs *all)
{
	return all->stopped || all->ctx->err == E_TOO_LARGE;
}
