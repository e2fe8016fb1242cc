/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables that came printed come out as they came: the figures of published report mails, copied by
 * hand, their axes sorted.
 */
#include "server/report/robot_table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "server/base/arena.h"

#include <cmocka.h>

#define X        NAN /* no stddev was printed */
#define COLS_MAX 4
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define RULE89                                                                                     \
	"=================================================="                                       \
	"=======================================\n"

/* A row as a mail has it: mean and stddev of each column, the change of each later one. */
struct printed_row {
	const char *metric;
	struct {
		double mean, stddev_pct;
	} cells[COLS_MAX];
	struct {
		enum printed_kind kind;
		double change;
	} changes[COLS_MAX - 1];
};

static int arena_open(void **state)
{
	*state = arena_new();
	return 0;
}

static int arena_close(void **state)
{
	arena_free(*state);
	return 0;
}

static struct metric metric_of(const char *name, size_t i)
{
	return (struct metric){.id = (uint32_t)i + 1,
			       .name = name,
			       .name_len = strlen(name),
			       .facts = metric_facts_of(name)};
}

static struct summary_cell summary(const struct metric *m)
{
	return (struct summary_cell){
		.metric = m,
		.mean = NAN,
		.stddev = NAN,
		.stddev_pct = NAN,
		.min = NAN,
		.max = NAN,
		.n = -1,
		.fails = -1,
		.runs = -1,
	};
}

/* Prints the columns and gives the text, in the arena. */
static const char *table(struct arena *a, const struct compare_commit *commits, size_t ncols,
			 const struct pair *axes, size_t naxes,
			 const struct comparison_column *cols)
{
	struct compare_table t = {.series = {.axes = axes, .naxes = naxes, .testcase = ""}};
	struct compare cmp = {.ncommits = ncols, .ntables = 1, .next = -1};
	struct compare_column *columns = arena_array(a, struct compare_column, ncols);
	auto_out struct out o;

	for (size_t i = 0; i < naxes; i++)
		if (strcmp(axes[i].name, "testcase") == 0)
			t.series.testcase = axes[i].value;
	cmp.commits = arena_copy(a, commits, ncols * sizeof(*commits));
	for (size_t i = 0; i < ncols; i++)
		columns[i].commit = &cmp.commits[i];
	t.columns = columns;
	t.ncols = ncols;
	comparison_build(a, t.series.testcase, cols, ncols, &t.all);
	t.rows = t.all.rows;
	t.nrows = t.all.nrows;
	out_init(&o, OUT_MAX_DEFAULT);
	robot_table(&o, &cmp, &t);
	assert_false(o.failed);
	return arena_strn(a, o.p, o.len);
}

/* The columns of a printed table, as if each had been uploaded as a summary. */
static struct comparison_column *printed_columns(struct arena *a, const struct printed_row *rows,
						 size_t n, size_t ncols)
{
	struct metric *metrics = arena_array(a, struct metric, n);
	struct comparison_column *cols = arena_array(a, struct comparison_column, ncols);

	for (size_t i = 0; i < n; i++)
		metrics[i] = metric_of(rows[i].metric, i);
	for (size_t c = 0; c < ncols; c++) {
		struct summary_cell *cells = arena_array(a, struct summary_cell, n);

		for (size_t i = 0; i < n; i++) {
			cells[i] = summary(&metrics[i]);
			cells[i].mean = rows[i].cells[c].mean;
			cells[i].stddev_pct = rows[i].cells[c].stddev_pct;
			cells[i].printed = c ? rows[i].changes[c - 1].kind : PRINTED_BASE;
			cells[i].printed_change = c ? rows[i].changes[c - 1].change : NAN;
			cells[i].printed_base_matches = c > 0;
		}
		cols[c] = (struct comparison_column){.cells = cells, .ncells = n};
	}
	return cols;
}

