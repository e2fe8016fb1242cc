/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Series: classes of axes, digests (expected ones by Python's hashlib.blake2b), look-up, relatives,
 * and the map of what was measured. */
#include "db/series.h"

#include "tests/unit/db_lab.h"

#include "server/base/clock.h"

static void classes_of_axes(void **state)
{
	(void)state;
	assert_int_equal(axis_class_of("tbox_group"), AXIS_MACHINE);
	assert_int_equal(axis_class_of("ucode"), AXIS_MACHINE);
	assert_int_equal(axis_class_of("kconfig"), AXIS_BUILD);
	assert_int_equal(axis_class_of("compiler"), AXIS_BUILD);
	assert_int_equal(axis_class_of("rootfs"), AXIS_BUILD);
	assert_int_equal(axis_class_of("testcase"), AXIS_TEST);
	assert_int_equal(axis_class_of("debug-setup"), AXIS_TEST);
	assert_int_equal(axis_class_of(""), AXIS_TEST);
}

static const struct pair six[] = {
	{"compiler", "gcc-12"},         {"kconfig", "x86_64-rhel-8.3"}, {"mode", "process"},
	{"tbox_group", "lkp-icl-2sp2"}, {"testcase", "hackbench"},      {"ucode", "0xd000389"},
};

static int64_t ensure(struct db_lab *l, const struct pair *axes, size_t n)
{
	struct submission sub = {.axes = axes, .naxes = n};
	struct series of = {.axes = axes, .naxes = n};
	int64_t id = 0;

	sub.testcase = series_axis(&of, "testcase");
	sub.tbox_group = series_axis(&of, "tbox_group");
	lab_begin(l);
	assert_int_equal(series_ensure(&l->c, &sub, l->now, &id), E_OK);
	lab_commit(l);
	assert_true(id > 0);
	return id;
}

/* six with one or two values changed. */
static int64_t ensure_like(struct db_lab *l, const char *name, const char *value, const char *name2,
			   const char *value2)
{
	struct pair axes[6];

	memcpy(axes, six, sizeof(axes));
	for (size_t i = 0; i < 6; i++) {
		if (name && !strcmp(axes[i].name, name))
			axes[i].value = value;
		if (name2 && !strcmp(axes[i].name, name2))
			axes[i].value = value2;
	}
	return ensure(l, axes, 6);
}

SQL(test_peer_digest,
    "SELECT count(*) FROM series WHERE peer_digest = "
    "'df82cabf7ac0dc39ac12baec6c31b1bd' AND test_digest = '06a65be21ac4525c7bae4218808dc537'")

static void digests_are_blake2b(void **state)
{
	struct db_lab *l = *state;
	struct series s;
	int64_t id = ensure(l, six, 6);

	assert_int_equal(ensure(l, six, 6), id);
	assert_int_equal(series_get_id(&l->c, id, &s), E_OK);
	assert_int_equal(series_count(&l->c, &s), E_OK);
	assert_string_equal(s.digest, "8ff1448430eeabe68ed814e15d516223");
	assert_int_equal(lab_number(l, &test_peer_digest), 1);
	assert_string_equal(s.testcase, "hackbench");
	assert_string_equal(s.tbox_group, "lkp-icl-2sp2");
	assert_int_equal(s.naxes, 6);
	assert_string_equal(s.axes[1].name, "kconfig");
	assert_string_equal(series_axis(&s, "mode"), "process");
	assert_null(series_axis(&s, "nr_threads"));
	assert_int_equal(s.commits + s.runs + s.metrics, 0);
	assert_true(s.last_upload == TIME_NONE);
}

static void found_by_number_or_digest(void **state)
{
	struct db_lab *l = *state;
	struct series s;
	int64_t id = ensure(l, six, 6);

	assert_int_equal(series_get(&l->c, "1", &s), E_OK);
	assert_int_equal(s.id, id);
	assert_int_equal(series_get(&l->c, "8ff1448430eeabe68ed814e15d516223", &s), E_OK);
	assert_int_equal(series_get(&l->c, "8ff14484", &s), E_OK);
	assert_int_equal(series_get(&l->c, "8FF1448430EE", &s), E_OK);
	static const struct {
		const char *ref;
		int e;
	} bad[] = {
		{"2", E_NOTFOUND},
		{"9999999", E_NOTFOUND},
		{"10000000", E_NOTFOUND}, /* eight digits: the beginning of a digest */
		{"8ff1448", E_INVALID},
		{"", E_INVALID},
		{"-1", E_INVALID},
		{"xyzxyzxyz", E_INVALID},
		{"8ff1448430eeabe68ed814e15d5162230", E_INVALID}, /* 33 digits */
	};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ctx_clear(&l->c);
		assert_int_equal(series_get(&l->c, bad[i].ref, &s), bad[i].e);
		assert_true(strlen(l->c.detail) > 10);
	}
	lab_exec(l, "INSERT INTO series (digest, peer_digest, test_digest, testcase, tbox_group, "
		    "created)"
		    " VALUES ('ffffffff000000000000000000000001', '', '', 't', 'b', 0),"
		    " ('ffffffff000000000000000000000002', '', '', 't', 'b', 0)");
	ctx_clear(&l->c);
	assert_int_equal(series_get(&l->c, "ffffffff", &s), E_AMBIGUOUS);
	ctx_clear(&l->c);
	assert_int_equal(series_get(&l->c, "ffffffff000000000000000000000002", &s), E_OK);
}

