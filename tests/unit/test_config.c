/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings from defaults, a file and options; and the command line's parts. */
#include "server/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>
#include <cmocka.h>

#include "server/base/arena.h"
#include "server/command.h"

struct fixture {
	struct arena *arena;
	struct ctx c;
	struct config cfg;
	char file[40];
};

static int set_up(void **state)
{
	static struct fixture f;

	f.arena = arena_new();
	ctx_init(&f.c, f.arena, NULL);
	config_init(&f.c, &f.cfg);
	snprintf(f.file, sizeof(f.file), "/tmp/test_config-XXXXXX");
	int fd = mkstemp(f.file);
	if (fd < 0)
		return -1;
	close(fd);
	*state = &f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	unlink(f->file);
	arena_free(f->arena);
	return 0;
}

static int read_text(struct fixture *f, const char *text)
{
	FILE *to = fopen(f->file, "w");

	assert_non_null(to);
	fputs(text, to);
	fclose(to);
	ctx_clear(&f->c);
	return config_read(&f->c, f->file, &f->cfg);
}

static int set(struct fixture *f, const char *key, const char *value)
{
	ctx_clear(&f->c);
	return config_set(&f->c, &f->cfg, key, value, "here");
}

static void test_defaults(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(f->cfg.listen, "127.0.0.1:8080");
	assert_string_equal(f->cfg.public_url, "");
	assert_int_equal(f->cfg.max_body, 67108864); /* 64 MiB */
	assert_int_equal(f->cfg.connections, 4000);
	assert_int_equal(f->cfg.page_cache, 33554432);
	assert_false(f->cfg.read_only);
	assert_true(f->cfg.database_is_default);
	assert_int_equal(f->c.err, E_OK);
}

static void test_default_database_is_in_the_state_folder(void **state)
{
	struct fixture *f = *state;

	setenv("STATE_DIRECTORY", "/var/lib/plumbline:/other", 1);
	config_init(&f->c, &f->cfg);
	assert_string_equal(f->cfg.database, "/var/lib/plumbline/plumbline.db");
	unsetenv("STATE_DIRECTORY");
	setenv("XDG_STATE_HOME", "/x y", 1);
	config_init(&f->c, &f->cfg);
	assert_string_equal(f->cfg.database, "/x y/plumbline/plumbline.db");
	unsetenv("XDG_STATE_HOME");
	setenv("HOME", "/home/me", 1);
	config_init(&f->c, &f->cfg);
	assert_string_equal(f->cfg.database, "/home/me/.local/state/plumbline/plumbline.db");
}

static void test_a_file(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(read_text(f, "# a comment\n\n listen=[::1]:9000\r\n"
				      "public-url = https://perf.example.org/lab \n"
				      "max_body = 2K\nread_only = yes\nqueue_jobs = 7\n"
				      "database = /srv/a b/x.db"),
			 0);
	assert_string_equal(f->cfg.listen, "[::1]:9000");
	assert_string_equal(f->cfg.public_url, "https://perf.example.org/lab");
	assert_int_equal(f->cfg.max_body, 2048);
	assert_true(f->cfg.read_only);
	assert_int_equal(f->cfg.queue_jobs, 7);
	assert_string_equal(f->cfg.database, "/srv/a b/x.db");
	assert_false(f->cfg.database_is_default);
}

static void test_a_fault_names_its_line(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(read_text(f, "listen = 127.0.0.1:1\n\nlisten to me\n"), E_INVALID);
	assert_non_null(strstr(f->c.detail, "line 3"));
	assert_int_equal(read_text(f, "colour = blue\n"), E_INVALID);
	assert_non_null(strstr(f->c.detail, "line 1"));
	assert_non_null(strstr(f->c.detail, "colour"));
	ctx_clear(&f->c);
	assert_int_equal(config_read(&f->c, "/nonexistent/file", &f->cfg), E_NOTFOUND);
	ctx_clear(&f->c);
	assert_int_equal(config_read(&f->c, "/tmp", &f->cfg), E_INVALID);
}

