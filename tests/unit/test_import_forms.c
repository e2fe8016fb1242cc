/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Forms of outputs that options and mails make. Expected values stand in the texts; those of
 * vm-scalability are what the robot makes of these lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include "raw_lab.h"

static void take(struct raw *r, const char *format, const char *text)
{
	int e;

	*r = (struct raw){0};
	e = raw_run(r, format, text, strlen(text), NULL);
	if (e != E_OK)
		print_error("%s: %s\n", format, r->ctx.detail);
	assert_int_equal(e, E_OK);
}

static int sureness(const char *format, const char *text)
{
	return importer_find(format)->sniff(text, strlen(text));
}

/* --- fio: both directions as one --- */

static void test_fio_mixed(void **state)
{
	static const struct raw_figure json[] = {
		{0, "fio.mixed_bw_MBps", 83591.0 / 1024, "MiB/s"},
		{0, "fio.mixed_iops", 20897.959184, "IO/s"},
		{0, "fio.mixed_clat_mean_ns", 46741.743652, "ns"},
		{0, "fio.mixed_clat_stddev", 357530.095732, "ns"},
		{0, "fio.mixed_total_ios", 2048, "IOs"},
		{0, "fio.workload", 2048, "IOs"},
	};
	static const struct raw_figure text[] = {
		{0, "fio.mixed_bw_MBps", 68.4, "MiB/s"},
		{0, "fio.mixed_iops", 17500, "IO/s"},
		{0, "fio.mixed_clat_mean_us", 48.23218, "us"},
		{0, "fio.mixed_clat_stddev_us", 262.55088, "us"},
		{0, "fio.mixed_clat_99%_us", 840, "us"},
		{0, "fio.mixed_total_ios", 2048, "IOs"},
		{0, "fio.workload", 2048, "IOs"},
		{0, "fio.group0.mixed_bw_MBps", 68.4, "MiB/s"},
	};
	static const struct raw_figure terse[] = {
		{0, "fio.mixed_bw_MBps", 86231.0 / 1024, "MiB/s"},
		{0, "fio.mixed_iops", 21557, "IO/s"},
		{0, "fio.mixed_clat_mean_us", 40.016163, "us"},
		{0, "fio.mixed_clat_stddev_us", 182.569266, "us"},
		{0, "fio.disk.vda.write_ios", 0, "IOs"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "fio", "fio-mixed.json");
	RAW_CHECK(&r, 0, json);
	assert_int_equal(raw_distribution(&r, 0, "fio.mixed_clat_ns")->n, 2048);
	raw_end(&r);
	raw_read(&r, "fio", "fio-mixed.txt");
	RAW_CHECK(&r, 0, text);
	assert_int_equal(raw_distribution(&r, 0, "fio.mixed_clat_us")->n, 2048);
	raw_end(&r);
	raw_read(&r, "fio", "fio-mixed-terse-5.txt");
	RAW_CHECK(&r, 0, terse);
	raw_end(&r);
}

/* Beside the two directions: nothing is counted twice, and they stay one output. */
static void test_fio_mixed_beside(void **state)
{
	static const struct raw_figure json[] = {
		{0, "fio.read_iops", 9650.485437, "IO/s"},
		{0, "fio.write_iops", 10233.009709, "IO/s"},
		{0, "fio.mixed_iops", 19883.495146, "IO/s"},
		{0, "fio.mixed_clat_stddev", 288119.790041, "ns"},
		{0, "fio.workload", 2048, "IOs"},
	};
	static const struct raw_figure text[] = {
		{0, "fio.read_iops", 12100, "IO/s"},
		{0, "fio.read_clat_stddev_us", 216.49, "us"},
		{0, "fio.mixed_clat_mean_us", 28.91, "us"},
		{0, "fio.mixed_total_ios", 2048, "IOs"},
		{0, "fio.group0.mixed_bw_MBps", 97.6, "MiB/s"},
		{0, "fio.workload", 2048, "IOs"},
	};
	static const struct raw_figure terse[] = {
		{0, "fio.read_iops", 7952, "IO/s"},   {0, "fio.write_iops", 8432, "IO/s"},
		{0, "fio.mixed_iops", 16384, "IO/s"}, {0, "fio.mixed_clat_mean_us", 47.24721, "us"},
		{0, "fio.sys_cpu%", 19.354839, "%"},  {0, "fio.latency_2us%", 1.17, "%"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "fio", "fio-mixed-both.json");
	RAW_CHECK(&r, 0, json);
	assert_int_equal(raw_distribution(&r, 0, "fio.latency_ns")->n, 2048);
	raw_end(&r);
	raw_read(&r, "fio", "fio-mixed-both.txt");
	assert_int_equal(r.in.n, 1);
	RAW_CHECK(&r, 0, text);
	/* fio prints 0 where it did not reckon them */
	assert_true(isnan(raw_value(&r, 0, 0, "fio.mixed_iops")));
	raw_end(&r);
	raw_read(&r, "fio", "fio-mixed-both-terse-3.txt");
	RAW_CHECK(&r, 0, terse);
	raw_end(&r);
}

/* --- fio: reports on the way --- */

static void test_fio_reports(void **state)
{
	struct raw r;

	(void)state;
	raw_read(&r, "fio", "fio-status.json");
	assert_int_equal(r.in.n, 1);
	assert_true(raw_value(&r, 0, 0, "fio.read_total_ios") == 6204821);
	assert_true(raw_value(&r, 0, 0, "fio.read_runtime") == 3001);
	assert_string_equal(raw_info(&r, 0, "fio.status_reports"), "3");
	raw_end(&r);
	raw_read(&r, "fio", "fio-status.txt");
	assert_int_equal(r.in.n, 1);
	assert_true(raw_value(&r, 0, 0, "fio.read_runtime") == 3001);
	assert_string_equal(raw_info(&r, 0, "fio.status_reports"), "3");
	assert_string_equal(raw_info(&r, 0, "fio.version"), "fio-3.33");
	assert_string_equal(raw_info(&r, 0, "fio.rw"), "randread");
	raw_end(&r);
}

/* One document with what tells runs apart. */
static const char *document(char *out, size_t size, double ms, double runtime, double ios)
{
	snprintf(out, size,
		 "{\"fio version\": \"fio-3.33\", \"timestamp\": %.0f, \"timestamp_ms\": %.0f,"
		 "\"jobs\": [{\"jobname\": \"j\", \"error\": 0, \"read\": {\"bw\": 4, \"iops\": 1,"
		 "\"runtime\": %.0f, \"total_ios\": %.0f}}]}\n",
		 floor(ms / 1000), ms, runtime, ios);
	return out;
}

/* Runs that follow each other, the same output twice, two that ran at once: none is a report. */
static void test_fio_repeats(void **state)
{
	static const double runs[][2][3] = {
		{{1e12, 10000, 500}, {1e12 + 10100, 10001, 501}},
		{{1e12, 10000, 500}, {1e12, 10000, 500}},
		{{1e12, 10000, 500}, {1e12 + 3, 10003, 501}},
		{{1e12, 2000, 500}, {1e12 + 12000, 10000, 900}},
		{{1e12, 2000, 500}, {1e12 + 8000, 10000, 400}}, /* did less */
	};
	char one[500], other[500], both[1000];
	struct raw r;

	(void)state;
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		snprintf(both, sizeof(both), "%s%s",
			 document(one, sizeof(one), runs[i][0][0], runs[i][0][1], runs[i][0][2]),
			 document(other, sizeof(other), runs[i][1][0], runs[i][1][1],
				  runs[i][1][2]));
		take(&r, "fio", both);
		if (r.in.n != 2)
			raw_fail("pair %zu is one run", i);
		raw_end(&r);
	}
	snprintf(both, sizeof(both), "%s%s", document(one, sizeof(one), 1e12, 2000, 500),
		 document(other, sizeof(other), 1e12 + 8000, 10000, 900));
	take(&r, "fio", both);
	assert_int_equal(r.in.n, 1);
	raw_end(&r);
}

/* The sum of the clients is left out beside them, and taken when it is all there is. */
static void test_fio_clients(void **state)
{
	static const char alone[] =
		"{\"fio version\": \"fio-2.6\", \"client_stats\": [{\"jobname\": \"All clients\","
		"\"error\": 0, \"mixed\": {\"io_bytes\": 2021176, \"bw\": 16653, \"iops\": 2252.49,"
		"\"total_ios\": 273369, \"lat\": {\"min\": 431, \"max\": 3781314, \"mean\": "
		"1782.92,"
		"\"stddev\": 19405.44}}}]}";
	static const char beside[] =
		"{\"fio version\": \"fio-3.1\", \"client_stats\": ["
		"{\"jobname\": \"a\", \"read\": {\"bw\": 1024, \"iops\": 5, \"total_ios\": 10}},"
		"{\"jobname\": \"All clients\", \"read\": {\"bw\": 1024, \"iops\": 5, "
		"\"total_ios\": "
		"10}}]}";
	struct raw r;

	(void)state;
	take(&r, "fio", alone);
	assert_true(raw_value(&r, 0, 0, "fio.mixed_iops") == 2252.49);
	assert_true(raw_value(&r, 0, 0, "fio.mixed_lat_mean_ns") == 1782920);
	assert_true(raw_value(&r, 0, 0, "fio.workload") == 273369);
	raw_end(&r);
	take(&r, "fio", beside);
	assert_true(raw_value(&r, 0, 0, "fio.read_iops") == 5);
	raw_end(&r);
}

/* A rig that changes the form stays in its series: no name is in two units. */
static void test_fio_units(void **state)
{
	static const char *const files[] = {"fio-two-jobs.json",   "fio-two-jobs.txt",
					    "fio-mixed-both.json", "fio-mixed-both.txt",
					    "fio-terse-5.txt",     "fio-mixed-both-terse-3.txt",
					    "fio-plus.json",       "fio-mail.txt"};
	struct raw r[sizeof(files) / sizeof(files[0])];
	const size_t n = sizeof(files) / sizeof(files[0]);

	(void)state;
	for (size_t i = 0; i < n; i++)
		raw_read(&r[i], "fio", files[i]);
	for (size_t i = 0; i < n; i++) {
		const struct submission *s = &r[i].in.subs[0];

		for (size_t u = 0; u < s->nunits; u++) {
			for (size_t k = 0; k < n; k++) {
				const char *other = raw_unit(&r[k], 0, s->units[u].name);

				if (*other && strcmp(other, s->units[u].value) != 0)
					raw_fail("%s: %s in %s, %s in %s", s->units[u].name,
						 s->units[u].value, files[i], other, files[k]);
			}
		}
	}
	for (size_t i = 0; i < n; i++)
		raw_end(&r[i]);
}

/* --- hackbench --- */

static void test_hackbench_heads(void **state)
{
	struct raw r;

	(void)state;
	/* wrapped by a mailer: 400 tasks * 20000 * 100 bytes are 781250 KiB */
	take(&r, "hackbench",
	     "Running in threaded mode with 10 groups using 40 file descriptors each\n"
	     "(== 400 tasks)\nEach sender will pass 20000 messages of 100 bytes\nTime: 8\n");
	assert_true(raw_value(&r, 0, 0, "hackbench.throughput") == 97656.25);
	raw_end(&r);
	/* cut by hand: 1 group of 40, 100000 * 100 bytes, 390625 KiB; a run each */
	take(&r, "hackbench",
	     "Running in threaded mode with 1 groups using 40 file descriptors\n"
	     "Each sender will pass 100000 messages of 100 bytes\nTime: 8\nTime: 10\n");
	assert_int_equal(r.in.subs[0].nruns, 2);
	assert_true(raw_value(&r, 0, 0, "hackbench.throughput") == 48828.125);
	assert_true(raw_value(&r, 0, 1, "hackbench.throughput") == 39062.5);
	raw_end(&r);
}

/* An instance that stands where the look at the whole file does not see it counts for what follows,
 * in the next output too. */
static void test_hackbench_late_instance(void **state)
{
	static const char output[] =
		"Running in threaded mode with 10 groups using 40 file descriptors each (== 400 "
		"tasks)\nEach sender will pass 20000 messages of 100 bytes\nTime: ";
	char text[1000];
	struct raw r;

	(void)state;
	snprintf(text, sizeof(text), "waiting\rInstance: 2\n%s8\n%s10\n", output, output);
	take(&r, "hackbench", text);
	assert_int_equal(r.in.n, 1);
	assert_int_equal(r.in.subs[0].nruns, 2);
	assert_true(raw_value(&r, 0, 0, "hackbench.seconds.instance2") == 8);
	assert_true(raw_value(&r, 0, 1, "hackbench.seconds.instance2") == 10);
	raw_end(&r);
}

/* --- vm-scalability --- */

static void test_vm_scalability_spread(void **state)
{
	static const int speeds[] = {14640, 14632, 14630, 14627, 14626, 14625, 14625, 14625,
				     14625, 14625, 14624, 14623, 14622, 14621, 14620, 14619,
				     14618, 14617, 14616, 14614, 14614, 14612, 14608, 14603,
				     14598, 14589, 14585, 14568, 14565, 14565, 14561, 14555};
	char text[4000] = "2020-05-06 11:25:18  ./case-swapin\n";
	size_t n = strlen(text);
	struct raw r;

	(void)state;
	for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "12884901888 bytes / 860000000 usecs = %d KB/s\n", speeds[i]);
	take(&r, "vm-scalability", text);
	assert_true(raw_value(&r, 0, 0, "vm-scalability.throughput") == 467497);
	assert_true(raw_value(&r, 0, 0, "vm-scalability.median") == 14619);
	assert_true(raw_value(&r, 0, 0, "vm-scalability.workload") == 402653184);
	/* as printed: 5.03915, 0 */
	assert_true(fabs(raw_value(&r, 0, 0, "vm-scalability.stddev%") - 5.03915) < 5e-6);
	assert_true(raw_value(&r, 0, 0, "vm-scalability.median_stddev%") == 0);
	raw_end(&r);
}

