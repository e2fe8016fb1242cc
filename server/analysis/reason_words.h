/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of the reasons: words that several of them use. */
#ifndef ANALYSIS_REASON_WORDS_H
#define ANALYSIS_REASON_WORDS_H

#include "server/analysis/comparison.h"

struct sentence;

/* What it comes to, where all gates were passed: ": a regression (higher is better)". */
void put_verdict(struct sentence *s, const struct comparison_row *r, enum verdict v);

#endif
