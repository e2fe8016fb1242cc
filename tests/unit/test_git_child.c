/* SPDX-License-Identifier: GPL-2.0-or-later */
/* git as a child: what it prints, how it fails, that it ends when it must, and that nothing of the
 * caller's environment speaks to it. Also the set of ids of a walk. */
#include "server/history/git_child.h"

#include <arpa/inet.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "server/history/oid_set.h"
#include "tests/unit/db_lab.h"

static bool run(struct arena *a, struct git_run *g, const char *const *args)
{
	g->args = args;
	if (!g->seconds)
		g->seconds = 60;
	return git_run(a, g);
}

static void what_it_prints_and_how_it_fails(void **state)
{
	struct arena *a = *state;
	struct git_run g = {0};

	assert_true(run(a, &g, (const char *const[]){"version", NULL}));
	assert_null(g.problem);
	assert_int_equal(strncmp(g.text, "git version ", 12), 0);
	assert_false(run(a, &g, (const char *const[]){"flyaway", NULL}));
	assert_string_equal(
		g.problem,
		"git flyaway says: git: 'flyaway' is not a git command. See 'git --help'.");
	g.folder = "/nonexistent";
	assert_false(run(a, &g, (const char *const[]){"rev-parse", "HEAD", NULL}));
	assert_string_equal(g.problem, "git rev-parse says: not a git repository: '/nonexistent'");
	assert_string_equal(g.text, "");
}

/* The output of a file of n bytes, as git prints it. */
static size_t printed(struct arena *a, size_t n)
{
	char name[] = "/tmp/plumbline-git-XXXXXX";
	int fd = mkstemp(name);
	struct git_run g = {0};
	char *bytes = arena_alloc(a, n);

	memset(bytes, 'x', n);
	assert_int_equal(write(fd, bytes, n), n);
	close(fd);
	/* "no-index" prints the difference of two files and ends with 1. */
	assert_false(run(
		a, &g, (const char *const[]){"diff", "--no-index", "--", "/dev/null", name, NULL}));
	unlink(name);
	return strlen(g.text);
}

static void output_is_kept_up_to_a_limit(void **state)
{
	size_t few = printed(*state, 100), many = printed(*state, 5000000);

	assert_true(few > 100 && few < 1000);
	assert_int_equal(many, 64 << 10);
}

static void the_environment_is_ours(void **state)
{
	struct git_run g = {0};

	setenv("GIT_CONFIG_COUNT", "1", 1);
	setenv("GIT_CONFIG_KEY_0", "user.name", 1);
	setenv("GIT_CONFIG_VALUE_0", "From Outside", 1);
	setenv("GIT_AUTHOR_NAME", "From Outside", 1);
	setenv("GIT_EXEC_PATH", "/nonexistent", 1);
	setenv("HOME", "/nonexistent", 1);
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	assert_true(run(*state, &g, (const char *const[]){"config", "--list", NULL}));
	assert_null(strstr(g.text, "Outside"));
	assert_non_null(strstr(g.text, "core.hookspath=/dev/null"));
	/* The one protocol that runs what it is told. */
	assert_false(run(*state, &g, (const char *const[]){"ls-remote", "--", "ext::true", NULL}));
	assert_string_equal(g.problem, "git ls-remote says: transport 'ext' not allowed");
}

/* Something that accepts connections and never answers: its address for git. */
static const char *silent(struct arena *a)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(in);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&in, len), 0);
	assert_int_equal(listen(fd, 5), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&in, &len), 0);
	return arena_fmt(a, "git://127.0.0.1:%d/x", ntohs(in.sin_port));
}

static void it_ends_when_time_is_over(void **state)
{
	const char *const args[] = {"ls-remote", "--", silent(*state), NULL};
	struct git_run g = {.seconds = 1};

	assert_false(run(*state, &g, args));
	assert_string_equal(g.problem, "git ls-remote took more than 1 seconds and was ended");
}

static void it_ends_when_the_service_stops(void **state)
{
	const char *const args[] = {"ls-remote", "--", silent(*state), NULL};
	struct stop_sign stop = {.fd = eventfd(1, EFD_CLOEXEC)};
	struct git_run g = {.stop = &stop};

	assert_false(run(*state, &g, args));
	assert_string_equal(g.problem, "the service was stopped meanwhile");
	close(stop.fd);
}

static void set_of_ids(void **state)
{
	struct oid_set set = {0};
	struct oid_slot *slot;
	git_oid id = {{0}};

	(void)state;
	assert_null(oid_set_find(&set, &id));
	for (int i = 0; i < 5000; i++) { /* all with the same first bytes */
		id.id[18] = (unsigned char)(i >> 8);
		id.id[19] = (unsigned char)i;
		assert_true(oid_set_add(&set, &id, &slot));
		slot->bad = i == 77;
	}
	assert_false(oid_set_add(&set, &id, &slot));
	assert_int_equal(set.n, 5000);
	for (int i = 0; i < 5000; i++) {
		id.id[18] = (unsigned char)(i >> 8);
		id.id[19] = (unsigned char)i;
		slot = oid_set_find(&set, &id);
		assert_non_null(slot);
		assert_int_equal(slot->bad, i == 77);
	}
	id.id[0] = 1;
	assert_null(oid_set_find(&set, &id));
	oid_set_free(&set);
}

static int open_arena(void **state)
{
	*state = arena_new();
	return 0;
}

static int close_arena(void **state)
{
	arena_free(*state);
	return 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_arena, close_arena)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_it_prints_and_how_it_fails), TEST(output_is_kept_up_to_a_limit),
		TEST(the_environment_is_ours),         TEST(it_ends_when_time_is_over),
		TEST(it_ends_when_the_service_stops),  cmocka_unit_test(set_of_ids),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("git_child", tests, NULL, NULL);
}
