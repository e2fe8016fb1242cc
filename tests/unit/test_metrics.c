/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Metrics and layouts: what is published when, what a rollback leaves, overrides, units, and
 * readers that look names up while the writer adds some. */
#include "db/metrics.h"

#include "tests/unit/db_lab.h"

#include <pthread.h>
#include <stdatomic.h>

#include "db/samples.h"

static struct metric_names names_of(const char *const *names, size_t n)
{
	struct metric_names m = {.names = names, .n = n};
	struct digest_state d;

	digest_init(&d);
	for (size_t i = 0; i < n; i++)
		digest_add_str(&d, names[i]);
	m.digest = digest_end(&d);
	return m;
}

static void published_after_the_commit_alone(void **state)
{
	struct db_lab *l = *state;
	uint32_t a, b, again;

	lab_begin(l);
	assert_int_equal(metric_ensure(&l->c, "fio.iops", &a), E_OK);
	assert_int_equal(metric_ensure(&l->c, "fio.iops", &again), E_OK);
	assert_int_equal(a, again);
	assert_string_equal(metric_by_id(&l->c, a)->name, "fio.iops");
	lab_rollback(l);
	assert_null(metric_by_name(&l->c, "fio.iops"));
	assert_null(metric_by_id(&l->c, a));
	assert_int_equal(l->c.err, E_OK);

	/* The engine gives the same number to another name now. */
	lab_begin(l);
	assert_int_equal(metric_ensure(&l->c, "hackbench.throughput", &b), E_OK);
	assert_int_equal(metric_ensure(&l->c, "fio.iops", &again), E_OK);
	lab_commit(l);
	assert_int_equal(a, b);
	assert_true(again != b);
	const struct metric *m = metric_by_id(&l->c, b);
	assert_string_equal(m->name, "hackbench.throughput");
	assert_int_equal(m->name_len, strlen("hackbench.throughput"));
	assert_ptr_equal(m, metric_by_name(&l->c, "hackbench.throughput"));
	assert_int_equal(m->facts.direction, DIRECTION_HIGHER);
	assert_int_equal(metric_by_name(&l->c, "fio.iops")->id, again);
}

static void overrides_win_over_rules(void **state)
{
	struct db_lab *l = *state;

	lab_exec(l, "INSERT INTO metric (name, unit, direction, kind, created)"
		    " VALUES ('hackbench.throughput', 'widgets', 2, 1, 0)");
	const struct metric *m = metric_by_name(&l->c, "hackbench.throughput");
	assert_string_equal(m->facts.unit, "widgets");
	assert_int_equal(m->facts.direction, DIRECTION_LOWER);
	assert_int_equal(m->facts.kind, KIND_PERCENT);
	assert_true(m->threshold_pct == 0 && m->floor == 0);
	lab_exec(l, "INSERT INTO metric (name, threshold_pct, floor, created)"
		    " VALUES ('fio.iops', 2.5, 10, 0)");
	m = metric_by_name(&l->c, "fio.iops");
	assert_true(m->threshold_pct == 2.5 && m->floor == 10);
}

SQL(test_count_layouts, "SELECT count(*) FROM layout")
SQL(test_count_series_metrics, "SELECT count(*) FROM series_metric WHERE series_id = 1")

#define ADD_SERIES                                                                                 \
	"INSERT INTO series (digest, peer_digest, test_digest, testcase, tbox_group, created)"     \
	" VALUES ('d', '', '', 't', 'b', 0)"

