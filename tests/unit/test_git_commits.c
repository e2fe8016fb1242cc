/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The index of what git knows: positions, look-ups, links from both ends; and what ties uploaded
 * rows to it: full ids, stubs, tags, texts. */
#include "db/git_commits.h"

#include "db/commits.h"
#include "db/repos.h"
#include "server/base/clock.h"
#include "tests/unit/db_lab.h"

#define ID_A   "7bc162d5cc4de5c33c570dba48a03ebea54b10fd"
#define ID_B   "a0fd217e6d6fbd23e91f8796787b621e7d576088"
#define ID_A2  "7bc162d5ffffffffffffffffffffffffffffffff"
#define ID_OCT "0c7c0000000000000000000000000000000000aa"

static int64_t add_with(struct db_lab *l, struct git_commit k, const struct git_link *links,
			size_t n)
{
	lab_begin(l);
	assert_int_equal(git_commit_add(&l->c, &k, links, n), E_OK);
	lab_commit(l);
	return k.position;
}

static int64_t add(struct db_lab *l, const char *id, uint32_t parent, const char *subject)
{
	return add_with(l,
			(struct git_commit){.id = id,
					    .date = 1700000000 + parent,
					    .author_date = 1600000000,
					    .subject = subject,
					    .parents = {parent},
					    .nparents = parent != 0},
			NULL, 0);
}

/* An upload that names a commit; the row. */
static int64_t ensure(struct db_lab *l, const char *name, const char *tree, const char *subject)
{
	struct commit_in in = {.id = name,
			       .tree = tree,
			       .subject = subject,
			       .date = TIME_NONE,
			       .author.date = TIME_NONE,
			       .committer.date = TIME_NONE};
	int64_t id = 0, build;

	assert_true(commit_name_valid(in.id, &in.is_hex));
	lab_begin(l);
	if (commit_ensure(&l->c, &in, l->now, &id, &build) < 0)
		fail_msg("%s", l->c.detail);
	lab_commit(l);
	return id;
}

static struct commit row(struct db_lab *l, int64_t id)
{
	struct commit k;

	assert_int_equal(commit_get(&l->c, id, &k), E_OK);
	return k;
}

static int64_t resolve(struct db_lab *l, const char *asked)
{
	struct commit k;

	ctx_clear(&l->c);
	int e = commit_resolve(&l->c, asked, &k, NULL);
	return e < 0 ? e : k.id;
}

static void tie_all(struct db_lab *l)
{
	const char *below = NULL;
	int64_t above = 0;

	do {
		lab_begin(l);
		assert_int_equal(git_stubs_tie(&l->c, below, 1, l->now, &below), E_OK);
		lab_commit(l);
	} while (below);
	do {
		lab_begin(l);
		assert_int_equal(git_refs_tie(&l->c, above, 1, &above), E_OK);
		lab_commit(l);
	} while (above);
}

static int sum_of_parents(void *arg, const struct git_commit *k)
{
	int64_t *sum = arg;

	for (size_t i = 0; i < k->nparents; i++)
		*sum += k->position * k->parents[i];
	return E_OK;
}

static int refuse_second(void *arg, const struct git_commit *k)
{
	(void)arg;
	return k->position == 2 ? E_BUSY : E_OK;
}

