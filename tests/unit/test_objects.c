/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is read of commits, held against what git says of the same: diffstat with renames, lines,
 * patch-ids, messages in several encodings, and repositories that are damaged, shallow or gone.
 */
#include "repo_lab.h"

#include "server/history/objects.h"

/* One of everything that a commit can do to files. */
static const char make_all[] =
	"git init -q -b main w && cd w && "
	"c() { git add -A; git commit -q --allow-empty -m \"$1\"; }\n"
	"seq 1 200 > a.c; seq 1 10 > small; printf 'x\\0y' > bin; echo hi > sub-name; c root\n"
	"c empty\n"
	"sed -i 's/^50$/fifty/; s/^150$/x\\ny/' a.c; c change\n"
	"git mv a.c dir-b.c; sed -i 1d dir-b.c; c 'rename with a change'\n"
	"git mv small smaller; c 'exact rename'\n"
	"mkdir -p d; for i in 1 2 3 4 5; do seq $((i*100)) $((i*100+9)) > d/$i; done; c many\n"
	"git mv d e; echo more >> e/3; echo 0 > e/5; c 'renames of small files'\n"
	"printf 'x\\0z' > bin; c binary\n"
	"printf 'no newline' > n; c 'no newline'; printf 'no newline still' > n; c 'still none'\n"
	"chmod +x n; c mode\n"
	"ln -s n link; c symlink; git rm -q e/5; c removed\n"
	"printf 'one\\r\\ntwo\\r\\n' > crlf; c crlf; printf 'one\\r\\n2\\r\\n' > crlf; c crlf2\n"
	"git update-index --add --cacheinfo 160000,1111111111111111111111111111111111111111,sub; "
	"git commit -q -m 'submodule'\n"
	"git update-index --cacheinfo 160000,2222222222222222222222222222222222222222,sub; "
	"git commit -q -m 'submodule moved'\n"
	"git checkout -q -b side HEAD~3; seq 5 50 > side.c; git add side.c; git commit -q -m side\n"
	"git checkout -q -f main; git merge -q -m merge side; "
	"git read-tree HEAD; "
	"printf 'a\\tb' > $'odd\\t\"name\\nx'; c 'odd name'; ";

/* Lines of "added removed path" as git prints them, renames as its old and new path. */
static char *numstat(struct repo_lab *r, const char *id)
{
	return repo_sh(r,
		       arena_fmt(r->db->c.arena,
				 "cd w; git show --first-parent -m --format= --numstat -M -z %s | "
				 "tr '\\n\\0' '?\\n'",
				 id));
}

static char *our_numstat(struct repo_lab *r, const struct object_commit *k)
{
	struct arena *a = r->db->c.arena;
	char *s = arena_str(a, "");

	for (size_t i = 0; i < k->nfiles; i++) {
		const struct object_file *f = &k->files[i];

		if (f->added < 0)
			s = arena_fmt(a, "%s-\t-\t", s);
		else
			s = arena_fmt(a, "%s%lld\t%lld\t", s, (long long)f->added,
				      (long long)f->removed);
		if (f->old_path)
			s = arena_fmt(a, "%s\n%s\n%s\n", s, f->old_path, f->path);
		else
			s = arena_fmt(a, "%s%s\n", s, f->path);
	}
	for (char *p = strstr(s, "name\nx"); p; p = NULL)
		p[4] = '?';
	return s;
}

/* The same lines in any order. */
static void assert_same_lines(struct repo_lab *r, const char *what, const char *got,
			      const char *want)
{
	char *script = arena_fmt(r->db->c.arena, "sort <<'EOF'\n%sEOF\n", got);
	char *other = arena_fmt(r->db->c.arena, "sort <<'EOF'\n%sEOF\n", want);

	if (strcmp(repo_sh(r, script), repo_sh(r, other)) != 0)
		fail_msg("%s: ours\n%s, git's\n%s", what, got, want);
}

static size_t each_commit(struct repo_lab *r, void (*each)(struct repo_lab *, const char *id))
{
	char *ids = repo_sh(r, "cd w; git rev-list --all"), *id;
	size_t n = 0;

	while ((id = strsep(&ids, "\n")))
		if (*id) {
			each(r, id);
			n++;
		}
	return n;
}

static void check_stat(struct repo_lab *r, const char *id)
{
	struct object_commit k;

	assert_int_equal(object_commit_read(&r->db->c, id, false, &k), E_OK);
	assert_null(k.problem);
	assert_string_equal(k.tree, "lab");
	assert_int_equal(k.files_seen, k.nfiles);
	assert_int_equal(k.nlines, 0);
	assert_same_lines(r, k.message, our_numstat(r, &k), numstat(r, id));
}

static void files_as_git_counts_them(void **state)
{
	struct repo_lab *r = *state;

	repo_sh(r, make_all);
	repo_follow(r, "lab", "w", false);
	assert_int_equal(each_commit(r, check_stat), 20);
}

static void check_patch_id(struct repo_lab *r, const char *id)
{
	const char *got;
	char *want = repo_line(
		r,
		arena_fmt(r->db->c.arena,
			  "cd w; git diff-tree -p --root %s | git patch-id --stable | cut -c 1-40",
			  id));

	assert_int_equal(object_patch_id(&r->db->c, id, &got), E_OK);
	assert_non_null(got);
	if (strstr(repo_sh(r, arena_fmt(r->db->c.arena, "cd w; git diff-tree -p --root %s", id)),
		   "Binary files"))
		want = arena_str(r->db->c.arena,
				 ""); /* what git takes differs between repositories */
	if (strcmp(got, want) != 0)
		fail_msg("%s: %s is not %s",
			 repo_line(r, arena_fmt(r->db->c.arena, "cd w; git log -1 --format=%%s %s",
						id)),
			 got, want);
}

static void patch_ids_as_git_has_them(void **state)
{
	struct repo_lab *r = *state;

	repo_sh(r, make_all);
	repo_follow(r, "lab", "w", false);
	assert_int_equal(each_commit(r, check_patch_id), 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		REPO_TEST(files_as_git_counts_them),
		REPO_TEST(patch_ids_as_git_has_them),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("objects", tests, NULL, NULL);
}
