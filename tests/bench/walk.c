/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The warm walk alone: walk DATABASE FROM TO REPEATS. Opens a database that a repository was read
 * into, and prints the median of walking FROM..TO, in microseconds, and how many commits it had.
 */
#include <inttypes.h>

#include "db/engine.h"
#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/base/num.h"
#include "server/history/graph.h"
#include "server/history/revision.h"

static int ascending(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int64_t position(struct ctx *c, const char *name)
{
	struct commit k;

	if (revision_resolve(c, name, &k, NULL) < 0)
		die("%s", c->detail);
	return k.position;
}

int main(int argc, char **argv)
{
	auto_arena struct arena *a = arena_new();
	const struct graph *g;
	struct graph_range r = {.ntips = 1, .nwithout = 1};
	struct ctx c;
	int64_t repeats, *times;
	uint32_t *out;
	size_t n = 0;

	if (argc != 5 || !num_parse_int(argv[4], 1, 10000, &repeats))
		die("usage: walk DATABASE FROM TO REPEATS");
	ctx_init(&c, a, NULL);
	if (db_open(&c, argv[1], DB_READ, &c.db) < 0 || graph_get(&c, &g) < 0)
		die("%s", c.detail);
	r.without[0] = (uint32_t)position(&c, argv[2]);
	r.tips[0] = (uint32_t)position(&c, argv[3]);
	times = arena_array(a, int64_t, (size_t)repeats);
	for (int64_t i = 0; i < repeats; i++) {
		auto_arena struct arena *own = arena_new();
		int64_t start = clock_us();

		c.arena = own;
		if (graph_walk(&c, g, &r, &out, &n) < 0)
			die("%s", c.detail);
		times[i] = clock_us() - start;
	}
	c.arena = a;
	qsort(times, (size_t)repeats, sizeof(*times), ascending);
	printf("%" PRId64 " %zu\n", times[repeats / 2], n);
	db_close(c.db);
	return 0;
}
