/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of the robot's files share: an import over a text, and looks at what came of it.
 */
#ifndef TESTS_LKP_LAB_H
#define TESTS_LKP_LAB_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include "importers/formats.h"
#include "importers/lkp.h"
#include "server/base/arena.h"

struct lab {
	struct arena *arena;
	struct ctx ctx;
	struct import in;
};

/* machine: the request names test, machine and commit. */
static void lab_begin(struct lab *l, bool machine)
{
	static const struct pair axes[] = {{"tbox_group", "box"}, {"testcase", "hackbench"}};

	*l = (struct lab){.arena = arena_new()};
	ctx_init(&l->ctx, l->arena, NULL);
	l->in = (struct import){.ctx = &l->ctx};
	if (machine) {
		l->in.axes = axes;
		l->in.naxes = 2;
		l->in.commit = "a0fd217e6d6f";
	}
}

static void lab_end(struct lab *l)
{
	arena_free(l->arena);
}

/* Value of a metric in a run, NAN: the run has none. */
static double lab_value(const struct submission *s, size_t run, const char *metric)
{
	const struct metric_names *names = s->runs[run].names;

	for (size_t i = 0; i < names->n; i++) {
		if (strcmp(names->names[i], metric) == 0)
			return s->runs[run].values[i];
	}
	return (double)NAN;
}

static const char *lab_axis(const struct submission *s, const char *name)
{
	for (size_t i = 0; i < s->naxes; i++) {
		if (strcmp(s->axes[i].name, name) == 0)
			return s->axes[i].value;
	}
	return "";
}

/* "path: message" of the first fault, else the failure's text. */
static const char *lab_fault(const struct lab *l)
{
	const struct fault *f = l->ctx.faults;

	if (!l->ctx.nfaults)
		return l->ctx.detail;
	return arena_fmt(l->arena, "%s%s%s", f->path, f->path[0] ? ": " : "", f->message);
}

#endif
