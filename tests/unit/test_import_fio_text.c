/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What fio prints for people. Expected values were read off the files in tests/data/raw; where jobs
 * come together they were reckoned from those by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include "raw_lab.h"

static double percentile(const struct distribution_in *d, const char *name)
{
	for (size_t i = 0; i < d->npercentiles; i++) {
		if (!strcmp(d->percentiles[i].name, name))
			return d->percentiles[i].value;
	}
	return (double)NAN;
}

static bool is_bucket(const struct distribution_in *d, size_t i, double le, int64_t count)
{
	return i < d->nbuckets && d->buckets[i].le == le && d->buckets[i].count == count;
}

/* --- for people --- */

static void test_text_of_two_jobs(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "fio.read_bw_MBps", 80, "MiB/s"},
		{0, "fio.read_iops", 20500, "IO/s"},
		{0, "fio.read_runtime", 25, "ms"},
		{0, "fio.read_io_kbytes", 2048, "KiB"},
		{0, "fio.read_clat_mean_us", 47.48, "us"},
		{0, "fio.read_clat_max_us", 3417, "us"},
		{0, "fio.read_lat_stddev_us", 150.91, "us"},
		{0, "fio.read_clat_99.5%_us", 281, "us"},
		{0, "fio.write_bw_MBps", 1000, "MiB/s"},
		{0, "fio.write_iops", 16000, "IO/s"},
		{0, "fio.write_clat_mean_us", 15.12466, "us"}, /* printed in nsec */
		{0, "fio.write_clat_50%_us", 9.792, "us"},
		{0, "fio.sync_lat_mean_us", 236.89, "us"},
		{0, "fio.sync_lat_99.99%_us", 277, "us"},
		{0, "fio.workload", 512 + 32, "IOs"},
		{0, "fio.latency_50us%", (95.12 * 512 + 28.12 * 32) / 544, "%"},
		{0, "fio.latency_4us%", 18.75 * 32 / 544, "%"}, /* none of the reader's */
		{0, "fio.reader.latency_4ms%", 0.20, "%"},
		{0, "fio.reader.sys_cpu%", 37.5, "%"},
		{0, "fio.writer.iodepth_level_1%", 109.4, "%"},
		{0, "fio.writer.write_total_ios", 32, "IOs"},
		{0, "fio.writer.sync_total_ios", 3, "IOs"},
		{0, "fio.group0.write_bw_max_MBps", 1000, "MiB/s"},
		{0, "fio.group0.read_io_kbytes", 2048, "KiB"},
		{0, "fio.group0.read_runtime_min", 25, "ms"},
		{0, "fio.disk.vda.write_merges", 0, "IOs"},
	};
	const struct distribution_in *d;
	struct raw r;

	(void)state;
	raw_read(&r, "fio", "fio-two-jobs.txt");
	assert_int_equal(r.in.n, 1);
	RAW_CHECK(&r, 0, figures);
	assert_string_equal(raw_info(&r, 0, "fio.version"), "fio-3.33");
	assert_string_equal(raw_info(&r, 0, "fio.reader.rw"), "randread");
	assert_string_equal(raw_info(&r, 0, "fio.writer.bs"),
			    "(R) 64.0KiB-64.0KiB, (W) 64.0KiB-64.0KiB, (T) 64.0KiB-64.0KiB");
	d = raw_distribution(&r, 0, "fio.reader.read_clat_us");
	assert_int_equal(d->npercentiles, 17);
	assert_true(percentile(d, "99.50") == 281);
	d = raw_distribution(&r, 0, "fio.reader.latency_us");
	/* 95.12, 3.12, 1.17, 0.39 and 0.20 % of 512 */
	assert_int_equal(d->nbuckets, 5);
	assert_true(is_bucket(d, 0, 50, 487) && is_bucket(d, 3, 500, 2) &&
		    is_bucket(d, 4, 4000, 1));
	raw_end(&r);
}

/* Jobs of one name are instances; means by their operations, 592 and 612. */
static void test_jobs_of_one_name(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "fio.a.read_iops.instance1", 13800, "IO/s"},
		{0, "fio.a.read_iops.instance2", 13300, "IO/s"},
		{0, "fio.read_iops", 27100, "IO/s"},
		{0, "fio.read_bw_MBps", 105.8, "MiB/s"},
		{0, "fio.read_clat_min_us", 23, "us"},
		{0, "fio.read_clat_max_us", 942, "us"},
		{0, "fio.read_clat_mean_us", (69.99 * 592 + 71.92 * 612) / 1204, "us"},
		{0, "fio.read_clat_stddev_us", 36.45082475315411, "us"},
		{0, "fio.read_clat_99%_us", (125.0 * 592 + 135.0 * 612) / 1204, "us"},
		{0, "fio.latency_100us%", 48.045, "%"},
		{0, "fio.latency_1000us%", 0.05, "%"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "fio", "fio-same-name.txt");
	RAW_CHECK(&r, 0, figures);
	assert_int_equal(raw_distribution(&r, 0, "fio.a.read_clat_us.instance2")->npercentiles, 17);
	raw_end(&r);
}

