/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lkp-result: folders as lists of files, job.yaml, and which of its keys are parameters. */
#include "lkp_lab.h"

#include "server/base/clock.h"

#undef fail
#include <cmocka.h>

#define COMMIT "a0fd217e6d6fbd23e91f8796787b621e7d576088"
#define TREE(params)                                                                               \
	"/lkp/result/hackbench/" params                                                            \
	"/lkp-icl-2sp2/debian-11.1-x86_64-20220510.cgz/x86_64-rhel-8.3/gcc-12/" COMMIT
#define PARAMS "performance-socket-4-process-100%"
#define KEY                                                                                        \
	"lkp-icl-2sp2/hackbench/" PARAMS                                                           \
	"/debian-11.1-x86_64-20220510.cgz/x86_64-rhel-8.3/gcc-12/" COMMIT

/* nr_node has the value of iterations, and stands before it. */
static const char job[] = "---\n"
			  "#! jobs/hackbench.yaml\n"
			  "suite: hackbench\n"
			  "testcase: hackbench\n"
			  "category: benchmark\n"
			  "nr_node: 4\n"
			  "nr_threads: 100%\n"
			  "iterations: 4\n"
			  "hackbench:\n"
			  "  mode: process\n"
			  "  ipc: socket\n"
			  "vmstat:\n"
			  "perf-sched:\n"
			  "  lite_mode: 1\n"
			  "need_kconfig:\n"
			  "- BLK_DEV_SD\n"
			  "- SCSI: y\n"
			  "  other: socket\n"
			  "description: |\n"
			  "  mode: threads\n"
			  "  nr_threads: 1\n"
			  "cpufreq_governor: performance # the default\n"
			  "testbox: lkp-icl-2sp2-7\n"
			  "tbox_group: \"lkp-icl-2sp2\"\n"
			  "id: 5f3c\n"
			  "ucode: '0xd000389'\n"
			  "compiler: gcc-12\n"
			  "kconfig: x86_64-rhel-8.3\n"
			  "rootfs: debian-11.1-x86_64-20220510.cgz\n"
			  "commit: " COMMIT "\n"
			  "dequeue_time: 2023-07-18 12:37:52.471634 +08:00\n"
			  "result_root: \"" TREE(PARAMS) "/5\"\n";

static int folder(struct lab *l, const char *path, const struct import_part *parts, size_t n)
{
	lab_begin(l, false);
	return folder_lkp_result(&l->in, path, parts, n);
}

#define PART(name, text)                                                                           \
	{                                                                                          \
		name, text, sizeof(text) - 1                                                       \
	}

static void a_run_under_its_true_parameters(void **state)
{
	const struct import_part parts[] = {
		PART("job.yaml", job),
		PART("stats.json", "{\"hackbench.throughput\": 478113.5, \"vmstat.cs\": NaN}"),
		PART("dmesg", "[    0.000000] Linux\n"),
		PART("reproduce.sh", "hackbench -g 4\n"),
		PART("config", ""),
	};
	struct lab l;

	(void)state;
	assert_int_equal(folder(&l, TREE(PARAMS) "/3", parts, 5), E_OK);
	const struct submission *s = l.in.subs;
	assert_string_equal(s->key, KEY "/3");
	assert_int_equal(s->naxes, 10);
	assert_string_equal(lab_axis(s, "testcase"), "hackbench");
	assert_string_equal(lab_axis(s, "tbox_group"), "lkp-icl-2sp2");
	assert_string_equal(lab_axis(s, "kconfig"), "x86_64-rhel-8.3");
	assert_string_equal(lab_axis(s, "compiler"), "gcc-12");
	assert_string_equal(lab_axis(s, "rootfs"), "debian-11.1-x86_64-20220510.cgz");
	assert_string_equal(lab_axis(s, "cpufreq_governor"), "performance");
	assert_string_equal(lab_axis(s, "ipc"), "socket");
	assert_string_equal(lab_axis(s, "iterations"), "4");
	assert_string_equal(lab_axis(s, "mode"), "process");
	assert_string_equal(lab_axis(s, "nr_threads"), "100%");
	assert_string_equal(s->commit.id, COMMIT);
	assert_int_equal(s->started, 1689655072); /* date -u -d '2023-07-18 04:37:52' +%s */
	assert_int_equal(s->status, RUN_OK);
	assert_int_equal(s->runs[0].names->n, 1);
	/* an empty file is none */
	assert_int_equal(l.in.nfiles, 3);
	assert_string_equal(l.in.files[0].name, "job.yaml");
	assert_int_equal(l.in.files[0].n, sizeof(job) - 1);
	lab_end(&l);
}

