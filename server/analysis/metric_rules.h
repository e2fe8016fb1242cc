/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a metric's name tells: unit, which direction is good, how it is compared, and the rule that
 * said so. The rules stand in metric_rules.def, first match wins. A name that no rule knows has no
 * direction, and no page then speaks of a regression. Pure and thread-safe.
 */
#ifndef ANALYSIS_METRIC_RULES_H
#define ANALYSIS_METRIC_RULES_H

#include <stdbool.h>
#include <stddef.h>

enum direction { DIRECTION_NONE, DIRECTION_HIGHER, DIRECTION_LOWER }; /* which is better */
enum metric_kind {
	KIND_VALUE,      /* compared by percent of the base */
	KIND_PERCENT,    /* a percentage or a profile share: compared by difference */
	KIND_FUNCTIONAL, /* counts of failed runs: compared by fails of runs */
};
enum metric_role { ROLE_PRIMARY, ROLE_MONITOR, ROLE_FUNCTIONAL };

struct metric_facts {
	enum direction direction;
	enum metric_kind kind;
	const char *unit;    /* static text, NULL: the name does not tell */
	const char *rule;    /* static text: the rule's pattern, "" when none matched */
	const char *meaning; /* one sentence for a reader, NULL when none is known */
	unsigned prefix_len; /* bytes before the first '.', or the whole name */
	bool is_time;        /* what follows the prefix begins with "time." */
	bool is_profile;     /* perf-profile.*: absent means 0 where the monitor ran */
	bool has_role;       /* an administrator said its role, whatever the test: */
	enum metric_role role;
};

/* Facts of a name; unit, rule and meaning point to static text. */
struct metric_facts metric_facts_of(const char *name);
/* Role of a metric in a test: LKP.md section 4. */
enum metric_role metric_role_in(const struct metric_facts *f, const char *name,
				const char *testcase);
/* True when the glob (with * and ?, anchored at both ends) matches. */
bool glob_match(const char *glob, const char *text);

/* What a functional metric's runs did: "failed", or "passed" where more of it is better. */
const char *functional_word(const struct metric_facts *f);
const char *direction_name(enum direction d);  /* "higher", "lower", "none": as in the JSON */
const char *direction_words(enum direction d); /* "higher is better", … */
const char *kind_name(enum metric_kind k);     /* "value", "percent", "functional" */
const char *role_name(enum metric_role r);     /* "primary", "monitor", "functional" */

#endif
