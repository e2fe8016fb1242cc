/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of commits: what the grammar lets through and what it refuses before anything is looked up,
 * stored names beside git's, several trees, and measured ancestors. That forms resolve as in git is
 * tests/http/test_range_git.mjs's business.
 */
#include "db_lab.h"

#include "db/git_commits.h"
#include "db/repos.h"
#include "server/history/ancestors.h"
#include "server/history/revision.h"

#define HEX(c) c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c

/* Ids that begin with what the test needs, position by position. */
static const char *const ids[] = {
	"",
	"1111111aaaa1" HEX("0"),
	"1111111bbbb2" HEX("0"),
	"3333333cccc3" HEX("0"),
	"4444444dddd4" HEX("0"),
	"5555555eeee5" HEX("0"),
};

static const char *id_of(struct db_lab *l, int position)
{
	return arena_strn(l->c.arena, ids[position], 40);
}

static void add(struct db_lab *l, int position, uint32_t first, uint32_t second)
{
	struct git_commit k = {.id = id_of(l, position), .date = 1000 + position, .subject = "s"};

	if (first)
		k.parents[k.nparents++] = first;
	if (second)
		k.parents[k.nparents++] = second;
	assert_int_equal(git_commit_add(&l->c, &k, NULL, 0), E_OK);
	assert_int_equal(k.position, position);
}

static int64_t add_repo(struct db_lab *l, const char *name, const char *line)
{
	struct repo r = {.name = name,
			 .url = "/nowhere",
			 .path = "/nowhere",
			 .refs = "",
			 .line = line,
			 .added = 1,
			 .tried = 1,
			 .synced = 1,
			 .next_try = 1,
			 .removed = INT64_MIN};

	assert_int_equal(repo_insert(&l->c, &r), E_OK);
	return r.id;
}

static void set_ref(struct db_lab *l, int64_t repo, const char *name, int64_t position,
		    int64_t gone)
{
	struct repo_ref ref = {repo, name, position, gone};

	assert_int_equal(repo_ref_set(&l->c, &ref), E_OK);
}

/* 1 - 2 - 4, 1 - 3 - 4 (a merge), 5 on 4; two trees. */
static void fill(struct db_lab *l)
{
	int64_t main, next;

	lab_begin(l);
	add(l, 1, 0, 0);
	add(l, 2, 1, 0);
	add(l, 3, 1, 0);
	add(l, 4, 2, 3);
	add(l, 5, 4, 0);
	main = add_repo(l, "mainline", "refs/heads/master");
	next = add_repo(l, "lab/next", "refs/heads/master");
	set_ref(l, main, "refs/heads/master", 5, INT64_MIN);
	set_ref(l, next, "refs/heads/master", 3, INT64_MIN);
	set_ref(l, main, "refs/tags/v6.0", 4, INT64_MIN);
	set_ref(l, next, "refs/tags/v6.0", 4, INT64_MIN);
	set_ref(l, main, "refs/tags/same", 2, INT64_MIN);
	set_ref(l, main, "refs/heads/same", 3, INT64_MIN);
	set_ref(l, main, "refs/tags/next-20200101", 3, 77);
	set_ref(l, next, "refs/heads/topic/x", 2, INT64_MIN);
	lab_commit(l);
}

/* The position, or an error. */
static int64_t position_of(struct db_lab *l, const char *asked)
{
	struct commit_list many;
	struct commit k;

	ctx_clear(&l->c);
	int e = revision_resolve(&l->c, asked, &k, &many);
	if (e < 0)
		return e;
	return k.position;
}

static void forms(void **state)
{
	struct db_lab *l = *state;
	static const struct {
		const char *asked;
		int64_t position;
	} cases[] = {
		{"3333333", 3},
		{"3333333CCCC3", 3},
		{"1111111", E_AMBIGUOUS},
		{"1111111a", 1},
		{"master", E_AMBIGUOUS}, /* two trees do not agree */
		{"mainline/master", 5},
		{"lab/next/master", 3},
		{"lab/next/topic/x", 2},
		{"topic/x", 2},
		{"mainline/heads/master~1^2", 3},
		{"v6.0", 4}, /* two trees agree */
		{"tags/v6.0", 4},
		{"refs/tags/v6.0", 4},
		{"v6.0^{}", 4},
		{"v6.0^{commit}~2", 1},
		{"v6.0^0", 4},
		{"v6.0^", 2},
		{"v6.0^2", 3},
		{"v6.0^^", 1},
		{"v6.0^3", E_NOTFOUND},
		{"v6.0~3", E_NOTFOUND},
		{"v6.0~99999", E_NOTFOUND},
		{"same", 2}, /* the tag, as in git */
		{"heads/same", 3},
		{"next-20200101", 3}, /* gone, still known */
		{"v6.0-1-g5555555", 5},
		{"whatever-3-g4444444dddd4~1", 2},
		{"7777777", E_NOTFOUND},
		{"nothing", E_NOTFOUND},
		{"refs/heads/nothing", E_NOTFOUND},
	};

	fill(l);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (position_of(l, cases[i].asked) != cases[i].position)
			fail_msg("%s is %lld", cases[i].asked,
				 (long long)position_of(l, cases[i].asked));
}

