/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the build put into the program: static files by address, migrations by number. */
#include "server/http/asset.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <zlib.h>

#include "db/embedded.h"

static void the_style_sheet_has_an_address_of_its_content(void **state)
{
	const char *path = asset_path("app.css");
	const struct asset *css;

	(void)state;
	assert_non_null(path);
	assert_int_equal(strlen(path), strlen("/static/app.01234567.css"));
	assert_memory_equal(path, "/static/app.", 12);
	assert_int_equal(strspn(path + 12, "0123456789abcdef"), 8);
	assert_string_equal(path + 20, ".css");
	css = asset_find(path);
	assert_non_null(css);
	assert_string_equal(css->name, "app.css");
	assert_string_equal(css->mime, "text/css; charset=utf-8");
	assert_memory_equal(css->bytes, "/* SPDX-License-Identifier:", 27);
	assert_null(asset_find("/static/app.css"));
	assert_null(asset_path("none.css"));
}

static void the_compressed_copy_is_the_same_file(void **state)
{
	static unsigned char text[1 << 20];

	(void)state;
	for (size_t i = 0; i < asset_count; i++) {
		z_stream z = {.next_in = (unsigned char *)assets[i].gz,
			      .avail_in = (uInt)assets[i].ngz,
			      .next_out = text,
			      .avail_out = sizeof(text)};

		if (!assets[i].gz)
			continue;
		assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
		assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
		assert_int_equal(z.total_out, assets[i].n);
		assert_memory_equal(text, assets[i].bytes, assets[i].n);
		assert_true(assets[i].ngz < assets[i].n);
		inflateEnd(&z);
	}
}

static void migrations_are_numbered_from_one(void **state)
{
	(void)state;
	assert_true(migration_count >= 1);
	for (size_t i = 0; i < migration_count; i++) {
		assert_int_equal(migrations[i].number, i + 1);
		assert_null(strstr(migrations[i].name, ".sql"));
		assert_non_null(strstr(migrations[i].text, "CREATE"));
	}
	assert_string_equal(migrations[0].name, "0001_init");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_style_sheet_has_an_address_of_its_content),
		cmocka_unit_test(the_compressed_copy_is_the_same_file),
		cmocka_unit_test(migrations_are_numbered_from_one),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("asset", tests, NULL, NULL);
}