static void test_text_of_fio_2(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "fio.write_bw_MBps", 87464.0 / 1024, "MiB/s"},
		{0, "fio.write_iops", 21865, "IO/s"},
		{0, "fio.write_runtime", 11988, "ms"},
		{0, "fio.write_io_kbytes", 1048576, "KiB"},
		{0, "fio.write_slat_max_us", 1200, "us"},
		{0, "fio.write_slat_avg_us", 5.5, "us"},
		{0, "fio.write_clat_mean_us", 1450, "us"},
		{0, "fio.write_clat_stddev_us", 500, "us"},
		{0, "fio.write_clat_50%_us", 1400, "us"},
		{0, "fio.write_bw_min", 80000, "KiB/s"},
		{0, "fio.write_bw_mean", 87500.25, "KiB/s"},
		{0, "fio.write_bw_dev", 1500.5, "KiB/s"},
		{0, "fio.write_total_ios", 262144, "IOs"},
		{0, "fio.write_drop_ios", 1, "IOs"},
		{0, "fio.workload", 262144, "IOs"},
		{0, "fio.latency_1000us%", 10.99, "%"},
		{0, "fio.latency_2ms%", 80, "%"},
		{0, "fio.iodepth_level_32%", 99.9, "%"},
		{0, "fio.group0.write_bw_MBps", 87464.0 / 1024, "MiB/s"},
		{0, "fio.disk.sda.write_ios", 262000, "IOs"},
		{0, "fio.disk.sda.read_merges", 1, "IOs"},
		{0, "fio.disk.sda.util%", 99.1, "%"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "fio", "fio-2.txt");
	RAW_CHECK(&r, 0, figures);
	assert_string_equal(raw_info(&r, 0, "fio.bs"), "4K-4K/4K-4K/4K-4K");
	raw_end(&r);
}

/* Two outputs, cut and quoted, in one mail: a run each, with what was shown of each further down.
 */
