/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Artifacts in the database. The bytes are digested and compressed by whoever has them, so the
 * writer only stores; they are held against their digest when they are read. Like distributions
 * they lie under the series that their run counts in.
 */
#include "db/artifacts.h"

#include <sodium.h>
#include <zstd.h>

#include "db/tokens.h"
#include "server/base/arena.h"
#include "server/base/utf8.h"

#define PROBE      ((size_t)1 << 20)
#define ZSTD_LEVEL 3 /* dmesg and configs shrink to a fifth; more costs seconds for 64 MiB */

void artifact_hex(const struct artifact_digest *d, char hex[ARTIFACT_HEX + 1])
{
	sodium_bin2hex(hex, ARTIFACT_HEX + 1, d->b, sizeof(d->b));
}

bool artifact_parse(const char *hex, struct artifact_digest *d)
{
	size_t n;

	return strlen(hex) == ARTIFACT_HEX &&
	       sodium_hex2bin(d->b, sizeof(d->b), hex, ARTIFACT_HEX, NULL, &n, NULL) == 0 &&
	       n == sizeof(d->b);
}

const char *artifact_name_fault(const char *name)
{
	size_t n = strlen(name), bytes;

	if (!n)
		return "is empty";
	if (n > ARTIFACT_NAME_MAX)
		return "is longer than 255 bytes";
	if (strchr(name, '/') || !strcmp(name, ".") || !strcmp(name, ".."))
		return "must be one segment of a path";
	for (size_t i = 0; i < n; i += bytes) {
		unsigned char ch = (unsigned char)name[i];

		bytes = utf8_length(name + i, n - i);
		if (!bytes)
			return "is not UTF-8";
		if (ch < 0x20 || ch == 0x7f || (bytes == 2 && utf8_is_c1(name + i)))
			return "has a control character";
	}
	return NULL;
}

static struct artifact_digest digest_of(const void *bytes, size_t n)
{
	struct artifact_digest d;

	crypto_generichash(d.b, sizeof(d.b), bytes, n, NULL, 0);
	return d;
}

/* Whether its beginning shrinks by an eighth: for what does not, no room is taken. */
static bool shrinks(const void *bytes, size_t n)
{
	size_t probe = n < PROBE ? n : PROBE, room = probe - probe / 8;
	char *packed = malloc(room + 1);

	if (!packed)
		die("out of memory");
	bool good = !ZSTD_isError(ZSTD_compress(packed, room, bytes, probe, ZSTD_LEVEL));
	free(packed);
	return good;
}

void artifact_pack(struct arena *a, const void *bytes, size_t n, struct artifact *out)
{
	size_t room = n ? n - 1 : 0; /* not smaller: not worth it */
	char *packed = room && shrinks(bytes, n) ? malloc(room) : NULL;
	size_t len = packed ? ZSTD_compress(packed, room, bytes, n, ZSTD_LEVEL) : 0;

	*out = (struct artifact){
		.digest = digest_of(bytes, n),
		.size = (int64_t)n,
		.encoding = "identity",
		.data = bytes,
		.ndata = n,
	};
	if (packed && !ZSTD_isError(len)) {
		out->encoding = "zstd";
		out->data = arena_copy(a, packed, len);
		out->ndata = len;
	}
	free(packed);
}

static bool has_size(const struct artifact *f)
{
	return f->size >= 0 && (size_t)f->size <= ARTIFACT_MAX;
}

/* The plain bytes into room, which has f->size. */
static int unpack_into(struct ctx *c, const struct artifact *f, char *room)
{
	size_t n = (size_t)f->size;
	bool whole;

	if (!strcmp(f->encoding, "identity")) {
		whole = f->ndata == n;
		if (whole && n)
			memcpy(room, f->data, n);
	} else {
		whole = ZSTD_decompress(room, n, f->data, f->ndata) == n;
	}
	if (!whole)
		return fail(c, E_INTERNAL, "a stored artifact is damaged");
	struct artifact_digest d = digest_of(room, n);
	if (memcmp(d.b, f->digest.b, sizeof(d.b)) != 0)
		return fail(c, E_INTERNAL, "a stored artifact is not what its digest says");
	return E_OK;
}

int artifact_unpack(struct ctx *c, const struct artifact *f, const char **bytes)
{
	if (!has_size(f))
		return fail(c, E_INTERNAL, "a stored artifact is damaged");
	char *room = arena_alloc(c->arena, (size_t)f->size + 1);
	*bytes = room;
	return unpack_into(c, f, room);
}

