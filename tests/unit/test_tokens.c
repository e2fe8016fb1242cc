/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tokens: what is shown once, what is kept, who is let in; the audit; and the generation. */
#include "db/tokens.h"

#include <setjmp.h>
#include <sodium.h>
#include <stdarg.h>
#include <unistd.h>

#include "db/migrate.h"
#include "server/base/arena.h"
#include "server/base/clock.h"

#include <cmocka.h> /* last: it has a macro called fail */

SQL(test_digest_of_token, "SELECT digest FROM token WHERE token_id = $1")
SQL(test_audit_rows, "SELECT at, token_id, who, action, object, detail FROM audit ORDER BY audit_id"
		     " LIMIT 10")

static char dir[64];
static char path[96];
static struct arena *arena;
static struct ctx c;

static int setup(void **state)
{
	struct db *d;

	(void)state;
	snprintf(dir, sizeof dir, "%s", "/tmp/plumbline-tokens.XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof path, "%s/test.db", dir);
	arena = arena_new();
	ctx_init(&c, arena, NULL);
	if (db_open_migrated(&c, path, &d) < 0)
		return -1;
	c.db = d;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	db_close(c.db);
	arena_free(arena);
	unlink(path);
	return rmdir(dir);
}

static void create(const char *name, unsigned scopes, const char *machine, char secret[TOKEN_TEXT])
{
	assert_int_equal(db_begin_write(&c), E_OK);
	assert_int_equal(token_create(&c, name, scopes, machine, 1689822060, secret), E_OK);
	assert_int_equal(db_commit(&c), E_OK);
}

static void test_scopes(void **state)
{
	char buf[32];

	(void)state;
	assert_int_equal(scopes_parse("upload"), 1);
	assert_int_equal(scopes_parse("upload,triage,admin"), 7);
	assert_int_equal(scopes_parse("admin,upload"), 5);
	assert_int_equal(scopes_parse("upload,upload"), 1);
	assert_int_equal(scopes_parse(""), 0);
	assert_int_equal(scopes_parse("upload,"), 0);
	assert_int_equal(scopes_parse("upload,root"), 0);
	assert_int_equal(scopes_parse("uploads"), 0);
	assert_int_equal(scopes_parse("up"), 0);
	assert_int_equal(scopes_parse("upload, triage"), 0);
	scopes_text(7, buf);
	assert_string_equal(buf, "upload,triage,admin");
	scopes_text(5, buf);
	assert_string_equal(buf, "upload,admin");
	scopes_text(0, buf);
	assert_string_equal(buf, "");
}

static void test_secret_is_kept_as_digest(void **state)
{
	char secret[TOKEN_TEXT], other[TOKEN_TEXT];
	unsigned char expected[32];
	size_t n;

	(void)state;
	create("rig 1", SCOPE_UPLOAD, "lkp-icl-2sp2", secret);
	create("rig 2", SCOPE_UPLOAD, NULL, other);
	assert_int_equal(strlen(secret), 35); /* "pl_" and 24 bytes in base64 */
	assert_memory_equal(secret, "pl_", 3);
	assert_int_equal(strspn(secret + 3, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
					    "0123456789-_"),
			 32);
	assert_string_not_equal(secret, other);
	crypto_generichash(expected, 32, (const unsigned char *)secret, 35, NULL, 0);
	auto_stmt struct stmt *st = db_stmt(&c, &test_digest_of_token);
	bind_int(st, 1, 1);
	assert_int_equal(stmt_step(st), STMT_ROW);
	const void *kept = col_blob(st, 0, &n);
	stmt_reset(st);
	assert_int_equal(n, 32);
	assert_memory_equal(kept, expected, 32);
}

static void test_who_is_let_in(void **state)
{
	char secret[TOKEN_TEXT], wrong[TOKEN_TEXT];
	struct token t;

	(void)state;
	create("rig 1", SCOPE_UPLOAD | SCOPE_TRIAGE, "lkp-icl-2sp2", secret);
	assert_int_equal(token_find(&c, secret, &t), E_OK);
	assert_int_equal(t.id, 1);
	assert_string_equal(t.name, "rig 1");
	assert_string_equal(t.machine, "lkp-icl-2sp2");
	assert_int_equal(t.scopes, 3);
	assert_true(t.created == 1689822060 && t.revoked == TIME_NONE);

	static const char *const strangers[] = {"", "pl_", "pl_short", "xy_", NULL};
	for (size_t i = 0; strangers[i]; i++) {
		ctx_clear(&c);
		assert_int_equal(token_find(&c, strangers[i], &t), E_UNAUTHORIZED);
	}
	memcpy(wrong, secret, sizeof wrong);
	wrong[34] = wrong[34] == 'A' ? 'B' : 'A';
	ctx_clear(&c);
	assert_int_equal(token_find(&c, wrong, &t), E_UNAUTHORIZED);
	assert_null(strstr(c.detail, wrong)); /* no secret in a log */
	ctx_clear(&c);
}

static void test_revoking(void **state)
{
	char secret[TOKEN_TEXT];
	struct token t, *all;
	size_t n;

	(void)state;
	create("old", SCOPE_ADMIN, NULL, secret);
	assert_int_equal(db_begin_write(&c), E_OK);
	assert_int_equal(token_revoke(&c, 1, 1700000000), E_OK);
	assert_int_equal(token_revoke(&c, 1, 1800000000), E_NOTFOUND); /* not twice */
	ctx_clear(&c);
	assert_int_equal(token_revoke(&c, 77, 1700000000), E_NOTFOUND);
	ctx_clear(&c);
	assert_int_equal(db_commit(&c), E_OK);
	assert_int_equal(token_find(&c, secret, &t), E_UNAUTHORIZED);
	ctx_clear(&c);
	assert_int_equal(token_list(&c, &all, &n), E_OK);
	assert_int_equal(n, 1); /* it stays in the list */
	assert_true(all[0].revoked == 1700000000);
	assert_null(all[0].machine);
}

static void test_audit(void **state)
{
	char secret[TOKEN_TEXT];

	(void)state;
	create("rig 1", SCOPE_UPLOAD, NULL, secret);
	assert_int_equal(db_begin_write(&c), E_OK);
	assert_int_equal(
		audit_add(&c, 1700000000, -1, "command line", "token create", "rig 1", NULL), E_OK);
	assert_int_equal(audit_add(&c, 1700000001, 1, "rig 1", "upload", "series 3", "2 runs"),
			 E_OK);
	assert_int_equal(db_commit(&c), E_OK);
	auto_stmt struct stmt *st = db_stmt(&c, &test_audit_rows);
	assert_int_equal(stmt_step(st), STMT_ROW);
	assert_true(col_int(st, 0) == 1700000000 && col_null(st, 1) && col_null(st, 5));
	assert_string_equal(col_text_peek(st, 2), "command line");
	assert_string_equal(col_text_peek(st, 3), "token create");
	assert_string_equal(col_text_peek(st, 4), "rig 1");
	assert_int_equal(stmt_step(st), STMT_ROW);
	assert_int_equal(col_int(st, 1), 1);
	assert_string_equal(col_text_peek(st, 5), "2 runs");
	assert_int_equal(stmt_step(st), STMT_DONE);
	stmt_reset(st);
}

static void test_generation(void **state)
{
	int64_t before, after;

	(void)state;
	assert_int_equal(generation_get(&c, &before), E_OK);
	assert_int_equal(db_begin_write(&c), E_OK);
	assert_int_equal(generation_bump(&c), E_OK);
	db_rollback(&c);
	assert_int_equal(generation_get(&c, &after), E_OK);
	assert_int_equal(after, before);
	assert_int_equal(db_begin_write(&c), E_OK);
	assert_int_equal(generation_bump(&c), E_OK);
	assert_int_equal(db_commit(&c), E_OK);
	assert_int_equal(generation_get(&c, &after), E_OK);
	assert_int_equal(after, before + 1);
}

#define ON_FILE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scopes), ON_FILE(test_secret_is_kept_as_digest),
		ON_FILE(test_who_is_let_in),   ON_FILE(test_revoking),
		ON_FILE(test_audit),           ON_FILE(test_generation),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("tokens", tests, NULL, NULL);
}
