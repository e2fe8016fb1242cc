/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether two submissions are the same in every field, but for "stored". */
#ifndef TESTS_FUZZ_SAME_H
#define TESTS_FUZZ_SAME_H

#include "db/submission.h"

/* Ends the process when they are not, with the name of the field. */
void same_submission(const struct submission *a, const struct submission *b);

#endif