static void layouts_sort_by_id(void **state)
{
	struct db_lab *l = *state;
	static const char *const list[] = {"a.one", "b.two", "c.three"};
	struct metric_names names = names_of(list, 3), fewer = names_of(list, 2);
	const uint32_t *perm;
	uint32_t c, a, b;
	int64_t id, again, other;

	lab_exec(l, ADD_SERIES);
	lab_begin(l); /* c.three gets the smallest number, b.two the next */
	assert_int_equal(metric_ensure(&l->c, "c.three", &c), E_OK);
	assert_int_equal(metric_ensure(&l->c, "b.two", &b), E_OK);
	assert_int_equal(layout_ensure(&l->c, &names, &id, &perm), E_OK);
	assert_int_equal(perm[0], 2);
	assert_int_equal(perm[1], 1);
	assert_int_equal(perm[2], 0);
	assert_int_equal(layout_ensure(&l->c, &names, &again, &perm), E_OK);
	assert_int_equal(layout_ensure(&l->c, &fewer, &other, &perm), E_OK);
	assert_int_equal(perm[0], 1);
	assert_int_equal(perm[1], 0);
	assert_int_equal(id, again);
	assert_true(other != id);
	assert_int_equal(series_has_layout(&l->c, 1, id, &names), E_OK);
	assert_int_equal(series_has_layout(&l->c, 1, other, &fewer), E_OK);
	assert_int_equal(series_has_layout(&l->c, 1, other, &fewer), E_OK);
	lab_commit(l);

	a = metric_by_name(&l->c, "a.one")->id;
	const struct layout *layout = layout_by_id(&l->c, id);
	assert_int_equal(layout->n, 3);
	assert_int_equal(layout->metric_ids[0], c);
	assert_int_equal(layout->metric_ids[2], a);
	assert_string_equal(layout_metrics(layout)[1]->name, "b.two");
	assert_ptr_equal(layout, layout_by_id(&l->c, id));
	assert_int_equal(lab_number(l, &test_count_series_metrics), 3);

	struct layout_position *at;
	size_t n;
	assert_int_equal(series_positions(&l->c, 1, a, &at, &n), E_OK);
	assert_int_equal(n, 2);
	assert_int_equal(at[0].at, 2);
	assert_int_equal(at[1].at, 1);
	assert_int_equal(series_positions(&l->c, 1, c, &at, &n), E_OK);
	assert_int_equal(n, 1);
}

static void rolled_back_layouts_are_made_again(void **state)
{
	struct db_lab *l = *state;
	static const char *const one[] = {"a", "b"}, *const two[] = {"c"};
	struct metric_names first = names_of(one, 2), second = names_of(two, 1);
	const uint32_t *perm;
	int64_t id, other;

	lab_begin(l);
	assert_int_equal(layout_ensure(&l->c, &first, &id, &perm), E_OK);
	lab_rollback(l);
	lab_begin(l);
	assert_int_equal(layout_ensure(&l->c, &second, &other, &perm), E_OK);
	assert_int_equal(layout_ensure(&l->c, &first, &id, &perm), E_OK);
	lab_commit(l);
	assert_true(id != other);
	assert_int_equal(lab_number(l, &test_count_layouts), 2);
	assert_int_equal(layout_by_id(&l->c, id)->n, 2);
	assert_int_equal(layout_by_id(&l->c, other)->n, 1);
	assert_null(layout_by_id(&l->c, 77));
	assert_int_equal(l->c.err, E_INTERNAL);
}

