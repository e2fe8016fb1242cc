/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * netperf's classic tables of TCP_STREAM, TCP_MAERTS, TCP_SENDFILE, UDP_STREAM, TCP_RR, TCP_CRR,
 * UDP_RR and their like, and the lines KEY=VALUE of its -k. Each output is a run.
 *
 * Names are the robot's: Throughput_Mbps or Throughput_tps, ThroughputRecv_* what a UDP stream's
 * other end received, ThroughputBoth_* the sum of both, …_total_* the sum over instances, workload
 * the packets or transactions of all. Several outputs at once, each behind a line "Instance: N",
 * are one run: there Throughput_* is their mean, and each has its figures with ".instanceN" too.
 * Tables behind a line "Iteration…" are taken so as well, numbered as they come, as the robot
 * starts them. What the omni test prints, and others with -k, -o or -O, names its figures itself:
 * netperf_omni.c.
 */
#include "importers/netperf.h"

#include "importers/formats.h"
#include "importers/program_output.h"
#include "server/base/arena.h"

#define COLUMNS_MAX   16
#define INSTANCES_MAX 4096

enum table { TABLE_NONE, TABLE_STREAM, TABLE_DATAGRAMS, TABLE_REQUESTS };

struct result {
	bool told, received;
	double throughput, recv, seconds, size; /* in the unit's; size: bytes of a message */
};

struct reading {
	struct program_output *o;
	enum table table;
	double factor;      /* of the printed unit to 10^6 bit/s */
	const char *suffix; /* "Mbps" or "tps" */
	struct omni omni;   /* figures that name themselves */
	bool marked;        /* instances are told apart */
	size_t instance;    /* of the next result, from 1; 0: the one behind the last */
	struct arena *own;  /* of the results */
	struct result *results;
	size_t nresults, cap;
};

static bool begins(const char *line)
{
	return strstr(line, " TEST from ") || strstr(line, " TEST to ");
}

/* Numbers of a line that has nothing else; 0: it has. */
static size_t read_columns(const char *line, double v[COLUMNS_MAX])
{
	const char *p = past_spaces(line);
	size_t n = 0;

	for (; *p && n < COLUMNS_MAX; p = past_spaces(p)) {
		if (!text_number(&p, false, &v[n++]) || (*p && *p != ' ' && *p != '\t'))
			return 0;
	}
	return *p ? 0 : n;
}

/* --- heads --- */

/* The line of units above a table: what kind it is, and what its throughput is in. */
static bool read_units(struct reading *s, const char *line)
{
	static const struct {
		const char *name;
		double mbps;
	} units[] = {{"10^6bits", 1},           {"10^3bits", 1e-3},
		     {"10^9bits", 1e3},         {"KBytes", 8192 / 1e6},
		     {"MBytes", 8388608 / 1e6}, {"GBytes", 8589934592 / 1e6}};

	if (!text_after(line, "bytes"))
		return false;
	s->table = TABLE_NONE;
	if (strstr(line, "per sec")) {
		s->table = TABLE_REQUESTS;
		s->suffix = "tps";
		return true;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!strstr(line, units[i].name) || !strstr(line, "secs"))
			continue;
		s->table = strchr(line, '#') ? TABLE_DATAGRAMS : TABLE_STREAM;
		s->suffix = "Mbps";
		s->factor = units[i].mbps;
	}
	return true;
}

static const char *const kinds[][2] = {
	{"OMNI Send TEST", "OMNI"},
	{"OMNI Receive TEST", "OMNI_RECEIVE"},
	{"OMNI Send|Recv TEST", "OMNI_BOTH"},
	{"TCP STREAM TEST", "TCP_STREAM"},
	{"TCP MAERTS TEST", "TCP_MAERTS"},
	{"TCP SENDFILE TEST", "TCP_SENDFILE"},
	{"UDP STREAM TEST", "UDP_STREAM"},
	{"UNIDIRECTIONAL SEND TEST", "UDP_STREAM"},
	{"TCP REQUEST/RESPONSE TEST", "TCP_RR"},
	{"TCP Connect/Request/Response TEST", "TCP_CRR"},
	{"TCP Connect/Close TEST", "TCP_CC"},
	{"UDP REQUEST/RESPONSE TEST", "UDP_RR"},
	{"SCTP STREAM TEST", "SCTP_STREAM"},
	{"SCTP 1-TO-MANY STREAM TEST", "SCTP_STREAM_MANY"},
	{"SCTP REQUEST/RESPONSE TEST", "SCTP_RR"},
	{"SCTP 1-TO-MANY REQUEST/RESPONSE TEST", "SCTP_RR_MANY"},
};

static const char *test_name(const char *line)
{
	for (size_t i = 0; begins(line) && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strstr(line, kinds[i][0]))
			return kinds[i][1];
	return NULL;
}

