/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The graph of commits: its walks, merge bases and descendants on small histories whose answers
 * were had from git (log --topo-order, rev-list, merge-base --all on the same commits with the same
 * dates), how it grows, and that a transaction that is rolled back leaves nothing in it.
 */
#include "db_lab.h"

#include "db/git_commits.h"
#include "server/history/graph.h"
#include "server/history/neighbours.h"

/*
 * Letters stand for positions, a = 1. Two roots, a criss-cross, an octopus, a merge whose date is
 * behind its parents' (as made on a machine with a slow clock):
 *
 *	a - b - c ----- f - h - i - k		k is the tip
 *	     \   \     X   /   /		f = c+e, g = e+c, h = f+g
 *	      d - e - g - '   /			i = h+d+j (octopus)
 *	              j -----'			j is a root
 */
static const struct {
	char name;
	const char *parents;
	int64_t date;
} history[] = {
	{'a', "", 100},  {'b', "a", 110},   {'c', "b", 120},  {'d', "b", 130},
	{'e', "d", 140}, {'f', "ce", 150},  {'g', "ec", 160}, {'h', "fg", 145},
	{'j', "", 90},   {'i', "hdj", 170}, {'k', "i", 180},
};
#define COMMITS (sizeof(history) / sizeof(history[0]))

/* Position of a letter, in the order above. */
static uint32_t at(char name)
{
	for (uint32_t i = 0; i < COMMITS; i++)
		if (history[i].name == name)
			return i + 1;
	return 0;
}

static void add(struct db_lab *l, size_t i)
{
	struct git_commit k = {
		.date = history[i].date, .author_date = history[i].date, .subject = "a change"};

	k.id = arena_fmt(l->c.arena, "%040zx", i + 1);
	for (const char *p = history[i].parents; *p; p++)
		k.parents[k.nparents++] = at(*p);
	assert_int_equal(git_commit_add(&l->c, &k, NULL, 0), E_OK);
	assert_int_equal(k.position, i + 1);
}

static void fill(struct db_lab *l, size_t from, size_t to)
{
	lab_begin(l);
	for (size_t i = from; i < to; i++)
		add(l, i);
	lab_commit(l);
}

static const struct graph *graph_of(struct db_lab *l)
{
	const struct graph *g;

	assert_int_equal(graph_get(&l->c, &g), E_OK);
	return g;
}

/* The walk as letters. */
static const char *walk(struct db_lab *l, const char *tips, const char *without, bool first_parent)
{
	struct graph_range r = {.first_parent = first_parent};
	char *text;
	uint32_t *out;
	size_t n;

	for (; *tips; tips++)
		r.tips[r.ntips++] = at(*tips);
	for (; *without; without++)
		r.without[r.nwithout++] = at(*without);
	assert_int_equal(graph_walk(&l->c, graph_of(l), &r, &out, &n), E_OK);
	text = arena_alloc(l->c.arena, n + 1);
	for (size_t i = 0; i < n; i++)
		text[i] = history[out[i] - 1].name;
	return text;
}

static void walks_as_git(void **state)
{
	struct db_lab *l = *state;

	fill(l, 0, COMMITS);
	assert_string_equal(walk(l, "k", "", false), "kijhgfedcba");
	assert_string_equal(walk(l, "k", "", true), "kihfcba");
	assert_string_equal(walk(l, "k", "c", false), "kijhgfed");
	assert_string_equal(walk(l, "h", "e", false), "hgfc");
	assert_string_equal(walk(l, "h", "e", true), "hfc");
	assert_string_equal(walk(l, "b", "k", false), "");
	/* f...g and g...f: the tip with the later date first; both exclude the bases c and e */
	assert_string_equal(walk(l, "fg", "ce", false), "gf");
	assert_string_equal(walk(l, "gf", "ce", false), "gf");
}

static void merge_bases_as_git(void **state)
{
	struct db_lab *l = *state;
	uint32_t out[4];

	fill(l, 0, COMMITS);
	assert_int_equal(graph_merge_bases(&l->c, graph_of(l), at('f'), at('g'), out, 4), 2);
	assert_int_equal(out[0], at('e'));
	assert_int_equal(out[1], at('c'));
	assert_int_equal(graph_merge_bases(&l->c, graph_of(l), at('f'), at('g'), out, 1), 1);
	assert_int_equal(graph_merge_bases(&l->c, graph_of(l), at('c'), at('d'), out, 4), 1);
	assert_int_equal(out[0], at('b'));
	assert_int_equal(graph_merge_bases(&l->c, graph_of(l), at('d'), at('k'), out, 4), 1);
	assert_int_equal(out[0], at('d'));
	assert_int_equal(graph_merge_bases(&l->c, graph_of(l), at('k'), at('k'), out, 4), 1);
	assert_int_equal(out[0], at('k'));
	assert_int_equal(graph_merge_bases(&l->c, graph_of(l), at('j'), at('h'), out, 4), 0);
}

