/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iperf3's outputs. Expected values were read off the files in tests/data/raw. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include "raw_lab.h"

static void test_tcp(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "iperf.tcp.sender.bps", 26905349714.273148, "bit/s"},
		{0, "iperf.tcp.sender.bytes", 3364618240, "B"},
		{0, "iperf.tcp.sender.retransmits", 2, "segments"},
		{0, "iperf.tcp.sender.seconds", 1.000431, "s"},
		{0, "iperf.tcp.receiver.bps", 26859779652.498348, "bit/s"},
		{0, "iperf.tcp.stream1.sender.mean_rtt_us", 95, "us"},
		{0, "iperf.tcp.stream1.receiver.bytes", 3360161792, "B"},
		{0, "iperf.cpu.host_total%", 20.103601381351751, "%"},
		{0, "iperf.cpu.remote_system%", 75.9311235832683, "%"},
	};
	const struct distribution_in *d;
	struct raw r;

	(void)state;
	raw_read(&r, "iperf3", "iperf3-tcp.json");
	RAW_CHECK(&r, 0, figures);
	assert_int_equal(r.in.subs[0].started, 1796053765);
	assert_string_equal(r.in.subs[0].testcase, "iperf");
	assert_string_equal(raw_info(&r, 0, "iperf.blksize"), "131072");
	d = raw_distribution(&r, 0, "iperf.tcp.interval.bps");
	assert_int_equal(d->n, 1);
	assert_true(d->buckets[0].le == 26905351285.360191);
	raw_end(&r);
}

static void test_udp(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "iperf.udp.bps", 100130997.52019837, "bit/s"},
		{0, "iperf.udp.jitter_ms", 0.0053726739566506039, "ms"},
		{0, "iperf.udp.packets", 382, "packets"},
		{0, "iperf.udp.lost%", 0, "%"},
		{0, "iperf.udp.receiver.bps", 100114980.40470287, "bit/s"},
		{0, "iperf.udp.stream1.out_of_order", 0, "packets"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "iperf3", "iperf3-udp.json");
	RAW_CHECK(&r, 0, figures);
	raw_end(&r);
}

static void test_both_ways(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "iperf.tcp.sender.bps", 35958605492.8465, "bit/s"},
		{0, "iperf.tcp.reverse.sender.bps", 4036170004.2990971, "bit/s"},
		{0, "iperf.tcp.reverse.receiver.bps", 3986538682.7216272, "bit/s"},
		{0, "iperf.tcp.stream2.receiver.bytes", 498597888, "B"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "iperf3", "iperf3-bidir.json");
	RAW_CHECK(&r, 0, figures);
	raw_end(&r);
}