static const struct printed_row filebench_rows[] = {
	{"filebench.sum_bytes_mb/s",
	 {{59.4, X}, {59.4, X}, {58.93, X}, {58.8, X}},
	 {{PRINTED_PCT, 0}, {PRINTED_PCT, -0.8}, {PRINTED_PCT, -1}}},
	{"filebench.sum_operations",
	 {{3570, X}, {3570, X}, {3541, X}, {3533, X}},
	 {{PRINTED_PCT, 0}, {PRINTED_PCT, -0.8}, {PRINTED_PCT, -1}}},
	{"filebench.sum_operations/s",
	 {{59.5, X}, {59.5, X}, {59.02, X}, {58.89, X}},
	 {{PRINTED_PCT, 0}, {PRINTED_PCT, -0.8}, {PRINTED_PCT, -1}}},
	{"filebench.sum_reads/s",
	 {{59.33, X}, {59.33, X}, {59.33, X}, {59, X}},
	 {{PRINTED_PCT, 0}, {PRINTED_PCT, 0}, {PRINTED_PCT, -0.6}}},
	{"filebench.sum_time_ms/op",
	 {{83.98, X}, {82.75, X}, {84.62, X}, {84.84, X}},
	 {{PRINTED_PCT, -1.5}, {PRINTED_PCT, 0.8}, {PRINTED_PCT, 1}}},
};

/* Two commits and two tags; what a change of setup is said by the axes. */
static void filebench_four_ways(void **state)
{
	static const struct pair axes[] = {
		{"compiler", "gcc-7"},
		{"cpufreq_governor", "performance"},
		{"debug-setup", "test2"},
		{"disk", "1HDD"},
		{"fs", "ext4"},
		{"kconfig", "x86_64-rhel-7.6"},
		{"rootfs", "debian-x86_64-20191114.cgz"},
		{"tbox_group", "lkp-hsw-d01"},
		{"test", "fivestreamreaddirect.f"},
		{"testcase", "filebench"},
		{"ucode", "0x27"},
	};
	static const struct compare_commit commits[] = {
		{.commit = {.kind = COMMIT_FULL,
			    .name = "b1b4705d54abedfd69dcdf42779c521aa1e0fbd3"},
		 .asked = "b1b4705"},
		{.commit = {.kind = COMMIT_FULL,
			    .name = "09edf4d381957b144440bac18a4769c53063b943"},
		 .asked = "09edf4d38195"},
		{.commit = {.kind = COMMIT_REF, .name = "v5.5"}, .asked = "v5.5"},
		{.commit = {.kind = COMMIT_REF, .name = "v5.7-rc1"}, .asked = "v5.7-rc1"},
	};
	static const char want[] =
		RULE89 "compiler/cpufreq_governor/debug-setup/disk/fs/kconfig/rootfs/tbox_group/"
		       "test/testcase/ucode:\n"
		       "  "
		       "gcc-7/performance/test2/1HDD/ext4/x86_64-rhel-7.6/"
		       "debian-x86_64-20191114.cgz/lkp-hsw-d01/"
		       "fivestreamreaddirect.f/filebench/0x27\n"
		       "\n"
		       "commit: \n"
		       "  b1b4705d54abedfd69dcdf42779c521aa1e0fbd3\n"
		       "  09edf4d381957b144440bac18a4769c53063b943\n"
		       "  v5.5\n"
		       "  v5.7-rc1\n"
		       "\n"
		       "b1b4705d54abedfd 09edf4d381957b144440bac18a4                        v5.5   "
		       "                 v5.7-rc1 \n"
		       "---------------- --------------------------- --------------------------- "
		       "--------------------------- \n"
		       "         %stddev     %change         %stddev     %change         %stddev   "
		       "  %change         %stddev\n"
		       "             \\          |                \\          |                \\  "
		       "        |                \\  \n"
		       "     59.40            +0.0%      59.40            -0.8%      58.93         "
		       "   -1.0%      58.80        filebench.sum_bytes_mb/s\n"
		       "      3570            +0.0%       3570            -0.8%       3541         "
		       "   -1.0%       3533        filebench.sum_operations\n"
		       "     59.50            +0.0%      59.50            -0.8%      59.02         "
		       "   -1.0%      58.89        filebench.sum_operations/s\n"
		       "     59.33            +0.0%      59.33            +0.0%      59.33         "
		       "   -0.6%      59.00        filebench.sum_reads/s\n"
		       "     83.98            -1.5%      82.75            +0.8%      84.62         "
		       "   +1.0%      84.84        filebench.sum_time_ms/op\n";

	assert_string_equal(
		table(*state, commits, 4, axes, COUNT(axes),
		      printed_columns(*state, filebench_rows, COUNT(filebench_rows), 4)),
		want);
}

