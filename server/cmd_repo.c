/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `plumbline repo`: which git repositories are followed. Adding one reads it at once; a running
 * server goes on refreshing it. A folder of this machine is read in place and never written to;
 * everything else is fetched into a mirror beside the database. Removing takes our mirror away, and
 * keeps the commits and results that are known.
 */
#include "server/command.h"

#include <unistd.h>

#include "db/repos.h"
#include "db/tokens.h"
#include "db/writer.h"
#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/history/mirror.h"
#include "server/history/repo_open.h"
#include "server/history/repo_url.h"
#include "server/history/sync.h"

#define WHO      "command line"
#define REFS_MAX 100 /* patterns of one repository */

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

/* --- sync ---------------------------------------------------------------------------------------
 */

/* 1: it has a problem, which is said. */
static int sync_one(struct sync_lab *lab, const char *name)
{
	struct sync_result r;

	lab->wait = false;
	int e = sync_repo(lab, name, &r);
	if (e == E_BUSY) {
		ctx_clear(lab->c);
		fprintf(stderr, "plumbline: waiting for another process that refreshes %s\n", name);
		lab->wait = true;
		e = sync_repo(lab, name, &r);
	}
	if (e < 0)
		return e;
	if (r.problem) {
		fprintf(stderr, "plumbline: repository %s: %s\n", name, r.problem);
		return 1;
	}
	printf("%s: %lld commits in %lld branches and tags, %lld of them new, in %.1f s\n", name,
	       (long long)r.commits, (long long)r.refs, (long long)r.added, (double)r.us / 1e6);
	fflush(stdout);
	return 0;
}

static int sync_names(struct cli *cli, struct writer *w, const char *only)
{
	struct sync_lab lab = {.c = cli->ctx, .writer = w, .database = cli->config->database};
	struct repo *repos;
	size_t n, failed = 0;
	int64_t all_rows = 0;
	int e = repo_list(cli->ctx, false, &repos, &n);

	for (size_t i = 0; i < n && e >= 0; i++) {
		if (only && strcmp(repos[i].name, only) != 0)
			continue;
		e = sync_one(&lab, repos[i].name);
		failed += e > 0;
	}
	if (e >= 0)
		e = sync_rows(&lab, &all_rows);
	return e < 0 ? e : failed > 0;
}

/* only NULL: all. The database is there already. */
static int sync_some(struct cli *cli, const char *only)
{
	const struct writer_limits limits = {
		.jobs = 1, .bytes = SIZE_MAX, .disk_reserve = cli->config->disk_reserve};
	struct writer *w;
	int e = writer_start(cli->ctx, cli->config->database, &limits, &w);

	if (e < 0)
		return e;
	log_set_level(LOG_ERROR); /* what there is to say is said here */
	e = db_open(cli->ctx, cli->config->database, DB_READ, &cli->ctx->db);
	if (e >= 0)
		e = sync_names(cli, w, only);
	cli_close(cli);
	writer_stop(w);
	return e;
}

static int sync_command(struct cli *cli, const char *only)
{
	struct repo r;
	int e = cli_open_write(cli);

	if (e >= 0 && only)
		e = repo_by_name(cli->ctx, only, &r);
	cli_close(cli);
	return e < 0 ? e : sync_some(cli, only);
}

/* --- add ----------------------------------------------------------------------------------------
 */

/* The patterns, a line each; 2: usage, said. */
static int read_refs(struct cli *cli, const char **refs)
{
	const char *ref;

	*refs = "";
	for (size_t i = 0; (ref = cli_option_at(cli, "ref", i)); i++) {
		const char *pattern = repo_ref_pattern(cli->ctx->arena, ref);

		if (!pattern)
			return cli_usage(
				cli, "--ref: \"%s\" is not a branch, tag or pattern of them", ref);
		if (i == REFS_MAX)
			return cli_usage(cli, "--ref: at most %d may be given", REFS_MAX);
		*refs = arena_fmt(cli->ctx->arena, "%s%s%s", *refs, i ? "\n" : "", pattern);
	}
	return 0;
}

/* A folder here is looked at before anything is stored. */
static int read_place(struct cli *cli, const char *where, struct repo *r)
{
	struct ctx *c = cli->ctx;
	const char *problem;

	r->in_place = !repo_url_is_remote(where);
	problem = r->in_place && where[0] != '-' ? NULL : repo_url_fault(where);
	if (problem)
		return cli_usage(cli, "\"%s\": %s", repo_url_shown(c->arena, where), problem);
	if (!r->in_place) {
		r->url = where;
		r->path = mirror_path(c, cli->config->database, r->name);
		return 0;
	}
	char *real = realpath(where, NULL);
	r->url = r->path = arena_str(c->arena, real ? real : where);
	free(real);
	git_repository *git = repo_open(c->arena, r->path, &problem);
	git_repository_free(git);
	return git ? 0 : fail(c, E_INVALID, "%s: %s", where, problem);
}

