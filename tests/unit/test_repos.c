/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Repositories and their refs: names that are taken, removal and return, refs that vanish. */
#include "db/repos.h"

#include "db/git_commits.h"
#include "server/base/clock.h"
#include "tests/unit/db_lab.h"

static struct repo add(struct db_lab *l, const char *name)
{
	struct repo r = {.name = name,
			 .url = "https://git.example.org/linux.git",
			 .path = "/srv/linux.git",
			 .refs = "refs/heads/master\n",
			 .added = l->now,
			 .tried = TIME_NONE,
			 .synced = TIME_NONE,
			 .next_try = l->now,
			 .removed = TIME_NONE};

	lab_begin(l);
	assert_int_equal(repo_insert(&l->c, &r), E_OK);
	lab_commit(l);
	return r;
}

static void update(struct db_lab *l, const struct repo *r)
{
	lab_begin(l);
	assert_int_equal(repo_update(&l->c, r), E_OK);
	lab_commit(l);
}

static void add_commits(struct db_lab *l, uint32_t n)
{
	char id[41];

	lab_begin(l);
	for (uint32_t i = 1; i <= n; i++) {
		struct git_commit k = {.id = id, .subject = "x", .parents = {i - 1}};

		k.nparents = i > 1;
		snprintf(id, sizeof(id), "%040x", i);
		assert_int_equal(git_commit_add(&l->c, &k, NULL, 0), E_OK);
	}
	lab_commit(l);
}

static void set_ref(struct db_lab *l, int64_t repo_id, const char *name, int64_t position)
{
	const struct repo_ref ref = {repo_id, name, position, TIME_NONE};

	lab_begin(l);
	assert_int_equal(repo_ref_set(&l->c, &ref), E_OK);
	lab_commit(l);
}

static void names_are_taken_once(void **state)
{
	struct db_lab *l = *state;
	struct repo *repos, found, r = add(l, "stable"), again = r;
	size_t n;

	add(l, "mainline");
	lab_begin(l);
	assert_int_equal(repo_insert(&l->c, &again), E_CONFLICT);
	lab_rollback(l);
	ctx_clear(&l->c);
	assert_int_equal(repo_list(&l->c, false, &repos, &n), E_OK);
	assert_int_equal(n, 2);
	assert_string_equal(repos[0].name, "mainline");
	assert_string_equal(repos[1].name, "stable");
	assert_int_equal(repos[1].id, r.id);
	assert_string_equal(repos[1].url, r.url);
	assert_string_equal(repos[1].refs, "refs/heads/master\n");
	assert_null(repos[1].line);
	assert_int_equal(repos[1].synced, TIME_NONE);
	assert_int_equal(repos[1].removed, TIME_NONE);

	r.line = "refs/heads/master";
	r.synced = l->now + 5;
	r.problem = "it cannot be reached";
	r.failures = 3;
	r.snapshots = r.in_place = true;
	update(l, &r);
	assert_int_equal(repo_by_name(&l->c, "stable", &found), E_OK);
	assert_string_equal(found.line, "refs/heads/master");
	assert_string_equal(found.problem, "it cannot be reached");
	assert_int_equal(found.synced, l->now + 5);
	assert_int_equal(found.failures, 3);
	assert_true(found.snapshots && found.in_place);
	assert_int_equal(repo_by_name(&l->c, "next", &found), E_NOTFOUND);
}

static void a_removed_one_is_taken_up_again(void **state)
{
	struct db_lab *l = *state;
	struct repo *repos, found, r = add(l, "next");
	size_t n;

	r.removed = l->now;
	update(l, &r);
	assert_int_equal(repo_by_name(&l->c, "next", &found), E_NOTFOUND);
	ctx_clear(&l->c);
	assert_int_equal(repo_list(&l->c, false, &repos, &n), E_OK);
	assert_int_equal(n, 0);
	assert_int_equal(repo_list(&l->c, true, &repos, &n), E_OK);
	assert_int_equal(n, 1);
	assert_int_equal(repos[0].removed, l->now);
	struct repo again = add(l, "next");
	assert_int_equal(again.id, r.id);
	assert_int_equal(repo_by_name(&l->c, "next", &found), E_OK);
	assert_int_equal(found.removed, TIME_NONE);
}

