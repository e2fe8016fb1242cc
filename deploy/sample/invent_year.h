/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The invented year: what its files share. Positions count the commits of the main line from 0;
 * boxes and tests are indices into the tables below. Everything depends on the seed and on these
 * tables alone.
 */
#ifndef SAMPLE_INVENT_YEAR_H
#define SAMPLE_INVENT_YEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "deploy/sample/invent.h"

#define YEAR_COMMITS 300
#define YEAR_METRICS 60 /* of each test */
#define YEAR_ALL     -1 /* boxes: all; reverted: never */

/* --- the tables: invent_plan.c --- */

enum year_shape {
	SHAPE_LEVEL,    /* a figure with noise */
	SHAPE_WHOLE,    /* the same in whole numbers */
	SHAPE_PERCENT,  /* points with two decimals; noise and steps are added */
	SHAPE_MODES,    /* a third of the runs is 12 % lower, on every commit alike */
	SHAPE_RARE,     /* Poisson around its level */
	SHAPE_CONSTANT, /* never anything else */
	SHAPE_FAILS,    /* 1 in some of the runs, absent in the others */
};

struct year_metric {
	const char *name;
	enum year_shape shape;
	double level;
	double within, between; /* standard deviations of runs and of commits, relative (percent:
				   points) */
	int speed;              /* 1: a fast box has more of it, -1: less, 0: neither */
};

struct year_test {
	const char *testcase, *axis, *value;
	struct year_metric own[8];
	unsigned boxes; /* a bit for each box that runs it */
};

struct year_box {
	const char *name, *firmware, *microcode;
	double speed, noise;
	double coverage; /* share of the commits that it measures */
};

/* A change by one commit. */
struct year_step {
	int at, box, test;
	const char *metric;
	double change; /* factor; percent: points; fails: probability */
	int reverted;  /* the commit that undoes it, or YEAR_ALL */
	bool fix;      /* that commit is a fix, not a revert */
};

struct year_drift {
	int from, to, box, test;
	const char *metric;
	double slope; /* of the level at from, a commit */
};

/* A change of the surroundings of one box. */
struct year_event {
	int at, until, box; /* from the date of this commit to that of the other, or YEAR_ALL */
	const char *key, *before, *after, *effect;
};

struct year_patch {
	int base, version;
	const char *series, *subject;
	int test;
	const char *metric;
	double change; /* against its base */
};

extern const struct year_test year_tests[];
extern const struct year_box year_boxes[];
extern const struct year_step year_steps[];
extern const struct year_drift year_drifts[];
extern const struct year_event year_events[];
extern const struct year_patch year_patches[];
extern const size_t year_ntests, year_nboxes, year_nsteps, year_ndrifts, year_nevents,
	year_npatches;

enum { EVENT_MICROCODE, EVENT_CMDLINE, EVENT_BAD_RIG };
#define SILENT_BOX   3
#define SILENT_FROM  250 /* the box uploads nothing from this commit's date on */
#define BOX_OF_BOOTS 3   /* the one that tells its boots: where runs are of one, nothing is sure */
#define UNBUILT      77  /* this commit does not build */
#define UNBOOTED     133 /* this one boots nowhere */
#define BAD_FACTOR   10  /* values of the bad rig are so many times too large */

struct year_metric year_metric(size_t test, size_t m, char name[64]);

/* --- commits and dates: invent_commits.c --- */

/* A commit of the main line, or a patch beside it when patch >= 0. */
struct year_commit {
	int position; /* of the base, for a patch */
	int patch;
};

void year_commit_id(uint64_t seed, struct year_commit k, char id[41]);
int64_t year_commit_date(uint64_t seed, int position);
void year_time_text(int64_t t, char text[32]);
void year_subject(uint64_t seed, int position, char text[160]);
/* A string of JSON, quoted. */
void year_put_string(const char *s);
/* The member "commit" of a submission. */
void year_put_commit(uint64_t seed, struct year_commit k);

/* --- what was measured: invent_values.c --- */

/* One boot of a box, with its runs. */
struct year_boot {
	size_t box, test;
	struct year_commit commit;
	int number; /* 0 or 1 */
	int runs;   /* 0: there was none */
	int64_t started;
	enum { YEAR_OK, YEAR_INCOMPLETE, YEAR_FAILED } status;
};

struct year_boot year_boot(uint64_t seed, size_t box, size_t test, struct year_commit k,
			   int number);
bool year_event_holds(uint64_t seed, size_t event, size_t box, int64_t time);
/* How a metric's level moves on a box with the event of the microcode; 1: not at all. */
double year_microcode_factor(uint64_t seed, size_t test, size_t m);
/* False: this run has no such value. */
bool year_value(uint64_t seed, const struct year_boot *b, int run, size_t m, double *v);

#endif
