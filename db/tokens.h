/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tokens: a random secret shown once, kept as a BLAKE2b-256 digest; scopes; perhaps one machine.
 * And the audit: every write leaves a row. */
#ifndef DB_TOKENS_H
#define DB_TOKENS_H

#include "db/engine.h"

enum scope { SCOPE_UPLOAD = 1, SCOPE_TRIAGE = 2, SCOPE_ADMIN = 4 };

struct token {
	int64_t id;
	const char *name;
	unsigned scopes;
	const char *machine;      /* tbox_group it is bound to, or NULL */
	int64_t created, revoked; /* TIME_NONE: not revoked */
};
#define TOKEN_TEXT 64

/* "upload,triage" to bits; 0 when a word is unknown or there is none. */
unsigned scopes_parse(const char *s);
/* Bits to "upload,triage". */
void scopes_text(unsigned scopes, char buf[32]);

/* Finds the live token of a secret, in constant time for a given digest. E_UNAUTHORIZED. */
int token_find(struct ctx *c, const char *secret, struct token *out);
int token_list(struct ctx *c, struct token **out, size_t *n);

/* Inside a write transaction. */
int token_create(struct ctx *c, const char *name, unsigned scopes, const char *machine, int64_t now,
		 char secret[TOKEN_TEXT]);
/* The first token of that name; where there is none, one that nobody can use is made, so that what
 * it uploaded elsewhere keeps its uploader. */
int token_stand_in(struct ctx *c, const char *name, int64_t now, int64_t *id);
int token_revoke(struct ctx *c, int64_t id, int64_t now); /* E_NOTFOUND */
/* who: a token's name, or "command line". object names what was touched. */
int audit_add(struct ctx *c, int64_t at, int64_t token_id, const char *who, const char *action,
	      const char *object, const char *detail);

/* The generation of the data: a number that every write transaction raises once, read for each
 * request. */
int generation_get(struct ctx *c, int64_t *n);
int generation_bump(struct ctx *c);

#endif
