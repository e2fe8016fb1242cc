/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison as a Markdown table, to be pasted into an issue or a mail. */
#ifndef REPORT_MARKDOWN_TABLE_H
#define REPORT_MARKDOWN_TABLE_H

#include "server/base/out.h"
#include "server/model/compare.h"

/* One table: heading, what is compared, what else differs, rows. Metrics and commits are links that
 * begin with public_url; with "" there are none. Two tables are parted by an empty line (the
 * caller's). */
void markdown_table(struct out *o, struct arena *a, const struct compare *cmp,
		    const struct compare_table *t, const char *public_url);
/* Text from outside as text: on one line, and nothing in it is taken for markup. */
void markdown_text(struct out *o, const char *s);

#endif