static void without_a_job_the_parameters_are_one_axis(void **state)
{
	const struct import_part parts[] = {PART("stats.json", "{\"hackbench.throughput\": 1}")};
	struct lab l;

	(void)state;
	assert_int_equal(folder(&l, TREE(PARAMS) "/0", parts, 1), E_OK);
	assert_int_equal(l.in.subs[0].naxes, 6);
	assert_string_equal(lab_axis(l.in.subs, "path_params"), PARAMS);
	assert_string_equal(lab_axis(l.in.subs, "tbox_group"), "lkp-icl-2sp2");
	lab_end(&l);

	assert_int_equal(folder(&l, TREE("defaults") "/0", parts, 1), E_OK);
	assert_int_equal(l.in.subs[0].naxes, 5);
	lab_end(&l);
}

/* A copy elsewhere: the job says where it lay. */
static void a_folder_out_of_its_tree(void **state)
{
	const struct import_part parts[] = {PART("stats.json", "{\"hackbench.throughput\": 1}"),
					    PART("job.yaml", job)};
	struct lab l;

	(void)state;
	assert_int_equal(folder(&l, "/tmp/a/b/c/d/e/f/0123456/9", parts, 2), E_OK);
	assert_string_equal(l.in.subs[0].key, KEY "/5");
	assert_string_equal(lab_axis(l.in.subs, "mode"), "process");
	lab_end(&l);
}

