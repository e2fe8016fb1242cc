/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fixes both ways, backports, rebased and vanished commits, in three trees that git made: mainline,
 * a stable tree with cherry-picks, and snapshots that drop a commit after four days.
 */
#include "repo_lab.h"

#include "server/history/links.h"
#include "server/model/commit_git.h"
#include "server/history/revision.h"

static const char make_trees[] =
	"n=1700000000; c() { n=$((n+100)); git add -A; GIT_AUTHOR_DATE=$n GIT_COMMITTER_DATE=$n "
	"git "
	"commit -q --allow-empty -m \"$1\"; }\n"
	"git init -q -b master main; cd main; seq 1 60 > sched.c; seq 1 40 > mm.c; c 'first'; "
	"git tag v6.0\n"
	"sed -i 's/^30$/fast/' sched.c; c 'sched: be fast'; SLOW=$(git rev-parse HEAD); git tag "
	"v6.1\n"
	"sed -i 's/^31$/right/' sched.c; c \"sched: be right\n\nFixes: ${SLOW:0:12} (\\\"sched: be "
	"fast\\\")\nLink: https://lore.kernel.org/r/right-v2@example.org\"; FIX=$(git rev-parse "
	"HEAD); "
	"git tag v6.2-rc1\n"
	"c \"Revert \\\"nothing\\\"\n\nThis reverts commit $FIX.\"; git tag v6.2\n"
	"cd ..; git clone -q main stable; cd stable; git tag -d v6.2 v6.2-rc1 > /dev/null; "
	"git checkout -q -b linux-6.1.y v6.1; git branch -q -D master; "
	"git remote remove origin\n"
	"sed -i 's/^1$/one/' mm.c; c 'stable: other'; git tag v6.1.1\n"
	"git cherry-pick -n $FIX; c \"sched: be right\n\ncommit $FIX upstream.\"; git tag v6.1.2\n"
	"git checkout -q -b linux-6.0.y v6.0; git cherry-pick -n $FIX 2> /dev/null || :; seq 1 61 "
	"> sched.c; "
	"c \"sched: be right\n\n(cherry picked from commit $FIX)\"; git tag v6.0.1; "
	"git branch -q -D linux-6.1.y\n"
	"cd ..; git clone -q main next; cd next; git remote remove origin; "
	"git tag -d v6.0 v6.1 v6.2 v6.2-rc1 > /dev/null; git checkout -q --detach\n"
	"sed -i 's/^20$/twenty/' mm.c; c 'mm: count better'; for d in 1 2 3 4; do git tag "
	"next-2026010$d; c day; done\n"
	"git checkout -q --detach master; c 'another base'; git tag next-20260105; c 'day'; "
	"git tag next-20260106; git branch -q -D master\n"
	"cd ../main; c \"sched: another part\n\nLink: https://lore.kernel.org/r/"
	"right-v2@example.org\"; sed -i 's/^20$/twenty/' mm.c; "
	"GIT_AUTHOR_DATE=1700000600 GIT_COMMITTER_DATE=1700009000 git commit -q -a -m 'mm: count "
	"better'; git tag v6.3-rc1\n";

static char *rev(struct repo_lab *r, const char *folder, const char *name)
{
	return repo_line(r, arena_fmt(r->db->c.arena, "cd %s; git rev-parse %s", folder, name));
}

static void follow_all(struct repo_lab *r)
{
	repo_sh(r, make_trees);
	repo_index(r, repo_follow(r, "mainline", "main", false), "main");
	repo_index(r, repo_follow(r, "stable", "stable", false), "stable");
	repo_index(r, repo_follow(r, "next", "next", true), "next");
}

static void find(struct repo_lab *r, const char *id, struct links *out)
{
	struct all_refs *refs;

	assert_int_equal(refs_load(&r->db->c, &refs), E_OK);
	assert_int_equal(links_find(&r->db->c, refs, repo_at(r, id), out), E_OK);
}

/* The one entry of a list. */
static const struct linked *only(const struct linked_list *l, const char *id)
{
	assert_int_equal(l->n, 1);
	assert_string_equal(l->list[0].commit.id, id);
	return &l->list[0];
}

static void fixes_both_ways(void **state)
{
	struct repo_lab *r = *state;
	char *slow, *fix;
	const struct linked *x;
	struct links l;

	follow_all(r);
	slow = rev(r, "main", "v6.1");
	fix = rev(r, "main", "v6.2-rc1");
	find(r, slow, &l);
	x = only(&l.fixed_by, fix);
	assert_int_equal(x->where.n, 2); /* the snapshots stand on it */
	assert_string_equal(x->where.trees[0].tree, "mainline");
	assert_string_equal(x->where.trees[0].tags[0], "v6.2-rc1");
	assert_int_equal(l.fixes.n, 0);
	assert_int_equal(l.same.n, 0);
	find(r, fix, &l);
	x = only(&l.fixes, slow);
	assert_int_equal(x->where.n, 3); /* all trees were made from it; snapshots by their tags */
	only(&l.reverted_by, rev(r, "main", "v6.2"));
	assert_string_equal(l.message_id, "right-v2@example.org");
	find(r, rev(r, "main", "v6.2"), &l);
	only(&l.reverts, fix);
}

static const struct linked *same_as(const struct links *l, const char *id)
{
	for (size_t i = 0; i < l->same.n; i++)
		if (strcmp(l->same.list[i].target, id) == 0 ||
		    (l->same.list[i].commit.position && !strcmp(l->same.list[i].commit.id, id)))
			return &l->same.list[i];
	fail_msg("%s is not the same change", id);
	return NULL;
}

