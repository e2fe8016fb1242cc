/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files as the import command reads them: lines of any length, a look ahead that takes nothing
 * away. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include <unistd.h>

#include "server/base/arena.h"
#include "server/base/out.h"
#include "server/import_source.h"

struct fixture {
	struct ctx ctx;
	struct import_source s;
	char path[64];
};

static void begin(struct fixture *f, const char *bytes, size_t n)
{
	int fd;

	*f = (struct fixture){.path = "/tmp/plumbline-source-XXXXXX"};
	fd = mkstemp(f->path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	close(fd);
	ctx_init(&f->ctx, arena_new(), NULL);
	assert_int_equal(source_open(&f->ctx, f->path, &f->s), E_OK);
}

static void end(struct fixture *f)
{
	source_close(&f->s);
	unlink(f->path);
	arena_free(f->ctx.arena);
}

/* expected NULL: a line that is too long. */
static void check_line(struct fixture *f, size_t max, const char *expected)
{
	const char *p;
	size_t n;

	assert_int_equal(source_line(&f->ctx, &f->s, max, &p, &n), 1);
	if (!expected) {
		assert_null(p);
		return;
	}
	assert_non_null(p);
	assert_int_equal(n, strlen(expected));
	assert_memory_equal(p, expected, n);
}

static void check_end(struct fixture *f)
{
	const char *p;
	size_t n;

	assert_int_equal(source_line(&f->ctx, &f->s, 100, &p, &n), 0);
}

static void test_lines(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, "one\n\nthree\nlast", 15);
	check_line(&f, 100, "one");
	check_line(&f, 100, "");
	check_line(&f, 100, "three");
	check_line(&f, 100, "last");
	assert_int_equal(f.s.line, 4);
	check_end(&f);
	check_end(&f);
	end(&f);
}

static void test_empty(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, "", 0);
	check_end(&f);
	end(&f);
}

/* Long lines of several reads: one that is allowed, one that is skipped, one that ends the file. */
static void test_long_lines(void **state)
{
	enum { LONG = 300000 };
	auto_out struct out o;
	struct fixture f;
	char *line = calloc(1, LONG + 1);

	(void)state;
	assert_non_null(line);
	memset(line, 'x', LONG);
	out_init(&o, OUT_MAX_DEFAULT);
	out_fmt(&o, "a\n%s\n%s%s\nb\n%s%s", line, line, line, line, line);
	begin(&f, o.p, o.len);
	check_line(&f, LONG, "a");
	check_line(&f, LONG, line);
	check_line(&f, LONG, NULL);
	check_line(&f, LONG, "b");
	assert_int_equal(f.s.line, 4);
	check_line(&f, LONG, NULL);
	check_end(&f);
	end(&f);
	free(line);
}

static void test_peek_takes_nothing(void **state)
{
	struct fixture f;
	const char *p;
	size_t n;

	(void)state;
	begin(&f, "one\ntwo\n", 8);
	assert_int_equal(source_peek(&f.ctx, &f.s, 2, 100, &p, &n), E_OK);
	assert_true(n >= 4);
	assert_memory_equal(p, "one\n", 4);
	assert_int_equal(source_peek(&f.ctx, &f.s, SIZE_MAX, 6, &p, &n), E_OK);
	assert_int_equal(n, 6);
	check_line(&f, 100, "one");
	assert_int_equal(source_peek(&f.ctx, &f.s, SIZE_MAX, 100, &p, &n), E_OK);
	assert_int_equal(n, 4);
	assert_memory_equal(p, "two\n", 4);
	check_line(&f, 100, "two");
	check_end(&f);
	end(&f);
}

static void test_no_file(void **state)
{
	struct import_source s;
	struct ctx c;

	(void)state;
	ctx_init(&c, arena_new(), NULL);
	assert_int_equal(source_open(&c, "/nonexistent/file", &s), E_NOTFOUND);
	assert_non_null(strstr(c.detail, "/nonexistent/file: "));
	ctx_clear(&c);
	assert_int_equal(source_open(&c, "/tmp", &s), E_OK);
	{
		const char *p;
		size_t n;

		assert_int_equal(source_line(&c, &s, 10, &p, &n), E_INTERNAL); /* a folder */
	}
	source_close(&s);
	arena_free(c.arena);
}

/* A whole that is small lies in memory, a large one in a file of our own, which keeps its bytes
 * whatever becomes of the one that was read; what was looked at before is part of both. */
static void check_whole(size_t small, bool looked, bool mapped)
{
	enum { LENGTH = 500000 };
	char *bytes = malloc(LENGTH);
	struct fixture f;
	const char *p;
	size_t n;

	assert_non_null(bytes);
	for (size_t i = 0; i < LENGTH; i++)
		bytes[i] = (char)(i * 7919 >> 5);
	begin(&f, bytes, LENGTH);
	if (looked)
		assert_int_equal(source_peek(&f.ctx, &f.s, 100, 1000, &p, &n), E_OK);
	assert_int_equal(source_whole(&f.ctx, &f.s, small, LENGTH, &p, &n), E_OK);
	assert_int_equal(truncate(f.path, 0), 0);
	assert_int_equal(n, LENGTH);
	assert_memory_equal(p, bytes, LENGTH);
	assert_int_equal(f.s.map != NULL, mapped);
	end(&f);
	free(bytes);
}

static void test_whole(void **state)
{
	(void)state;
	check_whole(500000, false, false);
	check_whole(500000, true, false);
	check_whole(300000, false, true);
	check_whole(1000, true, true);
}

static void test_whole_too_large(void **state)
{
	struct fixture f;
	char bytes[3000] = "x";
	const char *p;
	size_t n;

	(void)state;
	for (size_t small = 10; small <= 10000; small *= 1000) {
		begin(&f, bytes, sizeof(bytes));
		assert_int_equal(source_whole(&f.ctx, &f.s, small, 2000, &p, &n), E_OK);
		assert_true(n > 2000);
		end(&f);
	}
}

static void test_whole_without_room(void **state)
{
	char bytes[200000] = "x";
	struct fixture f;
	const char *p;
	size_t n;

	(void)state;
	assert_int_equal(setenv("TMPDIR", "/there is no such folder", 1), 0);
	begin(&f, bytes, sizeof(bytes));
	assert_int_equal(source_whole(&f.ctx, &f.s, 1000, 200000, &p, &n), E_INTERNAL);
	assert_non_null(strstr(f.ctx.detail, "/there is no such folder (TMPDIR)"));
	end(&f);
	unsetenv("TMPDIR");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),           cmocka_unit_test(test_empty),
		cmocka_unit_test(test_long_lines),      cmocka_unit_test(test_peek_takes_nothing),
		cmocka_unit_test(test_no_file),         cmocka_unit_test(test_whole),
		cmocka_unit_test(test_whole_too_large), cmocka_unit_test(test_whole_without_room),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("import_source", tests, NULL, NULL);
}