static void positions_and_lookups(void **state)
{
	struct db_lab *l = *state;
	struct git_commit k, *many;
	int64_t newest, sum = 0;
	size_t n;

	assert_int_equal(git_commit_newest(&l->c, &newest), E_OK);
	assert_int_equal(newest, 0);
	assert_int_equal(add(l, ID_A, 0, "mm/slub: one"), 1);
	assert_int_equal(add(l, ID_B, 1, "mm/slub: two"), 2);
	assert_int_equal(add(l, ID_A2, 1, "mm: [x] three"), 3);
	assert_int_equal(add(l, ID_B, 1, "said otherwise"), 2); /* known: nothing happens */
	struct git_commit merge = {
		.id = ID_OCT, .subject = "", .parents = {3, 2, 70000}, .nparents = 3};
	lab_begin(l);
	assert_int_equal(git_commit_add(&l->c, &merge, NULL, 0), E_INTERNAL);
	lab_rollback(l);
	ctx_clear(&l->c);
	merge.nparents = 2;
	assert_int_equal(add_with(l, merge, NULL, 0), 4);
	assert_int_equal(git_commit_newest(&l->c, &newest), E_OK);
	assert_int_equal(newest, 4);

	assert_int_equal(git_commit_by_id(&l->c, ID_B, &k), E_OK);
	assert_int_equal(k.position, 2);
	assert_string_equal(k.subject, "mm/slub: two");
	assert_int_equal(k.date, 1700000001);
	assert_int_equal(k.author_date, 1600000000);
	assert_null(k.patch_id);
	assert_int_equal(k.nparents, 1);
	assert_int_equal(k.parents[0], 1);
	assert_int_equal(git_commit_at(&l->c, 4, &k), E_OK);
	assert_string_equal(k.id, ID_OCT);
	assert_int_equal(k.nparents, 2);
	assert_int_equal(k.parents[0], 3);
	assert_int_equal(k.parents[1], 2);
	assert_int_equal(git_commit_at(&l->c, 5, &k), E_NOTFOUND);
	ctx_clear(&l->c);

	assert_int_equal(git_commit_by_prefix(&l->c, "7bc162d", 10, &many, &n), E_OK);
	assert_int_equal(n, 2);
	assert_string_equal(many[0].id, ID_A);
	assert_string_equal(many[1].id, ID_A2);
	assert_int_equal(git_commit_by_prefix(&l->c, "7bc162d", 1, &many, &n), E_OK);
	assert_int_equal(n, 1);
	assert_int_equal(git_commit_by_prefix(&l->c, "7bc162d5f", 10, &many, &n), E_OK);
	assert_int_equal(n, 1);
	assert_int_equal(many[0].position, 3);

	assert_int_equal(
		git_commit_by_subject(&l->c, " [PATCH v2 1/9]  MM/slub:  two", 10, &many, &n),
		E_OK);
	assert_int_equal(n, 1);
	assert_int_equal(many[0].position, 2);
	assert_true(git_subject_key("mm: [x] three") != git_subject_key("mm: three"));
	assert_true(git_subject_key("[x] three") != git_subject_key("three"));
	assert_true(git_subject_key("[RFC PATCH] [PATCH] three") == git_subject_key("three"));
	assert_true(git_subject_key("[PATCH three") != git_subject_key("three"));
	assert_true(git_subject_key("three") >= 0);

	/* 2*1 + 3*1 + 4*3 + 4*2 */
	assert_int_equal(git_commit_each(&l->c, 0, sum_of_parents, &sum), E_OK);
	assert_int_equal(sum, 25);
	sum = 0;
	assert_int_equal(git_commit_each(&l->c, 3, sum_of_parents, &sum), E_OK);
	assert_int_equal(sum, 20);
	assert_int_equal(git_commit_each(&l->c, 0, refuse_second, NULL), E_BUSY);
}

static void an_octopus_keeps_its_parents(void **state)
{
	struct db_lab *l = *state;
	struct git_commit k = {.id = ID_OCT, .subject = "Merge", .nparents = 66};
	char id[41];

	for (int i = 1; i <= 66; i++) {
		snprintf(id, sizeof(id), "%040x", i);
		assert_int_equal(add(l, id, 0, "root"), i);
		k.parents[i - 1] = (uint32_t)(67 - i);
	}
	assert_int_equal(add_with(l, k, NULL, 0), 67);
	assert_int_equal(git_commit_at(&l->c, 67, &k), E_OK);
	assert_int_equal(k.nparents, 66);
	for (uint32_t i = 0; i < 66; i++)
		assert_int_equal(k.parents[i], 66 - i);
}

static void patch_ids(void **state)
{
	struct db_lab *l = *state;
	struct git_commit *many, k;
	size_t n;

	add(l, ID_A, 0, "one");
	add(l, ID_B, 1, "one");
	add(l, ID_A2, 1, "two");
	lab_begin(l);
	assert_int_equal(git_commit_set_patch_id(&l->c, 1, "99aa"), E_OK);
	assert_int_equal(git_commit_set_patch_id(&l->c, 3, "99aa"), E_OK);
	assert_int_equal(git_commit_set_patch_id(&l->c, 2, ""), E_OK);
	lab_commit(l);
	assert_int_equal(git_commit_by_patch_id(&l->c, "99aa", 10, &many, &n), E_OK);
	assert_int_equal(n, 2);
	assert_int_equal(many[0].position, 1);
	assert_int_equal(many[1].position, 3);
	assert_int_equal(git_commit_by_patch_id(&l->c, "", 10, &many, &n), E_OK);
	assert_int_equal(n, 0);
	assert_int_equal(git_commit_at(&l->c, 2, &k), E_OK);
	assert_string_equal(k.patch_id, "");
}

