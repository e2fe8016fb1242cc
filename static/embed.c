/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Run at build time: `embed FILE…` writes a C file on standard output that holds the static files
 * (table `assets`, with a gzip copy and an address made from the content), the SQL migrations
 * (table `migrations`) and JSON documents (NAME_json, NAME_json_size). A file's ending says which
 * it is. Any fault ends the build.
 */
#include <err.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct file {
	const char *path, *name; /* name: behind the last '/' */
	unsigned char *bytes;
	size_t n;
};

static const struct {
	const char *ending, *mime;
} types[] = {
	{".css", "text/css; charset=utf-8"},
	{".js", "text/javascript; charset=utf-8"},
	{".svg", "image/svg+xml"},
};

static struct file read_file(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct file f = {.path = path, .name = slash ? slash + 1 : path};
	FILE *in = fopen(path, "rb");
	size_t cap = 0, got;

	if (!in)
		err(1, "%s", path);
	do {
		if (f.n == cap) {
			cap = cap ? 2 * cap : 65536;
			f.bytes = realloc(f.bytes, cap);
			if (!f.bytes)
				err(1, "%s", path);
		}
		got = fread(f.bytes + f.n, 1, cap - f.n, in);
		f.n += got;
	} while (got);
	if (ferror(in))
		err(1, "%s", path);
	fclose(in);
	return f;
}

static bool ends_with(const char *s, const char *ending)
{
	size_t n = strlen(s), m = strlen(ending);

	return n > m && !strcmp(s + n - m, ending);
}

static const char *mime_of(const char *name)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (ends_with(name, types[i].ending))
			return types[i].mime;
	}
	return NULL;
}

/* FNV-1a. It tells versions of a file apart; nobody chooses these files to collide. */
static uint32_t fingerprint(const struct file *f)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < f->n; i++)
		h = (h ^ f->bytes[i]) * UINT64_C(0x100000001b3);
	return (uint32_t)(h ^ h >> 32);
}

/* The whole as one gzip member without name and time, so that builds are repeatable. */
static unsigned char *gzip(const struct file *f, size_t *n)
{
	z_stream z = {0};
	unsigned char *to;
	size_t room;

	if (deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY))
		errx(1, "%s: cannot start zlib", f->path);
	room = deflateBound(&z, f->n);
	to = malloc(room);
	if (!to)
		err(1, "%s", f->path);
	z.next_in = f->bytes;
	z.avail_in = (uInt)f->n;
	z.next_out = to;
	z.avail_out = (uInt)room;
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		errx(1, "%s: cannot compress", f->path);
	*n = z.total_out;
	deflateEnd(&z);
	return to;
}

static void put_bytes(const char *kind, size_t i, const unsigned char *p, size_t n)
{
	printf("static const unsigned char %s_%zu[] = {", kind, i);
	for (size_t k = 0; k < n; k++)
		printf("%s%u,", k % 24 ? "" : "\n\t", p[k]);
	printf("%s};\n", n ? "\n" : "0"); /* an array has at least one element */
}

static void put_asset_row(const struct file *f, size_t i, bool zipped)
{
	const char *dot = strrchr(f->name, '.');

	printf("\t{\"%s\", \"/static/%.*s.%08x%s\", \"%s\", bytes_%zu, %zu, ", f->name,
	       (int)(dot - f->name), f->name, fingerprint(f), dot, mime_of(f->name), i, f->n);
	if (zipped)
		printf("gz_%zu, sizeof(gz_%zu)},\n", i, i);
	else
		printf("NULL, 0},\n");
}

static void put_assets(const struct file *files, size_t n)
{
	bool *zipped = calloc(n + 1, sizeof(*zipped));
	size_t count = 0;

	if (!zipped)
		err(1, "assets");
	for (size_t i = 0; i < n; i++) {
		unsigned char *gz;
		size_t ngz;

		if (!mime_of(files[i].name))
			continue;
		gz = gzip(&files[i], &ngz);
		zipped[i] = ngz < files[i].n;
		put_bytes("bytes", i, files[i].bytes, files[i].n);
		if (zipped[i])
			put_bytes("gz", i, gz, ngz);
		free(gz);
	}
	printf("\nconst struct asset assets[] = {\n");
	for (size_t i = 0; i < n; i++) {
		if (!mime_of(files[i].name))
			continue;
		put_asset_row(&files[i], i, zipped[i]);
		count++;
	}
	printf("\t{NULL, NULL, NULL, NULL, 0, NULL, 0},\n};\n"
	       "const size_t asset_count = %zu;\n\n",
	       count);
	free(zipped);
}

/* The text as C string literals, one a line. */
static void put_text(const struct file *f)
{
	printf("\t \"");
	for (size_t i = 0; i < f->n; i++) {
		unsigned char c = f->bytes[i];

		if (c == '\n')
			printf("\\n\"\n\t \"");
		else if (c == '"' || c == '\\' || c == '?')
			printf("\\%c", c);
		else if (c == '\t')
			printf("\\t");
		else if (c < 0x20 || c == 0x7f)
			errx(1, "%s: a control character at byte %zu", f->path, i);
		else
			putchar(c);
	}
	printf("\"},\n");
}

static void put_migrations(const struct file *files, size_t n)
{
	size_t count = 0;

	printf("const struct embedded_sql migrations[] = {\n");
	for (size_t i = 0; i < n; i++) {
		char *end;
		long number;

		if (!ends_with(files[i].name, ".sql"))
			continue;
		number = strtol(files[i].name, &end, 10);
		if (number != (long)count + 1 || *end != '_')
			errx(1, "%s: migration %zu is expected here", files[i].path, count + 1);
		count++;
		printf("\t{%ld, \"%.*s\",\n", number, (int)(strlen(files[i].name) - 4),
		       files[i].name);
		put_text(&files[i]);
	}
	printf("\t{0, NULL, NULL},\n};\nconst size_t migration_count = %zu;\n", count);
}

static void put_documents(const struct file *files, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct file *f = &files[i];
		int stem = (int)strlen(f->name) - 5;

		if (!ends_with(f->name, ".json"))
			continue;
		printf("const unsigned char %.*s_json[] = {", stem, f->name);
		for (size_t k = 0; k < f->n; k++)
			printf("%s%u,", k % 24 ? "" : "\n\t", f->bytes[k]);
		printf("\n};\nconst size_t %.*s_json_size = %zu;\n\n", stem, f->name, f->n);
	}
}

int main(int argc, char **argv)
{
	size_t n = (size_t)argc - 1;
	struct file *files = calloc(n + 1, sizeof(*files));

	if (!files)
		err(1, "files");
	for (size_t i = 0; i < n; i++) {
		files[i] = read_file(argv[i + 1]);
		if (!mime_of(files[i].name) && !ends_with(files[i].name, ".sql") &&
		    !ends_with(files[i].name, ".json"))
			errx(1, "%s: no static file, migration or document", argv[i + 1]);
	}
	printf("/* Made by static/embed.c: do not edit. */\n"
	       "#include \"server/http/asset.h\"\n#include \"db/embedded.h\"\n"
	       "#include \"server/pages/openapi.h\"\n\n");
	put_documents(files, n);
	put_assets(files, n);
	put_migrations(files, n);
	for (size_t i = 0; i < n; i++)
		free(files[i].bytes);
	free(files);
	if (fflush(stdout) || ferror(stdout))
		err(1, "standard output");
	return 0;
}