static const struct printed_row fio_rows[] = {
	{"fio.latency_1000ms%",
	 {{0.01, X}, {0, X}, {0.01, X}},
	 {{PRINTED_ABS, -0.0}, {PRINTED_ABS, 0}}},
	{"fio.latency_10ms%",
	 {{0.27, 5}, {0.24, 7}, {0.27, 5}},
	 {{PRINTED_ABS, -0.0}, {PRINTED_ABS, -0.0}}},
	{"fio.latency_2000ms%",
	 {{0.01, X}, {0, X}, {0.01, X}},
	 {{PRINTED_ABS, -0.0}, {PRINTED_ABS, 0}}},
	{"fio.latency_20ms%",
	 {{0.33, 8}, {0.44, 7}, {0.36, 9}},
	 {{PRINTED_ABS, 0.1}, {PRINTED_ABS, 0}}},
	{"fio.latency_500ms%",
	 {{0.01, X}, {0, X}, {0.01, X}},
	 {{PRINTED_ABS, -0.0}, {PRINTED_ABS, 0}}},
	{"fio.latency_50ms%",
	 {{13.99, X}, {19.96, X}, {14.52, 4}},
	 {{PRINTED_ABS, 6}, {PRINTED_ABS, 0.5}}},
	{"fio.latency_750ms%",
	 {{0.01, X}, {0, X}, {0.01, X}},
	 {{PRINTED_ABS, -0.0}, {PRINTED_ABS, 0}}},
	{"fio.latency_750us%",
	 {{3.4, 44}, {1.17, 46}, {2.59, 35}},
	 {{PRINTED_ABS, -2.2}, {PRINTED_ABS, -0.8}}},
	{"fio.workload",
	 {{62087973, X}, {48559860, X}, {60364160, 3}},
	 {{PRINTED_PCT, -21.8}, {PRINTED_PCT, -2.8}}},
	{"fio.write_bw_MBps",
	 {{1212, X}, {948.29, X}, {1177, 3}},
	 {{PRINTED_PCT, -21.8}, {PRINTED_PCT, -2.9}}},
	{"fio.write_clat_95%_us",
	 {{33073834, X}, {29229056, X}, {32636928, 4}},
	 {{PRINTED_PCT, -11.6}, {PRINTED_PCT, -1.3}}},
	{"fio.write_clat_99%_us",
	 {{34865152, X}, {31675733, X}, {34760294, X}},
	 {{PRINTED_PCT, -9.1}, {PRINTED_PCT, -0.3}}},
	{"fio.write_clat_mean_us",
	 {{4794125, X}, {6129631, X}, {4936772, 3}},
	 {{PRINTED_PCT, 27.9}, {PRINTED_PCT, 3}}},
	{"fio.write_clat_stddev",
	 {{13179671, 6}, {11842274, X}, {12665456, 5}},
	 {{PRINTED_PCT, -10.1}, {PRINTED_PCT, -3.9}}},
	{"fio.write_iops",
	 {{310403, X}, {242761, X}, {301531, 3}},
	 {{PRINTED_PCT, -21.8}, {PRINTED_PCT, -2.9}}},
	{"fio.write_slat_mean_us",
	 {{152653, X}, {196759, X}, {157562, 3}},
	 {{PRINTED_PCT, 28.9}, {PRINTED_PCT, 3.2}}},
	{"fio.write_slat_stddev",
	 {{2139749, X}, {2338598, X}, {2179116, X}},
	 {{PRINTED_PCT, 9.3}, {PRINTED_PCT, 1.8}}},
};