static void backports(void **state)
{
	struct repo_lab *r = *state;
	char *fix, *y61, *y60;
	struct links l;

	follow_all(r);
	fix = rev(r, "main", "v6.2-rc1");
	y61 = rev(r, "stable", "v6.1.2");
	y60 = rev(r, "stable", "v6.0.1");
	find(r, fix, &l);
	assert_int_equal(l.same.n, 2);
	assert_int_equal(same_as(&l, y61)->how, SAME_BACKPORT);
	assert_int_equal(same_as(&l, y60)->how, SAME_BACKPORT);
	assert_string_equal(same_as(&l, y61)->where.trees[0].tree, "stable");
	assert_string_equal(same_as(&l, y61)->where.trees[0].tags[0], "v6.1.2");
	assert_null(same_as(&l, y61)->where.trees[0].gone_in); /* it has no branch, but a tag */
	find(r, y60, &l);                                      /* its patch is another one */
	assert_int_equal(l.same.n, 2);
	assert_int_equal(same_as(&l, fix)->how, SAME_UPSTREAM);
	assert_int_equal(same_as(&l, y61)->how, SAME_SOURCE);
}

static void vanished_from_snapshots(void **state)
{
	struct repo_lab *r = *state;
	char *gone, *now;
	struct links l;
	struct position p;
	struct all_refs *refs;

	follow_all(r);
	gone = rev(r, "next", "next-20260101");
	now = rev(r, "main", "v6.3-rc1");
	find(r, gone, &l);
	assert_int_equal(only(&l.same, now)->how, SAME_PATCH_ID);
	assert_int_equal(refs_load(&r->db->c, &refs), E_OK);
	assert_int_equal(position_find(&r->db->c, refs, repo_at(r, gone), true, &p), E_OK);
	assert_int_equal(p.n, 1);
	assert_true(p.trees[0].snapshots);
	assert_int_equal(p.trees[0].ntags, 4);
	assert_string_equal(p.trees[0].tags[0], "next-20260101");
	assert_string_equal(p.trees[0].last_tag, "next-20260104");
	assert_string_equal(p.trees[0].gone_in, "next-20260105");
	find(r, now, &l);
	only(&l.same, gone);
}

/* The model of the page -------------------------------------------------------------------------
 */

static void load(struct repo_lab *r, const char *name, struct commit_page *p)
{
	struct commit k;

	assert_int_equal(revision_resolve(&r->db->c, name, &k, NULL), E_OK);
	assert_int_equal(commit_page_load(&r->db->c, &k, p), E_OK);
	assert_non_null(p->git);
}

static void put(struct repo_lab *r, const char *id)
{
	lab_store(r->db, arena_fmt(r->db->c.arena,
				   "{\"axes\": {\"testcase\": \"t\", \"tbox_group\": \"m\"}, "
				   "\"commit\": {\"id\": \"%s\"}, \"runs\": [{\"t.x\": 1}]}",
				   id));
}

static void page_of_a_vanished_commit(void **state)
{
	struct repo_lab *r = *state;
	struct commit_page p;
	char *now;

	follow_all(r);
	now = rev(r, "main", "v6.3-rc1");
	load(r, rev(r, "next", "next-20260101"), &p);
	assert_int_equal(p.commit.id, 0);
	assert_string_equal(p.commit.message, "mm: count better\n");
	assert_string_equal(p.commit.author.name, "Ada L");
	assert_string_equal(p.git->gone,
			    arena_fmt(r->db->c.arena,
				      "was in next-20260101 to next-20260104, is gone since "
				      "next-20260105; now %.12s in mainline (same patch-id)",
				      now));
	assert_int_equal(p.git->object.nfiles, 1);
	assert_string_equal(p.git->object.files[0].path, "mm.c");
	assert_int_equal(p.git->nsame, 1);
	assert_false(p.git->same[0].measured);
	put(r, now);
	load(r, rev(r, "next", "next-20260101"), &p);
	assert_true(p.git->same[0].measured);
	assert_string_equal(p.git->same[0].sentence,
			    "measured in 1 test on 1 machine, with no measured ancestor to "
			    "compare with");
	load(r, now, &p); /* it has a row now, and is not gone */
	assert_true(p.commit.id > 0);
	assert_null(p.git->gone);
	assert_string_equal(p.commit.author.email, "ada@example.org");
}

static void measured_around_it(void **state)
{
	struct repo_lab *r = *state;
	struct commit_page p;
	char *slow;

	follow_all(r);
	slow = rev(r, "main", "v6.1");
	load(r, rev(r, "main", "v6.2"), &p);
	assert_false(p.git->has_before || p.git->has_after);
	put(r, slow);
	load(r, rev(r, "main", "v6.2"), &p);
	assert_true(p.git->has_before);
	assert_string_equal(p.git->before.name, slow);
	assert_false(p.git->has_after);
	load(r, rev(r, "main", "v6.0"), &p);
	assert_true(p.git->has_after);
	assert_string_equal(p.git->after.name, slow);
	assert_int_equal(p.nparents, 0);
	assert_int_equal(p.nchildren, 2); /* one of mainline, one of stable */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		REPO_TEST(fixes_both_ways),         REPO_TEST(backports),
		REPO_TEST(vanished_from_snapshots), REPO_TEST(page_of_a_vanished_commit),
		REPO_TEST(measured_around_it),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("links", tests, NULL, NULL);
}
