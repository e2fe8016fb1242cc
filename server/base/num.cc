// SPDX-License-Identifier: GPL-2.0-or-later
//
// The only C++ file: a double as its shortest decimal, which the C library cannot print quickly.
// Whole numbers, the bulk of counters, take a shorter way. Neither allocates nor knows a locale.
#include "server/base/num.h"

#include <charconv>
#include <cmath>

size_t num_shortest(double v, char *buf)
{
	const double whole_below = 9007199254740992.0; // 2^53: beyond it not every integer exists

	if (std::fabs(v) < whole_below) {
		const int64_t i = static_cast<int64_t>(v);

		if (i != 0 && static_cast<double>(i) == v)
			return static_cast<size_t>(std::to_chars(buf, buf + NUM_MAX, i).ptr - buf);
		if (v == 0) {
			// "-0" would be read as the integer 0 and lose its sign.
			if (!std::signbit(v)) {
				buf[0] = '0';
				return 1;
			}
			buf[0] = '-';
			buf[1] = '0';
			buf[2] = '.';
			buf[3] = '0';
			return 4;
		}
	}
	return static_cast<size_t>(std::to_chars(buf, buf + NUM_MAX, v).ptr - buf);
}

size_t num_rounded(double v, int digits, char *buf)
{
	const auto general = std::chars_format::general;

	return static_cast<size_t>(std::to_chars(buf, buf + NUM_MAX, v, general, digits).ptr - buf);
}