/* The column of the seconds: the first with a point in it. */
static size_t seconds_column(const char *line)
{
	size_t column = 0;

	for (const char *p = past_spaces(line); *p; p = past_spaces(p)) {
		size_t len = strcspn(p, " \t");

		if (memchr(p, '.', len))
			break;
		p += len;
		column++;
	}
	return column;
}

/* The test, and the sizes of its messages, which stand in the table before the seconds. */
static bool setup(const char *line, size_t axis, char *value)
{
	const char *name = test_name(line);
	double v[COLUMNS_MAX];
	size_t n, seconds;

	if (axis == 0) {
		if (name)
			snprintf(value, OUTPUT_WORD_MAX, "%s", name);
		return name != NULL;
	}
	n = read_columns(line, v);
	seconds = n ? seconds_column(line) : 0;
	if (n < seconds + 2 || seconds < 2 || seconds > 4)
		return false;
	if (seconds == 4)
		snprintf(value, OUTPUT_WORD_MAX, "%.0f,%.0f", v[2], v[3]);
	else
		snprintf(value, OUTPUT_WORD_MAX, "%.0f", v[seconds - 1]);
	return true;
}

/* --- tables --- */

static struct result *open_result(struct reading *s)
{
	size_t at = s->instance ? s->instance - 1 : s->nresults;

	if (at >= INSTANCES_MAX)
		return NULL;
	s->results = arena_grow(s->own, s->results, &s->cap, at + 1, sizeof(*s->results));
	if (at >= s->nresults)
		s->nresults = at + 1;
	return &s->results[at];
}

/* Figures beside the throughput, of one instance. */
static void add_detail(struct reading *s, const char *unit, double v, const char *name)
{
	if (s->marked)
		output_value(s->o, unit, v, "%s.instance%zu", name,
			     s->instance ? s->instance : s->nresults);
	else
		output_value(s->o, unit, v, "%s", name);
}

/* Of processors and service demands, where -c and -C asked for them: rest[0] … rest[n - 1]. */
static void add_load(struct reading *s, const double *rest, size_t n)
{
	const char *unit = s->table == TABLE_REQUESTS ? "us/Tr" : "us/KB";

	if (n < 4)
		return;
	add_detail(s, "%", rest[0], "cpu_local%");
	add_detail(s, "%", rest[1], "cpu_remote%");
	add_detail(s, unit, rest[2], "service_demand_local");
	add_detail(s, unit, rest[3], "service_demand_remote");
}

/* The second line of a UDP stream: what the other end received. */
static void read_received(struct reading *s, const double *v, size_t n)
{
	size_t at = s->instance ? s->instance : s->nresults;
	struct result *r = at && at <= s->nresults ? &s->results[at - 1] : NULL;

	if (n < 4 || !r || !r->told || r->received)
		return;
	r->received = true;
	r->recv = v[3] * s->factor;
	add_detail(s, "messages", v[2], "recv_messages");
	if (n >= 6) {
		add_detail(s, "%", v[4], "cpu_remote%");
		add_detail(s, "us/KB", v[5], "service_demand_remote");
	}
}

static void read_row(struct reading *s, const char *line, const double *v, size_t n)
{
	struct result *r;

	if (s->table == TABLE_DATAGRAMS && seconds_column(line) == 1) {
		read_received(s, v, n);
		return;
	}
	if (s->table == TABLE_NONE || n < (s->table == TABLE_STREAM ? 5 : 6))
		return;
	r = open_result(s);
	if (!r)
		return;
	if (s->table == TABLE_STREAM) {
		*r = (struct result){true, false, v[4] * s->factor, 0, v[3], v[2]};
		add_load(s, v + 5, n - 5);
	} else if (s->table == TABLE_DATAGRAMS) {
		*r = (struct result){true, false, v[5] * s->factor, 0, v[2], v[1]};
		add_detail(s, "messages", v[3], "messages_okay");
		add_detail(s, "messages", v[4], "messages_errors");
		if (n >= 8) {
			add_detail(s, "%", v[6], "cpu_local%");
			add_detail(s, "us/KB", v[7], "service_demand_local");
		}
	} else {
		*r = (struct result){true, false, v[5], 0, v[4], 0};
		add_load(s, v + 6, n - 6);
	}
	add_detail(s, "s", r->seconds, "elapsed_seconds");
}

/* What figures that name themselves told of the throughput, as a result of its own. */
static void end_omni(struct reading *s)
{
	struct omni *k = &s->omni;
	struct result *r;

	if (k->mbps > 0 || k->tps > 0) {
		r = open_result(s);
		if (r)
			*r = (struct result){true, false,      k->mbps > 0 ? k->mbps : k->tps,
					     0,    k->seconds, k->mbps > 0 ? k->size : 0};
		s->suffix = k->mbps > 0 ? "Mbps" : "tps";
	}
	omni_reset(k);
}

/* --- a run --- */

