/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What iperf3 prints for people:
 *
 *	[ ID] Interval           Transfer     Bitrate         Retr
 *	[  5]   0.00-1.00   sec  1.45 GBytes  12.4 Gbits/sec    0             sender
 *	[SUM]   0.00-1.00   sec  2.91 GBytes  24.9 Gbits/sec                  receiver
 *
 * The lines that say whose they are tell of the whole test, the others of an interval; up to 3.1
 * the whole of UDP is the line before "[  4] Sent 897 datagrams", as the server saw it, and the sum
 * behind. With --bidir the side stands behind the number, [TX-C]: what the server sent to the
 * client is "reverse", as in JSON. Amounts count 1024, bits a second 1000.
 */
#include "importers/iperf3.h"

#include <math.h>

#include "importers/program_output.h"
#include "server/base/arena.h"

#define ENDS_MAX 10000 /* lines of the whole test, of one output */

struct line {
	bool is_sum, is_reverse; /* --bidir: from the server to the client */
	double stream;           /* number in the brackets */
	double seconds, bytes, bps;
	double jitter, lost, packets, percent, retransmits; /* NAN: not told */
	const char *end;                                    /* "sender", "receiver" or NULL */
};

struct numbers {
	double *v;
	size_t n, cap;
};

struct reading {
	struct iperf3 *all;
	bool udp;
	struct line *ends; /* lines of the whole test that say whose they are */
	size_t nends, cap;
	struct numbers plain, sums; /* bits a second of the intervals' lines */
	struct line last;           /* of an interval */
	bool has_last;              /* it is the line before this one */
	bool old;                   /* of 3.1: sums do not say whose they are either */
	bool summed;
};

static double factor(const char *word, double base)
{
	const char *letters = "KMGT", *found = *word ? strchr(letters, *word) : NULL;

	return found ? pow(base, (double)(found - letters) + 1) : 1;
}

/* "12.4 Gbits/sec": the number and the word's first letter; *p behind the word. */
static bool amount(const char **p, double base, const char *word, double *v)
{
	char unit[32];

	if (!text_number(p, false, v) || !text_word(p, unit, sizeof(unit)) || !strstr(unit, word))
		return false;
	*v *= factor(unit, base);
	return true;
}

/* What follows the bitrate: "0.006 ms  0/382 (0%)", or the segments sent again. */
static void read_rest(const char *p, struct line *l)
{
	const char *q = p;
	double v;

	l->jitter = l->lost = l->packets = l->percent = l->retransmits = (double)NAN;
	l->end = strstr(p, "sender") ? "sender" : strstr(p, "receiver") ? "receiver" : NULL;
	if (!text_number(&q, false, &v))
		return;
	if (strncmp(q, " ms", 3) != 0) {
		l->retransmits = v;
		return;
	}
	l->jitter = v;
	q += 3;
	if (text_number(&q, false, &l->lost) && *q == '/') {
		q++;
		text_number(&q, false, &l->packets);
		q = past_spaces(q);
		if (*q == '(') {
			q++;
			text_number(&q, false, &l->percent);
		}
	}
}

static bool parse(const char *s, struct line *l)
{
	const char *p = text_after(s, "[");
	double from, to;

	if (!p)
		return false;
	l->is_sum = text_after(p, "SUM") != NULL;
	l->stream = 0;
	if (!l->is_sum && !text_number(&p, false, &l->stream))
		return false;
	p = strchr(p, ']');
	while (p && p[1] == '[') /* "[  5][TX-C]" */
		p = strchr(p + 1, ']');
	if (!p)
		return false;
	l->is_reverse = strstr(s, "[RX-C]") || strstr(s, "[TX-S]");
	p++;
	if (!text_number(&p, false, &from) || *p++ != '-' || !text_number(&p, false, &to))
		return false;
	p = text_after(p, "sec");
	if (!p || !amount(&p, 1024, "Bytes", &l->bytes) || !amount(&p, 1000, "bits/sec", &l->bps))
		return false;
	l->seconds = to - from;
	read_rest(p, l);
	return true;
}

static void add_line(struct reading *s, const struct line *l, const char *place)
{
	iperf3_add(s->all, "bit/s", l->bps, place, "bps");
	iperf3_add(s->all, "B", l->bytes, place, "bytes");
	iperf3_add(s->all, "s", l->seconds, place, "seconds");
	iperf3_add(s->all, "segments", l->retransmits, place, "retransmits");
	iperf3_add(s->all, "ms", l->jitter, place, "jitter_ms");
	iperf3_add(s->all, "packets", l->lost, place, "lost_packets");
	iperf3_add(s->all, "packets", l->packets, place, "packets");
	iperf3_add(s->all, "%", l->percent, place, "lost%");
}

