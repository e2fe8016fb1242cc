/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Times as text and back, in UTC and without the C library's calendar, which looks at the
 * environment. Days are counted by the rule of the Gregorian calendar in the years 0 to 9999.
 */
#include "server/base/clock.h"

#include <stddef.h>

#define DAY          86400
#define DAYS_400     146097 /* days in 400 years, after which the calendar repeats */
#define DAYS_TO_1970 719468 /* from 1 March of the year 0 */

struct date {
	int64_t year;
	int month, day;
};

int64_t clock_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec;
}

int64_t clock_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

/* Days since 1970-01-01. Years are taken to begin in March, so that the leap day is their last;
 * the months from March on then begin at day (153 m + 2) / 5. */
static int64_t days_of(struct date d)
{
	int64_t year = d.month <= 2 ? d.year - 1 : d.year;
	int64_t era = (year >= 0 ? year : year - 399) / 400;
	int64_t of_era = year - era * 400;
	int64_t month = (d.month + 9) % 12;
	int64_t day = (153 * month + 2) / 5 + d.day - 1;

	return era * DAYS_400 + of_era * 365 + of_era / 4 - of_era / 100 + day - DAYS_TO_1970;
}

/* The reverse of days_of(). */
static struct date date_of(int64_t days)
{
	struct date d;
	int64_t shifted = days + DAYS_TO_1970;
	int64_t era = (shifted >= 0 ? shifted : shifted - (DAYS_400 - 1)) / DAYS_400;
	int64_t left = shifted - era * DAYS_400;
	int64_t year = (left - left / 1460 + left / 36524 - left / 146096) / 365;
	int64_t day = left - (365 * year + year / 4 - year / 100);
	int64_t month = (5 * day + 2) / 153;

	d.day = (int)(day - (153 * month + 2) / 5) + 1;
	d.month = (int)(month < 10 ? month + 3 : month - 9);
	d.year = era * 400 + year + (d.month <= 2);
	return d;
}

static char *put_digits(char *p, int64_t v, int width)
{
	for (int i = width - 1; i >= 0; i--) {
		p[i] = (char)('0' + v % 10);
		v /= 10;
	}
	return p + width;
}

/* "YYYY-MM-DD", a separator and "HH:MM". NULL: the time has no four-digit year. */
static char *put_minutes(char *p, int64_t t, char separator, int64_t *seconds)
{
	const int64_t first = -62167219200, last = 253402300799; /* of the years 0 and 9999 */
	struct date d;
	int64_t rest;

	if (t < first || t > last)
		return NULL;
	rest = t % DAY;
	if (rest < 0)
		rest += DAY;
	d = date_of((t - rest) / DAY);
	p = put_digits(p, d.year, 4);
	*p++ = '-';
	p = put_digits(p, d.month, 2);
	*p++ = '-';
	p = put_digits(p, d.day, 2);
	*p++ = separator;
	p = put_digits(p, rest / 3600, 2);
	*p++ = ':';
	p = put_digits(p, rest / 60 % 60, 2);
	*seconds = rest % 60;
	return p;
}

void clock_rfc3339(int64_t t, char buf[TIME_TEXT])
{
	int64_t seconds;
	char *p = put_minutes(buf, t, 'T', &seconds);

	if (p) {
		*p++ = ':';
		p = put_digits(p, seconds, 2);
		*p++ = 'Z';
	} else {
		p = buf;
	}
	*p = '\0';
}

void clock_short(int64_t t, char buf[TIME_TEXT])
{
	int64_t seconds;
	char *p = put_minutes(buf, t, ' ', &seconds);

	*(p ? p : buf) = '\0';
}

/* Exactly n digits. */
static bool take_digits(const char **p, int n, int64_t *v)
{
	*v = 0;
	for (int i = 0; i < n; i++, (*p)++) {
		if (**p < '0' || **p > '9')
			return false;
		*v = *v * 10 + (**p - '0');
	}
	return true;
}

static bool take_char(const char **p, char c)
{
	if (**p != c)
		return false;
	(*p)++;
	return true;
}

static bool take_date(const char **p, int64_t *days)
{
	static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int64_t year, month, day;
	bool leap;

	if (!take_digits(p, 4, &year) || !take_char(p, '-') || !take_digits(p, 2, &month) ||
	    !take_char(p, '-') || !take_digits(p, 2, &day))
		return false;
	leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
	if (month < 1 || month > 12 || day < 1 ||
	    day > lengths[month - 1] + (month == 2 && leap ? 1 : 0))
		return false;
	*days = days_of((struct date){year, (int)month, (int)day});
	return true;
}

/* "12:34:56" with any fraction. The second 60 of a leap second is taken as the next one. */
static bool take_time(const char **p, int64_t *seconds)
{
	int64_t hour, minute, second, digit;

	if (!take_digits(p, 2, &hour) || !take_char(p, ':') || !take_digits(p, 2, &minute) ||
	    !take_char(p, ':') || !take_digits(p, 2, &second))
		return false;
	if (hour > 23 || minute > 59 || second > 60)
		return false;
	if (take_char(p, '.')) {
		if (!take_digits(p, 1, &digit))
			return false;
		while (**p >= '0' && **p <= '9')
			(*p)++;
	}
	*seconds = hour * 3600 + minute * 60 + second;
	return true;
}

/* "Z" or "+02:00": what must be taken off to get UTC. */
static bool take_offset(const char **p, int64_t *seconds)
{
	int64_t hour, minute;
	bool west;

	*seconds = 0;
	if (take_char(p, 'Z') || take_char(p, 'z'))
		return true;
	west = **p == '-';
	if (!west && **p != '+')
		return false;
	(*p)++;
	if (!take_digits(p, 2, &hour) || !take_char(p, ':') || !take_digits(p, 2, &minute) ||
	    hour > 23 || minute > 59)
		return false;
	*seconds = (hour * 3600 + minute * 60) * (west ? -1 : 1);
	return true;
}

bool clock_parse(const char *s, int64_t *t)
{
	int64_t days, seconds = 0, offset = 0;

	if (!take_date(&s, &days))
		return false;
	if (*s) {
		if (!take_char(&s, 'T') && !take_char(&s, 't') && !take_char(&s, ' '))
			return false;
		if (!take_time(&s, &seconds) || !take_offset(&s, &offset) || *s)
			return false;
	}
	*t = days * DAY + seconds - offset;
	return true;
}