/* --- netperf: figures that name themselves --- */

#define OMNI "OMNI Send TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to localhost () port 0 AF_INET\n"

static void test_netperf_table(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "netperf.Throughput_Mbps", 38912.61, "Mbit/s"},
		{0, "netperf.Throughput_total_Mbps", 38912.61, "Mbit/s"},
		{0, "netperf.local_send_size", 16384, ""},
		{0, "netperf.local_send_socket_size_final", 2626560, ""},
		{0, "netperf.elapsed_time_sec", 10, ""},
		{0, "netperf.workload", 38912.61 * 10 * 1e6 / 8 / 16384, "packets"},
	};
	static const char text[] =
		OMNI "Local       Remote      Local  Elapsed Throughput Throughput  \n"
		     "Send Socket Recv Socket Send   Time               Units       \n"
		     "Size        Size        Size   (sec)                          \n"
		     "Final       Final                                             \n"
		     "2626560     6291456     16384  10.00   38912.61   10^6bits/s  \n\n";
	struct raw r;

	(void)state;
	take(&r, "netperf", text);
	RAW_CHECK(&r, 0, figures);
	raw_end(&r);
	assert_true(sureness("netperf", text) >= 90);
	take(&r, "netperf",
	     OMNI "Throughput Throughput  Stddev       Local  \n"
		  "           Units       Latency      CPU    \n"
		  "                       Microseconds Util   \n"
		  "                                    %      \n"
		  "25220.39   10^6bits/s  23.82        30.31  \n");
	assert_true(raw_value(&r, 0, 0, "netperf.Throughput_Mbps") == 25220.39);
	assert_true(raw_value(&r, 0, 0, "netperf.stddev_latency_microseconds") == 23.82);
	assert_true(raw_value(&r, 0, 0, "netperf.local_cpu_util_%") == 30.31);
	/* no time and no size: the work is not known */
	assert_true(isnan(raw_value(&r, 0, 0, "netperf.workload")));
	raw_end(&r);
}

