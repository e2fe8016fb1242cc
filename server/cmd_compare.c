/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plumbline compare A B [C…]: the compare page's model on standard output, as the test robot's
 * tables, JSON or CSV. Works on the database beside a running server; all tables, unless --limit
 * says otherwise.
 */
#include "server/command.h"

#include "db/engine.h"
#include "server/base/arena.h"
#include "server/base/num.h"
#include "server/pages/compare.h"

#define TABLES_MAX 1000
#define AXES_MAX   64

static const char *const format_words[] = {"txt", "json", "csv", NULL};
static const char *const role_words[] = {"primary", "monitor", "functional", NULL};
static const char *const sort_words[] = {"robot", "change", "name", "confidence", NULL};

/* Position of the option's value in the list, fallback when it was not given, -2 when it is none of
 * them. */
static int pick_word(const struct cli *cli, const char *option, const char *const *words,
		     int fallback)
{
	const char *v = cli_option(cli, option);

	if (!v)
		return fallback;
	for (int i = 0; words[i]; i++)
		if (strcmp(v, words[i]) == 0)
			return i;
	return -2;
}

/* --axis name=value, as often as given. Returns the first that has no such form, or NULL. */
static const char *read_axes(struct cli *cli, struct compare_query *q)
{
	struct pair *axes = arena_array(cli->ctx->arena, struct pair, AXES_MAX);
	const char *text;

	for (size_t i = 0; i < AXES_MAX && (text = cli_option_at(cli, "axis", i)); i++) {
		const char *eq = strchr(text, '=');

		if (!eq || eq == text)
			return text;
		axes[q->naxes].name = arena_strn(cli->ctx->arena, text, (size_t)(eq - text));
		axes[q->naxes++].value = eq + 1;
	}
	q->axes = axes;
	return NULL;
}

static int read_options(struct cli *cli, struct compare_query *q, int *format)
{
	const char *limit = cli_option(cli, "limit"), *bad;
	int64_t n = TABLES_MAX;
	int order = pick_word(cli, "sort", sort_words, ORDER_ROBOT);

	*q = (struct compare_query){
		.asked = (const char *const *)cli->argv,
		.nasked = (size_t)cli->argc,
		.series = cli_option(cli, "series"),
		.metric_glob = cli_option(cli, "metric"),
		.role = pick_word(cli, "role", role_words, -1),
		.changed_only = cli_option(cli, "changed") != NULL,
	};
	*format = pick_word(cli, "format", format_words, 0);
	if (cli->argc == 0)
		return cli_usage(cli, "name the commits to compare, the base first");
	if (*format < 0)
		return cli_usage(cli, "--format is txt, json or csv");
	if (q->role < -1)
		return cli_usage(cli, "--role is primary, monitor or functional");
	if (order < 0)
		return cli_usage(cli, "--sort is robot, change, name or confidence");
	if (limit && !num_parse_int(limit, 1, TABLES_MAX, &n))
		return cli_usage(cli, "--limit is a number of tables from 1 to %d", TABLES_MAX);
	bad = read_axes(cli, q);
	if (bad)
		return cli_usage(cli, "--axis takes name=value, not %s", bad);
	q->order = (enum row_order)order;
	q->limit = (size_t)n;
	return 0;
}

static void say_candidates(const struct commit_list *many)
{
	for (size_t i = 0; i < many->n; i++)
		fprintf(stderr, "  %s\n", many->commits[i].name);
}

static int print_form(struct cli *cli, const struct compare_query *q, struct compare *cmp,
		      int format)
{
	auto_arena struct arena *scratch = arena_new();
	auto_out struct out o;
	struct compare_answer x = {.c = cli->ctx, .o = &o, .q = q, .cmp = cmp, .scratch = scratch};
	bool written;
	int rc;

	out_init(&o, OUT_MAX_DEFAULT);
	rc = format == 0 ? compare_txt(&x) : format == 1 ? compare_json(&x) : compare_csv(&x);
	if (rc < 0)
		return rc;
	if (format == 1)
		out_char(&o, '\n');
	if (o.failed)
		return fail(cli->ctx, E_TOO_LARGE, "the comparison is too large to print");
	written = fwrite(o.p, 1, o.len, stdout) == o.len && fflush(stdout) == 0;
	if (!written)
		return fail(cli->ctx, E_INTERNAL, "cannot write to standard output");
	if (cmp->next >= 0)
		fprintf(stderr, "there are more tables than the limit of %zu\n", cmp->ntables);
	return 0;
}

int cmd_compare(struct cli *cli)
{
	struct compare_query q;
	struct compare cmp;
	struct commit_list many = {0};
	int format, rc = read_options(cli, &q, &format);

	if (rc != 0)
		return rc;
	rc = cli_open_read(cli);
	if (rc >= 0)
		rc = db_begin_read(cli->ctx);
	if (rc < 0)
		return rc;
	rc = compare_load(cli->ctx, &q, &cmp, &many);
	if (rc == E_AMBIGUOUS)
		say_candidates(&many);
	if (rc >= 0)
		rc = print_form(cli, &q, &cmp, format);
	db_end_read(cli->ctx);
	return rc;
}
