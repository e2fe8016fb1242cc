/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `plumbline rule`: which version of the rule judges this database, and what another one would
 * change, listed before it applies. The count is kept for the page /rules. `rule apply` puts one in
 * force; nothing of the data changes by that, so it can be taken back the same way.
 */
#include "server/command.h"

#include <unistd.h>

#include "db/engine.h"
#include "db/rule_setting.h"
#include "db/tokens.h"
#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/model/rule_words.h"
#include "server/model/verdict_moves.h"

#define WHO        "command line"
#define LISTED_MAX 2000
#define EVERY_US   200000

static bool show_progress(void *arg, size_t done, size_t all)
{
	int64_t *shown = arg, now = clock_us();

	if (done == all) {
		fprintf(stderr, "\r%40s\r", "");
	} else if (now - *shown >= EVERY_US) {
		fprintf(stderr, "\r%zu of %zu cells judged", done, all);
		*shown = now;
	}
	fflush(stderr);
	return false;
}

static int read_name(struct cli *cli, const char *name, enum rule_version *v)
{
	if (!name || rule_version_find(name, v))
		return 0;
	fprintf(stderr, "plumbline rule: no rule is called \"%s\"; these are:\n", name);
	for (int i = 0; i < RULE_VERSIONS; i++)
		fprintf(stderr, "  %s\n", rule_version_name((enum rule_version)i));
	return cli_usage(cli, "name one of them");
}

static void print_moves(struct arena *a, const struct rule_count *k)
{
	for (size_t i = 0; i < k->nmoves; i++) {
		const struct verdict_move *m = &k->moves[i];

		printf("%s on %s (%.8s)  %.12s  %s  %s -> %s\n", m->testcase, m->machine, m->series,
		       m->commit, m->metric, m->before, m->after);
	}
	if ((size_t)k->moved > k->nmoves)
		printf("and %s more\n", count_text(a, k->moved - (int64_t)k->nmoves));
}

/* The count is worth keeping, and no reason to fail. */
static void keep_count(struct cli *cli, const struct rule_count *k)
{
	struct ctx *c = cli->ctx;
	int e;

	cli_close(cli);
	e = cli_open_write(cli);
	if (e >= 0 && (e = db_begin_write(c)) >= 0) {
		e = rule_count_keep(c, k);
		if (e >= 0)
			e = generation_bump(c);
		if (e >= 0)
			e = db_commit(c);
		else
			db_rollback(c);
	}
	if (e >= 0)
		return;
	fprintf(stderr, "plumbline: the page /rules does not show this count: %s\n", c->detail);
	ctx_clear(c);
}

static int count(struct cli *cli, enum rule_version from, enum rule_version to)
{
	struct ctx *c = cli->ctx;
	int64_t shown = 0;
	struct verdict_moves_query q = {
		.before = {.rule = from},
		.after = {.rule = to},
		.cells_max = MOVES_CELLS_MAX,
		.moves_max = LISTED_MAX,
		.progress = isatty(STDERR_FILENO) ? show_progress : NULL,
		.arg = &shown,
	};
	struct rule_count k;
	int e = verdict_moves_count(c, &q, &k);

	if (e < 0)
		return e;
	k.at = clock_now();
	printf("%s\n", rule_count_text(c->arena, &k));
	print_moves(c->arena, &k);
	keep_count(cli, &k);
	return 0;
}

static int list(struct cli *cli, const char *name)
{
	enum rule_version in_force, to = RULE_NEWEST;
	int e = read_name(cli, name, &to);

	if (e || (e = cli_open_read(cli)) < 0 || (e = rule_in_force(cli->ctx, &in_force)) < 0)
		return e;
	printf("in force  %s: %s\n", rule_version_name(in_force), rule_version_words(in_force));
	printf("newest    %s: %s\n", rule_version_name(RULE_NEWEST),
	       rule_version_words(RULE_NEWEST));
	fflush(stdout);
	return to == in_force ? 0 : count(cli, in_force, to);
}

static int put_in_force(struct ctx *c, enum rule_version to)
{
	int e = db_begin_write(c);

	if (e < 0)
		return e;
	e = rule_put_in_force(c, to, -1, WHO, clock_now());
	if (e >= 0)
		e = generation_bump(c);
	if (e >= 0)
		return db_commit(c);
	db_rollback(c);
	return e;
}

static int apply(struct cli *cli, const char *name)
{
	enum rule_version to = RULE_NEWEST;
	int e = read_name(cli, name, &to);

	if (e || (e = cli_open_write(cli)) < 0 || (e = put_in_force(cli->ctx, to)) < 0)
		return e;
	printf("%s is in force\n", rule_version_name(to));
	return 0;
}

int cmd_rule(struct cli *cli)
{
	const char *first = cli->argc > 0 ? cli->argv[0] : NULL;

	if (first && !strcmp(first, "apply") && cli->argc <= 2)
		return apply(cli, cli->argc == 2 ? cli->argv[1] : NULL);
	if (cli->argc <= 1)
		return list(cli, first);
	return cli_usage(cli, "a NAME, apply or apply NAME is expected");
}