static void steps_and_reach(void **state)
{
	struct db_lab *l = *state;
	const uint64_t *marks;
	char names[COMMITS + 1] = "";
	size_t n = 0;

	fill(l, 0, COMMITS);
	const struct graph *g = graph_of(l);
	assert_int_equal(graph_size(g), COMMITS);
	assert_int_equal(graph_parent(g, at('i'), 1), at('h'));
	assert_int_equal(graph_parent(g, at('i'), 3), at('j'));
	assert_int_equal(graph_parent(g, at('i'), 4), 0);
	assert_int_equal(graph_up(g, at('k'), 5), at('b'));
	assert_int_equal(graph_up(g, at('k'), 7), 0);
	assert_int_equal(graph_date(g, at('h')), 145);
	assert_true(graph_reaches(g, at('a'), at('k')));
	assert_true(graph_reaches(g, at('j'), at('k')));
	assert_true(graph_reaches(g, at('d'), at('d')));
	assert_false(graph_reaches(g, at('d'), at('c')));
	assert_false(graph_reaches(g, at('k'), at('a')));
	assert_false(graph_reaches(g, at('j'), at('h')));
	marks = graph_descendants(&l->c, g, at('e'));
	for (uint32_t p = 1; p <= COMMITS; p++)
		if (graph_marked(marks, p))
			names[n++] = history[p - 1].name;
	assert_string_equal(names, "efghik");
}

/* What was handed out stays valid while more comes. */
static void grows(void **state)
{
	struct db_lab *l = *state;
	const struct graph *g;
	const uint32_t *parents;
	size_t n;

	assert_int_equal(graph_size(graph_of(l)), 0);
	fill(l, 0, 6);
	g = graph_of(l);
	parents = graph_parents(g, at('f'), &n);
	assert_int_equal(n, 2);
	fill(l, 6, COMMITS);
	assert_ptr_equal(graph_of(l), g);
	assert_int_equal(graph_size(g), COMMITS);
	assert_int_equal(parents[0], at('c'));
	assert_int_equal(parents[1], at('e'));
}

/* Inside a transaction its own commits are seen; after it is undone others take their places. */
static void rollback_leaves_nothing(void **state)
{
	struct db_lab *l = *state;
	struct git_commit other = {.id = "ffffffffffffffffffffffffffffffffffffffff",
				   .date = 999,
				   .subject = "another",
				   .parents = {1},
				   .nparents = 1};
	const struct graph *g;

	fill(l, 0, 3);
	assert_int_equal(graph_size(graph_of(l)), 3);
	lab_begin(l);
	add(l, 3);
	add(l, 4);
	g = graph_of(l);
	assert_int_equal(graph_size(g), 5);
	assert_true(graph_reaches(g, at('b'), at('e')));
	lab_rollback(l);
	assert_int_equal(graph_size(graph_of(l)), 3);
	lab_begin(l);
	assert_int_equal(git_commit_add(&l->c, &other, NULL, 0), E_OK);
	lab_commit(l);
	g = graph_of(l);
	assert_int_equal(graph_size(g), 4);
	assert_int_equal(graph_date(g, 4), 999);
	assert_false(graph_reaches(g, at('b'), 4));
}

/* A page that is being made while commits come: its snapshot has none of the children that another
 * thread's graph has by now. */
static void children_of_a_snapshot(void **state)
{
	struct db_lab *l = *state;
	struct ctx reader;
	struct db *db;
	int64_t out[4];
	size_t n;

	fill(l, 0, 3);
	ctx_init(&reader, l->c.arena, NULL);
	assert_int_equal(db_open(&reader, l->path, DB_READ, &db), E_OK);
	reader.db = db;
	assert_int_equal(db_begin_read(&reader), E_OK);
	assert_int_equal(graph_children(&reader, at('b'), 4, out, &n), E_OK);
	assert_int_equal(n, 1);
	fill(l, 3, COMMITS);
	assert_int_equal(graph_size(graph_of(l)), COMMITS);
	assert_int_equal(graph_children(&reader, at('b'), 4, out, &n), E_OK);
	assert_int_equal(n, 1);
	db_end_read(&reader);
	assert_int_equal(graph_children(&reader, at('b'), 4, out, &n), E_OK);
	assert_int_equal(n, 2);
	db_close(db);
}

/* More than a chunk of them, in a line with a side commit every 100: the ends of chunks and pools
 * of parents fall anywhere. */
static void many(void **state)
{
	struct db_lab *l = *state;
	const uint32_t total = 140000;
	uint32_t last = 0, *out;
	struct graph_range r = {.tips = {total}, .ntips = 1, .without = {70000}, .nwithout = 1};
	size_t n;

	lab_begin(l);
	for (uint32_t i = 1; i <= total; i++) {
		char id[41];
		struct git_commit k = {.id = id, .date = i, .subject = ""};

		snprintf(id, sizeof(id), "%040x", i);
		if (last)
			k.parents[k.nparents++] = last;
		if (i % 100 == 2)
			k.parents[k.nparents++] = i - 1; /* a merge of the side commit */
		if (i % 100 == 1)
			k.nparents = 0; /* the side commit: a root */
		else
			last = i;
		assert_int_equal(git_commit_add(&l->c, &k, NULL, 0), E_OK);
	}
	lab_commit(l);
	assert_int_equal(graph_walk(&l->c, graph_of(l), &r, &out, &n), E_OK);
	/* 70001 … 140000, side commits included */
	assert_int_equal(n, 70000);
	assert_int_equal(out[0], 140000);
	r.first_parent = true;
	assert_int_equal(graph_walk(&l->c, graph_of(l), &r, &out, &n), E_OK);
	assert_int_equal(n, 70000 - 700);
	assert_int_equal(graph_up(graph_of(l), total, 99), 139900);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB_TEST(walks_as_git),
		LAB_TEST(merge_bases_as_git),
		LAB_TEST(steps_and_reach),
		LAB_TEST(grows),
		LAB_TEST(rollback_leaves_nothing),
		LAB_TEST(children_of_a_snapshot),
		LAB_TEST(many),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("graph", tests, NULL, NULL);
}
