/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iperf3 --json: one document an output. What it says of the whole test stands in "end". */
#include "importers/iperf3.h"

#include <math.h>

#include "importers/json_documents.h"
#include "server/base/arena.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct {
	const char *key, *name, *unit;
} fields[] = {
	{"bits_per_second", "bps", "bit/s"},
	{"bytes", "bytes", "B"},
	{"seconds", "seconds", "s"},
	{"retransmits", "retransmits", "segments"},
	{"jitter_ms", "jitter_ms", "ms"},
	{"lost_packets", "lost_packets", "packets"},
	{"packets", "packets", "packets"},
	{"lost_percent", "lost%", "%"},
	{"out_of_order", "out_of_order", "packets"},
	{"max_snd_cwnd", "max_snd_cwnd", "B"},
	{"max_snd_wnd", "max_snd_wnd", "B"},
	{"max_rtt", "max_rtt_us", "us"},
	{"min_rtt", "min_rtt_us", "us"},
	{"mean_rtt", "mean_rtt_us", "us"},
};

/* NAN when absent, or nan as iperf3 prints it where it divides by 0. */
static double number(const struct json_object *o, const char *key)
{
	const json_t *v = json_read_member(o, key);

	if (!v || json_is_null(v) || (json_is_string(v) && !json_string_length(v)))
		return (double)NAN;
	return json_read_real(o, key);
}

static bool open_object(struct iperf3 *all, json_t *v, const struct json_at *at,
			struct json_object *o)
{
	*o = (struct json_object){.ctx = all->ctx, .v = v, .at = at};
	if (v && !json_is_object(v))
		json_read_fault(all->ctx, at, "must be an object, is %s", json_read_kind(v));
	return json_is_object(v);
}

static void read_sum(struct iperf3 *all, json_t *v, const struct json_at *at, const char *place)
{
	struct json_object o;

	if (!open_object(all, v, at, &o))
		return;
	for (size_t i = 0; i < COUNT(fields); i++)
		iperf3_add(all, fields[i].unit, number(&o, fields[i].key), place, fields[i].name);
}

static void read_streams(struct iperf3 *all, json_t *list, const struct json_at *at,
			 const char *protocol)
{
	static const char *const ends[] = {"sender", "receiver", "udp"};
	char name[JSON_NAME_MAX + 64];
	json_t *stream;
	size_t i;

	if (list && !json_is_array(list))
		json_read_fault(all->ctx, at, "must be an array, is %s", json_read_kind(list));
	json_array_foreach(list, i, stream)
	{
		const struct json_at *place = JSON_AT_INDEX(at, i);
		struct json_object o;

		if (!open_object(all, stream, place, &o))
			continue;
		for (size_t k = 0; k < COUNT(ends); k++) {
			snprintf(name, sizeof(name), "%s.stream%zu%s%s", protocol, i + 1,
				 k < 2 ? "." : "", k < 2 ? ends[k] : "");
			read_sum(all, json_read_member(&o, ends[k]), JSON_AT_KEY(place, ends[k]),
				 name);
		}
	}
}

static void read_processors(struct iperf3 *all, json_t *v, const struct json_at *at)
{
	static const char *const keys[] = {"host_total",   "host_user",   "host_system",
					   "remote_total", "remote_user", "remote_system"};
	char name[20];
	struct json_object o;

	if (!open_object(all, v, at, &o))
		return;
	for (size_t i = 0; i < COUNT(keys); i++) {
		snprintf(name, sizeof(name), "%s%%", keys[i]);
		iperf3_add(all, "%", number(&o, keys[i]), "cpu", name);
	}
}

static void read_end(struct iperf3 *all, json_t *v, const struct json_at *at, const char *protocol)
{
	static const struct {
		const char *key, *place;
	} sums[] = {{"sum", ""},
		    {"sum_sent", ".sender"},
		    {"sum_received", ".receiver"},
		    {"sum_bidir_reverse", ".reverse"},
		    {"sum_sent_bidir_reverse", ".reverse.sender"},
		    {"sum_received_bidir_reverse", ".reverse.receiver"}};
	char place[JSON_NAME_MAX + 32];
	struct json_object o;

	if (!open_object(all, v, at, &o))
		return;
	for (size_t i = 0; i < COUNT(sums); i++) {
		snprintf(place, sizeof(place), "%s%s", protocol, sums[i].place);
		read_sum(all, json_read_member(&o, sums[i].key), JSON_AT_KEY(at, sums[i].key),
			 place);
	}
	read_streams(all, json_read_member(&o, "streams"), JSON_AT_KEY(at, "streams"), protocol);
	read_processors(all, json_read_member(&o, "cpu_utilization_percent"),
			JSON_AT_KEY(at, "cpu_utilization_percent"));
}