/* None of them may reach a statement: there is no database. */
static void hostile(void **state)
{
	struct db_lab *l = *state;
	static const char *const list[] = {
		"--upload-pack=touch /tmp/x",
		"-v",
		"--",
		"refs/../..",
		"../v6.0",
		"refs/heads/../tags/v6.0",
		"@{-1}",
		"@",
		"HEAD@{1}",
		"v6.0@{yesterday}",
		":/text",
		":1:file",
		"^{/re}",
		"v6.0^{/re}",
		"v6.0^{tree}",
		"v6.0^{commit",
		"v6.0:Makefile",
		"v6.0..v6.1",
		"v6.0...v6.1",
		"^v6.0",
		"v6.0^!",
		"v6.0^@",
		"v6.0^-1",
		"v6.0~1x",
		"v6.0~100000",
		"v6.0~-1",
		"a b",
		"a\nb",
		"v6.0\x7f",
		"\xff\xfe",
		"v6.0.lock",
		".v6.0",
		"v6.0.",
		"v6.0/",
		"/v6.0",
		"v6//0",
		"v[0-9]*",
		"v6.?",
		"a\\b",
		"",
	};
	char *long_name = arena_alloc(l->c.arena, 10241);
	struct db *db = l->c.db;

	memset(long_name, 'a', 10240);
	l->c.db = NULL;
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		if (position_of(l, list[i]) != E_INVALID)
			fail_msg("\"%s\" is not refused", list[i]);
	assert_int_equal(position_of(l, long_name), E_INVALID);
	memset(long_name, '^', 10240);
	long_name[0] = 'v';
	assert_int_equal(position_of(l, long_name), E_INVALID);
	l->c.db = db;
}

static void ranges(void **state)
{
	struct db_lab *l = *state;
	static const char *const bad[] = {"v6.0",    "v6.0..",   "..v6.0",   "v6.0....v6.0",
					  "a..b..c", "-x..v6.0", "v6.0..:/x"};
	struct revision_range r;
	struct commit_list many;

	fill(l);
	assert_int_equal(revision_range(&l->c, "v6.0^..mainline/master", &r, &many), E_OK);
	assert_int_equal(r.from.position, 2);
	assert_int_equal(r.to.position, 5);
	assert_false(r.symmetric);
	assert_string_equal(r.from_asked, "v6.0^");
	assert_string_equal(r.to_asked, "mainline/master");
	assert_int_equal(revision_range(&l->c, "4444444...5555555", &r, &many), E_OK);
	assert_true(r.symmetric);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ctx_clear(&l->c);
		assert_int_equal(revision_range(&l->c, bad[i], &r, &many), E_INVALID);
	}
	ctx_clear(&l->c);
	assert_int_equal(revision_range(&l->c, "v6.0..1111111", &r, &many), E_AMBIGUOUS);
	assert_int_equal(many.n, 2);
}

/* --- with results -------------------------------------------------------------------------------
 */

static int64_t put(struct db_lab *l, const char *id, const char *more, double value)
{
	struct commit k;

	lab_store(l, arena_fmt(l->c.arena,
			       "{\"axes\": {\"testcase\": \"t\", \"tbox_group\": \"box\"},"
			       " \"commit\": {\"id\": \"%s\"%s}, \"runs\": [{\"t.x\": %g}]}",
			       id, more, value));
	ctx_clear(&l->c);
	assert_int_equal(commit_resolve(&l->c, id, &k, NULL), E_OK);
	return k.id;
}

static void stored_names_first(void **state)
{
	struct db_lab *l = *state;
	struct commit k;
	int64_t tag, stub;

	/* Before git knows anything: a stub that two commits of git will begin with, and a tag. */
	stub = put(l, "1111111", "", 1);
	tag = put(l, "v7.7-lab", "", 2);
	fill(l);
	assert_int_equal(revision_resolve(&l->c, "1111111", &k, NULL), E_OK);
	assert_int_equal(k.id, stub);
	assert_int_equal(k.position, 0);
	assert_int_equal(revision_resolve(&l->c, "v7.7-lab", &k, NULL), E_OK);
	assert_int_equal(k.id, tag);
	/* A prefix of the stub and of what git has. */
	assert_int_equal(position_of(l, "1111111a"), 1);
	/* A commit that git alone knows has no row. */
	ctx_clear(&l->c);
	assert_int_equal(revision_resolve(&l->c, "5555555", &k, NULL), E_OK);
	assert_int_equal(k.id, 0);
	assert_string_equal(k.name, id_of(l, 5));
	assert_string_equal(k.subject, "s");
}

