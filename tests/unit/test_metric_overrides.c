/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an administrator says of metrics, and the dictionary that all threads read: who reads a
 * state of the database has facts that are at least as new, a transaction that is undone leaves
 * nothing, and readers that race with overrides never see half of one.
 */
#include <math.h>
#include <pthread.h>

#include "tests/unit/db_lab.h"

#include "db/metric_overrides.h"

#include <cmocka.h>

#define DOC                                                                                        \
	"{\"axes\": {\"testcase\": \"t\", \"tbox_group\": \"b\"}, \"commit\": {\"id\": "           \
	"\"1234567890\"}, \"runs\": [{\"t.x_us\": 1, \"t.y\": 2}]}"

static struct db *open_reader(struct db_lab *l, struct ctx *c)
{
	struct db *db;

	ctx_init(c, arena_new(), NULL);
	assert_int_equal(db_open(c, l->path, DB_READ, &db), E_OK);
	c->db = db;
	return db;
}

static void close_reader(struct ctx *c)
{
	db_close(c->db);
	arena_free(c->arena);
}

static struct metric_override_change threshold(double v)
{
	return (struct metric_override_change){.sets = OVERRIDE_THRESHOLD,
					       .to = {.threshold_pct = v, .floor = (double)NAN}};
}

static void say(struct db_lab *l, const char *name, struct metric_override_change change)
{
	assert_int_equal(metric_override_write(&l->c, name, &change, -1, "test", l->now), E_OK);
}

/* The metric as a reader has it that begins now. */
static struct metric seen_by(struct ctx *c, const char *name)
{
	struct metric copy;

	assert_int_equal(db_begin_read(c), E_OK);
	assert_int_equal(metrics_refresh(c), E_OK);
	const struct metric *m = metric_by_name(c, name);
	assert_non_null(m);
	assert_ptr_equal(m, metric_by_id(c, m->id));
	copy = *m;
	db_end_read(c);
	return copy;
}

static void parts_are_set_and_taken_back(void **state)
{
	struct db_lab *l = *state;
	struct metric_override_change change = {.sets = OVERRIDE_UNIT | OVERRIDE_DIRECTION |
							OVERRIDE_ROLE | OVERRIDE_FLOOR,
						.to = {.unit = "jiffies",
						       .has_direction = true,
						       .direction = DIRECTION_HIGHER,
						       .has_role = true,
						       .role = ROLE_MONITOR,
						       .threshold_pct = (double)NAN,
						       .floor = 4},
						.reason = "they count ticks"};
	struct metric_word *words;
	struct metric m;
	struct ctx r;
	size_t n;

	lab_store(l, DOC);
	open_reader(l, &r);
	m = seen_by(&r, "t.x_us");
	assert_int_equal(m.facts.direction, DIRECTION_LOWER); /* by the rule *_us */
	assert_int_equal(metric_role_in(&m.facts, m.name, "t"), ROLE_PRIMARY);
	lab_begin(l);
	say(l, "t.x_us", change);
	lab_commit(l);
	m = seen_by(&r, "t.x_us");
	assert_int_equal(m.facts.direction, DIRECTION_HIGHER);
	assert_string_equal(m.facts.unit, "jiffies");
	assert_int_equal(metric_role_in(&m.facts, m.name, "t"), ROLE_MONITOR);
	assert_true(m.floor == 4 && m.threshold_pct == 0);
	lab_begin(l);
	say(l, "t.x_us", threshold(2.5));
	change.to = (struct metric_override){.threshold_pct = (double)NAN, .floor = (double)NAN};
	change.sets = OVERRIDE_UNIT | OVERRIDE_DIRECTION;
	change.reason = NULL;
	say(l, "t.x_us", change);
	lab_commit(l);
	m = seen_by(&r, "t.x_us");
	assert_int_equal(m.facts.direction, DIRECTION_LOWER);
	assert_string_equal(m.facts.unit, "us");
	assert_int_equal(metric_role_in(&m.facts, m.name, "t"), ROLE_MONITOR);
	assert_true(m.floor == 4 && m.threshold_pct == 2.5);
	assert_int_equal(metric_override_words(&r, "t.x_us", 2, &words, &n), E_OK);
	assert_int_equal(n, 2);
	assert_string_equal(words[0].what, "unit by the rule, direction by the rule");
	assert_string_equal(words[1].what, "threshold_pct 2.5");
	assert_int_equal(metric_override_words(&r, "t.x_us", 9, &words, &n), E_OK);
	assert_string_equal(words[2].what, "unit jiffies, direction higher, role monitor, floor 4: "
					   "they count ticks");
	lab_begin(l);
	change = threshold(1);
	assert_int_equal(metric_override_write(&l->c, "no.such", &change, -1, "test", l->now),
			 E_NOTFOUND);
	db_rollback(&l->c);
	close_reader(&r);
}

