/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs that print lines and tables: hackbench, filebench, vm-scalability, netperf,
 * will-it-scale. Expected values were reckoned by hand from the files in tests/data/raw. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include "raw_lab.h"

/* --- hackbench: 400 tasks * 100 messages * 100 bytes are 3906.25 KiB --- */

static void test_hackbench_repeated(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "hackbench.throughput", 31250, "KB/s"},
		{0, "hackbench.throughput_best", 31250, "KB/s"},
		{0, "hackbench.seconds", 0.125, "s"},
		{1, "hackbench.throughput", 15625, "KB/s"},
		{1, "hackbench.throughput_avg", 15625, "KB/s"},
		{1, "hackbench.throughput_worst", 15625, "KB/s"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "hackbench", "hackbench.txt");
	assert_int_equal(r.in.n, 1);
	assert_int_equal(r.in.subs[0].nruns, 2);
	RAW_CHECK(&r, 0, figures);
	assert_string_equal(raw_axis(&r, 0, "mode"), "process");
	raw_end(&r);
}

/* 160 tasks * 1000 messages * 512 bytes are 80000 KiB. */
static void test_hackbench_instances(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "hackbench.throughput", 40000, "KB/s"},
		{0, "hackbench.throughput_worst", 20000, "KB/s"},
		{0, "hackbench.throughput_avg", 160000.0 / 6, "KB/s"},
		{0, "hackbench.throughput.instance1", 40000, "KB/s"},
		{0, "hackbench.throughput_worst.instance2", 20000, "KB/s"},
		{1, "hackbench.throughput", 50000, "KB/s"},
		{1, "hackbench.throughput.instance2", 25000, "KB/s"},
		{1, "hackbench.seconds.instance2", 3.2, "s"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "hackbench", "hackbench-instances.txt");
	assert_int_equal(r.in.subs[0].nruns, 2);
	RAW_CHECK(&r, 0, figures);
	raw_end(&r);
}

/* The first hackbench does not say what it sent. */
static void test_hackbench_first(void **state)
{
	struct raw r;

	(void)state;
	raw_read(&r, "hackbench", "hackbench-first.txt");
	assert_int_equal(r.in.subs[0].nruns, 2);
	assert_true(raw_value(&r, 0, 0, "hackbench.seconds") == 0.853);
	assert_true(raw_value(&r, 0, 1, "hackbench.seconds") == 0.871);
	assert_int_equal(raw_metrics(&r, 0, 0), 1);
	raw_end(&r);
}

/* Outputs of two setups are two series. */
static void test_hackbench_setups(void **state)
{
	static const char text[] = "Running in process mode with 1 groups using 40 file "
				   "descriptors each (== 40 tasks)\n"
				   "Each sender will pass 100 messages of 100 bytes\nTime: 0.5\n"
				   "Running in threaded mode with 1 groups using 40 file "
				   "descriptors each (== 40 tasks)\n"
				   "Each sender will pass 100 messages of 100 bytes\nTime: 0.25\n";
	struct raw r = {0};

	(void)state;
	assert_int_equal(raw_run(&r, "hackbench", text, strlen(text), NULL), E_OK);
	assert_int_equal(r.in.n, 2);
	assert_string_equal(raw_axis(&r, 0, "mode"), "process");
	assert_string_equal(raw_axis(&r, 1, "mode"), "threads");
	assert_true(raw_value(&r, 1, 0, "hackbench.throughput") == 1562.5);
	raw_end(&r);
}

/* --- filebench --- */

static void test_filebench(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "filebench.sum_operations", 720240, "op"},
		{0, "filebench.sum_operations/s", 12003.256, "op/s"},
		{0, "filebench.sum_reads/s", 2000, "op/s"},
		{0, "filebench.sum_writes/s", 2001, "op/s"},
		{0, "filebench.sum_bytes_mb/s", 62.5, "MB/s"},
		{0, "filebench.sum_time_ms/op", 0.181, "ms"},
		{0, "filebench.run.seconds", 60, "s"},
		{0, "filebench.readfile1.operations", 120020, "op"},
		{0, "filebench.readfile1.bytes_mb/s", 31.2, "MB/s"},
		{0, "filebench.closefile2.time_ms/op", 0.041, "ms"},
		{0, "filebench.closefile2.time_min_ms", 0.003, "ms"},
		{0, "filebench.closefile2.time_max_ms", 27.835, "ms"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "filebench", "filebench.txt");
	RAW_CHECK(&r, 0, figures);
	assert_int_equal(raw_metrics(&r, 0, 0), 6 + 1 + 2 * 6);
	assert_string_equal(raw_info(&r, 0, "filebench.version"), "1.5-alpha3");
	raw_end(&r);
}