SQL(artifact_row, "SELECT size, encoding, data FROM artifact WHERE digest = $1")

/* STMT_ROW: *out is filled, its data borrowed from st. */
static int find_file(struct stmt *st, const struct artifact_digest *d, struct artifact *out)
{
	*out = (struct artifact){.digest = *d};
	bind_blob(st, 1, d->b, sizeof(d->b));
	int r = stmt_step(st);
	if (r != STMT_ROW)
		return r;
	out->size = col_int(st, 0);
	out->encoding = col_text(st, 1);
	out->data = col_blob_peek(st, 2, &out->ndata);
	return STMT_ROW;
}

static int not_there(struct ctx *c, int r)
{
	return r < 0 ? r : fail(c, E_NOTFOUND, "there is no such artifact");
}

int artifact_get(struct ctx *c, const struct artifact_digest *d, struct artifact *out)
{
	auto_stmt struct stmt *st = db_stmt(c, &artifact_row);
	int r = find_file(st, d, out);

	if (r != STMT_ROW)
		return not_there(c, r);
	out->data = arena_copy(c->arena, out->data, out->ndata);
	return E_OK;
}

SQL(artifact_size_row, "SELECT size FROM artifact WHERE digest = $1")

int artifact_size(struct ctx *c, const struct artifact_digest *d, int64_t *size)
{
	auto_stmt struct stmt *st = db_stmt(c, &artifact_size_row);

	bind_blob(st, 1, d->b, sizeof(d->b));
	int r = stmt_step(st);
	if (r != STMT_ROW)
		return not_there(c, r);
	*size = col_int(st, 0);
	return *size >= 0 && *size <= (int64_t)ARTIFACT_MAX
		       ? E_OK
		       : fail(c, E_INTERNAL, "a stored artifact is damaged");
}

int artifact_read(struct ctx *c, const struct artifact_digest *d, struct out *o)
{
	auto_stmt struct stmt *st = db_stmt(c, &artifact_row);
	struct artifact f;
	int r = find_file(st, d, &f);
	char *room;

	if (r != STMT_ROW)
		return not_there(c, r);
	room = has_size(&f) ? out_room(o, (size_t)f.size + 1) : NULL;
	if (!room)
		return fail(c, E_INTERNAL, "a stored artifact is damaged");
	r = unpack_into(c, &f, room);
	if (r >= 0) {
		o->len += (size_t)f.size;
		o->p[o->len] = '\0';
	}
	return r;
}

/* They lie under the series that the run counts in: a correction moves both. */
SQL(run_artifacts_rows,
    "SELECT x.name, x.digest, f.size, x.received, t.name FROM run r"
    " JOIN run_artifact x ON x.series_id = r.series_id AND x.run_id = r.run_id"
    " JOIN artifact f ON f.digest = x.digest LEFT JOIN token t ON t.token_id = x.token_id"
    " WHERE r.run_id = $1 ORDER BY x.name LIMIT $2")

int artifacts_of_run(struct ctx *c, int64_t run_id, struct run_artifact **out, size_t *n)
{
	auto_stmt struct stmt *st = db_stmt(c, &run_artifacts_rows);
	size_t cap = 0, nbytes;

	*out = NULL;
	*n = 0;
	bind_int(st, 1, run_id);
	bind_int(st, 2, ARTIFACTS_MAX);
	while (stmt_step(st) == STMT_ROW) {
		*out = arena_grow(c->arena, *out, &cap, *n + 1, sizeof(**out));
		struct run_artifact *x = &(*out)[(*n)++];
		*x = (struct run_artifact){
			.name = col_text(st, 0),
			.size = col_int(st, 2),
			.received = col_int(st, 3),
			.by = col_text(st, 4),
		};
		const void *digest = col_blob_peek(st, 1, &nbytes);
		if (nbytes == sizeof(x->digest.b))
			memcpy(x->digest.b, digest, nbytes);
	}
	return stmt_status(st);
}

/* --- writing --- */

SQL(artifact_run, "SELECT r.series_id, s.tbox_group, o.tbox_group,"
		  " (SELECT count(*) FROM run_artifact x WHERE x.series_id = r.series_id"
		  " AND x.run_id = r.run_id) FROM run r"
		  " JOIN submission u ON u.submission_id = r.submission_id"
		  " JOIN series o ON o.series_id = u.series_id"
		  " JOIN series s ON s.series_id = r.series_id WHERE r.run_id = $1")
SQL(artifact_named, "SELECT digest FROM run_artifact"
		    " WHERE series_id = $1 AND run_id = $2 AND name = $3")