/* Also of a metric that nobody has asked for before, inside of the transaction and out of it. */
static void what_is_undone_leaves_nothing(void **state)
{
	struct db_lab *l = *state;
	struct ctx r;

	lab_store(l, DOC);
	open_reader(l, &r);
	metrics_forget_all();
	lab_begin(l);
	say(l, "t.x_us", threshold(9));
	say(l, "t.x_us", threshold(8));
	assert_non_null(metric_by_name(&l->c, "t.y"));
	lab_rollback(l);
	assert_true(seen_by(&r, "t.x_us").threshold_pct == 0);
	lab_begin(l);
	say(l, "t.y", threshold(7));
	lab_commit(l);
	assert_true(seen_by(&r, "t.x_us").threshold_pct == 0);
	assert_true(seen_by(&r, "t.y").threshold_pct == 7);
	close_reader(&r);
}

/* A reader of yesterday's state that is first to ask for a metric must not settle its facts. */
static void an_old_snapshot_settles_nothing(void **state)
{
	struct db_lab *l = *state;
	struct ctx old, r;

	lab_store(l, DOC);
	open_reader(l, &old);
	open_reader(l, &r);
	metrics_forget_all();
	assert_int_equal(db_begin_read(&old), E_OK);
	assert_int_equal(metrics_refresh(&old), E_OK); /* the snapshot is taken by the first read */
	lab_begin(l);
	say(l, "t.x_us", threshold(3));
	lab_commit(l);
	assert_true(seen_by(&r, "t.y").threshold_pct == 0);
	lab_begin(l);
	say(l, "t.x_us", threshold((double)NAN));
	say(l, "t.y", threshold(5));
	lab_commit(l);
	assert_true(seen_by(&r, "t.y").threshold_pct == 5);
	assert_non_null(metric_by_name(&old, "t.x_us"));
	assert_int_equal(metrics_refresh(&old), E_OK);
	db_end_read(&old);
	assert_true(seen_by(&r, "t.x_us").threshold_pct == 0);
	assert_true(seen_by(&r, "t.y").threshold_pct == 5);
	close_reader(&old);
	close_reader(&r);
}

/* --- racing ------------------------------------------------------------------------------------
 */

#define LAST 200

SQL(test_threshold, "SELECT metric_id, threshold_pct FROM metric WHERE name = $1")
SQL(test_layout, "SELECT layout_id FROM layout LIMIT 1")

/* What is stored in this snapshot; 0: nothing. */
static double stored(struct ctx *c, const char *name)
{
	auto_stmt struct stmt *st = db_stmt(c, &test_threshold);

	bind_text(st, 1, name);
	assert_int_equal(stmt_step(st), STMT_ROW);
	return fmax(col_real(st, 1), 0);
}

static int64_t any_layout(struct ctx *c)
{
	auto_stmt struct stmt *st = db_stmt(c, &test_layout);

	assert_int_equal(stmt_step(st), STMT_ROW);
	return col_int(st, 0);
}

/* Both metrics are always overridden together, so whoever has a state has both at least as new. */
static void *read_all(void *arg)
{
	struct db_lab *l = arg;
	double last = 0;
	struct ctx r;

	open_reader(l, &r);
	while (last < LAST) {
		arena_reset(r.arena);
		assert_int_equal(db_begin_read(&r), E_OK);
		assert_int_equal(metrics_refresh(&r), E_OK);
		last = stored(&r, "t.y");
		const struct metric *y = metric_by_name(&r, "t.y");
		assert_true(y->threshold_pct >= last);
		const struct layout *k = layout_by_id(&r, any_layout(&r));
		for (size_t i = 0; i < k->n; i++)
			assert_true(layout_metrics(k)[i]->threshold_pct >= last);
		db_end_read(&r);
	}
	close_reader(&r);
	return NULL;
}

static void racing(void **state)
{
	struct db_lab *l = *state;
	pthread_t readers[4];

	lab_store(l, DOC);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&readers[i], NULL, read_all, l), 0);
	for (int v = 1; v <= LAST; v++) {
		lab_begin(l);
		say(l, "t.x_us", threshold(v));
		say(l, "t.y", threshold(v));
		lab_commit(l);
		if (v % 3 == 0)
			assert_int_equal(metrics_refresh(&l->c), E_OK);
	}
	for (size_t i = 0; i < 4; i++)
		pthread_join(readers[i], NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB_TEST(parts_are_set_and_taken_back),
		LAB_TEST(what_is_undone_leaves_nothing),
		LAB_TEST(an_old_snapshot_settles_nothing),
		LAB_TEST(racing),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("metric_overrides", tests, NULL, NULL);
}