static void measured_ancestors(void **state)
{
	struct db_lab *l = *state;
	int64_t one, three, five, patch, alone, at, before[8];
	size_t n;
	bool is;

	fill(l);
	three = put(l, id_of(l, 3), "", 1);
	five = put(l, id_of(l, 5), "", 1);
	/* Nothing on the first parents of 5 (4, 2, 1): the side commit is what there is. */
	assert_int_equal(ancestor_measured(&l->c, five, 1, &at), E_OK);
	assert_int_equal(at, three);
	assert_int_equal(measured_before(&l->c, 1, five, 8, before, &n), E_OK);
	assert_int_equal(n, 0);
	/* First parents come first, however far. */
	one = put(l, id_of(l, 1), "", 1);
	assert_int_equal(ancestor_measured(&l->c, five, 1, &at), E_OK);
	assert_int_equal(at, one);
	/* A patch that git does not know, on a commit that it knows. */
	patch = put(l, HEX("e") "eeee",
		    arena_fmt(l->c.arena, ", \"parents\": [\"%s\"]", id_of(l, 5)), 1);
	assert_int_equal(ancestor_measured(&l->c, patch, 1, &at), E_OK);
	assert_int_equal(at, five);
	assert_int_equal(measured_before(&l->c, 1, patch, 8, before, &n), E_OK);
	assert_int_equal(n, 2);
	assert_int_equal(before[0], one);
	assert_int_equal(before[1], five); /* nearest last */
	assert_int_equal(measured_before(&l->c, 1, patch, 1, before, &n), E_OK);
	assert_int_equal(n, 1);
	assert_int_equal(before[0], five);
	assert_int_equal(ancestor_is(&l->c, one, patch, &is), E_OK);
	assert_true(is);
	assert_int_equal(ancestor_is(&l->c, patch, one, &is), E_OK);
	assert_false(is);
	assert_int_equal(ancestor_is(&l->c, three, five, &is), E_OK);
	assert_true(is);
	assert_int_equal(ancestor_is(&l->c, one, one, &is), E_OK);
	assert_false(is);
	/* Without parents: what is dated before, the nearest last; no base is claimed. */
	alone = put(l, HEX("d") "dddd", ", \"date\": \"1970-01-01T00:16:44Z\"", 1); /* 1004 */
	assert_int_equal(measured_before(&l->c, 1, alone, 8, before, &n), E_OK);
	assert_int_equal(n, 2);
	assert_int_equal(before[0], one); /* 1001, 1003 */
	assert_int_equal(before[1], three);
	assert_int_equal(ancestor_measured(&l->c, alone, 1, &at), E_NOTFOUND);
	ctx_clear(&l->c);
	assert_int_equal(ancestor_measured(&l->c, one, 1, &at), E_NOTFOUND);
}

static void the_line(void **state)
{
	struct db_lab *l = *state;
	int64_t one, two, three, five, patch, alone;
	struct line_place *places;
	const char *name;
	size_t n;

	fill(l);
	five = put(l, id_of(l, 5), "", 1);
	three = put(l, id_of(l, 3), "", 1);
	two = put(l, id_of(l, 2), "", 1);
	one = put(l, id_of(l, 1), "", 1);
	patch = put(l, HEX("e") "eeee",
		    arena_fmt(l->c.arena, ", \"parents\": [\"%s\"]", id_of(l, 4)), 1);
	alone = put(l, HEX("d") "dddd", ", \"date\": \"1970-01-01T00:16:40Z\"", 1); /* 1000 */
	/* mainline's master: 5 4 2 1. 3 hangs at 1; the patch at 4, of which 2 is the nearest that
	 * was measured; what git does not know stands by its date. */
	assert_int_equal(history_line(&l->c, 1, NULL, &places, &n, &name), E_OK);
	assert_string_equal(name, "mainline/master");
	assert_int_equal(n, 6);
	const int64_t order[] = {alone, one, three, two, patch, five};
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(places[i].commit_id, order[i]);
	assert_false(places[0].on_line || places[0].hangs);
	assert_true(places[1].on_line && places[3].on_line && places[5].on_line);
	assert_true(places[2].hangs && places[4].hangs);
	assert_int_equal(places[2].beside_of, one);
	assert_int_equal(places[4].beside_of, two);
	/* Another line: 3 1 */
	assert_int_equal(history_line(&l->c, 1, "lab/next/master", &places, &n, &name), E_OK);
	assert_int_equal(places[1].commit_id, one);
	assert_int_equal(places[2].commit_id, two);
	assert_true(places[2].hangs);
	assert_int_equal(places[5].commit_id, patch);
	ctx_clear(&l->c);
	assert_int_equal(history_line(&l->c, 1, "no-such", &places, &n, &name), E_NOTFOUND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB_TEST(forms),
		LAB_TEST(hostile),
		LAB_TEST(ranges),
		LAB_TEST(stored_names_first),
		LAB_TEST(measured_ancestors),
		LAB_TEST(the_line),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("revision", tests, NULL, NULL);
}
