/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a count of moved verdicts comes to, in words. */
#ifndef MODEL_RULE_WORDS_H
#define MODEL_RULE_WORDS_H

#include "db/rule_count.h"

struct arena;

/* "1,204" */
const char *count_text(struct arena *a, int64_t n);
/* "plumbline/2 would change 37 of 1,204 verdicts", and of how many cells where not of all. */
const char *rule_count_text(struct arena *a, const struct rule_count *k);

#endif