/* Whether there were several streams in a direction whose sum was cut off: none of them is the
 * whole. */
static bool lacks_sum(const struct reading *s)
{
	double first[2] = {-1, -1};

	for (size_t i = 0; i < s->nends && !s->summed; i++) {
		const struct line *l = &s->ends[i];

		if (first[l->is_reverse] >= 0 && l->stream != first[l->is_reverse])
			return true;
		first[l->is_reverse] = l->stream;
	}
	return false;
}

static void end_output(struct reading *s)
{
	bool is_cut = lacks_sum(s);
	const char *protocol = s->udp ? "udp" : "tcp";
	char place[64];
	double number = -1;
	size_t stream = 0;

	if (!s->all->open)
		return;
	s->all->now.protocol = protocol;
	for (size_t i = 0; i < s->nends; i++) {
		const struct line *l = &s->ends[i];
		const char *reverse = l->is_reverse ? "reverse." : "";

		if (!l->is_sum && l->stream != number) {
			number = l->stream;
			stream++;
		}
		snprintf(place, sizeof(place), "%s.stream%zu.%s", protocol, stream, l->end);
		if (!l->is_sum)
			add_line(s, l, place);
		if (l->is_sum != s->summed || is_cut)
			continue;
		snprintf(place, sizeof(place), "%s.%s%s", protocol, reverse, l->end);
		add_line(s, l, place);
		if (s->udp && !strcmp(l->end, "receiver"))
			add_line(s, l, l->is_reverse ? "udp.reverse" : "udp");
	}
	/* a stream's interval is not the test's either */
	s->all->now.intervals = s->summed || is_cut ? s->sums.v : s->plain.v;
	s->all->now.nintervals = s->summed || is_cut ? s->sums.n : s->plain.n;
	iperf3_end(s->all);
	*s = (struct reading){.all = s->all};
}

static void add_interval(struct reading *s, const struct line *l)
{
	struct numbers *list = l->is_sum ? &s->sums : &s->plain;

	if (l->is_reverse || !isfinite(l->bps))
		return;
	list->v = arena_grow(s->all->a, list->v, &list->cap, list->n + 1, sizeof(*list->v));
	list->v[list->n++] = l->bps;
}

static void add_end(struct reading *s, const struct line *l)
{
	if (s->nends == ENDS_MAX) {
		fail(s->all->ctx, E_TOO_LARGE, "an output tells of more than %d streams", ENDS_MAX);
		return;
	}
	s->summed = s->summed || l->is_sum;
	s->ends = arena_grow(s->all->a, s->ends, &s->cap, s->nends + 1, sizeof(*s->ends));
	s->ends[s->nends++] = *l;
}

/* "[  4] Sent 897 datagrams": the line above was no interval. */
static bool read_sent(struct reading *s, const char *text)
{
	const char *p = text_after(text, "[");
	double stream;

	if (!s->has_last || !p || !text_number(&p, false, &stream) || *p != ']' ||
	    !text_after(p + 1, "Sent ") || !strstr(p, " datagrams") || stream != s->last.stream ||
	    isnan(s->last.jitter))
		return false;
	s->old = true;
	s->last.end = "receiver";
	s->plain.n -= !s->last.is_reverse && isfinite(s->last.bps);
	add_end(s, &s->last);
	return true;
}

static void read_line(struct reading *s, const char *text)
{
	const char *error = text_after(text, "iperf3: error - ");
	struct line l;

	if (text_after(text, "Connecting to host") || text_after(text, "Accepted connection") ||
	    (!s->all->open && (text_after(text, "[ ID]") || error))) {
		end_output(s);
		iperf3_begin(s->all);
	}
	if (error && s->all->open)
		s->all->now.error = arena_str(s->all->a, error);
	s->udp = s->udp || (s->all->open && strstr(text, "Total Datagrams"));
	if (!s->all->open)
		return;
	if (read_sent(s, text) || !parse(text, &l)) {
		s->has_last = false;
		return;
	}
	s->udp = s->udp || !isnan(l.jitter);
	if (!l.end && l.is_sum && s->old)
		l.end = "receiver";
	s->has_last = !l.end && !l.is_sum;
	s->last = l;
	if (l.end)
		add_end(s, &l);
	else
		add_interval(s, &l);
}

void iperf3_read_text(struct iperf3 *all, const char *bytes, size_t n)
{
	struct reading s = {.all = all};
	struct output_lines l;
	char *line;

	output_lines_begin(&l, bytes, n);
	while (!all->stopped && !all->ctx->err && (line = output_line(&l)))
		read_line(&s, line);
	output_lines_end(&l);
	end_output(&s);
}
