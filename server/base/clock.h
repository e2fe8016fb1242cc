/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times. What is kept is whole seconds since 1970 in UTC; TIME_NONE says "not known". */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define TIME_NONE INT64_MIN
#define TIME_TEXT 32 /* room for an RFC 3339 text and its NUL */

/* Seconds since 1970, UTC. */
int64_t clock_now(void);
/* Microseconds of a clock that never goes back: for durations only. */
int64_t clock_us(void);
/* "2023-07-20T03:01:00Z"; "" for TIME_NONE or a year outside 0000..9999. */
void clock_rfc3339(int64_t t, char buf[TIME_TEXT]);
/* "2023-07-20 03:01" for people. */
void clock_short(int64_t t, char buf[TIME_TEXT]);
/* Reads RFC 3339 ("…Z" or "…+02:00", fractions of a second are cut off, a lower-case t or z and a
 * space instead of T are allowed) or a plain date "2023-07-20" (midnight UTC). False: not a time.
 */
bool clock_parse(const char *s, int64_t *t);

#endif
