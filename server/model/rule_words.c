/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words about rules, for the command line and the pages. */
#include "server/model/rule_words.h"

#include "server/base/arena.h"

const char *count_text(struct arena *a, int64_t n)
{
	if (n < 1000)
		return arena_fmt(a, "%lld", (long long)n);
	return arena_fmt(a, "%s,%03lld", count_text(a, n / 1000), (long long)(n % 1000));
}

const char *rule_count_text(struct arena *a, const struct rule_count *k)
{
	return arena_fmt(
		a, "%s would change %s of %s verdicts%s", k->to, count_text(a, k->moved),
		count_text(a, k->verdicts),
		k->cut ? arena_fmt(a, ", of those in the newest %s cells", count_text(a, k->cells))
		       : "");
}
