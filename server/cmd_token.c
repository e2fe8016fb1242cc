/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `plumbline token`: creates, lists and revokes. A secret is printed once, alone on standard
 * output, so that a script can take it; it works at once, also on a server that runs. Each change
 * leaves a line in the audit.
 */
#include "server/command.h"

#include "db/tokens.h"
#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/base/num.h"

#define NAME_MAX_LEN 100
#define WHO          "command line"

/* The name goes into logs and tables: one line of printable text. */
static bool good_name(const char *s)
{
	size_t n = strlen(s);

	for (size_t i = 0; i < n; i++)
		if ((unsigned char)s[i] < ' ' || s[i] == 0x7f)
			return false;
	return n > 0 && n <= NAME_MAX_LEN;
}

/* Ends the transaction: commits when e is good. */
static int end_write(struct ctx *c, int e)
{
	if (e >= 0)
		e = generation_bump(c);
	if (e >= 0)
		return db_commit(c);
	db_rollback(c);
	return e;
}

static int create(struct cli *cli)
{
	const char *name = cli_option(cli, "name"), *scope = cli_option(cli, "scope");
	const char *machine = cli_option(cli, "machine");
	unsigned scopes = scope ? scopes_parse(scope) : 0;
	char secret[TOKEN_TEXT];
	int64_t now = clock_now();

	if (!name || !good_name(name))
		return cli_usage(cli, "--name: one line of 1 to %d bytes is needed", NAME_MAX_LEN);
	if (!scopes)
		return cli_usage(cli,
				 "--scope: one or more of upload, triage, admin, parted by commas");
	if (machine && !good_name(machine))
		return cli_usage(cli, "--machine: not the name of a machine");
	int e = cli_open_write(cli);
	if (e < 0 || (e = db_begin_write(cli->ctx)) < 0)
		return e;
	e = token_create(cli->ctx, name, scopes, machine, now, secret);
	if (e >= 0)
		e = audit_add(cli->ctx, now, -1, WHO, "token create", name,
			      arena_fmt(cli->ctx->arena, "scope %s%s%s", scope,
					machine ? ", machine " : "", machine ? machine : ""));
	e = end_write(cli->ctx, e);
	if (e < 0)
		return e;
	fprintf(stderr, "plumbline: this token is for %s\n", cli->config->database);
	printf("%s\n", secret);
	return 0;
}

static int list(struct cli *cli)
{
	struct token *tokens;
	size_t n;
	int e = cli_open_read(cli);

	if (e < 0 || (e = token_list(cli->ctx, &tokens, &n)) < 0)
		return e;
	printf("%-5s %-9s %-20s %-22s %-20s %s\n", "id", "state", "created", "scope", "machine",
	       "name");
	for (size_t i = 0; i < n; i++) {
		const struct token *t = &tokens[i];
		char created[TIME_TEXT], scope[32];
		clock_rfc3339(t->created, created);
		scopes_text(t->scopes, scope);
		printf("%-5lld %-9s %-20s %-22s %-20s %s\n", (long long)t->id,
		       t->revoked == TIME_NONE ? "live" : "revoked", created, scope,
		       t->machine ? t->machine : "-", t->name);
	}
	return 0;
}

static int revoke(struct cli *cli, const char *number)
{
	int64_t id, now = clock_now();

	if (!num_parse_int(number, 1, INT64_MAX, &id))
		return cli_usage(cli,
				 "\"%s\" is not the number of a token; `token list` shows them",
				 number);
	int e = cli_open_write(cli);
	if (e < 0 || (e = db_begin_write(cli->ctx)) < 0)
		return e;
	e = token_revoke(cli->ctx, id, now);
	if (e >= 0)
		e = audit_add(cli->ctx, now, -1, WHO, "token revoke", number, NULL);
	return end_write(cli->ctx, e);
}

int cmd_token(struct cli *cli)
{
	const char *verb = cli->argc > 0 ? cli->argv[0] : "";

	if (!strcmp(verb, "create") && cli->argc == 1)
		return create(cli);
	if (!strcmp(verb, "list") && cli->argc == 1)
		return list(cli);
	if (!strcmp(verb, "revoke") && cli->argc == 2)
		return revoke(cli, cli->argv[1]);
	return cli_usage(cli, "create, list or revoke N is expected");
}
