/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Logs of builds with gcc, clang and the kernel's make; expected values read off the files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include "tests/unit/raw_lab.h"

static void check(const struct raw *r, size_t i, const char *file, int64_t line, int64_t column,
		  const char *message)
{
	const struct build_in *b = &r->in.subs[0].commit.build;

	assert_in_range(i, 0, b->nwarnings - 1);
	assert_string_equal(b->warnings[i].file, file);
	assert_string_equal(b->warnings[i].message, message);
	assert_int_equal(b->warnings[i].line, line);
	assert_int_equal(b->warnings[i].column, column);
}

static void test_gcc(void **state)
{
	struct raw r;

	(void)state;
	raw_read(&r, "build-log", "build-gcc.log");
	assert_int_equal(r.in.n, 1);
	assert_int_equal(r.in.subs[0].kind, SUBMISSION_NOTE);
	assert_int_equal(r.in.subs[0].nruns, 0);
	assert_string_equal(r.in.subs[0].testcase, "build");
	assert_string_equal(r.in.subs[0].commit.build.status, "failed");
	assert_int_equal(r.in.subs[0].commit.build.nwarnings, 11);
	check(&r, 0, "a.c", 2, 37,
	      "format ‘%s’ expects argument of type ‘char *’, but argument 2 has type ‘int’ "
	      "[-Wformat=]");
	check(&r, 2, "a.c", 2, 20, "unused variable ‘unused’ [-Wunused-variable]");
	check(&r, 3, "e.c", 1, 10, "fatal error: nothere.h: No such file or directory");
	check(&r, 4, "make", -1, -1, "error: [Makefile:3: e.o] Error 1");
	check(&r, 6, "g.c", 1, 37,
	      "error: ‘undefinedthing’ undeclared (first use in this function)");
	check(&r, 8, "h.c", -1, -1, "error: undefined reference to `absent'");
	check(&r, 9, "collect2", -1, -1, "error: ld returned 1 exit status");
	raw_end(&r);
}

static void test_clang(void **state)
{
	struct raw r;

	(void)state;
	raw_read(&r, "build-log", "build-clang.log");
	assert_int_equal(r.in.subs[0].commit.build.nwarnings, 12);
	check(&r, 0, "a.c", 2, 43,
	      "format specifies type 'char *' but the argument has type 'int' [-Wformat]");
	check(&r, 3, "a.c", 2, 68,
	      "non-void function does not return a value in all control paths [-Wreturn-type]");
	check(&r, 10, "clang", -1, -1,
	      "error: linker command failed with exit code 1 (use -v to see invocation)");
	raw_end(&r);
}

/* A header's warning comes twice and is kept once; objtool, the linker, modpost and make. */
static void test_kernel(void **state)
{
	struct raw r;

	(void)state;
	raw_read(&r, "build-log", "build-kernel.log");
	assert_string_equal(r.in.subs[0].commit.build.status, "failed");
	assert_int_equal(r.in.subs[0].commit.build.nwarnings, 8);
	check(&r, 0, "include/linux/gizmo.h", 12, 9, "\"GIZMO_MAX\" redefined");
	check(&r, 1, "lib/other.c", 4, -1, "label 'out' defined but not used");
	check(&r, 2, "vmlinux.o", -1, -1,
	      "objtool: gadget_run+0x1c: call to __warn() leaves .noinstr.text section");
	check(&r, 5, "modpost", -1, -1,
	      "error: \"widget_open\" [drivers/net/widget.ko] undefined!");
	check(&r, 6, "make", -1, -1,
	      "error: [scripts/Makefile.modpost:144: Module.symvers] Error 1");
	raw_end(&r);
}

static int run_text(struct raw *r, const char *text)
{
	r->bytes = NULL;
	return raw_run(r, "build-log", text, strlen(text), NULL);
}

static void test_clean_and_none(void **state)
{
	struct raw r;

	(void)state;
	assert_int_equal(run_text(&r, "  CC      lib/a.o\n  LD      vmlinux\n"), E_OK);
	assert_string_equal(r.in.subs[0].commit.build.status, "ok");
	assert_int_equal(r.in.subs[0].commit.build.nwarnings, 0);
	raw_end(&r);
	assert_int_equal(run_text(&r, "x.c:7:1: warning: odd [-Wodd]\n"), E_OK);
	assert_string_equal(r.in.subs[0].commit.build.status, "ok");
	assert_int_equal(r.in.subs[0].commit.build.nwarnings, 1);
	raw_end(&r);
	assert_int_equal(run_text(&r, ">> y.c:3:9: sparse: warning: symbol 'y' was not declared\n"),
			 E_OK);
	check(&r, 0, "y.c", 3, 9, "symbol 'y' was not declared");
	raw_end(&r);
	assert_int_equal(run_text(&r, "A letter that has nothing to do with it.\n"), E_INVALID);
	raw_end(&r);
}

/* Each of the warnings twice; what is over 50000 different ones is refused, not dropped. */
static void test_many(void **state)
{
	enum { MOST = 50000 };
	char *text = malloc((size_t)2 * (MOST + 1) * 40);
	struct raw r;

	(void)state;
	assert_non_null(text);
	for (int more = 0; more <= 1; more++) {
		size_t n = 0;

		for (int i = 0; i < 2 * (MOST + more); i++)
			n += (size_t)snprintf(text + n, 40, "x.c:%d:1: warning: w [-Ww]\n",
					      1 + i % (MOST + more));
		assert_int_equal(run_text(&r, text), more ? E_TOO_LARGE : E_OK);
		if (more)
			assert_non_null(strstr(r.ctx.detail, "more than 50000 different warnings"));
		else
			assert_int_equal(r.in.subs[0].commit.build.nwarnings, MOST);
		raw_end(&r);
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gcc),    cmocka_unit_test(test_clang),
		cmocka_unit_test(test_kernel), cmocka_unit_test(test_clean_and_none),
		cmocka_unit_test(test_many),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("import_build_log", tests, NULL, NULL);
}
