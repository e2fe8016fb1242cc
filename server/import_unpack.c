/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading and unpacking by zlib and liblzma. Whatever a header says of sizes, room grows only with
 * the bytes that come out, up to the limit. */
#include "server/import_unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define CHUNK     ((size_t)64 << 10)
#define XZ_MEMORY ((uint64_t)96 << 20) /* what unpacking may take: that of xz -9 and some */
#define PART_NAME 64

struct growing {
	char *p;
	size_t len, cap, max;
};

/* Room for at least one byte more, one of them over the limit; false: the limit is passed. */
static bool grow(struct growing *g)
{
	if (g->len > g->max)
		return false;
	if (g->len < g->cap)
		return true;
	g->cap = g->cap ? g->cap * 2 : CHUNK;
	if (g->cap > g->max + 1)
		g->cap = g->max + 1;
	g->p = realloc(g->p, g->cap + 1);
	if (!g->p)
		die("out of memory");
	return true;
}

static bool is_gzip(const char *p, size_t n)
{
	return n >= 2 && memcmp(p, "\x1f\x8b", 2) == 0;
}

static bool is_xz(const char *p, size_t n)
{
	return n >= 6 && memcmp(p,
				"\xfd"
				"7zXZ",
				6) == 0;
}

bool import_is_packed(const char *p, size_t n)
{
	return is_gzip(p, n) || is_xz(p, n);
}

static int damaged(struct ctx *c, const char *name)
{
	return fail(c, E_SYNTAX, "%s: the compressed data are damaged or cut", name);
}

static int too_large(struct ctx *c, const char *name, size_t max)
{
	return fail(c, E_TOO_LARGE, "%s: larger than %zu bytes", name, max);
}

/* Members follow each other; each must be whole. */
static int unpack_gzip(struct ctx *c, const char *name, const char *p, size_t n, struct growing *g)
{
	z_stream z = {.next_in = (Bytef *)p};
	int r = inflateInit2(&z, 15 + 16), e = E_OK;

	if (r != Z_OK)
		die("zlib cannot start");
	while (e >= 0 && grow(g)) {
		size_t room = g->cap - g->len, left = (size_t)((const Bytef *)p + n - z.next_in);

		z.avail_in = left < CHUNK * 64 ? (uInt)left : (uInt)(CHUNK * 64);
		z.next_out = (Bytef *)g->p + g->len;
		z.avail_out = room < CHUNK * 64 ? (uInt)room : (uInt)(CHUNK * 64);
		room = z.avail_out;
		r = inflate(&z, Z_NO_FLUSH);
		g->len += room - z.avail_out;
		left = (size_t)((const Bytef *)p + n - z.next_in);
		if (r == Z_STREAM_END && (left < 2 || !is_gzip((const char *)z.next_in, left)))
			break; /* what pads the end is no member */
		if (r == Z_STREAM_END)
			r = inflateReset(&z);
		if (r != Z_OK || (!left && z.avail_out))
			e = damaged(c, name);
	}
	inflateEnd(&z);
	return e >= 0 && g->len > g->max ? too_large(c, name, g->max) : e;
}

static int unpack_xz(struct ctx *c, const char *name, const char *p, size_t n, struct growing *g)
{
	lzma_stream z = LZMA_STREAM_INIT;
	lzma_ret r;
	int e = E_OK;

	if (lzma_stream_decoder(&z, XZ_MEMORY, LZMA_CONCATENATED) != LZMA_OK)
		die("liblzma cannot start");
	z.next_in = (const uint8_t *)p;
	z.avail_in = n;
	while (e >= 0 && grow(g)) {
		size_t room = g->cap - g->len;

		z.next_out = (uint8_t *)g->p + g->len;
		z.avail_out = room;
		r = lzma_code(&z, LZMA_FINISH);
		g->len += room - z.avail_out;
		if (r == LZMA_STREAM_END)
			break;
		if (r == LZMA_MEMLIMIT_ERROR)
			e = fail(c, E_TOO_LARGE, "%s: needs too much memory to unpack", name);
		else if (r != LZMA_OK)
			e = damaged(c, name);
	}
	lzma_end(&z);
	return e >= 0 && g->len > g->max ? too_large(c, name, g->max) : e;
}

int import_unpack(struct ctx *c, const char *name, const char *p, size_t n, size_t max, char **out,
		  size_t *len)
{
	struct growing g = {.max = max};
	int e = is_gzip(p, n) ? unpack_gzip(c, name, p, n, &g) : unpack_xz(c, name, p, n, &g);

	*out = NULL;
	*len = 0;
	if (e < 0) {
		free(g.p);
		return e;
	}
	g.p[g.len] = '\0';
	*out = g.p;
	*len = g.len;
	return E_OK;
}

/* --- files --- */

static int read_all(struct ctx *c, const char *name, int fd, size_t max, struct growing *g)
{
	struct stat st;
	ssize_t n = 0;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return fail(c, E_INVALID, "%s: not a plain file", name);
	g->max = max;
	while (grow(g)) {
		n = read(fd, g->p + g->len, g->cap - g->len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		g->len += (size_t)n;
	}
	if (n < 0)
		return fail(c, E_INTERNAL, "%s: %s", name, strerror(errno));
	if (g->len > g->max)
		return too_large(c, name, max);
	g->p[g->len] = '\0';
	return E_OK;
}

static int read_file(struct ctx *c, int folder, const char *name, size_t max, struct growing *g)
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);
	int e;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return fail(c, E_INTERNAL, "%s: %s", name,
			    errno == ELOOP ? "a symbolic link" : strerror(errno));
	e = read_all(c, name, fd, max, g);
	close(fd);
	return e < 0 ? e : 1;
}

int import_read_part(struct ctx *c, int folder, const char *name, size_t max, char **out,
		     size_t *len)
{
	static const char *const ends[] = {".gz", ".xz", ""};
	char full[PART_NAME];

	*out = NULL;
	*len = 0;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct growing g = {0};
		int e;

		snprintf(full, sizeof(full), "%s%s", name, ends[i]);
		e = read_file(c, folder, full, max, &g);
		if (e > 0 && *ends[i] && import_is_packed(g.p, g.len)) {
			e = import_unpack(c, full, g.p, g.len, max, out, len);
			free(g.p);
			return e;
		}
		if (e > 0) { /* also a plain one under a wrong name */
			*out = g.p;
			*len = g.len;
			return E_OK;
		}
		free(g.p);
		if (e < 0)
			return e;
	}
	return E_OK;
}