/* Sums of two streams: 2.91 GBytes are 2.91 * 2^30 bytes, bits count thousands. */
static void test_text(void **state)
{
	static const struct raw_figure tcp[] = {
		{0, "iperf.tcp.sender.bps", 25e9, "bit/s"},
		{0, "iperf.tcp.receiver.bps", 24.9e9, "bit/s"},
		{0, "iperf.tcp.sender.bytes", 2.91 * 1073741824, "B"},
		{0, "iperf.tcp.sender.retransmits", 2, "segments"},
		{0, "iperf.tcp.stream1.sender.bps", 12.4e9, "bit/s"},
		{0, "iperf.tcp.stream2.receiver.bps", 12.5e9, "bit/s"},
	};
	static const struct raw_figure udp[] = {
		{0, "iperf.udp.bps", 100e6, "bit/s"},
		{0, "iperf.udp.jitter_ms", 0.006, "ms"},
		{0, "iperf.udp.packets", 382, "packets"},
		{0, "iperf.udp.sender.jitter_ms", 0, "ms"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "iperf3", "iperf3-tcp.txt");
	RAW_CHECK(&r, 0, tcp);
	assert_int_equal(raw_distribution(&r, 0, "iperf.tcp.interval.bps")->n, 1);
	assert_true(raw_distribution(&r, 0, "iperf.tcp.interval.bps")->mean == 25e9);
	raw_end(&r);
	raw_read(&r, "iperf3", "iperf3-udp.txt");
	RAW_CHECK(&r, 0, udp);
	raw_end(&r);
}

/* Two documents in a file: two runs, parted by what differs. */
static void test_two_documents(void **state)
{
	struct raw r = {0};
	size_t n, m;
	char *tcp = raw_load("iperf3-tcp.json", &n), *udp = raw_load("iperf3-udp.json", &m);
	char *both = malloc(n + m);

	(void)state;
	assert_non_null(both);
	memcpy(both, tcp, n);
	memcpy(both + n, udp, m);
	assert_int_equal(raw_run(&r, "iperf3", both, n + m, NULL), E_OK);
	assert_int_equal(r.in.n, 2);
	assert_string_equal(raw_axis(&r, 0, "protocol"), "TCP");
	assert_string_equal(raw_axis(&r, 1, "protocol"), "UDP");
	assert_string_equal(raw_axis(&r, 1, "blksize"), "32768");
	assert_string_equal(raw_axis(&r, 1, "reverse"), "");
	free(tcp);
	free(udp);
	free(both);
	raw_end(&r);
}

static void test_faults(void **state)
{
	static const struct {
		const char *text;
		int code;
		const char *words;
	} wrong[] = {
		{"", E_INVALID, "no figure of iperf3"},
		{"{\"end\": 3}", E_INVALID, "must be an object, is a number"},
		{"{\"end\": {\"sum\": {\"bits_per_second\": \"x\"}}}", E_INVALID,
		 "must be a number, is a string"},
		{"{\"end\": {\"streams\": {}}}", E_INVALID, "must be an array, is an object"},
		{"{\"end\": ", E_SYNTAX, "line 1"},
		{"iperf3: error - unable to connect to server: Connection refused\n", E_INVALID,
		 "Connection refused"},
	};
	struct raw r = {0};
	size_t n;
	char *bytes = raw_load("iperf3-error.json", &n);

	(void)state;
	assert_int_equal(raw_run(&r, "iperf3", bytes, n, NULL), E_INVALID);
	assert_non_null(strstr(r.ctx.detail, "unable to connect to server: Connection refused"));
	r.bytes = bytes;
	raw_end(&r);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		r = (struct raw){0};
		assert_int_equal(raw_run(&r, "iperf3", wrong[i].text, strlen(wrong[i].text), NULL),
				 wrong[i].code);
		assert_non_null(strstr(r.ctx.detail, wrong[i].words));
		raw_end(&r);
	}
}

/* A day of intervals, more than the store has buckets for: 1 to 100001 bit/s, each once, have the
 * mean 50001 and the variance (100001^2 - 1) / 12. */
static void test_long(void **state)
{
	enum { N = 100001 };
	char *text = malloc((size_t)(N + 3) * 60);
	const struct distribution_in *d;
	struct raw r = {0};
	size_t n;

	(void)state;
	assert_non_null(text);
	n = (size_t)snprintf(text, 60, "Connecting to host h\n");
	for (int i = 1; i <= N; i++)
		n += (size_t)snprintf(text + n, 60, "[  5] 0.00-1.00 sec 1 Bytes %d bits/sec\n", i);
	n += (size_t)snprintf(text + n, 60, "[  5] 0.00-1.00 sec 1 Bytes 7 bits/sec sender\n");
	assert_int_equal(raw_run(&r, "iperf3", text, n, NULL), E_OK);
	d = raw_distribution(&r, 0, "iperf.tcp.interval.bps");
	assert_int_equal(d->n, N);
	assert_int_equal(d->nbuckets, 0);
	assert_true(d->min == 1 && d->max == N && d->mean == 50001);
	assert_true(fabs(d->stddev - sqrt(((double)N * N - 1) / 12)) < 1e-6);
	r.bytes = text;
	raw_end(&r);
}