/* Whether the name is taken, and by this file. */
static int check_name(struct ctx *c, struct artifact_in *in, int64_t series_id)
{
	auto_stmt struct stmt *st = db_stmt(c, &artifact_named);
	size_t n;

	bind_int(st, 1, series_id);
	bind_int(st, 2, in->run_id);
	bind_text(st, 3, in->name);
	if (stmt_step(st) != STMT_ROW)
		return stmt_status(st);
	const void *digest = col_blob_peek(st, 0, &n);
	in->known = n == sizeof(in->file.digest.b) && !memcmp(digest, in->file.digest.b, n);
	return in->known ? E_OK
			 : fail(c, E_CONFLICT,
				"run %lld has another file of the name \"%.200s\" already",
				(long long)in->run_id, in->name);
}

int artifact_check(struct ctx *c, struct artifact_in *in)
{
	auto_stmt struct stmt *st = db_stmt(c, &artifact_run);

	in->known = false;
	bind_int(st, 1, in->run_id);
	if (stmt_step(st) != STMT_ROW)
		return stmt_status(st) < 0
			       ? stmt_status(st)
			       : fail(c, E_NOTFOUND, "there is no run %lld", (long long)in->run_id);
	/* Of a run that counts elsewhere by a correction, both machines must be its own. */
	if (in->machine && (strcmp(in->machine, col_text_peek(st, 1)) != 0 ||
			    strcmp(in->machine, col_text_peek(st, 2)) != 0))
		return fail(c, E_FORBIDDEN, "the token is bound to machine %.100s", in->machine);
	int e = check_name(c, in, col_int(st, 0));
	if (e >= 0 && !in->known && col_int(st, 3) >= ARTIFACTS_MAX)
		e = fail(c, E_INVALID, "run %lld has %d artifacts already", (long long)in->run_id,
			 ARTIFACTS_MAX);
	return e;
}

SQL(artifact_insert, "INSERT INTO artifact (digest, size, encoding, data) VALUES ($1, $2, $3, $4)"
		     " ON CONFLICT (digest) DO NOTHING")
SQL(run_artifact_insert,
    "INSERT INTO run_artifact (series_id, run_id, name, digest, received, token_id)"
    " SELECT series_id, run_id, $2, $3, $4, $5 FROM run WHERE run_id = $1")

static int insert_file(struct ctx *c, const struct artifact *f)
{
	if (!f->data)
		return E_OK;
	auto_stmt struct stmt *st = db_stmt(c, &artifact_insert);
	bind_blob(st, 1, f->digest.b, sizeof(f->digest.b));
	bind_int(st, 2, f->size);
	bind_text(st, 3, f->encoding);
	bind_blob(st, 4, f->data, f->ndata);
	return stmt_run(st);
}

int artifact_store(struct ctx *c, const struct artifact_in *in, int64_t now)
{
	char hex[ARTIFACT_HEX + 1];
	int e;

	if (in->known)
		return E_OK;
	if ((e = insert_file(c, &in->file)) < 0)
		return e;
	auto_stmt struct stmt *st = db_stmt(c, &run_artifact_insert);
	bind_int(st, 1, in->run_id);
	bind_text(st, 2, in->name);
	bind_blob(st, 3, in->file.digest.b, sizeof(in->file.digest.b));
	bind_int(st, 4, now);
	if (in->token_id > 0)
		bind_int(st, 5, in->token_id);
	else
		bind_null(st, 5);
	if ((e = stmt_run(st)) < 0)
		return e;
	artifact_hex(&in->file.digest, hex);
	return audit_add(
		c, now, in->token_id, in->who, "artifact",
		arena_fmt(c->arena, "run %lld %s", (long long)in->run_id, in->name),
		arena_fmt(c->arena, "digest %s, bytes %lld", hex, (long long)in->file.size));
}

SQL(artifact_place, "SELECT r.run_id FROM series s JOIN submission u ON u.series_id = s.series_id"
		    " JOIN run r ON r.submission_id = u.submission_id"
		    " WHERE s.digest = $1 AND u.key = $2 AND r.position = $3")

int artifact_find_run(struct ctx *c, const char *series_digest, const char *key, int64_t position,
		      int64_t *run_id)
{
	auto_stmt struct stmt *st = db_stmt(c, &artifact_place);

	bind_text(st, 1, series_digest);
	bind_text(st, 2, key);
	bind_int(st, 3, position);
	*run_id = stmt_step(st) == STMT_ROW ? col_int(st, 0) : 0;
	return stmt_status(st);
}