/* Base, culprit and a test patch: differences without %, -0.0 with its sign, a label. */
static void fio_three_ways(void **state)
{
	static const struct pair axes[] = {
		{"bs", "4k"}, {"tbox_group", "lkp-csl-2sp6"}, {"testcase", "fio-basic"}};
	static const struct compare_commit commits[] = {
		{.commit = {.kind = COMMIT_FULL,
			    .name = "361a2a229fa31ab7f2b236b5946e434964d00762"},
		 .asked = "361a2a229"},
		{.commit = {.kind = COMMIT_FULL,
			    .name = "8cc621d2f45ddd3dc664024a647ee7adf48d79a5",
			    .subject = "mm: fs: invalidate BH LRU during page migration"},
		 .asked = "8CC621D2F"},
		{.commit = {.kind = COMMIT_FULL,
			    .name = "7bafb1c4e72a5e8d40cd0681b80b1ffeb31a064c",
			    .label = "the test patch"},
		 .asked = "7bafb1c4e"},
	};
	static const char want[] = RULE89
		"bs/tbox_group/testcase:\n"
		"  4k/lkp-csl-2sp6/fio-basic\n"
		"\n"
		"commit: \n"
		"  361a2a229fa31ab7f2b236b5946e434964d00762\n"
		"  8cc621d2f4 (\"mm: fs: invalidate BH LRU during page migration\")\n"
		"  7bafb1c4e72a5e8d40cd0681b80b1ffeb31a064c  (the test patch)\n"
		"\n"
		"361a2a229fa31ab7 8cc621d2f45ddd3dc664024a647 7bafb1c4e72a5e8d40cd0681b80 \n"
		"---------------- --------------------------- --------------------------- \n"
		"         %stddev     %change         %stddev     %change         %stddev\n"
		"             \\          |                \\          |                \\  \n"
		"      0.01            -0.0        0.00            +0.0        0.01        "
		"fio.latency_1000ms%\n"
		"      0.27 ±  5%      -0.0        0.24 ±  7%      -0.0        0.27 ±  5%  "
		"fio.latency_10ms%\n"
		"      0.01            -0.0        0.00            +0.0        0.01        "
		"fio.latency_2000ms%\n"
		"      0.33 ±  8%      +0.1        0.44 ±  7%      +0.0        0.36 ±  9%  "
		"fio.latency_20ms%\n"
		"      0.01            -0.0        0.00            +0.0        0.01        "
		"fio.latency_500ms%\n"
		"     13.99            +6.0       19.96            +0.5       14.52 ±  4%  "
		"fio.latency_50ms%\n"
		"      0.01            -0.0        0.00            +0.0        0.01        "
		"fio.latency_750ms%\n"
		"      3.40 ± 44%      -2.2        1.17 ± 46%      -0.8        2.59 ± 35%  "
		"fio.latency_750us%\n"
		"  62087973           -21.8%   48559860            -2.8%   60364160 ±  3%  "
		"fio.workload\n"
		"      1212           -21.8%     948.29            -2.9%       1177 ±  3%  "
		"fio.write_bw_MBps\n"
		"  33073834           -11.6%   29229056            -1.3%   32636928 ±  4%  "
		"fio.write_clat_95%_us\n"
		"  34865152            -9.1%   31675733            -0.3%   34760294        "
		"fio.write_clat_99%_us\n"
		"   4794125           +27.9%    6129631            +3.0%    4936772 ±  3%  "
		"fio.write_clat_mean_us\n"
		"  13179671 ±  6%     -10.1%   11842274            -3.9%   12665456 ±  5%  "
		"fio.write_clat_stddev\n"
		"    310403           -21.8%     242761            -2.9%     301531 ±  3%  "
		"fio.write_iops\n"
		"    152653           +28.9%     196759            +3.2%     157562 ±  3%  "
		"fio.write_slat_mean_us\n"
		"   2139749            +9.3%    2338598            +1.8%    2179116        "
		"fio.write_slat_stddev\n";

	assert_string_equal(table(*state, commits, 3, axes, COUNT(axes),
				  printed_columns(*state, fio_rows, COUNT(fio_rows), 3)),
			    want);
}