/* Up to 3.1 the lines of the whole test do not say whose they are. */
static void test_udp_of_old_versions(void **state)
{
	static const char text[] =
		"[ ID] Interval           Transfer     Bandwidth       Total Datagrams\n"
		"[  4]   0.00-5.00   sec   640 KBytes  1.00 Mbits/sec  450  \n"
		"[  6]   0.00-5.00   sec   640 KBytes  1.00 Mbits/sec  450  \n"
		"[SUM]   0.00-5.00   sec  1.25 MBytes  2.00 Mbits/sec  900  \n"
		"[ ID] Interval           Transfer     Bandwidth       Jitter    Lost/Total "
		"Datagrams\n"
		"[  4]   0.00-10.00  sec  1.25 MBytes  1.05 Mbits/sec  0.011 ms  3/900 (0.33%)  \n"
		"[  4] Sent 900 datagrams\n"
		"[  6]   0.00-10.00  sec  1.25 MBytes  1.05 Mbits/sec  0.013 ms  0/900 (0%)  \n"
		"[  6] Sent 900 datagrams\n"
		"[SUM]   0.00-10.00  sec  2.50 MBytes  2.10 Mbits/sec  0.012 ms  3/1800 (0.17%)  "
		"\n";
	const struct distribution_in *d;
	struct raw r = {0};

	(void)state;
	assert_int_equal(raw_run(&r, "iperf3", text, sizeof(text) - 1, NULL), E_OK);
	assert_true(raw_value(&r, 0, 0, "iperf.udp.bps") == 2.1e6);
	assert_true(raw_value(&r, 0, 0, "iperf.udp.lost_packets") == 3);
	assert_true(raw_value(&r, 0, 0, "iperf.udp.packets") == 1800);
	assert_true(raw_value(&r, 0, 0, "iperf.udp.stream1.receiver.jitter_ms") == 0.011);
	assert_true(raw_value(&r, 0, 0, "iperf.udp.stream2.receiver.packets") == 900);
	d = raw_distribution(&r, 0, "iperf.udp.interval.bps");
	assert_int_equal(d->n, 1);
	assert_true(d->max == 2e6);
	raw_end(&r);
}

/* An excerpt that ends before the sum: no stream stands for the whole, nor do its intervals. */
static void test_streams_without_their_sum(void **state)
{
	static const char text[] =
		"[ ID] Interval           Transfer     Bitrate         Retr\n"
		"[  5]   0.00-5.00   sec   300 MBytes   510 Mbits/sec    0\n"
		"[  5]   0.00-10.00  sec   600 MBytes   500 Mbits/sec    0             sender\n"
		"[  5]   0.00-10.00  sec   600 MBytes   500 Mbits/sec                  receiver\n"
		"[  7]   0.00-10.00  sec   400 MBytes   300 Mbits/sec    0             sender\n"
		"[  7]   0.00-10.00  sec   400 MBytes   300 Mbits/sec                  receiver\n";
	struct raw r = {0};

	(void)state;
	assert_int_equal(raw_run(&r, "iperf3", text, sizeof(text) - 1, NULL), E_OK);
	assert_true(raw_value(&r, 0, 0, "iperf.tcp.stream1.receiver.bps") == 5e8);
	assert_true(raw_value(&r, 0, 0, "iperf.tcp.stream2.receiver.bps") == 3e8);
	assert_true(isnan(raw_value(&r, 0, 0, "iperf.tcp.receiver.bps")));
	assert_int_equal(r.in.subs[0].ndistributions, 0);
	raw_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_udp_of_old_versions),
		cmocka_unit_test(test_streams_without_their_sum),
		cmocka_unit_test(test_tcp),
		cmocka_unit_test(test_udp),
		cmocka_unit_test(test_both_ways),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_two_documents),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_long),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("import_iperf3", tests, NULL, NULL);
}
