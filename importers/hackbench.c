/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hackbench of rt-tests ("Running in process mode with 2 groups using 40 file descriptors each
 * (== 80 tasks)") and the first one ("Running with 40*40 (== 1600) tasks."). Each repeated output
 * is one more run. The first one does not say how much it sent, so that it has a time and no
 * throughput.
 *
 * throughput is KiB sent by all tasks over the time, as the robot has it; within a run its best,
 * average and worst are the same unless there are instances: outputs of several hackbenches at
 * once, each behind a line "Instance: N". These are one run, which also has each figure with
 * ".instanceN"; throughput and _best are then the fastest of them, _worst the slowest, _avg all
 * that was sent over all times.
 */
#include "importers/formats.h"
#include "importers/program_output.h"
#include "server/base/arena.h"

#define INSTANCES_MAX 4096

struct output {
	double tasks, messages, bytes, seconds; /* 0: not told */
};

/* Of all outputs of a setup. */
struct kept {
	struct output *instances; /* of this run, by number - 1; NULL without instances */
	size_t instance;          /* that lines belong to, from 1 */
};

struct reading {
	struct program_output *o;
	struct output now;
	struct kept *kept;
};

static bool begins(const char *line)
{
	return text_after(line, "Running in ") || text_after(line, "Running with ");
}

/* "(== 400 tasks)", or where a mail cut it off or wrapped it: groups times the descriptors of each,
 * which is what hackbench prints there. */
static bool read_tasks(const char *line, double *tasks)
{
	double groups, descriptors;

	if (number_behind(line, "(==", tasks))
		return true;
	if (!number_behind(line, " mode with", &groups) ||
	    !number_behind(line, " groups using", &descriptors))
		return false;
	*tasks = groups * descriptors;
	return true;
}

/* KiB a second; 0: not known. */
static double rate(const struct output *k)
{
	return k->seconds > 0 ? k->tasks * k->messages * k->bytes / 1024 / k->seconds : 0;
}

static void add_output(struct reading *h, const struct output *k, const char *suffix)
{
	output_value(h->o, "s", k->seconds, "seconds%s", suffix);
	if (rate(k) <= 0)
		return;
	output_value(h->o, "KB/s", rate(k), "throughput%s", suffix);
	output_value(h->o, "KB/s", rate(k), "throughput_best%s", suffix);
	output_value(h->o, "KB/s", rate(k), "throughput_avg%s", suffix);
	output_value(h->o, "KB/s", rate(k), "throughput_worst%s", suffix);
}

/* All instances of a run, and that it is over. */
static void end_instances(struct reading *h)
{
	double best = 0, worst = 0, sent = 0, time = 0;
	char suffix[40];
	size_t n = 0;

	for (size_t i = 0; h->kept->instances && i < INSTANCES_MAX; i++) {
		const struct output *k = &h->kept->instances[i];

		if (k->seconds <= 0)
			continue;
		snprintf(suffix, sizeof(suffix), ".instance%zu", i + 1);
		add_output(h, k, suffix);
		best = rate(k) > best ? rate(k) : best;
		worst = !n || rate(k) < worst ? rate(k) : worst;
		sent += rate(k) * k->seconds;
		time += k->seconds;
		n++;
	}
	if (!n)
		return;
	output_value(h->o, "s", time / (double)n, "seconds");
	if (worst > 0) {
		output_value(h->o, "KB/s", best, "throughput");
		output_value(h->o, "KB/s", best, "throughput_best");
		output_value(h->o, "KB/s", sent / time, "throughput_avg");
		output_value(h->o, "KB/s", worst, "throughput_worst");
	}
	memset(h->kept->instances, 0, INSTANCES_MAX * sizeof(*h->kept->instances));
	output_next(h->o);
}

static void read_time(struct reading *h, const char *line, const char *p)
{
	double seconds;

	if (!text_number(&p, false, &seconds)) {
		fault(h->o->in->ctx, "", "\"%.80s\": no number behind Time:", line);
		return;
	}
	h->now.seconds = seconds;
	if (!h->kept->instances) {
		add_output(h, &h->now, "");
		output_next(h->o);
	} else {
		if (h->kept->instances[h->kept->instance - 1].seconds > 0)
			end_instances(h);
		h->kept->instances[h->kept->instance - 1] = h->now;
	}
}

static void read_instance(struct reading *h, const char *line, const char *p)
{
	double n;

	if (!text_number(&p, false, &n) || n < 1 || n > INSTANCES_MAX) {
		fault(h->o->in->ctx, "", "\"%.80s\": no number from 1 to %d", line, INSTANCES_MAX);
		return;
	}
	if (!h->kept->instances)
		h->kept->instances =
			arena_array(record_arena(h->o->r), struct output, INSTANCES_MAX);
	h->kept->instance = (size_t)n;
}

static void read_output(struct program_output *o, const char *bytes, size_t n)
{
	struct reading h = {.o = o, .kept = o->state};
	struct output_lines l;
	const char *p;
	char *line;

	output_next(o);
	output_lines_begin(&l, bytes, n);
	while ((line = output_line(&l))) {
		if ((p = text_after(line, "Instance:"))) {
			read_instance(&h, line, p);
		} else if (begins(line)) {
			h.now = (struct output){0};
			read_tasks(line, &h.now.tasks);
		} else if ((p = text_after(line, "Each sender will pass")) ||
			   (p = text_after(line, "Each sender passed"))) {
			if (text_number(&p, false, &h.now.messages))
				number_behind(p, "messages of", &h.now.bytes);
		} else if ((p = text_after(line, "Time:"))) {
			read_time(&h, line, p);
		}
	}
	output_lines_end(&l);
	end_instances(&h);
}

/* How the tasks are made, in the robot's words, and how many they are. */
static bool setup(const char *line, size_t axis, char *value)
{
	double tasks;

	if (!begins(line))
		return false;
	if (axis == 0) {
		bool threads = strstr(line, " threaded mode") != NULL;

		if (!threads && !strstr(line, " process mode"))
			return false;
		snprintf(value, OUTPUT_WORD_MAX, "%s", threads ? "threads" : "process");
		return true;
	}
	if (!read_tasks(line, &tasks))
		return false;
	snprintf(value, OUTPUT_WORD_MAX, "%.0f", tasks);
	return true;
}

int import_hackbench(struct import *in, const char *bytes, size_t n)
{
	struct program_form form = {.program = "hackbench",
				    .begins = begins,
				    .axes = {"mode", "nr_tasks"},
				    .setup = setup,
				    .read = read_output,
				    .state = sizeof(struct kept)};

	if (sniff_line(bytes, n, "Instance:")) /* parts of a run: not to be parted */
		form.begins = NULL;
	return program_import(in, bytes, n, &form);
}

int hackbench_sniff(const char *bytes, size_t n)
{
	bool runs = sniff_line(bytes, n, "Running in process mode with ") ||
		    sniff_line(bytes, n, "Running in threaded mode with ");

	if (runs && sniff_line(bytes, n, "Each sender ")) /* without a time it ran beside another */
		return sniff_line(bytes, n, "Time:") ? 95 : 40;
	return sniff_line(bytes, n, "Running with ") && sniff_finds(bytes, n, "(==") &&
			       sniff_line(bytes, n, "Time:")
		       ? 90
		       : 0;
}
