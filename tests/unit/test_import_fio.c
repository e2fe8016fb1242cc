/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fio's outputs. Expected values were read off the files in tests/data/raw; where jobs come
 * together they were reckoned from those by hand. */
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

/* --- JSON --- */

static void test_json_of_two_jobs(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "fio.read_bw_MBps", 70620.0 / 1024, "MiB/s"},
		{0, "fio.read_iops", 17655.172414, "IO/s"},
		{0, "fio.read_clat_mean_ns", 55699.988281, "ns"},
		{0, "fio.read_clat_99.9%_ns", 3588096, "ns"},
		{0, "fio.read_lat_mean_ns", 55720.099609, "ns"},
		{0, "fio.read_runtime", 29, "ms"},
		{0, "fio.write_bw_MBps", 341333.0 / 1024, "MiB/s"},
		{0, "fio.write_clat_mean_ns", 17755.25, "ns"},
		{0, "fio.sync_total_ios", 3, "IOs"},
		{0, "fio.sync_lat_mean_ns", 1561334.333333, "ns"},
		{0, "fio.sync_lat_50%_ns", 2146304, "ns"},
		{0, "fio.workload", 512 + 32, "IOs"},
		{0, "fio.ctx", 512 + 16, "switches"},
		{0, "fio.latency_50us%", (93.75 * 512 + 25.0 * 32) / 544, "%"},
		{0, "fio.latency_4ms%", 0.390625 * 512 / 544, "%"},
		{0, "fio.latency_>=2000ms%", 0, "%"},
		{0, "fio.sys_cpu%", 32.142857 / 2, "%"},
		{0, "fio.reader.read_iops", 17655.172414, "IO/s"},
		{0, "fio.reader.latency_50us%", 93.75, "%"},
		{0, "fio.reader.sys_cpu%", 32.142857, "%"},
		{0, "fio.reader.iodepth_level_1%", 100, "%"},
		{0, "fio.writer.write_iops", 5333.333333, "IO/s"},
		{0, "fio.writer.job_runtime", 5, "ms"},
		{0, "fio.disk.vda.util%", 0, "%"},
	};
	const struct distribution_in *d;
	struct raw r;

	(void)state;
	raw_read(&r, "fio", "fio-two-jobs.json");
	assert_int_equal(r.in.n, 1);
	RAW_CHECK(&r, 0, figures);
	assert_true(isnan(raw_value(&r, 0, 0, "fio.reader.write_iops"))); /* not done: absent */
	assert_true(isnan(raw_value(&r, 0, 0, "fio.read_slat_mean_us")));
	assert_int_equal(r.in.subs[0].started, 1796055048);
	assert_string_equal(raw_info(&r, 0, "fio.version"), "fio-3.33");
	assert_string_equal(raw_info(&r, 0, "fio.ioengine"), "psync");
	assert_string_equal(raw_info(&r, 0, "fio.writer.fsync"), "8");
	d = raw_distribution(&r, 0, "fio.reader.read_clat_ns");
	assert_string_equal(d->unit, "ns");
	assert_int_equal(d->n, 512);
	assert_int_equal(d->npercentiles, 17);
	assert_true(percentile(d, "99.900000") == 3588096);
	d = raw_distribution(&r, 0, "fio.writer.latency_ns"); /* 46.875, 25, 25 and 3.125 % of 32 */
	assert_int_equal(d->nbuckets, 4);
	assert_true(is_bucket(d, 0, 10e3, 15) && is_bucket(d, 1, 20e3, 8) &&
		    is_bucket(d, 2, 50e3, 8) && is_bucket(d, 3, 100e3, 1));
	raw_end(&r);
}

static void test_json_plus(void **state)
{
	const struct distribution_in *d;
	struct raw r;

	(void)state;
	raw_read(&r, "fio", "fio-plus.json");
	d = raw_distribution(&r, 0, "fio.read_clat_ns");
	assert_int_equal(d->nbuckets, 26);
	assert_true(is_bucket(d, 0, 410, 4) && is_bucket(d, 2, 430, 29) &&
		    is_bucket(d, 25, 171008, 1));
	assert_true(percentile(d, "50.000000") == 442);
	assert_true(raw_value(&r, 0, 0, "fio.read_clat_50%_ns") == 442);
	assert_true(raw_value(&r, 0, 0, "fio.read_bw_MBps") == 500);
	raw_end(&r);
}

/* A name that both have must be in one unit, or a rig that updates fio is refused. */
static void check_units(const struct raw *a, const struct raw *b)
{
	const struct submission *s = &a->in.subs[0];
	size_t shared = 0;

	for (size_t i = 0; i < s->nunits; i++) {
		const char *other = raw_unit(b, 0, s->units[i].name);

		shared += *other != '\0';
		if (*other && strcmp(other, s->units[i].value) != 0)
			raw_fail("%s is in %s and in %s", s->units[i].name, s->units[i].value,
				 other);
	}
	assert_true(shared > 0);
}