static void test_excerpts_in_a_mail(void **state)
{
	static const struct raw_figure base[] = {
		{0, "fio.read_lat_mean_us", 2913.65, "us"},
		{0, "fio.read_lat_min_us", 179, "us"},
		{0, "fio.read_lat_max_us", 14003, "us"},
		{0, "fio.read_lat_stddev_us", 1241.75, "us"},
		{0, "fio.read_clat_50%_us", 2376, "us"},
		{0, "fio.read_slat_avg_us", 44.17, "us"},
		{0, "fio.read_slat_stddev_us", 61.18, "us"},
	};
	static const struct raw_figure changed[] = {
		{0, "fio.read_lat_mean_us", 3496.57, "us"},
		{0, "fio.read_clat_50%_us", 2868, "us"},
		{0, "fio.read_clat_99.99%_us", 14484, "us"},
		{0, "fio.read_slat_avg_us", 52.59, "us"},
		{0, "fio.read_slat_min_us", 18, "us"},
		{0, "fio.read_slat_max_us", 4378, "us"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "fio", "fio-mail.txt");
	assert_int_equal(r.in.n, 2);
	RAW_CHECK(&r, 0, base);
	RAW_CHECK(&r, 1, changed);
	assert_int_equal(raw_metrics(&r, 0, 0), 17 + 4 + 4);
	assert_string_equal(raw_info(&r, 0, "fio.label"), "Baseline (without my patch)");
	assert_string_equal(raw_info(&r, 1, "fio.label"), "Modified (with my patch)");
	assert_string_equal(raw_info(&r, 1, "fio.iodepth"), "64");
	assert_true(percentile(raw_distribution(&r, 0, "fio.read_clat_us"), "50.00") == 2376);
	assert_true(percentile(raw_distribution(&r, 1, "fio.read_clat_us"), "1.00") == 2835);
	raw_end(&r);
}

/* A figure between a list of percentiles and its end. */
static void test_percentiles_apart(void **state)
{
	static const char text[] = "j: (groupid=0, jobs=1): err= 0: pid=1: x\n"
				   "  read: IOPS=1, BW=1MiB/s\n"
				   "    clat percentiles (usec):\n"
				   "     | 1.00th=[ 1], 2.00th=[ 2], 3.00th=[ 3],\n"
				   "     lat (usec): min=1, max=5, avg=4, stdev=0\n"
				   "     | 50.00th=[ 50], 99.00th=[ 99]\n";
	const struct distribution_in *d;
	struct raw r = {0};

	(void)state;
	assert_int_equal(raw_run(&r, "fio", text, strlen(text), NULL), E_OK);
	d = raw_distribution(&r, 0, "fio.read_clat_us");
	assert_int_equal(d->npercentiles, 5);
	assert_true(percentile(d, "1.00") == 1 && percentile(d, "99.00") == 99);
	assert_true(raw_value(&r, 0, 0, "fio.read_lat_mean_us") == 4);
	raw_end(&r);
}

/* Figures that stand out of fio's order are of something else. */
static void test_excerpts_side_by_side(void **state)
{
	static const char text[] = "  lat (usec): min=1, max=3, avg=2, stdev=0\n"
				   "  lat (usec): min=1, max=5, avg=4, stdev=0\n"
				   "  slat (usec): min=1, max=1, avg=0.5, stdev=0\n"
				   "  slat (usec): min=1, max=1, avg=0.75, stdev=0\n";
	struct raw r = {0};

	(void)state;
	assert_int_equal(raw_run(&r, "fio", text, strlen(text), NULL), E_OK);
	assert_int_equal(r.in.n, 2);
	assert_true(raw_value(&r, 0, 0, "fio.lat_mean_us") == 2);
	assert_true(raw_value(&r, 0, 0, "fio.slat_avg_us") == 0.5);
	assert_true(raw_value(&r, 1, 0, "fio.lat_mean_us") == 4);
	assert_true(raw_value(&r, 1, 0, "fio.slat_avg_us") == 0.75);
	raw_end(&r);
}

/* Without a job file the request may tell the direction. */
static void test_direction_of_the_request(void **state)
{
	static const char text[] = "    clat (usec): min=1, max=3, avg=2, stdev=0.5\n";
	static const struct pair axes[] = {{"rw", "randwrite"}, {"tbox_group", "box"}};
	struct raw r = {0};

	(void)state;
	assert_int_equal(raw_run(&r, "fio", text, strlen(text), NULL), E_OK);
	assert_true(raw_value(&r, 0, 0, "fio.clat_mean_us") == 2);
	r.in.n = 0;
	r.in.axes = axes;
	r.in.naxes = 2;
	assert_int_equal(importer_find("fio")->run(&r.in, text, strlen(text)), E_OK);
	assert_true(raw_value(&r, 0, 0, "fio.write_clat_mean_us") == 2);
	raw_end(&r);
}

/* Only the summary was pasted; a second one is another run. */
static void test_summary_alone(void **state)
{
	static const char text[] =
		"   READ: bw=85.0MiB/s (89.1MB/s), 85.0MiB/s-85.0MiB/s (89.1MB/s-89.1MB/s), "
		"io=1024MiB (1074MB), run=12047-12047msec\n"
		"   READ: bw=74.5MiB/s (78.1MB/s), 74.5MiB/s-74.5MiB/s (78.1MB/s-78.1MB/s), "
		"io=1024MiB (1074MB), run=13745-13745msec\n";
	struct raw r = {0};

	(void)state;
	assert_int_equal(raw_run(&r, "fio", text, strlen(text), NULL), E_OK);
	assert_int_equal(r.in.n, 2);
	assert_true(raw_value(&r, 0, 0, "fio.read_bw_MBps") == 85);
	assert_true(raw_value(&r, 1, 0, "fio.read_bw_MBps") == 74.5);
	assert_true(raw_value(&r, 1, 0, "fio.group0.read_runtime_max") == 13745);
	raw_end(&r);
}

/* Two whole outputs in a file. */
static void test_two_outputs(void **state)
{
	struct raw r = {0};
	size_t n;
	char *one = raw_load("fio-two-jobs.txt", &n), *two = malloc(2 * n);

	(void)state;
	assert_non_null(two);
	memcpy(two, one, n);
	memcpy(two + n, one, n);
	assert_int_equal(raw_run(&r, "fio", two, 2 * n, NULL), E_OK);
	assert_int_equal(r.in.n, 2);
	assert_int_equal(raw_metrics(&r, 0, 0), raw_metrics(&r, 1, 0));
	assert_true(raw_value(&r, 1, 0, "fio.write_iops") == 16000);
	free(one);
	free(two);
	raw_end(&r);
}

/* Of more than a hundred jobs each keeps the figures that make sense together. */
static void test_many_jobs(void **state)
{
	static const char job[] = "a: (groupid=0, jobs=1): err= 0: pid=1: x\n"
				  "  read: IOPS=10, BW=1MiB/s (1MB/s)(2MiB/3msec)\n"
				  "    clat (usec): min=1, max=3, avg=2, stdev=0.5\n"
				  "    clat percentiles (usec):\n     | 50.00th=[ 2]\n"
				  "  IO depths    : 1=100.0%\n";
	size_t each = sizeof(job) - 1;
	char *text = malloc(200 * each);
	struct raw r = {0};

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < 200; i++)
		memcpy(text + i * each, job, each);
	assert_int_equal(raw_run(&r, "fio", text, 200 * each, NULL), E_OK);
	assert_true(raw_value(&r, 0, 0, "fio.read_iops") == 2000);
	assert_true(raw_value(&r, 0, 0, "fio.read_clat_50%_us") == 2);
	assert_true(raw_value(&r, 0, 0, "fio.a.read_iops.instance200") == 10);
	assert_true(isnan(raw_value(&r, 0, 0, "fio.a.read_clat_50%_us.instance200")));
	assert_true(isnan(raw_value(&r, 0, 0, "fio.a.iodepth_level_1%.instance200")));
	assert_int_equal(raw_distribution(&r, 0, "fio.a.read_clat_us.instance200")->npercentiles,
			 1);
	free(text);
	raw_end(&r);
}