static void relatives(void **state)
{
	struct db_lab *l = *state;
	struct series s, *r;
	size_t n;
	int64_t id = ensure(l, six, 6);
	int64_t other_box = ensure_like(l, "tbox_group", "lkp-skl-d01", "ucode", "0xf0");
	int64_t other_ucode = ensure_like(l, "ucode", "0xd0003a5", NULL, NULL);
	int64_t other_compiler = ensure_like(l, "compiler", "clang-18", NULL, NULL);

	ensure_like(l, "mode", "threads", NULL, NULL);
	ensure_like(l, "tbox_group", "lkp-skl-d01", "compiler", "clang-18");
	assert_int_equal(series_get_id(&l->c, id, &s), E_OK);
	assert_int_equal(series_count(&l->c, &s), E_OK);
	assert_int_equal(series_peers(&l->c, &s, &r, &n), E_OK);
	assert_int_equal(n, 1);
	assert_int_equal(r[0].id, other_box);
	assert_int_equal(series_neighbours(&l->c, &s, &r, &n), E_OK);
	assert_int_equal(n, 2);
	assert_int_equal(r[0].id, other_ucode);
	assert_int_equal(r[1].id, other_compiler);
}

static void lists_by_axes(void **state)
{
	struct db_lab *l = *state;
	struct pair by[] = {{"testcase", "hackbench"}, {"mode", "threads"}, {"compiler", "gcc-12"}};
	struct series *r;
	size_t n;

	ensure(l, six, 6);
	ensure_like(l, "mode", "threads", NULL, NULL);
	int64_t want = ensure_like(l, "mode", "threads", "ucode", "0x1");
	ensure_like(l, "mode", "threads", "compiler", "clang-18");
	assert_int_equal(series_list(&l->c, NULL, 0, 0, 10, &r, &n), E_OK);
	assert_int_equal(n, 4);
	assert_int_equal(series_list(&l->c, NULL, 0, 1, 2, &r, &n), E_OK);
	assert_int_equal(n, 2);
	assert_int_equal(r[0].id, 2);
	assert_int_equal(series_list(&l->c, by, 1, 0, 10, &r, &n), E_OK);
	assert_int_equal(n, 4);
	assert_int_equal(series_list(&l->c, by, 2, 0, 10, &r, &n), E_OK);
	assert_int_equal(n, 3);
	assert_int_equal(series_list(&l->c, by, 3, 2, 10, &r, &n), E_OK);
	assert_int_equal(n, 1);
	assert_int_equal(r[0].id, want);
	assert_int_equal(series_list(&l->c, by, 3, 0, 1, &r, &n), E_OK);
	assert_int_equal(n, 1);
	assert_int_equal(r[0].id, 2);
	by[1].value = "' OR 1=1 --";
	assert_int_equal(series_list(&l->c, by, 2, 0, 10, &r, &n), E_OK);
	assert_int_equal(n, 0);
}

