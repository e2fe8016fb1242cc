/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The versions of the rule. A verdict names the version that gave it; a database says which one is
 * in force (db/rule_setting.h), and an older one stays callable, so that what a newer one would
 * change can be listed before it applies.
 */
#ifndef ANALYSIS_RULE_VERSION_H
#define ANALYSIS_RULE_VERSION_H

#include <stdbool.h>

/* Oldest first. */
enum rule_version {
	RULE_WELCH_LOG_BH_1, /* verdict_welch.c */
	RULE_PLUMBLINE_2,    /* verdict.c */
};
#define RULE_VERSIONS 2
#define RULE_NEWEST   RULE_PLUMBLINE_2

const char *rule_version_name(enum rule_version v); /* "plumbline/2": what is stored and shown */
/* What it does, in one sentence that begins with a small letter. */
const char *rule_version_words(enum rule_version v);
/* False: this program has no rule of that name. */
bool rule_version_find(const char *name, enum rule_version *out);

#endif