static void units_are_set_once(void **state)
{
	struct db_lab *l = *state;
	struct series_metric *list;
	const char *unit;
	uint32_t a, b;
	bool agrees;
	size_t n;

	lab_exec(l, ADD_SERIES);
	lab_begin(l);
	assert_int_equal(metric_ensure(&l->c, "z.metric", &a), E_OK);
	assert_int_equal(metric_ensure(&l->c, "a.metric", &b), E_OK);
	assert_int_equal(series_has_metric(&l->c, 1, a), E_OK);
	assert_int_equal(series_set_unit(&l->c, 1, a, "KB/s", &agrees), E_OK);
	assert_true(agrees);
	assert_int_equal(series_set_unit(&l->c, 1, a, "KB/s", &agrees), E_OK);
	assert_true(agrees);
	assert_int_equal(series_set_unit(&l->c, 1, a, "MB/s", &agrees), E_OK);
	assert_false(agrees);
	assert_int_equal(series_has_metric(&l->c, 1, a), E_OK);
	assert_int_equal(series_has_metric(&l->c, 1, b), E_OK);
	lab_commit(l);
	assert_int_equal(series_unit(&l->c, 1, a, &unit), E_OK);
	assert_string_equal(unit, "KB/s");
	assert_int_equal(series_unit(&l->c, 1, b, &unit), E_OK);
	assert_null(unit);
	assert_int_equal(series_metrics(&l->c, 1, &list, &n), E_OK);
	assert_int_equal(n, 2);
	assert_string_equal(list[0].metric->name, "a.metric");
	assert_null(list[0].unit);
	assert_string_equal(list[1].unit, "KB/s");

	int64_t *ids;
	assert_int_equal(metric_series(&l->c, a, 0, 10, &ids, &n), E_OK);
	assert_int_equal(n, 1);
	assert_int_equal(ids[0], 1);
	assert_int_equal(metric_series(&l->c, a, 1, 10, &ids, &n), E_OK);
	assert_int_equal(n, 0);
}

static size_t found(struct db_lab *l, const char *text, size_t limit)
{
	const struct metric **list;
	size_t n;

	assert_int_equal(metric_search(&l->c, text, limit, &list, &n), E_OK);
	return n;
}

static void search_takes_text_as_it_is(void **state)
{
	struct db_lab *l = *state;

	lab_exec(l, "INSERT INTO metric (name, created) VALUES ('fio.latency_10us%', 0),"
		    " ('fio.latencyX10us', 0), ('Netperf.Throughput_Mbps', 0), ('a!b', 0)");
	assert_int_equal(found(l, "LATENCY", 10), 2);
	assert_int_equal(found(l, "latency_", 10), 1);
	assert_int_equal(found(l, "us%", 10), 1);
	assert_int_equal(found(l, "netperf.throughput", 10), 1);
	assert_int_equal(found(l, "a!b", 10), 1);
	assert_int_equal(found(l, "fio", 1), 1);
	assert_int_equal(found(l, "nothing", 10), 0);
}

#define MANY 4000
static _Atomic int made, wrong, stop;

/* Reads every metric that has been committed, on its own connection. */
static void *reader(void *arg)
{
	struct arena *a = arena_new();
	struct ctx c;
	char name[32];

	ctx_init(&c, a, NULL);
	if (db_open(&c, arg, DB_READ, &c.db) < 0)
		wrong++;
	for (unsigned i = 0; !wrong && !stop; i++) {
		int n = made;

		snprintf(name, sizeof(name), "metric.%u", n ? i % (unsigned)n : 0);
		const struct metric *m = metric_by_name(&c, name);
		if (n && (!m || strcmp(m->name, name) != 0 || metric_by_id(&c, m->id) != m))
			wrong++;
		if (i % 1000 == 0)
			arena_reset(a);
	}
	db_close(c.db);
	arena_free(a);
	return NULL;
}

static void readers_beside_the_writer(void **state)
{
	struct db_lab *l = *state;
	pthread_t threads[3];
	char name[32];

	made = wrong = stop = 0;
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, reader, l->path), 0);
	for (int i = 0; i < MANY;) {
		uint32_t id;

		lab_begin(l);
		for (int j = 0; j < 50; j++, i++) {
			snprintf(name, sizeof(name), "metric.%d", i);
			assert_int_equal(metric_ensure(&l->c, name, &id), E_OK);
		}
		lab_commit(l);
		made = i;
	}
	stop = 1;
	for (size_t i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB_TEST(published_after_the_commit_alone),
		LAB_TEST(overrides_win_over_rules),
		LAB_TEST(layouts_sort_by_id),
		LAB_TEST(rolled_back_layouts_are_made_again),
		LAB_TEST(units_are_set_once),
		LAB_TEST(search_takes_text_as_it_is),
		LAB_TEST(readers_beside_the_writer),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("metrics", tests, NULL, NULL);
}
