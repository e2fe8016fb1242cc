/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A repository that git itself makes in a folder of its own, for tests of what we read from it, and
 * the answers of git to hold ours against.
 */
#ifndef TESTS_REPO_LAB_H
#define TESTS_REPO_LAB_H

#include "db_lab.h"

#include <fcntl.h>
#include <sys/wait.h>

#include "db/git_commits.h"
#include "db/repos.h"
#include "server/base/clock.h"

struct repo_lab {
	struct db_lab *db;
	char folder[64];
};

/* Runs a shell script inside the folder and returns what it prints, in the arena. It must end well.
 */
static inline char *repo_sh(struct repo_lab *r, const char *script)
{
	char *out = NULL;
	size_t n = 0, cap = 0;
	int fds[2], status;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (chdir(r->folder) != 0 || dup2(fds[1], 1) < 0)
			_exit(126);
		close(fds[0]);
		close(fds[1]);
		setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
		setenv("GIT_CONFIG_SYSTEM", "/dev/null", 1);
		setenv("GIT_AUTHOR_NAME", "Ada L", 1);
		setenv("GIT_AUTHOR_EMAIL", "ada@example.org", 1);
		setenv("GIT_COMMITTER_NAME", "Bob M", 1);
		setenv("GIT_COMMITTER_EMAIL", "bob@example.org", 1);
		execl("/bin/bash", "bash", "-euc", script, (char *)NULL);
		_exit(127);
	}
	close(fds[1]);
	for (;;) {
		ssize_t got;

		out = arena_grow(r->db->c.arena, out, &cap, n + 65537, 1);
		got = read(fds[0], out + n, 65536);
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	out[n] = '\0';
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		fail_msg("%s: %s", script, out);
	return out;
}

/* The same, without the newline at the end. */
static inline char *repo_line(struct repo_lab *r, const char *script)
{
	char *s = repo_sh(r, script);

	s[strcspn(s, "\n")] = '\0';
	return s;
}

static inline int repo_lab_open(void **state)
{
	struct repo_lab *r = calloc(1, sizeof(*r));
	void *db = NULL;

	assert_non_null(r);
	assert_int_equal(db_lab_open(&db), 0);
	r->db = db;
	snprintf(r->folder, sizeof(r->folder), "/tmp/plumbline-git-XXXXXX");
	assert_non_null(mkdtemp(r->folder));
	*state = r;
	return 0;
}

static inline int repo_lab_close(void **state)
{
	struct repo_lab *r = *state;
	void *db = r->db;

	repo_sh(r, "rm -rf \"$PWD\"");
	free(r);
	return db_lab_close(&db);
}

#define REPO_TEST(f) cmocka_unit_test_setup_teardown(f, repo_lab_open, repo_lab_close)

/* Follows the folder inside the lab's as a repository. */
static inline int64_t repo_follow(struct repo_lab *r, const char *name, const char *folder,
				  bool snapshots)
{
	struct repo x = {.name = name,
			 .url = folder,
			 .path = arena_fmt(r->db->c.arena, "%s/%s", r->folder, folder),
			 .in_place = true,
			 .refs = "",
			 .snapshots = snapshots,
			 .added = LAB_TIME,
			 .tried = LAB_TIME,
			 .synced = LAB_TIME,
			 .next_try = LAB_TIME,
			 .removed = TIME_NONE};

	lab_begin(r->db);
	assert_int_equal(repo_insert(&r->db->c, &x), E_OK);
	lab_commit(r->db);
	return x.id;
}

/* What a line of a message says of other commits, for the few forms that the tests write. */
static inline bool repo_link(const char *line, struct git_link *link)
{
	static const struct {
		const char *head;
		enum git_link_kind kind;
	} forms[] = {{"Fixes: ", LINK_FIXES},
		     {"(cherry picked from commit ", LINK_UPSTREAM},
		     {"commit ", LINK_UPSTREAM},
		     {"This reverts commit ", LINK_REVERTS},
		     {"Link: https://lore.kernel.org/r/", LINK_MESSAGE_ID}};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		size_t n = strlen(forms[i].head);

		if (strncmp(line, forms[i].head, n) != 0)
			continue;
		link->kind = forms[i].kind;
		link->target = line + n;
		return true;
	}
	return false;
}

static inline size_t repo_links(struct arena *a, char *body, struct git_link *links, size_t max)
{
	size_t n = 0;
	char *line;

	while ((line = strsep(&body, "\n"))) {
		if (n == max || !repo_link(line, &links[n]))
			continue;
		if (links[n].kind == LINK_MESSAGE_ID)
			links[n].target = arena_str(a, links[n].target);
		else
			links[n].target =
				arena_strn(a, links[n].target, strcspn(links[n].target, " .)"));
		n++;
	}
	return n;
}

/* The position of a commit, which must be in the index. */
static inline int64_t repo_at(struct repo_lab *r, const char *id)
{
	struct git_commit k;

	assert_int_equal(git_commit_by_id(&r->db->c, id, &k), E_OK);
	return k.position;
}

static inline void repo_add_commit(struct repo_lab *r, char *text)
{
	struct git_link links[10];
	char *id = strsep(&text, "\x1f"), *parents = strsep(&text, "\x1f"), *parent;
	struct git_commit k = {.id = id};

	while ((parent = strsep(&parents, " ")))
		if (*parent)
			k.parents[k.nparents++] = (uint32_t)repo_at(r, parent);
	k.date = strtoll(strsep(&text, "\x1f"), NULL, 10);
	k.author_date = strtoll(strsep(&text, "\x1f"), NULL, 10);
	k.subject = strsep(&text, "\x1f");
	assert_int_equal(
		git_commit_add(&r->db->c, &k, links, repo_links(r->db->c.arena, text, links, 10)),
		E_OK);
}

static inline void repo_add_ref(struct repo_lab *r, int64_t repo_id, char *text)
{
	struct repo_ref ref = {.repo_id = repo_id, .gone = TIME_NONE};
	char *target;

	ref.name = strsep(&text, " ");
	target = strsep(&text, " ");
	if (text && *text)
		target = text;
	ref.position = repo_at(r, target);
	assert_int_equal(repo_ref_set(&r->db->c, &ref), E_OK);
}

/* Puts all commits, branches and tags of a folder that is followed into the index. */
static inline void repo_index(struct repo_lab *r, int64_t repo_id, const char *folder)
{
	struct arena *a = r->db->c.arena;
	char *commits =
		repo_sh(r, arena_fmt(a,
				     "cd %s; git log --all --topo-order --reverse "
				     "--format=%%H%%x1f%%P%%x1f%%ct%%x1f%%at%%x1f%%s%%x1f%%b%%x1e",
				     folder));
	char *refs = repo_sh(r, arena_fmt(a,
					  "cd %s; git for-each-ref "
					  "--format='%%(refname) %%(objectname) %%(*objectname)'",
					  folder));
	char *one;

	lab_begin(r->db);
	while ((one = strsep(&commits, "\x1e")))
		if (one[one[0] == '\n'])
			repo_add_commit(r, one + (one[0] == '\n'));
	while ((one = strsep(&refs, "\n")))
		if (*one)
			repo_add_ref(r, repo_id, one);
	lab_commit(r->db);
}

#endif