/* Junk in front, another document between, fio 2 with microseconds, which become the nanoseconds of
 * fio 3, nan; two outputs are two runs of two submissions, and what differs between them is an
 * axis. */
static void test_json_of_fio_2(void **state)
{
	static const char text[] =
		"fio: this platform {does} not\n"
		"{\"fio version\": \"fio-2.2\", \"jobs\": [{\"jobname\": \"j\", \"error\": 0,"
		"\"job options\": {\"rw\": \"read\"},"
		" \"read\": {\"bw\": 2048, \"iops\": 512.5, \"total_ios\": 100, \"bw_agg\": -nan,"
		" \"slat\": {\"min\": 1, \"max\": 9, \"mean\": 2.5, \"stddev\": 0.5},"
		" \"clat\": {\"min\": 10, \"max\": 90, \"mean\": 25.530125, \"stddev\": 5,"
		" \"percentile\": {\"50.000000\": 20, \"99.000000\": 80, \"0.00\": 0}}}}]}\n"
		"{\"other\": 1}\n"
		"{\"fio version\": \"fio-2.2\", \"jobs\": [{\"jobname\": \"j\", \"error\": 5,"
		"\"job options\": {\"rw\": \"randread\"},"
		" \"read\": {\"bw\": 1024, \"iops\": 256, \"total_ios\": 50}}]}\n";
	static const struct raw_figure figures[] = {
		{0, "fio.read_bw_MBps", 2, "MiB/s"},
		{0, "fio.read_slat_mean_us", 2500, "ns"}, /* the robot's name, of fio 3 too */
		{0, "fio.read_clat_mean_ns", 25530.125, "ns"},
		{0, "fio.read_clat_99%_ns", 80000, "ns"},
		{0, "fio.read_clat_stddev", 5000, "ns"},
		{0, "fio.workload", 100, "IOs"},
	};
	struct raw r = {0}, three;
	const struct distribution_in *d;

	(void)state;
	assert_int_equal(raw_run(&r, "fio", text, strlen(text), NULL), E_OK);
	assert_int_equal(r.in.n, 2);
	RAW_CHECK(&r, 0, figures);
	d = raw_distribution(&r, 0, "fio.read_clat_ns");
	assert_int_equal(d->npercentiles, 2);
	assert_true(percentile(d, "99.000000") == 80000 && d->max == 90000 && d->mean == 25530.125);
	raw_read(&three, "fio", "fio-two-jobs.json");
	check_units(&r, &three);
	raw_end(&three);
	assert_int_equal(r.in.subs[0].status, RUN_OK);
	assert_int_equal(r.in.subs[1].status, RUN_FAILED);
	assert_string_equal(raw_axis(&r, 0, "rw"), "read");
	assert_string_equal(raw_axis(&r, 1, "rw"), "randread");
	assert_true(isnan(raw_value(&r, 0, 0, "fio.read_bw_agg%")));
	raw_end(&r);
}

/* --- terse --- */

static void test_terse_5(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "fio.read_bw_MBps", 85333.0 / 1024, "MiB/s"},
		{0, "fio.read_iops", 21333, "IO/s"},
		{0, "fio.read_runtime", 24, "ms"},
		{0, "fio.read_clat_mean_us", 46.014207, "us"},
		{0, "fio.read_clat_stddev_us", 107.161264, "us"},
		{0, "fio.read_clat_99.5%_us", 148, "us"},
		{0, "fio.read_lat_mean_us", 46.033566, "us"},
		{0, "fio.write_bw_MBps", 1000, "MiB/s"},
		{0, "fio.write_clat_80%_us", 22, "us"},
		{0, "fio.writer.write_lat_max_us", 47, "us"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "fio", "fio-terse-5.txt");
	assert_int_equal(r.in.n, 1);
	RAW_CHECK(&r, 0, figures);
	assert_true(isnan(raw_value(&r, 0, 0, "fio.reader.trim_iops")));
	assert_int_equal(raw_distribution(&r, 0, "fio.reader.read_clat_us")->npercentiles, 17);
	raw_end(&r);
}

static void test_terse_3(void **state)
{
	static const struct raw_figure figures[] = {
		{0, "fio.a.read_iops.instance1", 12081, "IO/s"},
		{0, "fio.a.write_iops.instance2", 8078, "IO/s"},
		{0, "fio.write_iops", 8816 + 8078, "IO/s"},
		{0, "fio.a.sys_cpu%.instance1", 18.75, "%"},
		{0, "fio.a.ctx.instance1", 599, "switches"},
		{0, "fio.a.latency_4us%.instance1", 39.84, "%"},
		{0, "fio.a.latency_1000us%.instance2", 0.10, "%"},
		{0, "fio.a.iodepth_level_1%.instance1", 100, "%"},
		{0, "fio.disk.vda.read_ios", 0, "IOs"},
	};
	struct raw r;

	(void)state;
	raw_read(&r, "fio", "fio-terse-3.txt");
	RAW_CHECK(&r, 0, figures);
	raw_end(&r);
}