static int add(struct cli *cli, const char *name, const char *where)
{
	const char *history = cli_option(cli, "history");
	struct ctx *c = cli->ctx;
	int64_t now = clock_now();
	struct repo r = {.name = name,
			 .snapshots = history != NULL,
			 .added = now,
			 .tried = TIME_NONE,
			 .synced = TIME_NONE,
			 .next_try = now,
			 .removed = TIME_NONE};
	int e;

	if (!repo_name_valid(name))
		return cli_usage(cli, "\"%s\" is no name: letters, digits and ._-/ are", name);
	if (history && strcmp(history, "snapshots") != 0)
		return cli_usage(cli, "--history: only \"snapshots\" may be said");
	if ((e = read_refs(cli, &r.refs)) != 0 || (e = cli_make_folder(cli)) < 0 ||
	    (e = read_place(cli, where, &r)) != 0 || (e = cli_open_write(cli)) < 0 ||
	    (e = db_begin_write(c)) < 0)
		return e;
	e = repo_insert(c, &r);
	if (e >= 0)
		e = audit_add(c, now, -1, WHO, "repo add", name, repo_url_shown(c->arena, r.url));
	e = end_write(c, e);
	cli_close(cli);
	if (e < 0)
		return e;
	e = sync_some(cli, name);
	if (e > 0)
		fprintf(stderr,
			"plumbline: repository %s is added all the same; a server tries "
			"again, and so does `plumbline repo sync %s`\n",
			name, name);
	return e;
}

/* --- list ---------------------------------------------------------------------------------------
 */

static int list(struct cli *cli)
{
	struct ctx *c = cli->ctx;
	struct repo *repos;
	int64_t refs;
	size_t n;
	int e = cli_open_read(cli);

	if (e < 0 || (e = repo_list(c, false, &repos, &n)) < 0)
		return e;
	printf("%-16s %-20s %10s %6s %-24s %s\n", "name", "refreshed", "commits", "refs", "line",
	       "from");
	for (size_t i = 0; i < n; i++) {
		const struct repo *r = &repos[i];
		char synced[TIME_TEXT];

		e = repo_refs_count(c, r->id, &refs);
		if (e < 0)
			return e;
		clock_rfc3339(r->synced, synced);
		printf("%-16s %-20s %10lld %6lld %-24s %s%s\n", r->name,
		       synced[0] ? synced : "never", (long long)r->commits, (long long)refs,
		       r->line ? r->line : "-", repo_url_shown(c->arena, r->url),
		       r->snapshots ? " (snapshots)" : "");
		if (r->problem)
			printf("%-16s %s\n", "", r->problem);
	}
	return 0;
}

/* --- remove -------------------------------------------------------------------------------------
 */

static int mark_removed(struct ctx *c, struct repo *r, int64_t now)
{
	int e = db_begin_write(c);

	if (e < 0)
		return e;
	r->removed = now;
	r->problem = NULL;
	e = repo_update(c, r);
	if (e >= 0)
		e = repo_refs_keep(c, r->id, NULL, 0, now);
	if (e >= 0)
		e = audit_add(c, now, -1, WHO, "repo remove", r->name, NULL);
	return end_write(c, e);
}

/* The row first: whoever refreshes it now sees that and ends; then its folder is ours. */
static int remove_repo(struct cli *cli, const char *name)
{
	struct ctx *c = cli->ctx;
	struct repo r;
	int e = cli_open_write(cli);

	if (e < 0 || (e = repo_by_name(c, name, &r)) < 0 ||
	    (e = mark_removed(c, &r, clock_now())) < 0)
		return e;
	int lock = mirror_lock(c, cli->config->database, name, false);
	if (lock == E_BUSY) {
		ctx_clear(c);
		fprintf(stderr, "plumbline: waiting for another process that refreshes %s\n", name);
		lock = mirror_lock(c, cli->config->database, name, true);
	}
	if (lock < 0)
		return lock;
	e = mirror_remove(c, cli->config->database, &r);
	close(lock);
	return e;
}

int cmd_repo(struct cli *cli)
{
	const char *verb = cli->argc > 0 ? cli->argv[0] : "";

	if (!strcmp(verb, "add") && cli->argc == 3)
		return add(cli, cli->argv[1], cli->argv[2]);
	if (!strcmp(verb, "list") && cli->argc == 1)
		return list(cli);
	if (!strcmp(verb, "sync") && cli->argc <= 2)
		return sync_command(cli, cli->argc == 2 ? cli->argv[1] : NULL);
	if (!strcmp(verb, "remove") && cli->argc == 2)
		return remove_repo(cli, cli->argv[1]);
	return cli_usage(cli, "add NAME PATH|URL, list, sync [NAME] or remove NAME is expected");
}
