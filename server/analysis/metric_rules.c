/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a metric's name against metric_rules.def. Plain linear matching: the dictionary asks once
 * for each name and keeps the answer. All text that is handed out is static.
 */
#include "server/analysis/metric_rules.h"

#include <string.h>

struct rule {
	const char *glob;
	enum direction direction;
	const char *unit, *meaning;
};

#define NONE   DIRECTION_NONE
#define HIGHER DIRECTION_HIGHER
#define LOWER  DIRECTION_LOWER

#define METRIC(glob, direction, unit, meaning)
#define FUNCTIONAL(glob, direction, meaning) {glob, direction, NULL, meaning},
static const struct rule functional_rules[] = {
#include "server/analysis/metric_rules.def"
};
#undef METRIC
#undef FUNCTIONAL

#define METRIC(glob, direction, unit, meaning) {glob, direction, unit, meaning},
#define FUNCTIONAL(glob, direction, meaning)
static const struct rule value_rules[] = {
#include "server/analysis/metric_rules.def"
};
#undef METRIC
#undef FUNCTIONAL

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

bool glob_match(const char *glob, const char *text)
{
	const char *star = NULL, *from = NULL;

	/* One step back is enough: what an earlier star took never has to be given back. */
	while (*text) {
		if (*glob == '*') {
			star = ++glob;
			from = text;
		} else if (*glob == '?' || *glob == *text) {
			glob++;
			text++;
		} else if (star) {
			glob = star;
			text = ++from;
		} else {
			return false;
		}
	}
	while (*glob == '*')
		glob++;
	return !*glob;
}

static const struct rule *rule_find(const struct rule *rules, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (glob_match(rules[i].glob, name))
			return &rules[i];
	return NULL;
}

/* Figures of time that look like failures: "dmesg.timestamp:BUG", "stderr.time.x". */
static bool tells_time(const char *name)
{
	return strstr(name, ".time.") || strstr(name, ".timestamp:") || strstr(name, ".bootstage:");
}

static bool ends_with(const char *s, char last)
{
	size_t n = strlen(s);

	return n && s[n - 1] == last;
}

struct metric_facts metric_facts_of(const char *name)
{
	static const char profile[] = "perf-profile.";
	struct metric_facts f = {.rule = "", .kind = KIND_VALUE};
	const struct rule *r = NULL;

	f.prefix_len = (unsigned)strcspn(name, ".");
	f.is_time = strncmp(name + f.prefix_len, ".time.", 6) == 0;
	f.is_profile = strncmp(name, profile, sizeof(profile) - 1) == 0;
	if (!f.is_profile && !tells_time(name))
		r = rule_find(functional_rules, COUNT(functional_rules), name);
	if (r)
		f.kind = KIND_FUNCTIONAL;
	else if (f.is_profile || ends_with(name, '%'))
		f.kind = KIND_PERCENT;
	if (!r)
		r = rule_find(value_rules, COUNT(value_rules), name);
	if (r) {
		f.direction = r->direction;
		f.unit = r->unit;
		f.rule = r->glob;
		f.meaning = r->meaning;
	}
	return f;
}

/* The name's part before the first '.' is the test's own program. */
static bool prefix_is_test(const struct metric_facts *f, const char *name, const char *testcase)
{
	if (strncmp(testcase, name, f->prefix_len) != 0)
		return false;
	return testcase[f->prefix_len] == '\0' || testcase[f->prefix_len] == '-';
}

enum metric_role metric_role_in(const struct metric_facts *f, const char *name,
				const char *testcase)
{
	if (f->kind == KIND_FUNCTIONAL)
		return ROLE_FUNCTIONAL;
	if (f->has_role)
		return f->role;
	if (!f->is_time && f->prefix_len && prefix_is_test(f, name, testcase))
		return ROLE_PRIMARY;
	return ROLE_MONITOR;
}

const char *functional_word(const struct metric_facts *f)
{
	return f->direction == DIRECTION_HIGHER ? "passed" : "failed";
}

const char *direction_name(enum direction d)
{
	static const char *const names[] = {"none", "higher", "lower"};

	return names[d];
}

const char *direction_words(enum direction d)
{
	static const char *const words[] = {
		"no direction is known to be better",
		"higher is better",
		"lower is better",
	};

	return words[d];
}

const char *kind_name(enum metric_kind k)
{
	static const char *const names[] = {"value", "percent", "functional"};

	return names[k];
}

const char *role_name(enum metric_role r)
{
	static const char *const names[] = {"primary", "monitor", "functional"};

	return names[r];
}
