/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where commits stand, held against `git describe --tags`, `git tag --contains` and `git branch
 * --contains` for every commit of two repositories: one by hand, one at random with merges and with
 * dates that go back.
 */
#include "repo_lab.h"

#include "server/history/position.h"

/* Annotated and light tags, two on one commit, a merge, a branch that is not merged. */
static const char by_hand[] =
	"git init -q -b main w && cd w && "
	"n=1600000000; c() { n=$((n+100)); GIT_AUTHOR_DATE=$n GIT_COMMITTER_DATE=$n git commit -q "
	"--allow-empty -m \"$1\"; }\n"
	"t() { GIT_COMMITTER_DATE=$1 git tag -a -m x $2; }\n"
	"c before; c first; t 1600000500 v1.0; c two; git tag light; c three\n"
	"git tag a-light; t 1600000900 z-old; t 1600000950 m-new; c four\n"
	"git checkout -q -b side HEAD~3; c s1; c s2; git tag side-tag; c s3\n"
	"git checkout -q main; c five; n=$((n+100)); GIT_COMMITTER_DATE=$n GIT_AUTHOR_DATE=$n "
	"git merge -q --no-ff -m merge side; c six\n"
	"git checkout -q -b other HEAD~2; c o1; git checkout -q main; c seven; git tag v2.0-rc1\n";

/* 400 commits on up to 3 parents, tags on a sixth of them, dates that are equal and that jump. */
static const char at_random[] =
	"git init -q -b main w && cd w && awk 'BEGIN { srand(7); for (i = 1; i <= 400; i++) { "
	"d = 1600000000 + int(i / 4) * 60 - (rand() < .2 ? int(rand() * 9000) : 0); "
	"print \"commit refs/heads/b\" int(rand() * 3); print \"mark :\" i; "
	"print \"author A <a@example.org> \" d \" +0000\"; "
	"print \"committer A <a@example.org> \" d \" +0000\"; print \"data 1\\nx\"; "
	"if (i > 1) { p = i - 1 - int(rand() * (i < 8 ? i - 1 : 6)); print \"from :\" p; "
	"while (rand() < .3 && i > 3) print \"merge :\" 1 + int(rand() * (i - 1)); } "
	"if (rand() < .12) { print \"reset refs/tags/t\" i; print \"from :\" i; print \"\" } "
	"if (rand() < .05) { print \"tag a\" i; print \"from :\" i; "
	"print \"tagger A <a@example.org> \" d \" +0000\"; print \"data 1\\nx\" } } }' "
	"| git fast-import --quiet --force 2> /dev/null\n";

static char *joined(struct repo_lab *r, const char *const *names, size_t n)
{
	char *s = arena_str(r->db->c.arena, "");

	for (size_t i = 0; i < n; i++)
		s = arena_fmt(r->db->c.arena, "%s%s\n", s, names[i]);
	return repo_sh(r, arena_fmt(r->db->c.arena, "sort <<'EOF'\n%sEOF\n", s));
}

static void assert_same(const char *id, const char *what, const char *got, const char *want)
{
	if (!got || strcmp(got, want) != 0)
		fail_msg("%s of %s is %s, not %s", what, id, got ? got : "nothing", want);
}

static void check_commit(struct repo_lab *r, const struct all_refs *refs, const char *id)
{
	struct arena *a = r->db->c.arena;
	struct position p;
	char *want;

	assert_int_equal(position_find(&r->db->c, refs, repo_at(r, id), true, &p), E_OK);
	assert_int_equal(p.n, 1);
	want = repo_line(r, arena_fmt(a, "cd w; git describe --tags --abbrev=12 %s 2>&1 || :", id));
	if (!strncmp(want, "fatal: ", 7))
		assert_null(p.describe);
	else
		assert_same(id, "describe", p.describe, want);
	assert_same(id, "tags", joined(r, p.trees[0].tags, p.trees[0].ntags),
		    repo_sh(r, arena_fmt(a, "cd w; git tag --contains %s | sort", id)));
	assert_same(id, "branches", joined(r, p.trees[0].branches, p.trees[0].nbranches),
		    repo_sh(r, arena_fmt(a,
					 "cd w; git branch --contains %s "
					 "--format='%%(refname:short)' | sort",
					 id)));
}

static void check_all(struct repo_lab *r, const char *make, size_t commits)
{
	struct all_refs *refs;
	char *ids, *id;
	size_t n = 0;

	repo_sh(r, make);
	repo_index(r, repo_follow(r, "lab", "w", false), "w");
	assert_int_equal(refs_load(&r->db->c, &refs), E_OK);
	ids = repo_sh(r, "cd w; git rev-list --all");
	while ((id = strsep(&ids, "\n")))
		if (*id) {
			check_commit(r, refs, id);
			n++;
		}
	assert_true(n >= commits);
}

static void names_by_hand(void **state)
{
	check_all(*state, by_hand, 13);
}

static void names_at_random(void **state)
{
	check_all(*state, at_random, 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		REPO_TEST(names_by_hand),
		REPO_TEST(names_at_random),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("position", tests, NULL, NULL);
}