static void test_filebench_old(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "filebench.sum_operations", 17000, "op"},
		{0, "filebench.sum_operations/s", 283.316, "op/s"},
		{0, "filebench.sum_reads/s", 26, "op/s"},
		{0, "filebench.sum_writes/s", 52, "op/s"},
		{0, "filebench.sum_bytes_mb/s", 6.5, "MB/s"},
		{0, "filebench.sum_cpu_us/op", 385, "us"},
		{0, "filebench.sum_time_ms/op", 46.9, "ms"},
		{0, "filebench.closefile1.cpu_us/op", 9, "us"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "filebench", "filebench-old.txt");
	RAW_CHECK(&r, 0, figures);
	assert_string_equal(raw_info(&r, 0, "filebench.personality"),
			    "FileServer Version 2.1 personality successfully loaded");
	raw_end(&r);
}

/* --- vm-scalability --- */

/* Two iterations: sums 2411724 and 2621440, medians 838860 and 1048576. */
static void test_vm_scalability(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "vm-scalability.throughput", (2411724.0 + 2621440.0) / 2, "KB/s"},
		{0, "vm-scalability.stddev%", 100 * 104858.0 / 2516582, "%"},
		{0, "vm-scalability.median", (838860.0 + 1048576.0) / 2, "KB/s"},
		{0, "vm-scalability.median_stddev%", 100 * 104858.0 / 943718, "%"},
		{0, "vm-scalability.free_time", 0.015, "s"},
		{0, "vm-scalability.workload", 6.0 * 1048576, "KiB"},
	};
	const struct distribution_in *d;
	struct raw r;

	(void)state;
	raw_read(&r, "vm-scalability", "vm-scalability.txt");
	assert_int_equal(r.in.n, 1);
	RAW_CHECK(&r, 0, figures);
	assert_string_equal(raw_info(&r, 0, "vm-scalability.case"), "case-anon-cow-seq");
	d = raw_distribution(&r, 0, "vm-scalability.tasks");
	assert_int_equal(d->n, 6);
	assert_int_equal(d->nbuckets, 3);
	assert_true(d->buckets[2].le == 1048576 && d->buckets[2].count == 3);
	raw_end(&r);
}

/* 8192 KiB in 0.5 s, 4096 in 0.25, 2048 in 1; faults: 4096 in 0.25, 1024 in 0.25. */
static void test_vm_scalability_forms(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "vm-scalability.throughput", 16384 + 16384 + 2048, "KB/s"},
		{0, "vm-scalability.median", 16384, "KB/s"},
		{0, "vm-scalability.throughput_fault", 16384 + 4096, "KB/s"},
		{0, "vm-scalability.median_fault", 16384, "KB/s"},
		{0, "vm-scalability.stddev_fault%", 120, "%"}, /* 6144 of 10240, of 2 tasks */
		{0, "vm-scalability.migrate_mbps", 2097, "MB/s"},
		{0, "vm-scalability.workload", 8192 + 4096 + 2048 + 4096, "KiB"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "vm-scalability", "vm-scalability-forms.txt");
	RAW_CHECK(&r, 0, figures);
	raw_end(&r);
}

static void test_vm_scalability_cases(void **state)
{
	static const char text[] = "./case-one\n1024 bytes / 10 usecs = 100 KB/s\n"
				   "./case-two\n1024 bytes / 10 usecs = 200 KB/s\n"
				   "./case-one\n1024 bytes / 10 usecs = 300 KB/s\n";
	struct raw r = {0};

	(void)state;
	assert_int_equal(raw_run(&r, "vm-scalability", text, strlen(text), NULL), E_OK);
	assert_int_equal(r.in.n, 3); /* a distribution parts runs */
	assert_string_equal(raw_axis(&r, 0, "test"), "case-one");
	assert_string_equal(raw_axis(&r, 2, "test"), "case-two");
	assert_true(raw_value(&r, 1, 0, "vm-scalability.throughput") == 300);
	raw_end(&r);
}

/* --- netperf --- */