static void test_netperf_commas(void **state)
{
	struct raw r;

	(void)state;
	take(&r, "netperf",
	     "MIGRATED TCP STREAM TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to x () port 1\n"
	     "Throughput,Throughput Units,50th Percentile Latency Microseconds,Confidence Width "
	     "(%)\n"
	     "408.78,10^6bits/s,3,-1.000\n");
	assert_true(raw_value(&r, 0, 0, "netperf.Throughput_Mbps") == 408.78);
	assert_true(raw_value(&r, 0, 0, "netperf.50th_percentile_latency_microseconds") == 3);
	assert_true(raw_value(&r, 0, 0, "netperf.confidence_width_%") == -1);
	raw_end(&r);
}

static void test_netperf_keys(void **state)
{
	static const char twice[] = "ELAPSED_TIME=10.00\nTHROUGHPUT=55555.94\n"
				    "THROUGHPUT_UNITS=Trans/s\nP99_LATENCY=25\n"
				    "ELAPSED_TIME=10.00\nTHROUGHPUT=55000\n"
				    "THROUGHPUT_UNITS=Trans/s\nP99_LATENCY=26\n";
	static const struct raw_figure figures[] = {
		{0, "netperf.Throughput_tps", 55555.94, "1/s"},
		{0, "netperf.p99_latency", 25, ""},
		{0, "netperf.workload", 555559.4, "transactions"},
		{1, "netperf.Throughput_tps", 55000, "1/s"},
		{1, "netperf.p99_latency", 26, ""},
	};
	struct raw r;

	(void)state;
	take(&r, "netperf", twice);
	assert_int_equal(r.in.subs[0].nruns, 2);
	RAW_CHECK(&r, 0, figures);
	raw_end(&r);
	assert_true(sureness("netperf", twice) >= 80);
	take(&r, "netperf",
	     "Instance: 1\nTHROUGHPUT=100\nTHROUGHPUT_UNITS=10^6bits/s\n"
	     "Instance: 2\nTHROUGHPUT=300\nTHROUGHPUT_UNITS=10^6bits/s\n");
	assert_int_equal(r.in.subs[0].nruns, 1);
	assert_true(raw_value(&r, 0, 0, "netperf.Throughput_Mbps") == 200);
	assert_true(raw_value(&r, 0, 0, "netperf.Throughput_total_Mbps") == 400);
	assert_true(raw_value(&r, 0, 0, "netperf.Throughput_Mbps.instance2") == 300);
	raw_end(&r);
}