static void links_from_both_ends(void **state)
{
	struct db_lab *l = *state;
	const struct git_link says[] = {
		{0, LINK_FIXES, "7bc162d5cc4d"},
		{0, LINK_FIXES, "7bc162d5ffff"},
		{0, LINK_MESSAGE_ID, "20230717093612.1@example.org"},
		{0, LINK_REVERTS, "7bc162d"},
	};
	struct git_link *links;
	size_t n;

	add(l, ID_A, 0, "one");
	struct git_commit k = {.id = ID_B, .subject = "two", .parents = {1}, .nparents = 1};
	assert_int_equal(add_with(l, k, says, 4), 2);
	assert_int_equal(git_links_of(&l->c, 2, &links, &n), E_OK);
	assert_int_equal(n, 4);
	assert_int_equal(links[2].kind, LINK_MESSAGE_ID);
	assert_string_equal(links[2].target, "20230717093612.1@example.org");
	assert_int_equal(git_links_of(&l->c, 1, &links, &n), E_OK);
	assert_int_equal(n, 0);

	assert_int_equal(git_links_to(&l->c, LINK_FIXES, ID_A, 10, &links, &n), E_OK);
	assert_int_equal(n, 1); /* the other begins alike, and is another commit */
	assert_int_equal(links[0].position, 2);
	assert_string_equal(links[0].target, "7bc162d5cc4d");
	assert_int_equal(git_links_to(&l->c, LINK_REVERTS, ID_A2, 10, &links, &n), E_OK);
	assert_int_equal(n, 1);
	assert_int_equal(git_links_to(&l->c, LINK_UPSTREAM, ID_A, 10, &links, &n), E_OK);
	assert_int_equal(n, 0);
	assert_int_equal(git_links_to(&l->c, LINK_MESSAGE_ID, "20230717093612.1@example.org", 10,
				      &links, &n),
			 E_OK);
	assert_int_equal(n, 1);
	assert_int_equal(
		git_links_to(&l->c, LINK_MESSAGE_ID, "20230717093612.1@example", 10, &links, &n),
		E_OK);
	assert_int_equal(n, 0);
}

static void full_ids_know_their_position(void **state)
{
	struct db_lab *l = *state;
	int64_t before = ensure(l, ID_B, NULL, "as uploaded"), id;

	assert_int_equal(row(l, before).position, 0);
	add(l, ID_A, 0, "one");
	add(l, ID_B, 1, "as git says");
	assert_int_equal(row(l, before).position, 2);
	assert_string_equal(row(l, before).subject, "as git says");
	assert_int_equal(row(l, before).date, 1700000001);
	int64_t after = ensure(l, ID_A, NULL, "as uploaded");
	assert_int_equal(row(l, after).position, 1);
	assert_string_equal(row(l, after).subject, "one");
	assert_int_equal(git_commit_row(&l->c, 1, &id), E_OK);
	assert_int_equal(id, after);
	assert_int_equal(git_commit_row(&l->c, 3, &id), E_OK);
	assert_int_equal(id, 0);
}

static void a_new_stub_is_completed_at_once(void **state)
{
	struct db_lab *l = *state;

	add(l, ID_A, 0, "one");
	add(l, ID_B, 1, "two");
	int64_t b = ensure(l, "a0fd217e6d6f", NULL, NULL);
	assert_string_equal(row(l, b).name, ID_B);
	assert_int_equal(row(l, b).kind, COMMIT_FULL);
	assert_int_equal(row(l, b).position, 2);
	assert_int_equal(resolve(l, "a0fd217e6d6f"), b);
	assert_int_equal(ensure(l, "a0fd217", NULL, NULL), b);
	assert_int_equal(ensure(l, ID_B, NULL, NULL), b);
	/* What git knows is not all there is: a full id that only an upload told begins alike. */
	int64_t other = ensure(l, ID_A2, NULL, NULL);
	int64_t stub = ensure(l, "7bc162d", NULL, NULL);
	assert_true(stub != other);
	assert_int_equal(row(l, stub).kind, COMMIT_STUB);
}