/* A mail's text that nobody decoded: of "min=3D32" only the 3 would be read. */
static void test_undecoded(void **state)
{
	static const char *const texts[] = {
		"fio-3.12\n"
		"j: (groupid=3D0, jobs=3D1): err=3D 0: pid=3D1715926: Mon May 23 =\n14:05:28 2022\n"
		"=C2=A0 write: IOPS=3D2087, BW=3D1044KiB/s (1069kB/s)(5220KiB/5001msec); 0 z=\n",
		"  write: IOPS=3D2087, BW=3D1044KiB/s (1069kB/s)(5220KiB/5001msec)\n",
		"    clat (usec): min=3D32, max=3D945, avg=3D453.85, stdev=3D=\n27.03\n",
	};
	static const char error[] =
		"j: (groupid=0, jobs=1): err= 5 (file:io_u.c:1803, func=io_u error, "
		"error=Input/output error): pid=86: Mon May 23 14:05:28 2022\n";
	struct raw r = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(raw_run(&r, "fio", texts[i], strlen(texts[i]), NULL), E_INVALID);
		assert_int_equal(r.ctx.nfaults, 1);
		assert_non_null(strstr(r.ctx.faults[0].message, "quoted-printable"));
		assert_int_equal(r.in.n, 0);
		raw_end(&r);
	}
	assert_int_equal(raw_run(&r, "fio", error, sizeof(error) - 1, NULL), E_OK);
	assert_int_equal(r.in.subs[0].status, RUN_FAILED);
	raw_end(&r);
}

/* Shares are rounded, and their counts come to 999: how many there were is printed. */
static void test_operations_of_shares(void **state)
{
	static const char text[] = "j: (groupid=0, jobs=1): err= 0: pid=7: x\n"
				   "  read: IOPS=10, BW=1MiB/s (1MB/s)(2MiB/3msec)\n"
				   "  lat (usec)   : 50=33.33%, 100=33.33%, 250=33.33%\n"
				   "     issued rwts: total=1000,0,0,0 short=0,0,0,0\n";
	struct raw r = {0};

	(void)state;
	assert_int_equal(raw_run(&r, "fio", text, sizeof(text) - 1, NULL), E_OK);
	assert_int_equal(raw_distribution(&r, 0, "fio.latency_us")->n, 1000);
	raw_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_of_two_jobs),
		cmocka_unit_test(test_jobs_of_one_name),
		cmocka_unit_test(test_text_of_fio_2),
		cmocka_unit_test(test_excerpts_in_a_mail),
		cmocka_unit_test(test_excerpts_side_by_side),
		cmocka_unit_test(test_percentiles_apart),
		cmocka_unit_test(test_direction_of_the_request),
		cmocka_unit_test(test_summary_alone),
		cmocka_unit_test(test_two_outputs),
		cmocka_unit_test(test_many_jobs),
		cmocka_unit_test(test_undecoded),
		cmocka_unit_test(test_operations_of_shares),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("import_fio_text", tests, NULL, NULL);
}