static void incomplete_runs(void **state)
{
	static const struct {
		struct import_part part;
		int status;
	} cases[] = {
		{PART("last_state", "is_incomplete_run: 1\n"), RUN_INCOMPLETE},
		{PART("last_state", "last_state.is_incomplete_run: 1\n"), RUN_INCOMPLETE},
		{PART("stats.json", "{\"last_state.is_incomplete_run\": 1, \"a.b\": 2}"),
		 RUN_INCOMPLETE},
		{PART("stats.json", "{\"last_state.is_incomplete_run\": 0, \"a.b\": 2}"), RUN_OK},
		{PART("last_state", "is_incomplete_run: 0\n"), -1},
		{PART("last_state", ""), -1},
		{PART("stats.json", "{}"), -1},
		{PART("dmesg", "x"), -1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct lab l;
		int e = folder(&l, TREE(PARAMS) "/0", &cases[i].part, 1);

		assert_int_equal(e, cases[i].status < 0 ? E_INVALID : E_OK);
		if (e >= 0) {
			assert_int_equal(l.in.subs[0].status, cases[i].status);
			assert_int_equal(l.in.subs[0].nruns, 1);
		}
		lab_end(&l);
	}
}

static void faults_name_their_file(void **state)
{
	const struct import_part cut[] = {PART("stats.json", "{\"a.b\": 1,\n\"c\": ")};
	const struct import_part wrong[] = {PART("stats.json", "{\"a.b\": 1,\n\"c\": [2]}")};
	struct lab l;

	(void)state;
	assert_int_equal(folder(&l, TREE(PARAMS) "/0", cut, 1), E_INVALID);
	assert_string_equal(lab_fault(&l), "stats.json: line 2, column 6: it ends before its end");
	lab_end(&l);
	assert_int_equal(folder(&l, TREE(PARAMS) "/0", wrong, 1), E_INVALID);
	assert_string_equal(lab_fault(&l),
			    "stats.json: line 2: \"c\" must be a number, is an array");
	lab_end(&l);
	assert_int_equal(folder(&l, "/tmp/x", wrong, 0), E_INVALID);
	assert_non_null(strstr(lab_fault(&l), "has no stats.json"));
	lab_end(&l);
}

/* matrix.json stands for the runs that have no stats.json: 1 of 3. */
static void a_matrix_where_stats_are_missing(void **state)
{
	static const char matrix[] = "{\"hackbench.throughput\": [10, 11, 12], \"stats_source\": ["
				     "\"" TREE(PARAMS) "/0/stats.json\", \"" TREE(
					     PARAMS) "/1/stats.json\", \"2/stats.json\"]}";
	const struct import_part parts[] = {
		PART("matrix.json", matrix),
		{"0/stats.json", NULL, 0},
		{"2/stats.json", NULL, 0},
		PART("job.yaml", job),
	};
	struct lab l;

	(void)state;
	assert_int_equal(folder(&l, TREE(PARAMS), parts, 4), E_OK);
	assert_int_equal(l.in.n, 1);
	assert_string_equal(l.in.subs[0].key, KEY "/1");
	assert_true(lab_value(l.in.subs, 0, "hackbench.throughput") == 11);
	assert_string_equal(lab_axis(l.in.subs, "mode"), "process");
	lab_end(&l);

	/* without any stats.json: all of it, also the one whose source is told by its number */
	assert_int_equal(folder(&l, TREE(PARAMS), parts, 1), E_OK);
	assert_int_equal(l.in.n, 3);
	assert_string_equal(l.in.subs[2].key, KEY "/2");
	assert_string_equal(lab_axis(l.in.subs, "path_params"), PARAMS);
	lab_end(&l);
}

static void not_said_which_runs_a_matrix_has(void **state)
{
	const struct import_part parts[] = {
		PART("matrix.json", "{\"hackbench.throughput\": [10, 11]}"),
		{"0/stats.json", NULL, 0},
	};
	struct lab l;

	(void)state;
	assert_int_equal(folder(&l, TREE(PARAMS), parts, 2), E_OK);
	assert_int_equal(l.in.n, 0); /* one of them would be stored twice */
	lab_end(&l);
	assert_int_equal(folder(&l, TREE(PARAMS), parts, 1), E_OK);
	assert_int_equal(l.in.n, 1);
	assert_int_equal(l.in.subs[0].nruns, 2);
	lab_end(&l);
}

/* --- which keys are parameters --- */

static const char *params_of(struct arena *a, const char *yaml, const char *path_params,
			     bool *spelled)
{
	struct lkp_job j;
	struct lkp_scalar *list;
	struct pair *pairs;
	const char *text = "";
	size_t n;

	j.n = lkp_yaml_read(a, yaml, strlen(yaml), &list);
	j.list = list;
	lkp_params(a, &j, path_params, &pairs, &n, spelled);
	for (size_t i = 0; i < n; i++)
		text = arena_fmt(a, "%s%s%s=%s", text, i ? " " : "", pairs[i].name, pairs[i].value);
	return text;
}

static void params_spell_the_path(void **state)
{
	static const char fio[] = "suite: fio-basic\nid: 200G\n"
				  "disk: 2pmem\nfs: xfs\nmount_option: dax\nruntime: 200s\n"
				  "nr_task: 50%\ntime_based: tb\nqueue: int\n"
				  "fio-setup-basic:\n  rw: read\n  bs: 2M\n  ioengine: libaio\n"
				  "  test_size: 200G\n"
				  "cpufreq_governor: performance\nucode: '0x5002f01'\n";
	static const struct {
		const char *yaml, *path, *params;
		bool spelled;
	} cases[] = {
		/* as a mail has it */
		{fio, "2M-performance-2pmem-xfs-libaio-dax-50%-200s-read-200G-tb-ucode=0x5002f01",
		 "bs=2M cpufreq_governor=performance disk=2pmem fs=xfs ioengine=libaio "
		 "mount_option=dax nr_task=50% runtime=200s rw=read test_size=200G time_based=tb "
		 "ucode=0x5002f01",
		 true},
		/* in another order, as old paths are */
		{"test: unlink2\ncpufreq_governor: performance\n", "unlink2-performance",
		 "cpufreq_governor=performance test=unlink2", true},
		/* a name that nobody knows; a value with '-' in it */
		{"knob: a-b\nfs: ext4\n", "ext4-a-b", "fs=ext4 knob=a-b", true},
		/* cut and cleaned */
		{"test: a/b c_0123456789012345678901234567890\n", "a_b_c_0123456789012345678901234",
		 "test=a/b c_0123456789012345678901234567890", true},
		/* by chance: nr_node is no parameter, since it would have to stand last */
		{"nr_node: 4\nmode: x\ncpufreq_governor: performance\n", "performance-4-x",
		 "cpufreq_governor=performance mode=x", false},
		/* a piece that no key has */
		{"fs: ext4\ndisk: 1HDD\nother: x\n", "1HDD-ext4-unknown", "disk=1HDD fs=ext4",
		 false},
		/* no path: known names alone */
		{"fs: ext4\nother: x\ncommit: 1234567\n", NULL, "fs=ext4", false},
		{"fs: ext4\n", "defaults", "fs=ext4", false},
		{"", "ext4", "", false},
		/* never what names the run */
		{"commit: ext4\nid: ext4\n_rt: ext4\n", "ext4", "", false},
		/* a value counts once */
		{"fs: ext4\n", "ext4-ext4", "fs=ext4", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		auto_arena struct arena *a = arena_new();
		bool spelled;

		assert_string_equal(params_of(a, cases[i].yaml, cases[i].path, &spelled),
				    cases[i].params);
		assert_int_equal(spelled, cases[i].spelled);
	}
}

/* Many keys of one value, in a path of that value alone: it ends, whatever it finds. */
static void params_of_a_hostile_job(void **state)
{
	auto_arena struct arena *a = arena_new();
	const char *yaml = "", *path = "1";
	bool spelled;

	(void)state;
	for (int i = 0; i < 60; i++)
		yaml = arena_fmt(a, "%skey%d: 1\n", yaml, i);
	for (int i = 0; i < 90; i++)
		path = arena_fmt(a, "%s-1", path);
	params_of(a, yaml, path, &spelled);
	assert_false(spelled);
	params_of(a, yaml, arena_fmt(a, "%s-%s", path, path), &spelled);
	assert_false(spelled);
}

/* --- YAML --- */

static const char *yaml_of(struct arena *a, const char *yaml, size_t len)
{
	struct lkp_scalar *list;
	const char *text = "";
	size_t n = lkp_yaml_read(a, yaml, len, &list);

	for (size_t i = 0; i < n; i++)
		text = arena_fmt(a, "%s%s%s.%s=%s", text, i ? " " : "",
				 list[i].parent ? list[i].parent : "", list[i].key, list[i].value);
	return text;
}

static void yaml_is_a_subset(void **state)
{
	static const struct {
		const char *yaml, *holds;
	} cases[] = {
		{"a: 1\nb: two words # not this\n", ".a=1 .b=two words"},
		{"a: 'it''s'\nb: \"x \\\"y\\\"\" # c\n'c d': 5\n", ".a=it's .b=x \"y\" .c d=5"},
		{"a:\n  b: 1\n  c:\n    d: 2\n  e: 3\nf: 4\n", "a.b=1 c.d=2 a.e=3 .f=4"},
		{"a:\n- x\n- y: 1\n  z: 2\nb: 1\n", ".b=1"},
		{"a: |\n  b: 1\n\n  c: 2\nd: 3\n", ".d=3"},
		{"a: >-\n  b: 1\nd: 3\n", ".d=3"},
		{"a: goes\n  on: here\nb: 1\n", ".b=1"},
		{"a: \"open\n  b: 1\"\nc: 2\n", ".c=2"},
		{"a: {b: 1}\nc: [1, 2]\nd: *e\nf: &g 1\nh: !x y\nd2: 4\n", ".f=1 .d2=4"},
		{"a: &x 1\nb: *x\nc: *y\nd: 2\n", ".a=1 .b=1 .d=2"},
		{"a: &x\n  b: &y 'q' # c\nc: *x\nd: *y\n", "a.b=q .d=q"},
		{"a: &x 1\nb: &x 2\nc: *x\n", ".a=1 .b=2 .c=2"},
		{"a: &x goes\n  on: here\nb: *x\nc: &\nd: *\ne: *x f\n", ""},
		{"a: &x [1]\nb: *x\nc: &z |\n  d: 1\ne: *z\n", ""},
		{"\xef\xbb\xbf"
		 "a: 1\n",
		 ".a=1"},
		{"a: ~\nb: null\nc:\nd: 1\n", ".d=1"},
		{"http://x: 1\nt: 12:30:15\n", ".http://x=1 .t=12:30:15"},
		{"a: 1\r\nb: 2\r\n", ".a=1 .b=2"},
		{"a: 1\nb: cut", ".a=1"},
		{"no colon\n a: 1\n- b\n: c\nd: 1\n", ".d=1"},
		{"a: \x01\nb: \xff\nc: 1\n", ".c=1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		auto_arena struct arena *a = arena_new();

		assert_string_equal(yaml_of(a, cases[i].yaml, strlen(cases[i].yaml)),
				    cases[i].holds);
	}
}

static void yaml_is_bounded(void **state)
{
	auto_arena struct arena *a = arena_new();
	struct lkp_scalar *list;
	size_t n = 0, cap = 400000;
	char *text = malloc(cap);

	(void)state;
	assert_non_null(text);
	for (int i = 0; i < 20000; i++)
		n += (size_t)snprintf(text + n, cap - n, "key%d: %d\n", i, i);
	assert_int_equal(lkp_yaml_read(a, text, n, &list), 10000);
	n = 0;
	for (int i = 0; i < 200; i++)
		n += (size_t)snprintf(text + n, cap - n, "%*sk:\n", i, "");
	assert_int_equal(lkp_yaml_read(a, text, n, &list), 0);
	free(text);
}

/* Whatever is cut from a job, the run lands under the same parameters or under path_params. */
static void a_cut_job_makes_no_other_series(void **state)
{
	(void)state;
	for (size_t n = 0; n < sizeof(job); n++) {
		char *cut = malloc(n + 1);
		struct lab l;

		assert_non_null(cut);
		memcpy(cut, job, n);
		const struct import_part parts[] = {PART("stats.json", "{\"hackbench.t\": 1}"),
						    {"job.yaml", cut, n}};
		assert_int_equal(folder(&l, TREE(PARAMS) "/3", parts, 2), E_OK);
		const struct submission *s = l.in.subs;
		bool whole = strcmp(lab_axis(s, "nr_threads"), "100%") == 0 &&
			     strcmp(lab_axis(s, "cpufreq_governor"), "performance") == 0;
		assert_string_equal(lab_axis(s, "nr_node"), "");
		assert_true(whole || strcmp(lab_axis(s, "path_params"), PARAMS) == 0);
		assert_string_equal(s->key, KEY "/3");
		assert_string_equal(s->commit.id, COMMIT);
		lab_end(&l);
		free(cut);
	}
}

static void places(void **state)
{
	static const struct {
		const char *path;
		bool is_run;
	} cases[] = {
		{TREE(PARAMS) "/0", true},
		{TREE(PARAMS) "/0/", true},
		{"t/p/b/r/k/c/" COMMIT "/12", true},
		{"/t/p/b/r/k/c/v6.5-rc1/999999", true},
		{TREE(PARAMS) "/00", false},
		{TREE(PARAMS) "/x", false},
		{TREE(PARAMS) "/1234567", false},
		{"/p/b/r/k/c/" COMMIT "/0", false},
		{"/t/../b/r/k/c/" COMMIT "/0", false},
		{"/t/p/b/r/k/c/bad name/0", false},
		{"", false},
		{"/", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		auto_arena struct arena *a = arena_new();
		struct lkp_place p;

		assert_int_equal(lkp_place_of_run(a, cases[i].path, &p), cases[i].is_run);
	}
	auto_arena struct arena *a = arena_new();
	assert_string_equal(lkp_group_of_host(a, "lkp-icl-2sp2-17"), "lkp-icl-2sp2");
	assert_string_equal(lkp_group_of_host(a, "lkp-icl-2sp2"), "lkp-icl-2sp2");
	assert_string_equal(lkp_group_of_host(a, "-1"), "-1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_under_its_true_parameters),
		cmocka_unit_test(without_a_job_the_parameters_are_one_axis),
		cmocka_unit_test(a_folder_out_of_its_tree),
		cmocka_unit_test(incomplete_runs),
		cmocka_unit_test(faults_name_their_file),
		cmocka_unit_test(a_matrix_where_stats_are_missing),
		cmocka_unit_test(not_said_which_runs_a_matrix_has),
		cmocka_unit_test(params_spell_the_path),
		cmocka_unit_test(params_of_a_hostile_job),
		cmocka_unit_test(yaml_is_a_subset),
		cmocka_unit_test(yaml_is_bounded),
		cmocka_unit_test(a_cut_job_makes_no_other_series),
		cmocka_unit_test(places),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("lkp_result", tests, NULL, NULL);
}
