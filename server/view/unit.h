/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Units in readable form: 2343000 ns is 2.34 ms, 1200 MB/s is 1.2 GB/s. */
#ifndef VIEW_UNIT_H
#define VIEW_UNIT_H

#include "server/base/out.h"

struct unit_scale {
	double divisor;   /* value in the unit given, divided by this, is the value in name */
	const char *name; /* "" when there is no unit */
};

/* The unit in which a value of this size is read best. Units that are not times or bytes stay as
 * they are; name then points to the text given. unit NULL: none. */
struct unit_scale unit_scale_for(double size, const char *unit);
/* At most three significant digits, without an exponent from 0.001 to below 100 million. */
void unit_put_number(struct out *o, double v);
/* As a program printed it: with at most seven significant digits, and whole from a million to
 * below 1e15. NAN: "–". */
void unit_put_printed(struct out *o, double v);

#endif