static void a_stub_that_several_fit_stays_one(void **state)
{
	struct db_lab *l = *state;

	add(l, ID_A, 0, "one");
	add(l, ID_A2, 1, "two");
	int64_t stub = ensure(l, "7bc162d", NULL, NULL);
	assert_string_equal(row(l, stub).name, "7bc162d");
	assert_int_equal(row(l, stub).position, 0);
	tie_all(l);
	assert_string_equal(row(l, stub).name, "7bc162d");
	/* A full id that comes is not what it meant for certain. */
	assert_true(ensure(l, ID_A, NULL, NULL) != stub);
	assert_string_equal(row(l, stub).name, "7bc162d");
}

static void stubs_are_completed_after_a_sync(void **state)
{
	struct db_lab *l = *state;
	int64_t shorter = ensure(l, "7bc162d", NULL, NULL);
	int64_t longer = ensure(l, "7bc162d5cc4d", NULL, NULL);
	int64_t lone = ensure(l, "a0fd217e6", NULL, NULL);
	int64_t nobody = ensure(l, "ffffffff", NULL, NULL);

	assert_true(shorter != longer);
	add(l, ID_A, 0, "one");
	add(l, ID_B, 1, "two");
	assert_int_equal(row(l, lone).kind, COMMIT_STUB); /* not before all is there */
	tie_all(l);
	assert_string_equal(row(l, lone).name, ID_B);
	assert_int_equal(row(l, lone).position, 2);
	assert_string_equal(row(l, lone).subject, "two");
	assert_int_equal(resolve(l, "a0fd217e6"), lone);
	assert_string_equal(row(l, longer).name, ID_A);
	/* The two do not merge; the shorter one knows which commit it is. */
	assert_string_equal(row(l, shorter).name, "7bc162d");
	assert_int_equal(row(l, shorter).position, 1);
	assert_int_equal(row(l, nobody).position, 0);
	/* A second commit that begins alike: it is no longer known. */
	add(l, ID_A2, 2, "three");
	tie_all(l);
	assert_int_equal(row(l, shorter).position, 0);
	assert_int_equal(row(l, longer).position, 1);
	assert_int_equal(resolve(l, "7bc162d5cc4d"), longer);
}

static void a_completed_stub_may_become_open_again(void **state)
{
	struct db_lab *l = *state;
	struct commit_list many;
	struct commit k;
	int64_t stub = ensure(l, "7bc162d", NULL, NULL);

	add(l, ID_A, 0, "one");
	tie_all(l);
	assert_int_equal(resolve(l, "7bc162d"), stub);
	assert_string_equal(row(l, stub).name, ID_A);
	add(l, ID_A2, 1, "two");
	tie_all(l);
	ctx_clear(&l->c);
	assert_int_equal(commit_resolve(&l->c, "7bc162d", &k, &many), E_AMBIGUOUS);
	assert_int_equal(many.n, 2);
	assert_int_equal(many.commits[0].id, stub);
	assert_string_equal(many.commits[0].name, ID_A);
	assert_int_equal(many.commits[1].id, 0);
	assert_string_equal(many.commits[1].name, ID_A2);
	assert_int_equal(many.commits[1].position, 2);
	/* The row stays what it is, and uploads go on to find it by the name they gave. */
	assert_int_equal(resolve(l, ID_A), stub);
	assert_int_equal(ensure(l, "7bc162d", NULL, NULL), stub);
}