/* One after the other, each with a ctx that lasts as long as it. */
static void read_intervals(struct iperf3 *all, const struct json_documents *d,
			   struct json_span list, const struct json_at *at)
{
	struct ctx *const c = all->ctx;
	struct json_elements e;
	json_t *one;

	if (!json_document_elements(d, &e, list, at))
		return;
	while ((one = json_elements_next(&e))) {
		const struct json_at *place = JSON_AT_INDEX(at, e.index);
		struct json_object o, sum;

		all->ctx = &e.own;
		if (open_object(all, one, place, &o) &&
		    open_object(all, json_read_member(&o, "sum"), JSON_AT_KEY(place, "sum"), &sum))
			iperf3_add_interval(all, number(&sum, "bits_per_second"));
		all->ctx = c;
		json_decref(one);
	}
	json_elements_end(&e);
}

/* How the test was set up, and its protocol in small letters. */
static const char *read_start(struct iperf3 *all, json_t *v, const struct json_at *at)
{
	static const char *const keys[IPERF3_SETUPS] = {"protocol", "num_streams", "reverse",
							"blksize"};
	struct iperf3_output *out = &all->now;
	const struct json_at *place = JSON_AT_KEY(at, "test_start");
	struct json_object o, test, time;
	char *protocol = arena_str(all->a, "tcp");
	double seconds;

	if (!open_object(all, v, at, &o))
		return protocol;
	out->version = json_read_name(&o, "version", JSON_NAME_MAX);
	if (open_object(all, json_read_member(&o, "timestamp"), JSON_AT_KEY(at, "timestamp"),
			&time)) {
		seconds = number(&time, "timesecs");
		if (seconds > 0 && seconds < 1e11)
			out->started = (int64_t)seconds;
	}
	if (!open_object(all, json_read_member(&o, "test_start"), place, &test))
		return protocol;
	out->setup[IPERF3_PROTOCOL] = json_read_name(&test, "protocol", JSON_NAME_MAX);
	for (size_t i = 1; i < IPERF3_SETUPS; i++) {
		double value = number(&test, keys[i]);

		if (!isnan(value))
			out->setup[i] = arena_fmt(all->a, "%.0f", value);
	}
	if (!out->setup[IPERF3_PROTOCOL])
		return protocol;
	protocol = arena_str(all->a, out->setup[IPERF3_PROTOCOL]);
	for (char *p = protocol; *p; p++)
		*p = *p >= 'A' && *p <= 'Z' ? (char)(*p | 0x20) : *p;
	return protocol;
}

enum { END, ERROR, INTERVALS, MEMBERS };
static const char *const members[MEMBERS] = {"end", "error", "intervals"};

/* What stands around the intervals. */
static void read_head(struct iperf3 *all, json_t *v)
{
	const struct json_at top = {0};
	struct json_object o = {.ctx = all->ctx, .v = v, .at = &top};
	json_t *list = json_read_member(&o, members[INTERVALS]);
	const char *protocol;

	protocol = read_start(all, json_read_member(&o, "start"), JSON_AT_KEY(&top, "start"));
	all->now.protocol = protocol;
	all->now.error = json_read_line(&o, "error", JSON_TEXT_MAX);
	if (list && !json_is_array(list))
		json_read_fault(all->ctx, JSON_AT_KEY(&top, members[INTERVALS]),
				"must be an array, is %s", json_read_kind(list));
	read_end(all, json_read_member(&o, "end"), JSON_AT_KEY(&top, "end"), protocol);
}

static void read_output(struct iperf3 *all, const struct json_documents *d)
{
	const struct json_at top = {0};
	struct json_span found[MEMBERS], *list = &found[INTERVALS];
	struct ctx *const c = all->ctx;
	struct ctx own;
	json_t *head;

	if (!json_find_members(c, d->bytes, d->now, members, MEMBERS, found))
		return;
	if (!found[END].p && !found[ERROR].p)
		return; /* something else that was printed */
	if (list->p && *list->p != '[')
		list->p = NULL;
	head = json_document_without(d, *list);
	if (!head)
		return;
	iperf3_begin(all);
	ctx_init(&own, all->a, NULL);
	all->ctx = &own;
	read_head(all, head);
	all->ctx = c;
	json_hand_over(&own, c);
	json_decref(head);
	if (list->p)
		read_intervals(all, d, *list, JSON_AT_KEY(&top, members[INTERVALS]));
	iperf3_end(all);
}

void iperf3_read_json(struct iperf3 *all, const char *bytes, size_t n)
{
	struct json_documents d;

	json_documents_begin(&d, all->ctx, bytes, n);
	while (!all->stopped && all->ctx->err != E_TOO_LARGE && all->ctx->err != E_SYNTAX &&
	       json_documents_next(&d))
		read_output(all, &d);
}