static void add(struct db_lab *l, int64_t series, int64_t commit, int64_t runs, int64_t failed,
		int64_t now)
{
	struct measured m = {
		.series_id = series, .commit_id = commit, .runs = runs, .failed = failed};

	lab_begin(l);
	assert_int_equal(measured_add(&l->c, &m, now), E_OK);
	lab_commit(l);
}

static void map_of_what_was_measured(void **state)
{
	struct db_lab *l = *state;
	struct series s;
	struct measured *m;
	int64_t *ids, others[] = {2, 3};
	size_t n;

	for (char box[] = "box-0"; box[4] < '4'; box[4]++)
		ensure_like(l, "tbox_group", box, NULL, NULL);
	lab_exec(l, "INSERT INTO commits (name, tree, kind, first_received) VALUES"
		    " ('aaaaaaa', '', 1, 0), ('bbbbbbb', '', 1, 0), ('ccccccc', '', 1, 0)");
	add(l, 1, 1, 3, 0, 100);
	add(l, 1, 1, 2, 1, 200);
	add(l, 1, 1, 1, 0, 150); /* a clock that went back */
	add(l, 1, 3, 1, 0, 300);
	add(l, 2, 1, 1, 0, 100);
	add(l, 3, 2, 0, 1, 100);
	add(l, 3, 1, 1, 0, 100);
	add(l, 4, 2, 1, 0, 100);

	assert_int_equal(measured_of_series(&l->c, 1, 10, &m, &n), E_OK);
	assert_int_equal(n, 2);
	assert_int_equal(m[0].runs, 6);
	assert_int_equal(m[0].failed, 1);
	assert_int_equal(m[0].first_received, 100);
	assert_int_equal(m[0].last_received, 200);
	assert_int_equal(m[1].commit_id, 3);
	assert_int_equal(measured_of_commit(&l->c, 1, 2, &m, &n), E_OK);
	assert_int_equal(n, 2);
	assert_int_equal(m[1].series_id, 2);
	assert_int_equal(series_get_id(&l->c, 1, &s), E_OK);
	assert_int_equal(series_count(&l->c, &s), E_OK);
	assert_int_equal(s.commits, 2);
	assert_int_equal(s.runs, 7);
	assert_int_equal(s.last_upload, 300);

	assert_int_equal(series_shared(&l->c, 1, others, 2, 0, 10, &ids, &n), E_OK);
	assert_int_equal(n, 2); /* 2 has the base alone, 4 lacks it */
	assert_int_equal(ids[0], 1);
	assert_int_equal(ids[1], 3);
	assert_int_equal(series_shared(&l->c, 1, others, 2, 1, 10, &ids, &n), E_OK);
	assert_int_equal(n, 1);
	assert_int_equal(series_shared(&l->c, 1, others, 1, 0, 1, &ids, &n), E_OK);
	assert_int_equal(ids[0], 3);
	assert_int_equal(series_shared(&l->c, 1, NULL, 0, 0, 10, &ids, &n), E_OK);
	assert_int_equal(n, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes_of_axes),
		LAB_TEST(digests_are_blake2b),
		LAB_TEST(found_by_number_or_digest),
		LAB_TEST(relatives),
		LAB_TEST(lists_by_axes),
		LAB_TEST(map_of_what_was_measured),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("series", tests, NULL, NULL);
}