/* Rows of one more mail: rounded figures that would come out otherwise if they were computed. */
static void hackbench_rows_as_printed(void **state)
{
	static const struct printed_row rows[] = {
		{"perf-stat.i.branch-instructions",
		 {{4.581e10, X}, {4.069e10, X}},
		 {{PRINTED_PCT, -11.2}}},
		{"perf-stat.i.branch-miss-rate%", {{0.45, X}, {0.56, X}}, {{PRINTED_ABS, 0.1}}},
		{"perf-stat.i.cpi", {{1.31, X}, {1.48, X}}, {{PRINTED_PCT, 13.2}}},
		{"perf-stat.i.metric.K/sec", {{818.18, 5}, {1323, 2}}, {{PRINTED_PCT, 61.8}}},
		{"numa-meminfo.node1.Active(anon)",
		 {{222459, 86}, {464294, 58}},
		 {{PRINTED_PCT, 108.7}}},
		{"turbostat.PKG_%", {{160.93, X}, {141.61, X}}, {{PRINTED_ABS, -19.3}}},
		{"hackbench.throughput", {{477310, X}, {417480, X}}, {{PRINTED_PCT, -12.5}}},
	};
	static const struct pair axes[] = {{"testcase", "hackbench"}};
	static const struct compare_commit commits[] = {
		{.commit = {.kind = COMMIT_STUB, .name = "7bc162d5cc4de5c3"},
		 .asked = "7bc162d5cc"},
		{.commit = {.kind = COMMIT_STUB, .name = "a0fd217e6d"}, .asked = "a0fd217e6d"},
	};
	static const char want[] = RULE89
		"testcase:\n"
		"  hackbench\n"
		"\n"
		"commit: \n"
		"  7bc162d5cc4de5c3\n"
		"  a0fd217e6d\n"
		"\n"
		"7bc162d5cc4de5c3                  a0fd217e6d \n"
		"---------------- --------------------------- \n"
		"         %stddev     %change         %stddev\n"
		"             \\          |                \\  \n"
		"    477310           -12.5%     417480        hackbench.throughput\n"
		"    222459 ± 86%    +108.7%     464294 ± 58%  numa-meminfo.node1.Active(anon)\n"
		"    160.93           -19.3      141.61        turbostat.PKG_%\n"
		" 4.581e+10           -11.2%  4.069e+10        perf-stat.i.branch-instructions\n"
		"      0.45            +0.1        0.56        perf-stat.i.branch-miss-rate%\n"
		"      1.31           +13.2%       1.48        perf-stat.i.cpi\n"
		"    818.18 ±  5%     +61.8%       1323 ±  2%  perf-stat.i.metric.K/sec\n";

	assert_string_equal(
		table(*state, commits, 2, axes, 1, printed_columns(*state, rows, COUNT(rows), 2)),
		want);
}

/* The same figures, but not printed against the first column: computed from the rounded means.
 * 100 * (4.069 / 4.581 - 1) = -11.18, 1.48 / 1.31 = 1.1298. */
