/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stressors of a run of stress-ng and whether they passed; for stress_ng.c and
 * stress_ng_yaml.c. */
#ifndef IMPORTERS_STRESS_NG_H
#define IMPORTERS_STRESS_NG_H

#include "importers/program_output.h"

struct stress_ng {
	struct program_output *o;
	struct arena *own;           /* of the lists */
	const char **seen, **failed; /* of this run: with figures, told to have failed */
	size_t nseen, seen_cap, nfailed, failed_cap;
	char perf[64]; /* the stressor whose counters follow */
};

/* The figures that every version prints for a stressor. ops of 0 is a failure. */
void stress_ng_stressor(struct stress_ng *s, const char *name, double ops);
/* summed_up: in the list at the end, so it is a stressor for certain. */
void stress_ng_failed(struct stress_ng *s, const char *name, bool summed_up);
/* Writes pass and fail of what was seen: the run's end. What follows is another run. */
void stress_ng_flush(struct stress_ng *s);

/* One line of a YAML file (--yaml). */
struct stress_ng_yaml {
	char section[OUTPUT_WORD_MAX]; /* "metrics" … */
	char stressor[OUTPUT_WORD_MAX];
	bool metrics; /* were had since the document began */
};
/* False: it is no line of YAML that concerns us. */
bool stress_ng_yaml_line(struct stress_ng *s, struct stress_ng_yaml *y, const char *line);

#endif