static void test_netperf_streams(void **state)
{
	static const struct raw_figure tcp[] = {
		{0, "netperf.Throughput_Mbps", 4096, "Mbit/s"},
		{0, "netperf.Throughput_total_Mbps", 4096, "Mbit/s"},
		{0, "netperf.ThroughputBoth_Mbps", 4096, "Mbit/s"},
		{0, "netperf.elapsed_seconds", 10, "s"},
		{0, "netperf.workload", 4096e7 / 8 / 16384, "packets"},
	};
	static const struct raw_figure load[] = {
		{0, "netperf.Throughput_Mbps", 9413.45, "Mbit/s"},
		{0, "netperf.cpu_local%", 0.51, "%"},
		{0, "netperf.cpu_remote%", 0.82, "%"},
		{0, "netperf.service_demand_local", 0.107, "us/KB"},
		{0, "netperf.service_demand_remote", 0.172, "us/KB"},
	};
	static const struct raw_figure udp[] = {
		{0, "netperf.Throughput_Mbps", 409.6, "Mbit/s"},
		{0, "netperf.ThroughputRecv_Mbps", 327.68, "Mbit/s"},
		{0, "netperf.ThroughputBoth_Mbps", 737.28, "Mbit/s"},
		{0, "netperf.ThroughputRecv_total_Mbps", 327.68, "Mbit/s"},
		{0, "netperf.messages_okay", 500000, "messages"},
		{0, "netperf.messages_errors", 3, "messages"},
		{0, "netperf.recv_messages", 400000, "messages"},
		{0, "netperf.workload", 900000, "packets"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "netperf", "netperf-tcp-stream.txt");
	RAW_CHECK(&r, 0, tcp);
	assert_string_equal(raw_info(&r, 0, "netperf.test"), "TCP_STREAM");
	raw_end(&r);
	raw_read(&r, "netperf", "netperf-load.txt");
	RAW_CHECK(&r, 0, load);
	raw_end(&r);
	raw_read(&r, "netperf", "netperf-udp-stream.txt");
	RAW_CHECK(&r, 0, udp);
	raw_end(&r);
}

static void test_netperf_requests(void **state)
{
	static const struct raw_figure quoted[] = {
		{0, "netperf.Throughput_tps", 6591.45, "1/s"},
		{0, "netperf.cpu_remote%", 1.34, "%"},
		{0, "netperf.service_demand_local", 62.49, "us/Tr"},
		{0, "netperf.workload", 65914.5, "transactions"},
	};
	static const struct raw_figure instances[] = {
		{0, "netperf.Throughput_tps", 25000, "1/s"},
		{0, "netperf.Throughput_total_tps", 50000, "1/s"},
		{0, "netperf.ThroughputBoth_total_tps", 50000, "1/s"},
		{0, "netperf.Throughput_tps.instance1", 30000, "1/s"},
		{0, "netperf.Throughput_tps.instance2", 20000, "1/s"},
		{0, "netperf.workload", 500000, "transactions"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "netperf", "netperf-rr.txt");
	RAW_CHECK(&r, 0, quoted);
	raw_end(&r);
	raw_read(&r, "netperf", "netperf-instances.txt");
	assert_int_equal(r.in.subs[0].nruns, 1);
	RAW_CHECK(&r, 0, instances);
	raw_end(&r);
}

/* The same table again is one more run; with another size of messages it is another series. */
static void test_netperf_repeated(void **state)
{
	static const char head[] = "MIGRATED UDP STREAM TEST from a to b\n"
				   "bytes   bytes    secs            #      #   10^6bits/sec\n";
	char text[1000];
	struct raw r = {0};

	(void)state;
	snprintf(text, sizeof(text),
		 "%s212992 128 10.00 9 0 1.5\n%s212992 128 10.00 9 0 2.5\n%s212992 1 10.00 9 0 "
		 "3.5\n",
		 head, head, head);
	assert_int_equal(raw_run(&r, "netperf", text, strlen(text), NULL), E_OK);
	assert_int_equal(r.in.n, 2);
	assert_string_equal(raw_axis(&r, 0, "send_size"), "128");
	assert_int_equal(r.in.subs[0].nruns, 2);
	assert_true(raw_value(&r, 0, 1, "netperf.Throughput_Mbps") == 2.5);
	assert_string_equal(raw_axis(&r, 1, "send_size"), "1");
	raw_end(&r);
}

/* --- will-it-scale --- */

static void test_will_it_scale(void **state)
{
	static const struct raw_figure both[] = {
		{0, "will-it-scale.1.processes", 500000, "op"},
		{0, "will-it-scale.24.processes", 6000000, "op"},
		{0, "will-it-scale.24.processes_idle", 0.18, "%"},
		{0, "will-it-scale.24.threads", 2400000, "op"},
		{0, "will-it-scale.24.linear", 12000000, "op"},
		{0, "will-it-scale.per_process_ops", (500000 + 250000) / 2, "op"},
		{0, "will-it-scale.per_thread_ops", (400000 + 100000) / 2, "op"},
		{0, "will-it-scale.scalability", 0.5, ""},
		{0, "will-it-scale.workload", 9300000, "op"},
	};
	static const struct raw_figure threads[] = {
		{0, "will-it-scale.256.threads", 25600, "op"},
		{0, "will-it-scale.per_thread_ops", 100, "op"},
		{1, "will-it-scale.per_thread_ops", 200, "op"},
		{1, "will-it-scale.Assertion_ret_==_1_failed", 1, ""},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "will-it-scale", "will-it-scale.csv");
	RAW_CHECK(&r, 0, both);
	assert_int_equal(raw_metrics(&r, 0, 0), 10 + 4);
	raw_end(&r);
	raw_read(&r, "will-it-scale", "will-it-scale-threads.csv");
	assert_int_equal(r.in.subs[0].nruns, 2);
	RAW_CHECK(&r, 0, threads);
	assert_true(isnan(raw_value(&r, 0, 0, "will-it-scale.256.processes"))); /* did not run */
	raw_end(&r);
}

/* --- what is wrong, and whose it is --- */

static void test_faults(void **state)
{
	static const struct {
		const char *format, *text, *words;
	} wrong[] = {
		{"hackbench", "Running with 1*40 (== 40) tasks.\nTime: soon\n",
		 "\"Time: soon\": no number behind Time:"},
		{"hackbench", "Instance: x\nTime: 1\n", "no number from 1"},
		{"hackbench", "nothing\n", "no figure of hackbench"},
		{"filebench", "1.0: IO Summary: many ops\n", "no number of ops"},
		{"filebench", "", "no figure of filebench"},
		{"vm-scalability", "x bytes / y usecs = z KB/s\n", "no figure of vm-scalability"},
		{"netperf", "Instance: 0\n", "no number from 1"},
		{"netperf", "131072  16384  16384    10.00     4096.00\n", "no figure of netperf"},
		{"will-it-scale", "1,2,3,4,5,6\n", "no figure of will-it-scale"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct raw r = {0};

		assert_int_equal(
			raw_run(&r, wrong[i].format, wrong[i].text, strlen(wrong[i].text), NULL),
			E_INVALID);
		if (!strstr(r.ctx.detail, wrong[i].words))
			print_error("%s: %s\n", wrong[i].format, r.ctx.detail);
		assert_non_null(strstr(r.ctx.detail, wrong[i].words));
		raw_end(&r);
	}
}

static void test_sniff(void **state)
{
	static const char *const files[][2] = {
		{"hackbench", "hackbench.txt"},
		{"hackbench", "hackbench-first.txt"},
		{"hackbench", "hackbench-instances.txt"},
		{"filebench", "filebench.txt"},
		{"filebench", "filebench-old.txt"},
		{"vm-scalability", "vm-scalability.txt"},
		{"netperf", "netperf-tcp-stream.txt"},
		{"netperf", "netperf-rr.txt"},
		{"netperf", "netperf-udp-stream.txt"},
		{"will-it-scale", "will-it-scale.csv"},
		{"will-it-scale", "will-it-scale-threads.csv"},
		{"iperf3", "iperf3-tcp.json"},
		{"iperf3", "iperf3-udp.txt"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		size_t n;
		char *bytes = raw_load(files[i][1], &n);
		int own = importer_find(files[i][0])->sniff(bytes, n);

		assert_in_range(own, 80, 100);
		for (size_t k = 0; k < importer_count(); k++) {
			const struct importer *one = importer_at(k);
			int sure = one->sniff ? one->sniff(bytes, n) : 0;

			if (strcmp(one->name, files[i][0]) != 0 && sure >= own)
				print_error("%s: %s says %d, %s %d\n", files[i][1], one->name, sure,
					    files[i][0], own);
			assert_true(!strcmp(one->name, files[i][0]) || sure < own);
		}
		free(bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hackbench_repeated),
		cmocka_unit_test(test_hackbench_instances),
		cmocka_unit_test(test_hackbench_first),
		cmocka_unit_test(test_hackbench_setups),
		cmocka_unit_test(test_filebench),
		cmocka_unit_test(test_filebench_old),
		cmocka_unit_test(test_vm_scalability),
		cmocka_unit_test(test_vm_scalability_forms),
		cmocka_unit_test(test_vm_scalability_cases),
		cmocka_unit_test(test_netperf_streams),
		cmocka_unit_test(test_netperf_requests),
		cmocka_unit_test(test_netperf_repeated),
		cmocka_unit_test(test_will_it_scale),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_sniff),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("import_tables", tests, NULL, NULL);
}
