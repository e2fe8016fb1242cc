/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The CSV writer. Names in it come from outside and the reader is a spreadsheet, so a text that
 * would be run as a formula is defused; numbers stay numbers.
 */
#include "server/view/csv.h"

#include <math.h>
#include <string.h>

#include "server/base/num.h"

void csv_init(struct csv *c, struct out *o)
{
	*c = (struct csv){.o = o};
}

static void csv_next(struct csv *c)
{
	if (c->inside)
		out_char(c->o, ',');
	c->inside = true;
}

static bool is_formula(const char *s)
{
	double ignored;

	return *s && strchr("=+-@\t\r", *s) && !num_parse_real(s, &ignored);
}

void csv_str(struct csv *c, const char *s)
{
	bool formula;

	csv_next(c);
	if (!s || !*s)
		return;
	formula = is_formula(s);
	if (!strpbrk(s, ",\"\r\n")) {
		if (formula)
			out_char(c->o, '\'');
		out_str(c->o, s);
		return;
	}
	out_char(c->o, '"');
	if (formula)
		out_char(c->o, '\'');
	for (;;) {
		size_t n = strcspn(s, "\"");

		out_bytes(c->o, s, n);
		if (!s[n])
			break;
		out_bytes(c->o, "\"\"", 2);
		s += n + 1;
	}
	out_char(c->o, '"');
}

void csv_int(struct csv *c, int64_t v)
{
	csv_next(c);
	out_int(c->o, v);
}

void csv_num(struct csv *c, double v)
{
	csv_next(c);
	if (isfinite(v))
		out_num(c->o, v);
	else if (isinf(v))
		out_str(c->o, v > 0 ? "Inf" : "-Inf");
}

void csv_end_line(struct csv *c)
{
	out_bytes(c->o, "\r\n", 2);
	c->inside = false;
}