/* --- iperf3 --- */

static void test_iperf3_both_ways(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "iperf.tcp.sender.bps", 5.98e9, "bit/s"},
		{0, "iperf.tcp.receiver.bps", 5.91e9, "bit/s"},
		{0, "iperf.tcp.reverse.sender.bps", 5.32e9, "bit/s"},
		{0, "iperf.tcp.reverse.receiver.bps", 5.24e9, "bit/s"},
		{0, "iperf.tcp.stream2.receiver.bps", 5.24e9, "bit/s"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "iperf3", "iperf3-bidir.txt");
	RAW_CHECK(&r, 0, figures);
	raw_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fio_mixed),
		cmocka_unit_test(test_fio_mixed_beside),
		cmocka_unit_test(test_fio_reports),
		cmocka_unit_test(test_fio_repeats),
		cmocka_unit_test(test_fio_clients),
		cmocka_unit_test(test_fio_units),
		cmocka_unit_test(test_hackbench_heads),
		cmocka_unit_test(test_hackbench_late_instance),
		cmocka_unit_test(test_vm_scalability_spread),
		cmocka_unit_test(test_netperf_table),
		cmocka_unit_test(test_netperf_commas),
		cmocka_unit_test(test_netperf_keys),
		cmocka_unit_test(test_iperf3_both_ways),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("import_forms", tests, NULL, NULL);
}
