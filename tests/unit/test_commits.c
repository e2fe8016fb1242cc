/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commits: the grammar of names, stubs and how they become full, refs and trees, texts of several
 * uploads, parents and walks over them. */
#include "db/commits.h"

#include "tests/unit/db_lab.h"

#include "server/base/clock.h"

#define FULL_A "7bc162d5cc4de5c33c570dba48a03ebea54b10fd"
#define FULL_B "7bc162d5ffffffffffffffffffffffffffffffff"
#define FULL_C "a0fd217e6d6fbd23e91f8796787b621e7d576088"

static void grammar_of_names(void **state)
{
	static const struct {
		const char *name;
		bool valid, hex;
	} names[] = {
		{FULL_A, true, true},
		{"7bc162d", true, true},
		{"7BC162D", true, true},
		{"7bc162", false, true},
		{FULL_A "0", false, true},
		{"v5.7-rc1", true, false},
		{"vbabka/slab-6.5", true, false},
		{"v5", false, false},
		{"main", false, false},
		{"v5..6", false, false},
		{"v5 6", false, false},
		{"v5\t6", false, false},
		{"v5~6", false, false},
		{"v5^6", false, false},
		{"v5:6", false, false},
		{"v5?6", false, false},
		{"v5*6", false, false},
		{"v5[6", false, false},
		{"v5\\6", false, false},
		{"v5@{6", false, false},
		{"/v5.6", false, false},
		{"v5.6/", false, false},
		{"v5//6", false, false},
		{"v5.6.lock", false, false},
		{"v5.lock/6", false, false},
		{"v5.6.", false, false},
		{".v5.6", false, false},
		{"v5/.6", false, false},
		{"-v5.6", false, false},
		{"v5.\x7f", false, false},
		{"v5.\xff", false, false},
		{"v5.\xc3\xa4", true, false},
		{"v5@6", true, false},
		{"", false, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		bool hex = false;

		if (commit_name_valid(names[i].name, &hex) != names[i].valid || hex != names[i].hex)
			fail_msg("%s", names[i].name);
	}
	char name[258];
	bool hex;
	memset(name, 'v', sizeof(name));
	name[0] = '1';
	name[256] = '\0';
	assert_false(commit_name_valid(name, &hex));
	name[255] = '\0';
	assert_true(commit_name_valid(name, &hex));
}

static int64_t ensure_in(struct db_lab *l, struct commit_in in)
{
	int64_t id = 0, build;

	assert_true(commit_name_valid(in.id, &in.is_hex));
	lab_begin(l);
	assert_int_equal(commit_ensure(&l->c, &in, l->now, &id, &build), E_OK);
	lab_commit(l);
	l->now += 60;
	assert_int_equal(build, -1);
	return id;
}

#define NOTHING .date = TIME_NONE, .author = {.date = TIME_NONE}, .committer = {.date = TIME_NONE}

static int64_t ensure(struct db_lab *l, const char *name)
{
	return ensure_in(l, (struct commit_in){.id = name, NOTHING});
}

static int64_t ensure_child(struct db_lab *l, const char *name, const char *const *parents,
			    size_t n)
{
	return ensure_in(
		l, (struct commit_in){.id = name, .parents = parents, .nparents = n, NOTHING});
}

/* The row that is asked for, or the error. */
static int64_t resolve(struct db_lab *l, const char *asked)
{
	struct commit k;
	int e;

	ctx_clear(&l->c);
	e = commit_resolve(&l->c, asked, &k, NULL);
	return e < 0 ? e : k.id;
}

static void prefixes_and_exact_names(void **state)
{
	struct db_lab *l = *state;
	struct commit_list many;
	struct commit k;
	int64_t a = ensure(l, FULL_A), b = ensure(l, FULL_B);

	assert_int_equal(resolve(l, FULL_A), a);
	assert_int_equal(resolve(l, "7BC162D5CC4D"), a);
	assert_int_equal(resolve(l, "7bc162d5f"), b);
	assert_int_equal(resolve(l, "7bc162d"), E_AMBIGUOUS);
	assert_int_equal(resolve(l, "7bc162"), E_INVALID);
	assert_int_equal(resolve(l, FULL_C), E_NOTFOUND);
	assert_int_equal(resolve(l, "a0fd217"), E_NOTFOUND);
	assert_non_null(strstr(l->c.detail, "a0fd217"));
	ctx_clear(&l->c);
	assert_int_equal(commit_resolve(&l->c, "7bc162d", &k, &many), E_AMBIGUOUS);
	assert_int_equal(many.n, 2);
	assert_int_equal(many.commits[0].id, a);
	assert_int_equal(many.commits[1].id, b);

	/* An ambiguous short id is a stub of its own, and then its own exact name. */
	int64_t stub = ensure(l, "7bc162d");
	assert_true(stub != a && stub != b);
	assert_int_equal(ensure(l, "7bc162d"), stub);
	assert_int_equal(resolve(l, "7bc162d"), stub);
	assert_int_equal(commit_get(&l->c, stub, &k), E_OK);
	assert_int_equal(k.kind, COMMIT_STUB);
	/* A third full id that it begins does not make it clear which was meant. */
	assert_true(ensure(l, "7bc162d5aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa") != stub);
	assert_int_equal(resolve(l, "7bc162d"), stub);
	/* One that fits a single full id is that commit, and stays it when a second comes. */
	assert_int_equal(ensure(l, "7bc162d5cc4d"), a);
	assert_true(ensure(l, "7bc162d5cc4d0000000000000000000000000000") != a);
	assert_int_equal(ensure(l, "7bc162d5cc4d"), a);
	assert_int_equal(resolve(l, "7bc162d5cc4d"), a);
	assert_int_equal(resolve(l, "7bc162d5cc4"), E_AMBIGUOUS);
}

SQL(test_alias, "SELECT commit_id FROM commit_alias WHERE name = 'a0fd217e6d' AND tree = ''")

static void stub_becomes_full(void **state)
{
	struct db_lab *l = *state;
	struct commit k;
	int64_t stub = ensure(l, "a0fd217e6d");

	/* Asked for by its full id before that was uploaded, the stub is what there is. */
	assert_int_equal(resolve(l, FULL_C), stub);
	assert_int_equal(resolve(l, "a0fd217e6d6f"), E_NOTFOUND);
	assert_int_equal(ensure(l, FULL_C), stub);
	assert_int_equal(commit_get(&l->c, stub, &k), E_OK);
	assert_string_equal(k.name, FULL_C);
	assert_int_equal(k.kind, COMMIT_FULL);
	assert_string_equal(commit_short(l->c.arena, &k), "a0fd217e6d6f");
	assert_int_equal(lab_number(l, &test_alias), stub);
	assert_int_equal(ensure(l, "a0fd217e6d"), stub);
	assert_int_equal(resolve(l, "a0fd217"), stub);
	/* The alias keeps meaning it although another id begins so. */
	int64_t other = ensure(l, "a0fd217e6d000000000000000000000000000000");
	assert_true(other != stub);
	assert_int_equal(resolve(l, "a0fd217e6d"), stub);
	assert_int_equal(resolve(l, "a0fd217e6d6"), stub);
	assert_int_equal(resolve(l, "a0fd217e6"), E_AMBIGUOUS);
}

static void two_stubs_never_merge(void **state)
{
	struct db_lab *l = *state;
	int64_t shorter = ensure(l, "a0fd217"), longer = ensure(l, "a0fd217e6d");

	assert_true(shorter != longer);
	int64_t full = ensure(l, FULL_C);
	assert_true(full != shorter && full != longer);
	assert_int_equal(resolve(l, "a0fd217"), shorter);
	assert_int_equal(resolve(l, "a0fd217e6d"), longer);
	assert_int_equal(resolve(l, FULL_C), full);
}

static void longer_stub_makes_a_short_id_unclear(void **state)
{
	struct db_lab *l = *state;
	int64_t a = ensure(l, FULL_A), other = ensure(l, "7bc162d5ff");
	int64_t fresh = ensure(l, "7bc162d");

	assert_true(fresh != a && fresh != other);
}

static void refs_live_in_trees(void **state)
{
	struct db_lab *l = *state;
	struct commit_list many;
	struct commit k;
	int64_t none = ensure(l, "v5.7-rc1");
	int64_t next = ensure_in(l, (struct commit_in){.id = "next-1", .tree = "next", NOTHING});

	assert_int_equal(resolve(l, "v5.7-rc1"), none);
	assert_int_equal(resolve(l, "v5.7"), E_NOTFOUND);
	assert_int_equal(resolve(l, "next-1"), next);
	int64_t mine = ensure_in(l, (struct commit_in){.id = "next-1", .tree = "mine", NOTHING});
	assert_true(mine != next);
	assert_int_equal(ensure_in(l, (struct commit_in){.id = "next-1", .tree = "next", NOTHING}),
			 next);
	ctx_clear(&l->c);
	assert_int_equal(commit_resolve(&l->c, "next-1", &k, &many), E_AMBIGUOUS);
	assert_int_equal(many.n, 2);
	assert_string_equal(many.commits[0].tree, "next");
	assert_int_equal(commit_get(&l->c, mine, &k), E_OK);
	assert_int_equal(k.kind, COMMIT_REF);
	assert_string_equal(commit_short(l->c.arena, &k), "next-1");
	assert_string_equal(k.trees, "mine");
}

static void first_text_wins(void **state)
{
	struct db_lab *l = *state;
	struct commit k;
	struct commit_in in = {.id = FULL_A, .tree = "linus", .subject = "", NOTHING};
	int64_t id;

	in.author.name = "A";
	in.author.date = 5;
	id = ensure_in(l, in);
	in = (struct commit_in){.id = FULL_A,
				.tree = "vbabka/slab",
				.subject = "first",
				.label = "the test patch",
				NOTHING};
	in.date = 7;
	in.author.name = "B";
	in.author.email = "b@example.org";
	in.patch = (struct patch_in){
		.given = true, .message_id = "<1@x>", .version = 2, .index = -1, .total = -1};
	ensure_in(l, in);
	in.subject = "second";
	in.message = "second\n\nbody";
	in.label = NULL;
	in.date = 8;
	in.patch = (struct patch_in){.given = true,
				     .message_id = "<2@x>",
				     .version = 3,
				     .index = 1,
				     .total = 4,
				     .base = "v6.4",
				     .diff = "+x"};
	assert_int_equal(ensure_in(l, in), id);

	assert_int_equal(commit_get(&l->c, id, &k), E_OK);
	assert_string_equal(k.subject, "first");
	assert_string_equal(k.message, "second\n\nbody");
	assert_string_equal(k.label, "the test patch");
	assert_string_equal(k.author.name, "A");
	assert_null(k.author.email);
	assert_int_equal(k.author.date, 5);
	assert_int_equal(k.date, 7);
	assert_string_equal(k.trees, "linus, vbabka/slab");
	assert_int_equal(k.first_received, LAB_TIME);
	assert_true(k.patch.given);
	assert_string_equal(k.patch.message_id, "<1@x>");
	assert_int_equal(k.patch.version, 2);
	assert_int_equal(k.patch.index, 1);
	assert_int_equal(k.patch.total, 4);
	assert_string_equal(k.patch.base, "v6.4");
	assert_string_equal(k.patch.diff, "+x");
}

#define ID(c) c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c

static void parents_and_walks(void **state)
{
	struct db_lab *l = *state;
	static const char *const of_b[] = {ID("a")}, *const of_d[] = {ID("b"), "ccccccc"};
	static const char *const wrong[] = {ID("e")}, *const of_e[] = {ID("d"), ID("e")};
	static const char *const of_a[] = {ID("e")};
	int64_t b = ensure_child(l, ID("b"), of_b, 1), d = ensure_child(l, ID("d"), of_d, 2);
	int64_t e = ensure_child(l, ID("e"), of_e, 2), a = resolve(l, ID("a"));
	int64_t c = resolve(l, "ccccccc");
	struct commit *list;
	size_t n;
	bool is;

	ensure_child(l, ID("d"), wrong, 1); /* the first list stays */
	assert_int_equal(commit_parents(&l->c, d, &list, &n), E_OK);
	assert_int_equal(n, 2);
	assert_int_equal(list[0].id, b);
	assert_int_equal(list[1].id, c);
	assert_int_equal(list[1].kind, COMMIT_STUB);
	assert_int_equal(commit_parents(&l->c, e, &list, &n), E_OK);
	assert_int_equal(n, 1); /* not its own parent */
	assert_int_equal(commit_children(&l->c, b, &list, &n), E_OK);
	assert_int_equal(n, 1);
	assert_int_equal(list[0].id, d);

	assert_int_equal(resolve(l, "ddddddd^"), b);
	assert_int_equal(resolve(l, "ddddddd^2"), c);
	assert_int_equal(resolve(l, "ddddddd^0"), d);
	assert_int_equal(resolve(l, "ddddddd~"), b);
	assert_int_equal(resolve(l, "eeeeeee~3"), a);
	assert_int_equal(resolve(l, "eeeeeee^^~1"), a);
	assert_int_equal(resolve(l, "eeeeeee^2"), E_NOTFOUND);
	assert_int_equal(resolve(l, "aaaaaaa^"), E_NOTFOUND);
	assert_int_equal(resolve(l, "ccccccc~2"), E_NOTFOUND);
	static const char *const bad[] = {"ddddddd^^^^^^^^^^^^^^^^^",
					  "ddddddd~10001",
					  "ddddddd~99999999999999999999",
					  "ddddddd^{/x}",
					  "ddddddd^-1",
					  "ddddddd~1x",
					  "^ddddddd",
					  ":/text",
					  "HEAD",
					  "--all1",
					  "",
					  "ddddddd^{commit}",
					  "../../etc/passwd1",
					  "ddddddd ^"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (resolve(l, bad[i]) != E_INVALID)
			fail_msg("%s", bad[i]);

	ctx_clear(&l->c);
	assert_int_equal(commit_is_ancestor(&l->c, a, e, &is), E_OK);
	assert_true(is);
	assert_int_equal(commit_is_ancestor(&l->c, c, e, &is), E_OK);
	assert_true(is);
	assert_int_equal(commit_is_ancestor(&l->c, e, a, &is), E_OK);
	assert_false(is);
	assert_int_equal(commit_is_ancestor(&l->c, c, b, &is), E_OK);
	assert_false(is);
	assert_int_equal(commit_is_ancestor(&l->c, a, a, &is), E_OK);
	assert_false(is);
	ensure_child(l, ID("a"), of_a, 1); /* round in a circle */
	assert_int_equal(resolve(l, "aaaaaaa~10000") > 0, 1);
	assert_int_equal(commit_is_ancestor(&l->c, c, b, &is), E_OK);
	assert_true(is); /* b < a < e < d < c */
	assert_int_equal(commit_is_ancestor(&l->c, 999, b, &is), E_OK);
	assert_false(is);
}

static void nearest_measured_ancestor(void **state)
{
	struct db_lab *l = *state;
	static const char *const of_b[] = {ID("a")}, *const of_c[] = {ID("b")};
	int64_t b = ensure_child(l, ID("b"), of_b, 1), k = ensure_child(l, ID("c"), of_c, 1),
		at = 0;
	int64_t a = resolve(l, ID("a"));
	char *sql;

	sql = arena_fmt(
		l->c.arena,
		"INSERT INTO series (digest, peer_digest, test_digest, testcase, tbox_group, "
		"created)"
		" VALUES ('d', '', '', 't', 'b', 0);"
		"INSERT INTO measured VALUES (1, %d, 0, 1, 0, 0, 0), (1, %d, 0, 0, 1, 0, 0)",
		(int)b, (int)a); /* b has a failed run, a a summary */
	lab_exec(l, sql);
	assert_int_equal(commit_measured_ancestor(&l->c, k, 1, &at), E_OK);
	assert_int_equal(at, a);
	assert_int_equal(commit_measured_ancestor(&l->c, a, 1, &at), E_NOTFOUND);
	ctx_clear(&l->c);
	assert_int_equal(commit_measured_ancestor(&l->c, k, 2, &at), E_NOTFOUND);
}

static void builds_are_kept_once(void **state)
{
	struct db_lab *l = *state;
	struct warning w[] = {{"mm/slub.c", "unused variable", 12, -1}, {NULL, "modpost", -1, -1}};
	struct commit_in in = {.id = FULL_A, .is_hex = true, NOTHING};
	int64_t id, first, again, other;
	struct build *builds;
	size_t n;

	in.build = (struct build_in){.given = true,
				     .config = "x86_64-rhel-8.3",
				     .status = "ok",
				     .warnings = w,
				     .nwarnings = 2};
	lab_begin(l);
	assert_int_equal(commit_ensure(&l->c, &in, 100, &id, &first), E_OK);
	assert_int_equal(commit_ensure(&l->c, &in, 200, &id, &again), E_OK);
	in.build.nwarnings = 1;
	assert_int_equal(commit_ensure(&l->c, &in, 300, &id, &other), E_OK);
	lab_commit(l);
	assert_int_equal(first, again);
	assert_true(other != first);
	assert_int_equal(commit_builds(&l->c, id, &builds, &n), E_OK);
	assert_int_equal(n, 2);
	assert_string_equal(builds[0].config, "x86_64-rhel-8.3");
	assert_null(builds[0].compiler);
	assert_int_equal(builds[0].received, 100);
	assert_int_equal(builds[0].nwarnings, 2);
	assert_string_equal(builds[0].warnings[0].file, "mm/slub.c");
	assert_int_equal(builds[0].warnings[0].line, 12);
	assert_int_equal(builds[0].warnings[0].column, -1);
	assert_string_equal(builds[0].warnings[1].message, "modpost");
	assert_int_equal(builds[1].nwarnings, 1);
}

static void searched_by_name_subject_and_mail(void **state)
{
	struct db_lab *l = *state;
	struct commit *list;
	size_t n;
	struct commit_in in = {.id = FULL_A, .subject = "Optimize 100% of SLUB", NOTHING};
	int64_t a = ensure_in(l, in), v = ensure(l, "v6.1-rc2");

	in = (struct commit_in){.id = FULL_C, .subject = "other", NOTHING};
	in.patch = (struct patch_in){
		.given = true, .message_id = "<Mail.1@x>", .version = -1, .index = -1, .total = -1};
	int64_t c = ensure_in(l, in);
	static const struct {
		const char *text;
		size_t n;
	} cases[] = {{"7BC162", 1}, {"slub", 1}, {"100%", 1}, {"mail.1@", 1},
		     {"v6.1", 1},   {"_", 0},    {"o", 2},    {"", 0}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(commit_search(&l->c, cases[i].text, 10, &list, &n), E_OK);
		if (n != cases[i].n)
			fail_msg("%s: %zu", cases[i].text, n);
	}
	assert_int_equal(commit_search(&l->c, "o", 10, &list, &n), E_OK);
	assert_int_equal(list[0].id, c);
	assert_int_equal(list[1].id, a);
	assert_int_equal(commit_search(&l->c, "v6", 10, &list, &n), E_OK);
	assert_int_equal(list[0].id, v);
}

/* Many short ids that begin alike: the one that fits is found behind all the others. */
static void stub_among_many(void **state)
{
	struct db_lab *l = *state;
	char name[41];

	for (int i = 0; i < 1100; i++) {
		snprintf(name, sizeof(name), "aaaaaaa%05d", i);
		ensure(l, name);
	}
	int64_t stub = ensure(l, "aaaaaaaf12");
	int64_t longer = ensure(l, "aaaaaaaf1234");
	/* Ids of other lengths that lie between a stub and the full id begin with the stub. */
	ensure(l, "aaaaaaaf0");
	assert_int_equal(ensure(l, "aaaaaaaf12"
				   "000000000000000000000000000001"),
			 stub);
	assert_int_equal(ensure(l, "aaaaaaa00007"
				   "0000000000000000000000000001"),
			 ensure(l, "aaaaaaa00007"));
	assert_int_not_equal(ensure(l, "aaaaaaaf1234"
				       "0000000000000000000000000001"),
			     stub);
	assert_int_equal(ensure(l, "aaaaaaaf1234"
				   "0000000000000000000000000001"),
			 longer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grammar_of_names), LAB_TEST(prefixes_and_exact_names),
		LAB_TEST(stub_becomes_full),        LAB_TEST(two_stubs_never_merge),
		LAB_TEST(stub_among_many),          LAB_TEST(longer_stub_makes_a_short_id_unclear),
		LAB_TEST(refs_live_in_trees),       LAB_TEST(first_text_wins),
		LAB_TEST(parents_and_walks),        LAB_TEST(nearest_measured_ancestor),
		LAB_TEST(builds_are_kept_once),     LAB_TEST(searched_by_name_subject_and_mail),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("commits", tests, NULL, NULL);
}
