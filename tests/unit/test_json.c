/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The JSON writer; jansson, which shares no code with it, reads back what it wrote. */
#include "server/view/json.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "server/base/clock.h"

static void a_document_as_it_stands(void **state)
{
	auto_out struct out o;
	struct jw w;

	(void)state;
	out_init(&o, OUT_MAX_DEFAULT);
	jw_init(&w, &o);
	jw_obj(&w, NULL);
	jw_str(&w, "metric", "hackbench.throughput");
	jw_arr(&w, "cells");
	jw_num(&w, NULL, 479042.68774902937);
	jw_num(&w, NULL, -0.0);
	jw_num(&w, NULL, NAN);
	jw_num(&w, NULL, -INFINITY);
	jw_prob(&w, NULL, 1.23456789e-9);
	jw_prob(&w, NULL, NAN);
	jw_obj(&w, NULL);
	jw_end(&w);
	jw_end(&w);
	jw_arr(&w, "none");
	jw_end(&w);
	jw_int(&w, "n", INT64_MIN);
	jw_bool(&w, "yes", true);
	jw_null(&w, "nothing");
	jw_str(&w, "absent", NULL);
	jw_time(&w, "at", 1689822060);
	jw_time(&w, "never", TIME_NONE);
	jw_raw(&w, "raw", "[1]", 3);
	jw_end(&w);
	assert_string_equal(o.p,
			    "{\"metric\":\"hackbench.throughput\",\"cells\":[479042.68774902937,"
			    "-0.0,null,null,1.23457e-09,null,{}],\"none\":[],"
			    "\"n\":-9223372036854775808,\"yes\":true,\"nothing\":null,"
			    "\"absent\":null,\"at\":\"2023-07-20T03:01:00Z\",\"never\":null,"
			    "\"raw\":[1]}");
}

static void hostile_texts_come_back_unchanged(void **state)
{
	static const char *const texts[] = {
		"<script>alert(1)</script>",
		"\"quoted\" 'single' \\back\\ /slash/",
		"\x01\x02\x1f\x7f\t\n\r\b\f",
		"ü – 😀 \xe2\x80\xa8 \xe2\x80\xa9",
		"</script><!--",
		"",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		auto_out struct out o;
		struct jw w;
		json_t *read;

		out_init(&o, OUT_MAX_DEFAULT);
		jw_init(&w, &o);
		jw_obj(&w, NULL);
		jw_str(&w, texts[i], texts[i]);
		jw_num(&w, "x", 1); /* the quick way for names */
		jw_num(&w, texts[i][0] ? texts[i] + 1 : "y", 2);
		jw_end(&w);
		assert_null(strpbrk(o.p, "<\n\r\t\x7f"));
		assert_null(strstr(o.p, "\xe2\x80\xa8"));
		read = json_loads(o.p, JSON_REJECT_DUPLICATES, NULL);
		assert_non_null(read);
		assert_int_equal(json_object_size(read), 3);
		assert_string_equal(json_string_value(json_object_get(read, texts[i])), texts[i]);
		json_decref(read);
	}
}

static void broken_utf8_is_replaced(void **state)
{
	auto_out struct out o;

	(void)state;
	out_init(&o, OUT_MAX_DEFAULT);
	json_quote(&o, "a\xff\xe2\x80<\xf0\x9f\x98", 8);
	assert_string_equal(o.p, "\"a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\\u003c\xef\xbf\xbd"
				 "\xef\xbf\xbd\xef\xbf\xbd\"");
	out_truncate(&o, 0);
	json_quote(&o, "a\0b", 3);
	assert_string_equal(o.p, "\"a\\u0000b\"");
}

static void numbers_read_back_the_same(void **state)
{
	auto_out struct out o;
	struct jw w;
	json_t *read;
	double v = 1;

	(void)state;
	out_init(&o, OUT_MAX_DEFAULT);
	jw_init(&w, &o);
	jw_arr(&w, NULL);
	for (int i = 0; i < 2000; i++, v *= -1.2837)
		jw_num(&w, NULL, i % 3 ? v : round(v));
	jw_end(&w);
	read = json_loads(o.p, JSON_DECODE_INT_AS_REAL, NULL);
	assert_non_null(read);
	v = 1;
	for (int i = 0; i < 2000; i++, v *= -1.2837)
		assert_true(json_real_value(json_array_get(read, (size_t)i)) ==
			    (i % 3 ? v : round(v)));
	json_decref(read);
}

/* At every maximum the text is whole or the buffer says that it is not. */
static void the_maximum_never_yields_half_a_document(void **state)
{
	static const char whole[] = "{\"name\":[1.5,null,\"x\"],\"m\":-0.25}";

	(void)state;
	for (size_t max = 0; max <= sizeof(whole) + 40; max++) {
		auto_out struct out o;
		struct jw w;

		out_init(&o, max);
		jw_init(&w, &o);
		jw_obj(&w, NULL);
		jw_arr(&w, "name");
		jw_num(&w, NULL, 1.5);
		jw_num(&w, NULL, NAN);
		jw_str(&w, NULL, "x");
		jw_end(&w);
		jw_num(&w, "m", -0.25);
		jw_end(&w);
		assert_true(o.len <= max);
		assert_int_equal(o.failed, max < sizeof(whole) - 1);
		if (!o.failed)
			assert_string_equal(o.p, whole);
	}
}

static void large_texts_are_carried(void **state)
{
	static char million[1000000];
	auto_out struct out o;

	(void)state;
	memset(million, '"', sizeof(million));
	out_init(&o, OUT_MAX_DEFAULT);
	json_quote(&o, million, sizeof(million));
	assert_int_equal(o.len, 2000002);
}

static void wrong_nesting_ends_the_process(void **state)
{
	(void)state;
	for (int fault = 0; fault < 4; fault++) {
		int status = 0;
		pid_t pid = fork();

		if (pid == 0) {
			struct out o;
			struct jw w;

			if (!freopen("/dev/null", "w", stderr))
				_exit(1);
			out_init(&o, OUT_MAX_DEFAULT);
			jw_init(&w, &o);
			if (fault == 0)
				jw_end(&w);
			jw_obj(&w, fault == 1 ? "name" : NULL);
			if (fault == 2)
				jw_num(&w, NULL, 1);
			jw_end(&w);
			if (fault == 3)
				jw_int(&w, NULL, 2);
			_exit(0);
		}
		assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_document_as_it_stands),
		cmocka_unit_test(hostile_texts_come_back_unchanged),
		cmocka_unit_test(broken_utf8_is_replaced),
		cmocka_unit_test(numbers_read_back_the_same),
		cmocka_unit_test(the_maximum_never_yields_half_a_document),
		cmocka_unit_test(large_texts_are_carried),
		cmocka_unit_test(wrong_nesting_ends_the_process),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
