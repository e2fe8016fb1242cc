/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compressed files: whole, cut, too large, and of several members. */
#include <setjmp.h>
#include <stdarg.h>

#include <fcntl.h>
#include <lzma.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "server/base/arena.h"
#include "server/import_unpack.h"

#undef fail
#include <cmocka.h>

static size_t gzip(const char *text, size_t n, char *to, size_t room)
{
	z_stream z = {0};

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = (Bytef *)text;
	z.avail_in = (uInt)n;
	z.next_out = (Bytef *)to;
	z.avail_out = (uInt)room;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	n = z.total_out;
	deflateEnd(&z);
	return n;
}

static size_t xz(const char *text, size_t n, char *to, size_t room)
{
	size_t at = 0;

	assert_int_equal(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, (const uint8_t *)text,
						 n, (uint8_t *)to, &at, room),
			 LZMA_OK);
	return at;
}

static const struct {
	const char *name;
	size_t (*pack)(const char *, size_t, char *, size_t);
} packers[] = {{"gzip", gzip}, {"xz", xz}};

static int unpack(struct arena *a, const char *p, size_t n, size_t max, char **out, size_t *len)
{
	char *alone = malloc(n + 1); /* to the byte: reading on is seen */
	struct ctx c;
	int e;

	assert_non_null(alone);
	memcpy(alone, p, n);
	ctx_init(&c, a, NULL);
	e = import_unpack(&c, "x", alone, n, max, out, len);
	assert_true((e < 0) == (c.detail[0] != '\0'));
	free(alone);
	return e;
}

static void whole_and_cut(void **state)
{
	static const char text[] = "{\"hackbench.throughput\": 479042.6, \"hackbench.other\": 1}\n";
	auto_arena struct arena *a = arena_new();
	char packed[1024], *out;
	size_t n, len;

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		n = packers[k].pack(text, sizeof(text) - 1, packed, sizeof(packed));
		assert_true(import_is_packed(packed, n));
		assert_int_equal(unpack(a, packed, n, 1000, &out, &len), E_OK);
		assert_string_equal(out, text);
		assert_int_equal(len, sizeof(text) - 1);
		free(out);
		for (size_t cut = 2; cut < n; cut++) {
			if (!import_is_packed(packed, cut))
				continue;
			assert_int_equal(unpack(a, packed, cut, 1000, &out, &len), E_SYNTAX);
			assert_null(out);
		}
		assert_int_equal(unpack(a, packed, n, sizeof(text) - 1, &out, &len), E_OK);
		free(out);
		assert_int_equal(unpack(a, packed, n, sizeof(text) - 2, &out, &len), E_TOO_LARGE);
	}
	assert_false(import_is_packed(text, sizeof(text) - 1));
	assert_false(import_is_packed("", 0));
}

/* As `cat a.gz b.gz` makes them. */
static void members_follow_each_other(void **state)
{
	auto_arena struct arena *a = arena_new();
	char packed[1024], *out;
	size_t n, len;

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		n = packers[k].pack("one ", 4, packed, sizeof(packed));
		n += packers[k].pack("two", 3, packed + n, sizeof(packed) - n);
		assert_int_equal(unpack(a, packed, n, 100, &out, &len), E_OK);
		assert_string_equal(out, "one two");
		free(out);
	}
}

/* 64 MiB of zeros in a few kilobytes. */
static void a_bomb_is_stopped(void **state)
{
	size_t n = (size_t)64 << 20, len;
	char *zeros = calloc(n, 1), *packed = malloc(n), *out;
	auto_arena struct arena *a = arena_new();

	(void)state;
	assert_true(zeros && packed);
	for (size_t k = 0; k < 2; k++) {
		size_t small = packers[k].pack(zeros, n, packed, n);

		assert_true(small < 100000);
		assert_int_equal(unpack(a, packed, small, 1 << 20, &out, &len), E_TOO_LARGE);
		assert_int_equal(unpack(a, packed, small, n, &out, &len), E_OK);
		assert_int_equal(len, n);
		free(out);
	}
	free(zeros);
	free(packed);
}

static void put(int folder, const char *name, const char *bytes, size_t n)
{
	int fd = openat(folder, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
	close(fd);
}

static void files_of_a_folder(void **state)
{
	char path[] = "/tmp/plumbline unpack-XXXXXX", packed[256], *out;
	auto_arena struct arena *a = arena_new();
	size_t n, len;
	struct ctx c;
	int folder;

	(void)state;
	assert_non_null(mkdtemp(path));
	folder = open(path, O_RDONLY | O_DIRECTORY);
	ctx_init(&c, a, NULL);
	assert_int_equal(import_read_part(&c, folder, "f", 100, &out, &len), E_OK);
	assert_null(out);
	put(folder, "f", "plain", 5);
	assert_int_equal(import_read_part(&c, folder, "f", 100, &out, &len), E_OK);
	assert_string_equal(out, "plain");
	free(out);
	n = gzip("packed", 6, packed, sizeof(packed));
	put(folder, "f.gz", packed, n);
	assert_int_equal(import_read_part(&c, folder, "f", 100, &out, &len), E_OK);
	assert_string_equal(out, "packed");
	free(out);
	put(folder, "f.gz", "really plain", 12);
	assert_int_equal(import_read_part(&c, folder, "f", 12, &out, &len), E_OK);
	assert_string_equal(out, "really plain");
	free(out);
	assert_int_equal(import_read_part(&c, folder, "f", 11, &out, &len), E_TOO_LARGE);
	ctx_clear(&c);
	/* neither a link nor a pipe, which would be waited for */
	unlinkat(folder, "f.gz", 0);
	unlinkat(folder, "f", 0);
	assert_int_equal(symlinkat("/etc/passwd", folder, "f"), 0);
	assert_int_equal(import_read_part(&c, folder, "f", 100, &out, &len), E_INTERNAL);
	ctx_clear(&c);
	unlinkat(folder, "f", 0);
	assert_int_equal(mkfifoat(folder, "f", 0600), 0);
	assert_int_equal(import_read_part(&c, folder, "f", 100, &out, &len), E_INVALID);
	unlinkat(folder, "f", 0);
	close(folder);
	rmdir(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_and_cut),
		cmocka_unit_test(members_follow_each_other),
		cmocka_unit_test(a_bomb_is_stopped),
		cmocka_unit_test(files_of_a_folder),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("import_unpack", tests, NULL, NULL);
}
