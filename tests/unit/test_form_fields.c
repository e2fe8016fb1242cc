/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Forms as browsers and curl send them, and every way to cut them: bodies lie in blocks of their
 * own size, so that a sanitizer sees each byte read beyond them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include "server/base/arena.h"
#include "server/base/err.h"
#include "server/pages/form_fields.h"

static const char multipart[] =
	"--b0-un\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\none\r\ntwo\r\n"
	"--b0-un \t\r\nContent-Type: text/plain\r\ncontent-disposition: form-data; "
	"filename=\"C:\\dir\\a;b \\\"c\\\".txt\"; name=file\r\n\r\n\r\n"
	"--b0-un\r\nContent-Disposition: form-data; name=\"label\"\r\n\r\n--b0-u\r\n-\r\n"
	"--b0-un--\r\n";

/* A body in memory that ends where it ends. */
static int read_form(struct arena *a, const char *params, const char *body, size_t n,
		     struct form_fields *out)
{
	char *own = malloc(n ? n : 1);
	struct ctx c;
	int e;

	assert_non_null(own);
	memcpy(own, body, n);
	ctx_init(&c, a, NULL);
	out->n = 0;
	e = params ? form_read_multipart(&c, params, own, n, out)
		   : form_read_urlencoded(&c, own, n, out);
	assert_int_equal(e < 0 ? e : 0, (int)c.err);
	for (size_t i = 0; i < out->n; i++) {
		out->list[i].value = arena_strn(a, out->list[i].value, out->list[i].n);
		assert_true(strlen(out->list[i].name) > 0);
	}
	free(own);
	return e;
}

static void is_field(const struct form_field *f, const char *name, const char *value,
		     const char *filename)
{
	assert_string_equal(f->name, name);
	assert_int_equal(f->n, strlen(value));
	assert_memory_equal(f->value, value, f->n);
	if (filename)
		assert_string_equal(f->filename, filename);
	else
		assert_null(f->filename);
}

static void test_multipart(void **state)
{
	auto_arena struct arena *a = arena_new();
	struct form_fields f;

	(void)state;
	assert_int_equal(read_form(a, "; boundary=b0-un", multipart, sizeof(multipart) - 1, &f), 0);
	assert_int_equal(f.n, 3);
	is_field(&f.list[0], "text", "one\r\ntwo", NULL);
	is_field(&f.list[1], "file", "", "C:\\dir\\a;b \"c\".txt");
	is_field(&f.list[2], "label", "--b0-u\r\n-", NULL);
}

static void test_multipart_cut(void **state)
{
	auto_arena struct arena *a = arena_new();
	const size_t whole = sizeof(multipart) - 1 - 2; /* the last line needs no end */
	struct form_fields f;

	(void)state;
	for (size_t n = 0; n < whole; n++) {
		arena_reset(a);
		assert_int_equal(read_form(a, "; boundary=b0-un", multipart, n, &f), E_SYNTAX);
	}
	assert_int_equal(read_form(a, "; boundary=b0-un", multipart, whole, &f), 0);
}

static void test_boundary(void **state)
{
	static const char body[] =
		"--=_x y\r\nContent-Disposition: form-data; name=n\r\n\r\nv\r\n--=_x y--";
	static const char *const good[] = {"; boundary=\"=_x y\"",
					   ";charset=a;BOUNDARY=\"=_x y\";z"};
	static const char too_long[] = "; boundary=0123456789012345678901234567890123456789"
				       "0123456789012345678901234567890"; /* 71 */
	static const char *const bad[] = {
		"",      ";", "; boundary", "; boundary=", "; boundary=\"\"", "; boundary=other",
		too_long};
	auto_arena struct arena *a = arena_new();
	struct form_fields f;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(read_form(a, good[i], body, sizeof(body) - 1, &f), 0);
		is_field(&f.list[0], "n", "v", NULL);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(read_form(a, bad[i], body, sizeof(body) - 1, &f), E_SYNTAX);
}

static void test_urlencoded(void **state)
{
	static const char body[] = "text=a+b%0a%00%C3%A9&&label=%3d%26&alone&=none";
	auto_arena struct arena *a = arena_new();
	struct form_fields f;

	(void)state;
	assert_int_equal(read_form(a, NULL, body, sizeof(body) - 1, &f), E_INVALID); /* "=none" */
	assert_int_equal(f.n, 3);
	assert_int_equal(f.list[0].n, 7);
	assert_memory_equal(f.list[0].value, "a b\n\0\xc3\xa9", 7);
	is_field(&f.list[1], "label", "=&", NULL);
	is_field(&f.list[2], "alone", "", NULL);
	assert_int_equal(read_form(a, NULL, body, sizeof(body) - 7, &f), 0);
	assert_int_equal(read_form(a, NULL, "", 0, &f), 0);
	assert_int_equal(f.n, 0);
}

static void test_urlencoded_cut(void **state)
{
	static const char body[] = "ab=%41%42&c%64=e";
	auto_arena struct arena *a = arena_new();
	struct form_fields f;

	(void)state;
	for (size_t n = 0; n < sizeof(body); n++) {
		const bool is_cut = n == 4 || n == 5 || n == 7 || n == 8 || n == 12 || n == 13;

		assert_int_equal(read_form(a, NULL, body, n, &f), is_cut ? E_SYNTAX : 0);
	}
	assert_int_equal(read_form(a, NULL, "a=%4g", 5, &f), E_SYNTAX);
}

static void test_limits(void **state)
{
	auto_arena struct arena *a = arena_new();
	char many[4 * FORM_FIELDS_MAX + 5], *p = many;
	char longest[FORM_NAME_MAX + 2];
	struct form_fields f;

	(void)state;
	for (int i = 0; i <= FORM_FIELDS_MAX; i++, p += 4)
		memcpy(p, "a=1&", 4);
	assert_int_equal(read_form(a, NULL, many, (size_t)(p - many) - 4, &f), 0);
	assert_int_equal(f.n, FORM_FIELDS_MAX);
	assert_int_equal(read_form(a, NULL, many, (size_t)(p - many), &f), E_INVALID);
	memset(longest, 'x', sizeof(longest));
	assert_int_equal(read_form(a, NULL, longest, FORM_NAME_MAX, &f), 0);
	assert_int_equal(read_form(a, NULL, longest, FORM_NAME_MAX + 1, &f), E_INVALID);
	assert_int_equal(read_form(a, NULL, "a%01=1", 6, &f), E_INVALID);
	assert_int_equal(read_form(a, NULL, "a%ff=1", 6, &f), E_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_multipart),      cmocka_unit_test(test_multipart_cut),
		cmocka_unit_test(test_boundary),       cmocka_unit_test(test_urlencoded),
		cmocka_unit_test(test_urlencoded_cut), cmocka_unit_test(test_limits),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("form_fields", tests, NULL, NULL);
}
