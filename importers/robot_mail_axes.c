/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose results a table has: the axes of its block, or what the report says in words; what neither
 * says comes from the request, and where nobody names the machine it is "unknown". A block is taken
 * as complete, unless it has the parameters in one piece ("path_params"): then those that the
 * report lists are added.
 */
#include "importers/robot_mail.h"

#include "importers/json_read.h"
#include "server/base/arena.h"

#define UNKNOWN "unknown"

struct axes {
	struct mail *m;
	struct pair *pairs;
	size_t n, cap;
};

static void add(struct axes *x, const char *name, const char *value)
{
	mail_pair_add(x->m, &x->pairs, &x->n, &x->cap, name, value);
}

static bool has(const struct axes *x, const char *name)
{
	return mail_pair_find(x->pairs, x->n, name) != NULL;
}

static void add_params(struct axes *x, const struct mail_setup *setup)
{
	for (size_t i = 0; setup && i < setup->nparams; i++)
		add(x, setup->params[i].name, setup->params[i].value);
}

/* Groups that are measured beside every test. */
static bool is_monitor(const char *group, size_t n)
{
	static const char *const monitors[] = {
		"boot-time",     "buddyinfo",    "cpuidle",      "diskstats",    "dmesg",
		"ftrace",        "interrupts",   "iostat",       "kmsg",         "last_state",
		"latency_stats", "meminfo",      "mpstat",       "numa-meminfo", "numa-numastat",
		"numa-vmstat",   "pagetypeinfo", "perf-profile", "perf-sched",   "perf-stat",
		"proc-vmstat",   "sched_debug",  "slabinfo",     "softirqs",     "stderr",
		"syscalls",      "time",         "turbostat",    "uptime",       "vmstat",
	};

	for (size_t i = 0; i < sizeof(monitors) / sizeof(monitors[0]); i++) {
		if (strlen(monitors[i]) == n && memcmp(monitors[i], group, n) == 0)
			return true;
	}
	return false;
}

/* The only group of a table that is none of the monitors'. */
static const char *group_of_table(struct mail *m, const struct mail_table *t)
{
	const char *found = NULL;

	for (size_t i = 0; i < t->nrows; i++) {
		size_t n = strcspn(t->metrics[i], ".");

		if (!n || is_monitor(t->metrics[i], n) ||
		    (found && strlen(found) == n && memcmp(found, t->metrics[i], n) == 0))
			continue;
		if (found)
			return NULL;
		found = arena_strn(m->a, t->metrics[i], n);
	}
	return found;
}

/* The test's name when nobody says it: what stands before the first dot of the claimed metric, of
 * those that time measured, or of all that are the test's. */
static const char *guess_testcase(struct mail *m, const struct mail_setup *setup,
				  const struct mail_table *t)
{
	if (setup && setup->metric && !is_monitor(setup->metric, strcspn(setup->metric, ".")))
		return arena_strn(m->a, setup->metric, strcspn(setup->metric, "."));
	for (size_t i = 0; t && i < t->nrows; i++) {
		const char *dot = strchr(t->metrics[i], '.');

		if (dot && strncmp(dot, ".time.", 6) == 0 && dot > t->metrics[i])
			return arena_strn(m->a, t->metrics[i], (size_t)(dot - t->metrics[i]));
	}
	return t ? group_of_table(m, t) : NULL;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct pair *)a)->name, ((const struct pair *)b)->name);
}

static void finish(struct axes *x, const struct mail_setup *setup, const struct mail_table *t,
		   struct pair **axes, size_t *n)
{
	const struct import *in = x->m->in;

	if (setup)
		add(x, "testcase", setup->testcase);
	if (setup && !has(x, "tbox_group"))
		add(x, "tbox_group", setup->machine_name);
	for (size_t i = 0; i < in->naxes; i++)
		add(x, in->axes[i].name, in->axes[i].value);
	add(x, "testcase", guess_testcase(x->m, setup, t));
	add(x, "testcase", UNKNOWN);
	add(x, "tbox_group", UNKNOWN);
	qsort(x->pairs, x->n, sizeof(*x->pairs), by_name);
	*axes = x->pairs;
	*n = x->n;
}

/* Of all paths that have these heads, what they have in common. False: there is none. */
static bool add_common(struct axes *x, const struct mail_table *t)
{
	struct axes common = {.m = x->m};
	size_t from = t->number > MAIL_TABLES_NEAR ? t->number - MAIL_TABLES_NEAR : 0;
	bool first = true;

	for (size_t i = from; i < x->m->ntables && i < t->number + MAIL_TABLES_NEAR; i++) {
		const struct mail_table *k = x->m->tables[i];
		struct axes one = {.m = x->m};

		if (!k->path || k->ncolumns != t->ncolumns || strcmp(k->heads[0], t->heads[0]) != 0)
			continue;
		mail_path_axes(x->m, k->path_names, k->path, &one.pairs, &one.n, &one.cap);
		if (first)
			common = one;
		first = false;
		for (size_t c = 0; c < common.n;) {
			const char *v = mail_pair_find(one.pairs, one.n, common.pairs[c].name);

			if (v && strcmp(v, common.pairs[c].value) == 0)
				c++;
			else
				common.pairs[c] = common.pairs[--common.n];
		}
	}
	for (size_t c = 0; c < common.n; c++)
		add(x, common.pairs[c].name, common.pairs[c].value);
	add(x, "aggregate", t->aggregate);
	return !first;
}

void mail_table_axes(struct mail *m, const struct mail_table *t, struct pair **axes, size_t *n,
		     bool *own)
{
	const struct mail_setup *setup = mail_setup_at(m, t->line);
	const struct mail_block *block = t->block;
	struct axes x = {.m = m};
	bool in_one_piece = !block, has_paths = false;

	if (!block && m->nblocks == 1)
		block = m->blocks[0];
	if (t->path)
		mail_path_axes(m, t->path_names, t->path, &x.pairs, &x.n, &x.cap);
	else if (t->aggregate)
		has_paths = add_common(&x, t);
	else
		for (size_t i = 0; block && i < block->naxes; i++) {
			add(&x, block->axes[i].name, block->axes[i].value);
			in_one_piece |= !strcmp(block->axes[i].name, "path_params") ||
					!strcmp(block->axes[i].name, "testparams");
		}
	*own = t->path || t->aggregate || t->block;
	if ((in_one_piece || !*own) && !t->path && !t->aggregate && (!block || t->block))
		add_params(&x, setup);
	/* a block that names no machine leaves it to the words; another report's do not count */
	finish(&x, setup, has_paths ? NULL : t, axes, n);
}

void mail_setup_axes(struct mail *m, const struct mail_setup *setup, struct pair **axes, size_t *n)
{
	struct axes x = {.m = m};

	add_params(&x, setup);
	finish(&x, setup, NULL, axes, n);
}