static void computed_from_rounded(void **state)
{
	static const struct printed_row rows[] = {
		{"a.x", {{4.581e10, X}, {4.069e10, X}}, {{PRINTED_BASE, X}}},
		{"a.y", {{1.31, X}, {1.48, X}}, {{PRINTED_BASE, X}}},
		{"a.z%", {{0.45, X}, {0.56, X}}, {{PRINTED_BASE, X}}},
		{"b.x", {{0, X}, {0.01, X}}, {{PRINTED_BASE, X}}},
		{"b.y", {{0, X}, {0, X}}, {{PRINTED_BASE, X}}},
	};
	static const struct pair axes[] = {{"testcase", "t"}};
	static const struct compare_commit commits[] = {
		{.commit = {.kind = COMMIT_STUB, .name = "1111111"}, .asked = NULL},
		{.commit = {.kind = COMMIT_STUB, .name = "2222222"}, .asked = NULL},
	};
	const char *text =
		table(*state, commits, 2, axes, 1, printed_columns(*state, rows, COUNT(rows), 2));

	assert_non_null(strstr(text, "\n 4.581e+10           -11.2%  4.069e+10        a.x\n"));
	assert_non_null(strstr(text, "\n      1.31           +13.0%       1.48        a.y\n"));
	assert_non_null(strstr(text, "\n      0.45            +0.1        0.56        a.z%\n"));
	assert_non_null(strstr(text, "\n      0.00            +Inf%       0.01        b.x\n"));
	assert_non_null(strstr(text, "\n      0.00            +0.0%       0.00        b.y\n"));
	assert_non_null(strstr(text, "\n         1111111                     2222222 \n"));
}

/* Failures as a mail printed them, and no other rows: no heads of the other part. */
static void printed_failures(void **state)
{
	struct metric m = metric_of("xfstests.btrfs.172.pass", 0);
	struct summary_cell s[3];
	struct comparison_column cols[3];
	static const int64_t fails[] = {14, 6, 9}, runs[] = {14, 13, 19};
	static const double change[] = {NAN, -27, -17};
	static const struct pair axes[] = {{"testcase", "xfstests"}};
	static const struct compare_commit commits[] = {
		{.commit = {.kind = COMMIT_STUB, .name = "519b7e13b5ae8dd3"},
		 .asked = "519b7e13b5ae8dd3"},
		{.commit = {.kind = COMMIT_STUB, .name = "5f58d783fd7823b2c2d5954d112"},
		 .asked = "5f58d783fd78"},
		{.commit = {.kind = COMMIT_REF, .name = "v6.3-rc2", .subject = "Linux 6.3-rc2"},
		 .asked = "v6.3-rc2"},
	};
	static const char want[] =
		"commit: \n"
		"  519b7e13b5ae8dd3\n"
		"  5f58d783fd7823b2c2d5954d112\n"
		"  v6.3-rc2 (\"Linux 6.3-rc2\")\n"
		"\n"
		"519b7e13b5ae8dd3 5f58d783fd7823b2c2d5954d112                    v6.3-rc2 \n"
		"---------------- --------------------------- --------------------------- \n"
		"       fail:runs  %reproduction    fail:runs  %reproduction    fail:runs\n"
		"           |             |             |             |             |    \n"
		"         14:14         -27%           6:13         -17%           9:19    "
		"xfstests.btrfs.172.pass\n";

	for (size_t c = 0; c < 3; c++) {
		s[c] = summary(&m);
		s[c].fails = fails[c];
		s[c].runs = runs[c];
		s[c].printed = c ? PRINTED_REPRODUCTION : PRINTED_BASE;
		s[c].printed_change = change[c];
		s[c].printed_base_matches = true;
		cols[c] = (struct comparison_column){.cells = &s[c], .ncells = 1};
	}
	assert_string_equal(strstr(table(*state, commits, 3, axes, 1, cols), "commit: "), want);
}

#define in_arena(f) cmocka_unit_test_setup_teardown(f, arena_open, arena_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_arena(filebench_four_ways),       in_arena(fio_three_ways),
		in_arena(hackbench_rows_as_printed), in_arena(computed_from_rounded),
		in_arena(printed_failures),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("robot_table_printed", tests, NULL, NULL);
}