static void add_instances(struct reading *s)
{
	const char *unit = strcmp(s->suffix, "tps") == 0 ? "1/s" : "Mbit/s";

	for (size_t i = 0; i < s->nresults; i++) {
		const struct result *r = &s->results[i];

		if (!r->told)
			continue;
		output_value(s->o, unit, r->throughput, "Throughput_%s.instance%zu", s->suffix,
			     i + 1);
		if (r->received)
			output_value(s->o, unit, r->recv, "ThroughputRecv_%s.instance%zu",
				     s->suffix, i + 1);
		output_value(s->o, unit, r->throughput + r->recv, "ThroughputBoth_%s.instance%zu",
			     s->suffix, i + 1);
	}
}

static void end_run(struct reading *s)
{
	double sum = 0, recv = 0, work = 0, n = 0;
	bool received = false, mbps;
	const char *unit;

	end_omni(s);
	for (size_t i = 0; i < s->nresults; i++) {
		const struct result *r = &s->results[i];
		double both = r->throughput + r->recv;

		n += r->told;
		sum += r->throughput;
		recv += r->recv;
		received = received || r->received;
		if (strcmp(s->suffix, "tps") == 0)
			work += both * r->seconds;
		else if (r->size > 0)
			work += both * r->seconds * 1e6 / (8 * r->size);
	}
	if (n <= 0)
		return;
	mbps = strcmp(s->suffix, "Mbps") == 0;
	unit = mbps ? "Mbit/s" : "1/s";
	if (s->marked)
		add_instances(s);
	output_value(s->o, unit, sum / n, "Throughput_%s", s->suffix);
	output_value(s->o, unit, sum, "Throughput_total_%s", s->suffix);
	if (received) {
		output_value(s->o, unit, recv / n, "ThroughputRecv_%s", s->suffix);
		output_value(s->o, unit, recv, "ThroughputRecv_total_%s", s->suffix);
	}
	output_value(s->o, unit, (sum + recv) / n, "ThroughputBoth_%s", s->suffix);
	output_value(s->o, unit, sum + recv, "ThroughputBoth_total_%s", s->suffix);
	if (work > 0)
		output_value(s->o, mbps ? "packets" : "transactions", work, "workload");
	s->nresults = 0;
	s->instance = 0;
	memset(s->results, 0, s->cap * sizeof(*s->results));
	output_next(s->o);
}

/* "Instance: 3" and "Iteration: 2". False: neither. */
static bool read_mark(struct reading *s, const char *line)
{
	const char *p = text_after(line, "Instance:");
	double n;

	if (text_after(line, "Iteration")) {
		end_run(s);
		return true;
	}
	if (!p)
		return false;
	if (!text_number(&p, false, &n) || n < 1 || n > INSTANCES_MAX) {
		fault(s->o->in->ctx, "", "\"%.80s\": no number from 1 to %d", line, INSTANCES_MAX);
		return true;
	}
	end_omni(s); /* of the instance before */
	if ((size_t)n <= s->nresults && s->results[(size_t)n - 1].told)
		end_run(s);
	s->instance = (size_t)n;
	return true;
}

static void read_output(struct program_output *o, const char *bytes, size_t n)
{
	auto_arena struct arena *results = arena_new(), *heads = arena_new();
	struct reading s = {.o = o, .suffix = "Mbps", .omni = {.arena = heads}, .own = results};
	struct output_lines l;
	double v[COLUMNS_MAX];
	const char *name;
	char *line;

	s.marked = o->form->begins == NULL;
	output_next(o);
	output_lines_begin(&l, bytes, n);
	while ((line = output_line(&l))) {
		size_t columns;

		if (!s.marked && omni_repeats(&s.omni, line)) {
			end_run(&s);
			output_next(o);
		}
		columns = omni_line(&s.omni, o, line) ? 0 : read_columns(line, v);
		if (columns) {
			read_row(&s, line, v, columns);
		} else if (!read_mark(&s, line) && !read_units(&s, line)) {
			name = test_name(line);
			if (name)
				output_info(o, "netperf.test", name);
		}
	}
	output_lines_end(&l);
	end_run(&s);
}

int import_netperf(struct import *in, const char *bytes, size_t n)
{
	struct program_form form = {.program = "netperf",
				    .begins = begins,
				    .axes = {"test", "send_size"},
				    .setup = setup,
				    .read = read_output};

	if (sniff_line(bytes, n, "Instance:") || sniff_line(bytes, n, "Iteration"))
		form.begins = NULL; /* tables of one run: not to be parted */
	return program_import(in, bytes, n, &form);
}

int netperf_sniff(const char *bytes, size_t n)
{
	bool table = sniff_finds(bytes, n, "10^6bits") || sniff_finds(bytes, n, "per sec");

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (sniff_finds(bytes, n, kinds[i][0]))
			return 95;
	if (sniff_line(bytes, n, "THROUGHPUT=") && sniff_line(bytes, n, "THROUGHPUT_UNITS="))
		return 85;
	return table && sniff_finds(bytes, n, "Elapsed") && sniff_finds(bytes, n, "secs.") ? 85 : 0;
}
