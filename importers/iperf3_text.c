/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What iperf3 prints for people:
 *
 *	[ ID] Interval           Transfer     Bitrate         Retr
 *	[  5]   0.00-1.00   sec  1.45 GBytes  12.4 Gbits/sec    0             sender
 *	[SUM]   0.00-1.00   sec  2.91 GBytes  24.9 Gbits/sec                  receiver
 *
 * The lines that say whose they are tell of the whole test, the others of an interval. With --bidir
 * the side stands behind the number, [TX-C]: what the server sent to the client is "reverse", as in
 * JSON. Amounts count 1024, bits a second 1000.
 */
#include "importers/iperf3.h"

#include <math.h>

#include "importers/program_output.h"
#include "server/base/arena.h"

struct line {
	bool is_sum, is_reverse; /* --bidir: from the server to the client */
	double stream;           /* number in the brackets */
	double seconds, bytes, bps;
	double jitter, lost, packets, percent, retransmits; /* NAN: not told */
	const char *end;                                    /* "sender", "receiver" or NULL */
};

struct reading {
	struct iperf3 *all;
	bool open, udp;
	struct line *ends; /* lines of the whole test that say whose they are */
	size_t nends, cap;
	struct interval {
		double bps;
		bool is_sum, is_reverse;
	} * intervals;
	size_t nintervals, interval_cap;
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

static void end_output(struct reading *s)
{
	struct arena *a = s->all->ctx->arena;
	const char *protocol = s->udp ? "udp" : "tcp";
	double number = -1;
	size_t stream = 0;

	if (!s->open)
		return;
	s->all->list[s->all->n - 1].protocol = protocol;
	for (size_t i = 0; i < s->nends; i++) {
		const struct line *l = &s->ends[i];
		const char *reverse = l->is_reverse ? "reverse." : "";

		if (!l->is_sum && l->stream != number) {
			number = l->stream;
			stream++;
		}
		if (!l->is_sum)
			add_line(s, l, arena_fmt(a, "%s.stream%zu.%s", protocol, stream, l->end));
		if (l->is_sum != s->summed)
			continue;
		add_line(s, l, arena_fmt(a, "%s.%s%s", protocol, reverse, l->end));
		if (s->udp && !strcmp(l->end, "receiver"))
			add_line(s, l, l->is_reverse ? "udp.reverse" : "udp");
	}
	for (size_t i = 0; i < s->nintervals; i++) {
		if (s->intervals[i].is_sum == s->summed && !s->intervals[i].is_reverse)
			iperf3_add_interval(s->all, s->intervals[i].bps);
	}
	s->nends = s->nintervals = 0;
	s->open = s->udp = s->summed = false;
}

static void read_line(struct reading *s, const char *text)
{
	const char *error = text_after(text, "iperf3: error - ");
	struct line l;

	if (text_after(text, "Connecting to host") || text_after(text, "Accepted connection") ||
	    (!s->open && (text_after(text, "[ ID]") || error))) {
		end_output(s);
		iperf3_begin(s->all);
		s->open = true;
	}
	if (error && s->open)
		s->all->list[s->all->n - 1].error = arena_str(s->all->ctx->arena, error);
	s->udp = s->udp || (s->open && strstr(text, "Total Datagrams"));
	if (!s->open || !parse(text, &l))
		return;
	s->udp = s->udp || !isnan(l.jitter);
	if (!l.end) {
		s->intervals = arena_grow(s->all->ctx->arena, s->intervals, &s->interval_cap,
					  s->nintervals + 1, sizeof(*s->intervals));
		s->intervals[s->nintervals++] = (struct interval){l.bps, l.is_sum, l.is_reverse};
		return;
	}
	s->summed = s->summed || l.is_sum;
	s->ends = arena_grow(s->all->ctx->arena, s->ends, &s->cap, s->nends + 1, sizeof(*s->ends));
	s->ends[s->nends++] = l;
}

void iperf3_read_text(struct iperf3 *all, const char *bytes, size_t n)
{
	struct reading s = {.all = all};
	struct output_lines l;
	char *line;

	output_lines_begin(&l, bytes, n);
	while (all->ctx->err != E_TOO_LARGE && (line = output_line(&l)))
		read_line(&s, line);
	output_lines_end(&l);
	end_output(&s);
}