static void test_bad_values(void **state)
{
	static const char *const bad[][2] = {
		{"listen", "8080"},
		{"listen", "localhost:80"},
		{"listen", "127.0.0.1:65536"},
		{"listen", "127.0.0.1:-0"},
		{"listen", "::1:80"},
		{"listen", "[::1:80"},
		{"listen", ":80"},
		{"public_url", "ftp://x"},
		{"public_url", "https://"},
		{"public_url", "https://x/"},
		{"public_url", "https://x\"y"},
		{"public_url", "https://x y"},
		{"max_body", "64X"},
		{"max_body", "-1"},
		{"max_body", ""},
		{"max_body", "2G"},
		{"max_body", "9999999999999G"},
		{"queue_jobs", "0"},
		{"queue_jobs", "10K"},
		{"read_only", "perhaps"},
		{"log_level", "loud"},
		{"database", ""},
		{"threads", "1.5"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (set(f, bad[i][0], bad[i][1]) != E_INVALID)
			fail_msg("%s = %s was taken", bad[i][0], bad[i][1]);
		assert_non_null(strstr(f->c.detail, "here"));
		assert_non_null(strstr(f->c.detail, bad[i][0]));
	}
}

static void test_what_is_printed_is_read_back(void **state)
{
	struct fixture *f = *state;
	struct config before = f->cfg;
	auto_out struct out o;

	out_init(&o, 1 << 20);
	config_print(&o);
	assert_int_equal(read_text(f, o.p), 0);
	assert_int_equal(f->cfg.max_body, before.max_body);
	assert_int_equal(f->cfg.disk_reserve, before.disk_reserve);
	assert_string_equal(f->cfg.listen, before.listen);
	assert_true(f->cfg.database_is_default);
}

static const struct command command = {"test", "", "", "axis= dry-run commit=", NULL};

static int parse(struct fixture *f, struct cli *cli, int argc, char **argv)
{
	ctx_clear(&f->c);
	*cli = (struct cli){.ctx = &f->c, .config = &f->cfg, .command = &command};
	return cli_parse(cli, argc, argv);
}

static void test_options_may_follow_arguments(void **state)
{
	char *argv[] = {"A",        "--axis",    "a=b",         "B", "--axis=c=d", "--dry-run",
			"--listen", "1.2.3.4:5", "--read-only", "-", "--",         "--commit"};
	struct fixture *f = *state;
	struct cli cli;

	assert_int_equal(parse(f, &cli, 12, argv), 0);
	assert_int_equal(cli.argc, 4);
	assert_string_equal(cli.argv[0], "A");
	assert_string_equal(cli.argv[1], "B");
	assert_string_equal(cli.argv[2], "-");
	assert_string_equal(cli.argv[3], "--commit");
	assert_string_equal(cli_option_at(&cli, "axis", 0), "a=b");
	assert_string_equal(cli_option_at(&cli, "axis", 1), "c=d");
	assert_null(cli_option_at(&cli, "axis", 2));
	assert_string_equal(cli_option(&cli, "axis"), "c=d");
	assert_non_null(cli_option(&cli, "dry-run"));
	assert_null(cli_option(&cli, "commit"));
	assert_string_equal(f->cfg.listen, "1.2.3.4:5");
	assert_true(f->cfg.read_only);
}

static void test_options_win_over_the_file(void **state)
{
	struct fixture *f = *state;
	char *argv[] = {"--queue_jobs=5", "--config", f->file};
	struct cli cli;

	assert_int_equal(read_text(f, "queue_jobs = 3\nconnections = 99\n"), 0);
	assert_int_equal(parse(f, &cli, 3, argv), 0);
	assert_int_equal(f->cfg.queue_jobs, 5);
	assert_int_equal(f->cfg.connections, 99);
}

static void test_bad_options_are_usage(void **state)
{
	static char *const bad[][2] = {
		{"--nope", NULL},         {"-x", NULL},
		{"--commit", NULL},       {"--dry-run=yes", NULL},
		{"--queue-jobs", "none"}, {"--axi", "a=b"},
	};
	struct fixture *f = *state;
	struct cli cli;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char *argv[] = {bad[i][0], bad[i][1]};
		assert_int_equal(parse(f, &cli, bad[i][1] ? 2 : 1, argv), 2);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
		TEST(test_defaults),
		TEST(test_default_database_is_in_the_state_folder),
		TEST(test_a_file),
		TEST(test_a_fault_names_its_line),
		TEST(test_bad_values),
		TEST(test_what_is_printed_is_read_back),
		TEST(test_options_may_follow_arguments),
		TEST(test_options_win_over_the_file),
		TEST(test_bad_options_are_usage),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
