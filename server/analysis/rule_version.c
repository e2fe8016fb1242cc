/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of the rules, and what each of them does in a sentence. A name is never given twice: what
 * changes a verdict is a new version. */
#include "server/analysis/rule_version.h"

#include <string.h>

#include "server/analysis/verdict.h"

static const struct {
	const char *name, *words;
} versions[RULE_VERSIONS] = {
	[RULE_WELCH_LOG_BH_1] = {"welch-log-bh/1",
				 "each metric by itself: Welch's test on logarithms, corrected for "
				 "the number of metrics, three runs a side, without history or "
				 "boots"},
	[RULE_PLUMBLINE_2] = {VERDICT_RULE,
			      "noise learnt from all metrics and from the commits before, four "
			      "runs a side (three with history), more than one boot; failures by "
			      "Fisher's exact test"},
};

const char *rule_version_name(enum rule_version v)
{
	return versions[v].name;
}

const char *rule_version_words(enum rule_version v)
{
	return versions[v].words;
}

bool rule_version_find(const char *name, enum rule_version *out)
{
	for (int i = 0; i < RULE_VERSIONS; i++) {
		if (strcmp(versions[i].name, name) != 0)
			continue;
		*out = (enum rule_version)i;
		return true;
	}
	return false;
}
