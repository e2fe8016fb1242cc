/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tokens. A secret is 24 random bytes behind "pl_", shown once; the database keeps only its digest.
 * 192 random bits need no salt and no slow hash. Looking one up by digest tells a stranger nothing
 * by its timing, since he cannot choose a digest; the found one is still compared in constant time.
 */
#include "db/tokens.h"

#include <sodium.h>

#include "server/base/arena.h"
#include "server/base/clock.h"

#define SECRET_PREFIX "pl_"
#define SECRET_BYTES  24
#define SECRET_TEXT   32 /* of base64url, without padding */
#define TOKENS_MAX    10000

struct token_digest {
	unsigned char b[crypto_generichash_BYTES];
};
_Static_assert(crypto_generichash_BYTES == 32, "the schema says BLAKE2b-256");

static const struct {
	enum scope bit;
	const char *word;
} scope_words[] = {
	{SCOPE_UPLOAD, "upload"},
	{SCOPE_TRIAGE, "triage"},
	{SCOPE_ADMIN, "admin"},
};
#define NSCOPES (sizeof scope_words / sizeof scope_words[0])

static unsigned scope_of(const char *word, size_t len)
{
	for (size_t i = 0; i < NSCOPES; i++)
		if (strlen(scope_words[i].word) == len &&
		    memcmp(scope_words[i].word, word, len) == 0)
			return scope_words[i].bit;
	return 0;
}

unsigned scopes_parse(const char *s)
{
	unsigned bits = 0;

	for (;;) {
		size_t len = strcspn(s, ",");
		unsigned bit = scope_of(s, len);
		if (!bit)
			return 0;
		bits |= bit;
		if (!s[len])
			return bits;
		s += len + 1;
	}
}

void scopes_text(unsigned scopes, char buf[32])
{
	size_t len = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < NSCOPES; i++)
		if (scopes & scope_words[i].bit)
			len += (size_t)snprintf(buf + len, 32 - len, "%s%s", len ? "," : "",
						scope_words[i].word);
}

static struct token_digest digest_secret(const char *secret)
{
	struct token_digest d;

	crypto_generichash(d.b, sizeof d.b, (const unsigned char *)secret, strlen(secret), NULL, 0);
	return d;
}

static void read_token(struct stmt *st, struct token *t)
{
	t->id = col_int(st, 0);
	t->name = col_text(st, 1);
	t->scopes = (unsigned)col_int(st, 2);
	t->machine = col_text(st, 3);
	t->created = col_time(st, 4);
	t->revoked = col_time(st, 5);
}

SQL(token_by_digest, "SELECT token_id, name, scopes, machine, created, revoked, digest FROM token"
		     " WHERE digest = $1 AND revoked IS NULL")

int token_find(struct ctx *c, const char *secret, struct token *out)
{
	size_t prefix = strlen(SECRET_PREFIX);

	if (strncmp(secret, SECRET_PREFIX, prefix) != 0 || strlen(secret) != prefix + SECRET_TEXT)
		return fail(c, E_UNAUTHORIZED, "this is no token of this service");
	struct token_digest d = digest_secret(secret);
	auto_stmt struct stmt *st = db_stmt(c, &token_by_digest);
	bind_blob(st, 1, d.b, sizeof d.b);
	if (stmt_step(st) != STMT_ROW)
		return stmt_status(st) < 0
			       ? stmt_status(st)
			       : fail(c, E_UNAUTHORIZED, "the token is unknown or was revoked");
	size_t n;
	const void *kept = col_blob_peek(st, 6, &n);
	if (n != sizeof d.b || sodium_memcmp(kept, d.b, n) != 0)
		return fail(c, E_UNAUTHORIZED, "the token is unknown or was revoked");
	read_token(st, out);
	return E_OK;
}

SQL(token_all, "SELECT token_id, name, scopes, machine, created, revoked FROM token"
	       " ORDER BY token_id LIMIT $1")

int token_list(struct ctx *c, struct token **out, size_t *n)
{
	size_t cap = 0;
	auto_stmt struct stmt *st = db_stmt(c, &token_all);

	*out = NULL;
	*n = 0;
	bind_int(st, 1, TOKENS_MAX);
	while (stmt_step(st) == STMT_ROW) {
		*out = arena_grow(c->arena, *out, &cap, *n + 1, sizeof **out);
		read_token(st, &(*out)[(*n)++]);
	}
	return stmt_status(st);
}

SQL(token_insert, "INSERT INTO token (name, digest, scopes, machine, created)"
		  " VALUES ($1, $2, $3, $4, $5)")

int token_create(struct ctx *c, const char *name, unsigned scopes, const char *machine, int64_t now,
		 char secret[TOKEN_TEXT])
{
	unsigned char raw[SECRET_BYTES];
	size_t prefix = strlen(SECRET_PREFIX);

	if (sodium_init() < 0)
		die("no source of random numbers");
	randombytes_buf(raw, sizeof raw);
	memcpy(secret, SECRET_PREFIX, prefix);
	sodium_bin2base64(secret + prefix, TOKEN_TEXT - prefix, raw, sizeof raw,
			  sodium_base64_VARIANT_URLSAFE_NO_PADDING);
	sodium_memzero(raw, sizeof raw);

	struct token_digest d = digest_secret(secret);
	auto_stmt struct stmt *st = db_stmt(c, &token_insert);
	bind_text(st, 1, name);
	bind_blob(st, 2, d.b, sizeof d.b);
	bind_int(st, 3, scopes);
	bind_text(st, 4, machine);
	bind_int(st, 5, now);
	return stmt_run(st);
}

SQL(token_by_name, "SELECT token_id FROM token WHERE name = $1 ORDER BY token_id LIMIT 1")
SQL(token_insert_dead, "INSERT INTO token (name, digest, scopes, created, revoked)"
		       " VALUES ($1, $2, 0, $3, $3) RETURNING token_id")

int token_stand_in(struct ctx *c, const char *name, int64_t now, int64_t *id)
{
	struct token_digest d;

	auto_stmt struct stmt *find = db_stmt(c, &token_by_name);
	bind_text(find, 1, name);
	int e = stmt_step(find);
	if (e == STMT_ROW)
		*id = col_int(find, 0);
	if (e != STMT_DONE)
		return e < 0 ? e : E_OK;
	if (sodium_init() < 0)
		die("no source of random numbers");
	randombytes_buf(d.b, sizeof d.b); /* of no secret */
	auto_stmt struct stmt *st = db_stmt(c, &token_insert_dead);
	bind_text(st, 1, name);
	bind_blob(st, 2, d.b, sizeof d.b);
	bind_int(st, 3, now);
	if (stmt_step(st) == STMT_ROW)
		*id = col_int(st, 0);
	return stmt_status(st);
}

SQL(token_set_revoked, "UPDATE token SET revoked = $2 WHERE token_id = $1 AND revoked IS NULL")

int token_revoke(struct ctx *c, int64_t id, int64_t now)
{
	auto_stmt struct stmt *st = db_stmt(c, &token_set_revoked);

	bind_int(st, 1, id);
	bind_int(st, 2, now);
	int e = stmt_run(st);
	if (e == E_OK && db_changes(c->db) == 0)
		return fail(c, E_NOTFOUND, "no live token %lld", (long long)id);
	return e;
}