static void tags_know_their_position(void **state)
{
	struct db_lab *l = *state;
	struct repo main = {.name = "main", .url = "", .path = "", .refs = "", .added = l->now};
	struct repo next = main;
	int64_t early = ensure(l, "v5.6-rc4", "main", NULL), anywhere;

	next.name = "next";
	add(l, ID_A, 0, "one");
	add(l, ID_B, 1, "two");
	lab_begin(l);
	assert_int_equal(repo_insert(&l->c, &main), E_OK);
	assert_int_equal(repo_insert(&l->c, &next), E_OK);
	struct repo_ref ref = {main.id, "refs/tags/v5.6-rc4", 2, TIME_NONE};
	assert_int_equal(repo_ref_set(&l->c, &ref), E_OK);
	lab_commit(l);
	tie_all(l);
	assert_int_equal(row(l, early).position, 2);
	assert_string_equal(row(l, early).name, "v5.6-rc4");
	assert_string_equal(row(l, early).subject, "two");
	anywhere = ensure(l, "v5.6-rc4", NULL, NULL);
	assert_int_equal(row(l, anywhere).position, 2);
	assert_int_equal(row(l, ensure(l, "v5.6-rc4", "next", NULL)).position, 0);
	/* Where two repositories do not agree, a tag of no tree is nobody's. */
	ref = (struct repo_ref){main.id, "refs/tags/v7", 2, TIME_NONE};
	lab_begin(l);
	assert_int_equal(repo_ref_set(&l->c, &ref), E_OK);
	ref.repo_id = next.id;
	ref.position = 1;
	assert_int_equal(repo_ref_set(&l->c, &ref), E_OK);
	lab_commit(l);
	assert_int_equal(row(l, ensure(l, "v7.0", NULL, NULL)).position, 0);
	ref.name = "refs/tags/v7.0";
	lab_begin(l);
	assert_int_equal(repo_ref_set(&l->c, &ref), E_OK);
	ref.repo_id = main.id;
	ref.position = 2;
	assert_int_equal(repo_ref_set(&l->c, &ref), E_OK);
	lab_commit(l);
	tie_all(l);
	assert_int_equal(row(l, ensure(l, "v7.0", NULL, NULL)).position, 0);
	assert_int_equal(row(l, ensure(l, "v7.0", "next", NULL)).position, 1);
	/* The row of a position: a full id before a tag. */
	int64_t id;
	assert_int_equal(git_commit_row(&l->c, 2, &id), E_OK);
	assert_int_equal(id, early);
	int64_t full = ensure(l, ID_B, NULL, NULL);
	assert_int_equal(git_commit_row(&l->c, 2, &id), E_OK);
	assert_int_equal(id, full);
}

static void texts_are_gits(void **state)
{
	struct db_lab *l = *state;
	const struct git_text says = {
		.subject = "one",
		.message = "one\n\nby git\n",
		.author = {"Ann Other", "ann@example.org", 1600000001},
		.committer = {"Carl Committer", "", 1600000002},
	};
	struct git_row *rows;
	size_t n;
	int64_t id;

	add(l, ID_A, 0, "one");
	id = ensure(l, ID_A, NULL, "uploaded");
	ensure(l, ID_B, NULL, "git does not know it");
	assert_int_equal(git_rows_without_text(&l->c, 0, 10, &rows, &n), E_OK);
	assert_int_equal(n, 1);
	assert_int_equal(rows[0].commit_id, id);
	assert_int_equal(rows[0].position, 1);
	assert_string_equal(rows[0].id, ID_A);
	lab_begin(l);
	assert_int_equal(git_row_set_text(&l->c, id, &says), E_OK);
	lab_commit(l);
	assert_int_equal(git_rows_without_text(&l->c, 0, 10, &rows, &n), E_OK);
	assert_int_equal(n, 0);
	assert_int_equal(git_rows_known(&l->c, 0, false, 10, &rows, &n), E_OK);
	assert_int_equal(n, 1);
	assert_int_equal(git_rows_known(&l->c, 0, true, 10, &rows, &n), E_OK);
	assert_int_equal(n, 1);
	lab_begin(l);
	assert_int_equal(git_commit_set_patch_id(&l->c, 1, ""), E_OK);
	lab_commit(l);
	assert_int_equal(git_rows_known(&l->c, 0, true, 10, &rows, &n), E_OK);
	assert_int_equal(n, 0);
	ensure(l, ID_A, NULL, "uploaded later");
	struct commit k = row(l, id);
	assert_string_equal(k.subject, "one");
	assert_string_equal(k.message, "one\n\nby git\n");
	assert_string_equal(k.author.name, "Ann Other");
	assert_int_equal(k.author.date, 1600000001);
	assert_null(k.committer.email);
	assert_int_equal(k.date, 1600000002);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB_TEST(positions_and_lookups),
		LAB_TEST(an_octopus_keeps_its_parents),
		LAB_TEST(patch_ids),
		LAB_TEST(links_from_both_ends),
		LAB_TEST(full_ids_know_their_position),
		LAB_TEST(a_new_stub_is_completed_at_once),
		LAB_TEST(a_stub_that_several_fit_stays_one),
		LAB_TEST(stubs_are_completed_after_a_sync),
		LAB_TEST(a_completed_stub_may_become_open_again),
		LAB_TEST(tags_know_their_position),
		LAB_TEST(texts_are_gits),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("git_commits", tests, NULL, NULL);
}