static void refs_by_name_and_prefix(void **state)
{
	struct db_lab *l = *state;
	struct repo a = add(l, "a"), b = add(l, "b");
	struct repo_ref *refs;
	size_t n;

	add_commits(l, 3);
	set_ref(l, a.id, "refs/heads/master", 3);
	set_ref(l, a.id, "refs/tags/v1", 1);
	set_ref(l, b.id, "refs/tags/v1", 2);
	set_ref(l, b.id, "refs/tags/v2", 2);
	assert_int_equal(repo_refs_named(&l->c, 0, "refs/tags/v1", &refs, &n), E_OK);
	assert_int_equal(n, 2);
	assert_int_equal(refs[0].position, 1);
	assert_int_equal(repo_refs_named(&l->c, b.id, "refs/tags/v1", &refs, &n), E_OK);
	assert_int_equal(n, 1);
	assert_int_equal(refs[0].position, 2);
	assert_int_equal(repo_refs(&l->c, a.id, "refs/tags/", &refs, &n), E_OK);
	assert_int_equal(n, 1);
	assert_int_equal(repo_refs(&l->c, 0, "refs/tags/", &refs, &n), E_OK);
	assert_int_equal(n, 3);
	assert_string_equal(refs[2].name, "refs/tags/v2");
	assert_int_equal(repo_refs(&l->c, a.id, "", &refs, &n), E_OK);
	assert_int_equal(n, 2);
}

static void refs_that_vanish_stay_known(void **state)
{
	struct db_lab *l = *state;
	static const char *const kept[] = {"refs/heads/master", "refs/tags/v2"};
	struct repo a = add(l, "a"), b = add(l, "b");
	struct repo_ref *refs;
	size_t n;

	add_commits(l, 3);
	set_ref(l, a.id, "refs/heads/master", 3);
	set_ref(l, a.id, "refs/tags/v1", 1);
	set_ref(l, a.id, "refs/tags/v2", 2);
	set_ref(l, b.id, "refs/tags/v1", 1);
	lab_begin(l);
	assert_int_equal(repo_refs_keep(&l->c, a.id, kept, 2, l->now), E_OK);
	lab_commit(l);
	assert_int_equal(repo_refs(&l->c, a.id, "refs/", &refs, &n), E_OK);
	assert_int_equal(n, 3);
	assert_int_equal(refs[0].gone, TIME_NONE);
	assert_string_equal(refs[1].name, "refs/tags/v1");
	assert_int_equal(refs[1].gone, l->now);
	assert_int_equal(refs[2].gone, TIME_NONE);
	/* Of two with one name, the one that is there comes first. */
	assert_int_equal(repo_refs_named(&l->c, 0, "refs/tags/v1", &refs, &n), E_OK);
	assert_int_equal(refs[0].repo_id, b.id);
	assert_int_equal(refs[1].repo_id, a.id);
	/* It stays gone since then, and comes back. */
	lab_begin(l);
	assert_int_equal(repo_refs_keep(&l->c, a.id, NULL, 0, l->now + 9), E_OK);
	lab_commit(l);
	assert_int_equal(repo_refs_named(&l->c, a.id, "refs/tags/v1", &refs, &n), E_OK);
	assert_int_equal(refs[0].gone, l->now);
	set_ref(l, a.id, "refs/tags/v1", 3);
	assert_int_equal(repo_refs_named(&l->c, a.id, "refs/tags/v1", &refs, &n), E_OK);
	assert_int_equal(refs[0].gone, TIME_NONE);
	assert_int_equal(refs[0].position, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB_TEST(names_are_taken_once),
		LAB_TEST(a_removed_one_is_taken_up_again),
		LAB_TEST(refs_by_name_and_prefix),
		LAB_TEST(refs_that_vanish_stay_known),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("repos", tests, NULL, NULL);
}
