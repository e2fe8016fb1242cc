/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table that kernel developers know from the test robot's mails, to the byte (LKP.md section
 * 3). */
#ifndef REPORT_ROBOT_TABLE_H
#define REPORT_ROBOT_TABLE_H

#include "server/base/out.h"
#include "server/model/compare.h"

/* One table: 89 '=', axes, commits, heads, rows. Two tables are parted by an empty line (the
 * caller's). */
void robot_table(struct out *o, const struct compare *cmp, const struct compare_table *t);
/* Text from outside on one line, without control characters. */
void robot_text(struct out *o, const char *s);
/* Parts of it, for tests: a mean, a stddev, a change as they are printed. Each appends to o. */
void robot_mean(struct out *o, double v);
void robot_stddev(struct out *o, double pct); /* NAN or not > 2: blanks */
void robot_change(struct out *o, double change, bool percent);

#endif