/* 5 + 3 * 47 + 5 + 7 + 22 fields, and the disks, which may lack. */
static void test_terse_too_short(void **state)
{
	struct raw r = {0};
	size_t n, fields = 0, at = 0;
	char *bytes = raw_load("fio-terse-5.txt", &n);

	(void)state;
	for (; fields < 180; at++)
		fields += bytes[at] == ';';
	assert_int_equal(raw_run(&r, "fio", bytes, at - 1, NULL), E_OK);
	raw_end(&r);
	for (at -= 2; bytes[at] != ';'; at--)
		;
	r = (struct raw){0};
	assert_int_equal(raw_run(&r, "fio", bytes, at, NULL), E_INVALID);
	assert_non_null(strstr(r.ctx.detail, "has 179 fields, a line of version 5 has 180"));
	r.bytes = bytes;
	raw_end(&r);
}

/* --- what is wrong --- */

static void refused(const char *text, int code, const char *words)
{
	struct raw r = {0};

	assert_int_equal(raw_run(&r, "fio", text, strlen(text), NULL), code);
	if (!strstr(r.ctx.detail, words))
		print_error("\"%s\" does not say \"%s\"\n", r.ctx.detail, words);
	assert_non_null(strstr(r.ctx.detail, words));
	raw_end(&r);
}

static void test_faults(void **state)
{
	(void)state;
	refused("", E_INVALID, "no figure of fio was found");
	refused("nothing of it\n", E_INVALID, "no figure of fio was found");
	refused("\n\n  clat (usec): min=abc, max=3, avg=2\n", E_INVALID,
		"line 3: \"abc, max=3, avg=2\" of min is no number");
	refused("clat percentiles (usec):\n | 1.00th=[ 3], x.00th=[ 4]\n", E_INVALID,
		"line 2: \"x.00th=[ 4]\" is no percentile");
	refused("  lat (usec)   : 4=40.43%, 10=x%\n", E_INVALID, "line 1: \"10=x%\" is no share");
	refused("3;fio-3.33;a;0;0;1;2\n", E_INVALID,
		"line 1: has 7 fields, a line of version 3 has");
	refused("{\"fio version\": \"x\",\n \"jobs\": [}", E_SYNTAX, "line 2");
	refused("note\n{\"fio version\": \"x\", \"jobs\": []}\n\n{\"fio version\": \"x\",\n"
		"\"jobs\": [{\"a\": 1},\n {\"b\": tru}]}",
		E_SYNTAX, "line 6");
	refused("{\"fio version\": \"x\",\n\"jobs\": [{\"a\": 1},\n\n{\"b\": 2}],\n\"x\": tru}",
		E_SYNTAX, "line 5"); /* behind the jobs */
	refused("{\"fio version\": \"x\", \"jobs\": [{\"read\": {\"iops\": 1}}, 3]}", E_INVALID,
		"must be an object");
	refused("{\"fio version\": \"x\", \"jobs\": 3}", E_INVALID,
		"must be an array, is a number");
	refused("{\"fio version\": \"x\", \"jobs\": [{\"read\": {\"iops\": \"fast\"}}]}", E_INVALID,
		"must be a number, is a string");
}

static void test_sniff(void **state)
{
	static const char *const files[] = {"fio-two-jobs.json", "fio-plus.json", "fio-terse-3.txt",
					    "fio-terse-5.txt",   "fio-2.txt",     "fio-mail.txt"};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		const struct importer *best = NULL;
		size_t n;
		char *bytes = raw_load(files[i], &n);
		int most = 0;

		for (size_t k = 0; k < importer_count(); k++) {
			const struct importer *one = importer_at(k);
			int sure = one->sniff ? one->sniff(bytes, n) : 0;

			if (sure > most) {
				most = sure;
				best = one;
			}
		}
		assert_non_null(best);
		assert_string_equal(best->name, "fio");
		free(bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json_of_two_jobs), cmocka_unit_test(test_json_plus),
		cmocka_unit_test(test_json_of_fio_2),    cmocka_unit_test(test_terse_too_short),
		cmocka_unit_test(test_terse_5),          cmocka_unit_test(test_terse_3),
		cmocka_unit_test(test_faults),           cmocka_unit_test(test_sniff),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("import_fio", tests, NULL, NULL);
}
