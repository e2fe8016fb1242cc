/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long to wait for a machine, and whether that time is over. */
#include "server/model/silence.h"

#include "server/base/arena.h"
#include "server/base/clock.h"

#define UPLOADS       20
#define GAPS_WAITED   5
#define WAIT_AT_LEAST (2 * 86400)

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

int64_t silence_wait(struct arena *a, const int64_t *times, size_t n)
{
	size_t ngaps = n > 1 ? n - 1 : 0;
	int64_t *gaps = arena_array(a, int64_t, ngaps), wait;

	if (!ngaps)
		return WAIT_AT_LEAST;
	for (size_t i = 0; i < ngaps; i++)
		gaps[i] = times[i] - times[i + 1];
	qsort(gaps, ngaps, sizeof(*gaps), by_size);
	/* of an even number the mean of the two in the middle */
	wait = GAPS_WAITED * (gaps[(ngaps - 1) / 2] + gaps[ngaps / 2]) / 2;
	return wait > WAIT_AT_LEAST ? wait : WAIT_AT_LEAST;
}

int silence_of(struct ctx *c, const struct machine *m, int64_t now, struct silence *out)
{
	int64_t since = m->last_upload, *times;
	size_t n;

	*out = (struct silence){.expected_by = TIME_NONE};
	if (strcmp(m->state, "active") != 0)
		return E_OK;
	if (since == TIME_NONE && m->expect_every >= 0)
		since = m->changed; /* it was said to upload, and never did */
	if (since == TIME_NONE)
		return E_OK;
	if (m->expect_every >= 0) {
		out->expected_by = since + m->expect_every;
	} else {
		int e = machine_uploads(c, m->name, UPLOADS, &times, &n);

		if (e < 0)
			return e;
		out->expected_by = since + silence_wait(c->arena, times, n);
	}
	out->silent = out->expected_by < now;
	return E_OK;
}

int silence_of_all(struct ctx *c, const struct machine *list, size_t n, int64_t now,
		   struct silence **out)
{
	int e = E_OK;

	*out = arena_array(c->arena, struct silence, n);
	for (size_t i = 0; i < n && e >= 0; i++)
		e = silence_of(c, &list[i], now, &(*out)[i]);
	return e;
}
