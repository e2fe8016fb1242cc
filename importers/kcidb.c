/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * KCIDB documents, versions 4 and 5. The tests of one build on one machine whose path begins alike
 * are a submission: its testcase is the path's first word. <path> is what the test measured, with
 * its unit, <path>.pass, .fail, .error, .miss, .skip that it ended so, and
 * <testcase>.time.<rest>.duration how long it took. The same path again is one more run. The
 * machine is the first name in the environment's "compatible", or its comment. A build that no test
 * is of is a submission of the testcase "build" without figures. An id that leads nowhere is a
 * fault, unless the file has no builds (or checkouts) at all and the request names the commit.
 */
#include "importers/kcidb.h"

#include "importers/block_list.h"
#include "importers/formats.h"
#include "importers/json_scan.h"
#include "importers/program_output.h"
#include "server/base/arena.h"
#include "server/base/clock.h"

#define ASKED_EVERY 1000 /* elements */

/* What one says. */
struct test {
	const char *path, *rest, *machine, *comment; /* rest: behind the path's first word, or "" */
	const char *testcase, *build_id, *status, *unit;
	size_t build;
	double value, duration;
	int64_t started;
};

/* Where one begins, and which submission it is part of: the number of its group. */
struct place {
	uint32_t begin, group;
};

struct tests {
	struct text_map groups; /* digests of what the tests of one have in common */
	struct block_list places;
};

/* The tests that are one submission, as they come. */
struct group {
	struct samples *s;
	struct text_map paths;
	uint32_t *runs; /* of each path so far */
	size_t cap;
};

static void read_environment(const struct json_object *test, struct test *t)
{
	const struct json_at *at = JSON_AT_KEY(test->at, "environment");
	struct ctx *c = test->ctx;
	struct json_object o;
	json_t *list;

	if (!result_object(c, json_read_member(test, "environment"), at, &o))
		return;
	t->comment = result_text(&o, "comment");
	t->machine = t->comment;
	list = json_read_member(&o, "compatible");
	if (result_array(c, list, JSON_AT_KEY(at, "compatible")) && json_array_size(list)) {
		const char *name = json_string_value(json_array_get(list, 0));

		if (name && *name)
			t->machine = result_clean(c->arena, name, strlen(name));
		else
			json_read_fault(c, JSON_AT_INDEX(JSON_AT_KEY(at, "compatible"), 0),
					"must be a string that is not empty");
	}
}

/* PASS -> "pass"; DONE and no status are nothing by themselves; a fault for what is none. */
static const char *status_word(const struct json_object *o)
{
	static const char *const words[][2] = {{"FAIL", "fail"}, {"ERROR", "error"},
					       {"MISS", "miss"}, {"PASS", "pass"},
					       {"SKIP", "skip"}, {"DONE", NULL}};
	const char *status = result_text(o, "status");

	for (size_t i = 0; status && i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strcmp(status, words[i][0]))
			return words[i][1];
	}
	if (status)
		json_read_fault(o->ctx, JSON_AT_KEY(o->at, "status"),
				"must be FAIL, ERROR, MISS, PASS, DONE or SKIP");
	return NULL;
}

static void read_number(const struct json_object *test, struct test *t)
{
	const struct json_at *at = JSON_AT_KEY(test->at, "number");
	struct json_object o;

	t->value = (double)NAN;
	if (!result_object(test->ctx, json_read_member(test, "number"), at, &o))
		return;
	t->value = result_number(&o, "value");
	t->unit = result_text(&o, "unit");
	if (isnan(t->value))
		json_read_fault(test->ctx, JSON_AT_KEY(at, "value"), "is missing");
}

/* The number of the build, which the file must have. */
static size_t build_of(struct kcidb *k, const struct json_object *o, const char *id)
{
	const struct json_at *at = JSON_AT_KEY(o->at, "build_id");
	size_t i;

	if (!id) {
		json_read_fault(o->ctx, at, "is missing");
		return TEXT_MAP_NONE;
	}
	if (!k->any_build && k->in->commit)
		return kcidb_note(k, &k->builds, id, NULL);
	i = text_map_find(&k->builds.ids, id, strlen(id));
	if (i == TEXT_MAP_NONE)
		json_read_fault(o->ctx, at, "there is no build \"%.200s\" in the file", id);
	return i;
}

/* False: it is at fault in what tells where it belongs. */
static bool read_test(struct kcidb *k, const struct json_object *o, struct test *t)
{
	const char *given = result_asked(k->in, "testcase");
	size_t word;

	*t = (struct test){.path = result_text(o, "path"), .build_id = result_text(o, "build_id")};
	t->build = build_of(k, o, t->build_id);
	if (!t->path && given) /* all tests together, or a test that nobody says the place of */
		t->path = "";
	if (!t->path)
		json_read_fault(o->ctx, JSON_AT_KEY(o->at, "path"),
				"is missing, or that of all tests: give --axis testcase=NAME or "
				"axis.testcase=NAME");
	else if (*t->path == '.')
		json_read_fault(o->ctx, JSON_AT_KEY(o->at, "path"), "begins with a dot");
	read_environment(o, t);
	if (t->build == TEXT_MAP_NONE || !t->path || *t->path == '.')
		return false;
	word = strcspn(t->path, ".");
	t->testcase = arena_strn(o->ctx->arena, t->path, word);
	t->rest = t->path[word] ? t->path + word + 1 : "";
	if (given && strcmp(given, t->testcase) != 0) { /* then the first word is no less a name */
		t->testcase = given;
		t->rest = t->path;
	}
	t->status = status_word(o);
	t->started = result_time(o, "start_time");
	t->duration = result_number(o, "duration");
	read_number(o, t);
	return true;
}

/* --- the first time --- */

static int asked_to_stop(const struct import *in)
{
	return in->after_document && in->after_document(in->after_arg) < 0;
}

static void note_test(struct kcidb *k, struct tests *all, const struct json_object *o,
		      const char *begin)
{
	struct digest_state d;
	struct digest common;
	struct place *place;
	struct test t;
	bool fresh;

	if (!read_test(k, o, &t))
		return;
	digest_init(&d);
	digest_add(&d, &t.build, sizeof(t.build));
	digest_add_str(&d, t.machine ? t.machine : "");
	digest_add_str(&d, t.testcase);
	common = digest_end(&d);
	place = block_list_add(&all->places);
	*place = (struct place){(uint32_t)(begin - k->bytes),
				(uint32_t)text_map_add(&all->groups, (const char *)&common,
						       sizeof(common), &fresh)};
	k->tested = arena_grow(k->own, k->tested, &k->tested_cap, t.build + 1, sizeof(*k->tested));
	k->tested[t.build] = true;
}

static void check_list(struct kcidb *k, struct tests *all, struct json_elements *e, size_t list)
{
	json_t *v;

	while (!(e->index % ASKED_EVERY == ASKED_EVERY - 1 && asked_to_stop(k->in)) &&
	       (v = json_elements_next(e))) {
		const struct json_at *place = JSON_AT_INDEX(e->at, e->index);
		const struct json_object o = {.ctx = &e->own, .v = v, .at = place};

		k->any_checkout |= list == 0;
		k->any_build |= list == 1;
		if (list == 0)
			kcidb_check_checkout(k, &o, e->last.p);
		else if (list == 1)
			kcidb_check_build(k, &o, e->last.p);
		else
			note_test(k, all, &o, e->last.p);
		json_decref(v);
	}
	json_elements_end(e);
}

/* --- the second time --- */

/* Its figures, as one more run of its path. */
static void take_test(struct group *g, const struct test *t)
{
	struct record *r = samples_record(g->s);
	struct submission *sub = record_submission(r);
	const char *dot = *t->rest ? "." : "";
	bool fresh;
	size_t i = text_map_add(&g->paths, t->path, strlen(t->path), &fresh), run;

	g->runs = arena_grow(g->paths.a, g->runs, &g->cap, i + 1, sizeof(*g->runs));
	run = g->runs[i]++;
	samples_set(g->s, run, t->unit, t->value, "%s", t->rest);
	if (t->status)
		samples_set(g->s, run, NULL, 1, "%s%s%s", t->rest, dot, t->status);
	samples_set(g->s, run, "s", t->duration, "time.%s%sduration", t->rest, dot);
	if (t->started != TIME_NONE && (sub->started == TIME_NONE || t->started < sub->started))
		sub->started = t->started;
}

static void begin_group(struct kcidb *k, struct group *g, const struct test *first)
{
	struct record *r;

	g->s = samples_begin(k->in, first->testcase);
	r = samples_record(g->s);
	text_map_init(&g->paths, record_arena(r));
	kcidb_load(k, first->build);
	kcidb_describe(k, r);
	record_axis(r, "tbox_group", first->machine);
	record_info(r, "environment.comment", first->comment);
}

static struct place *place_at(const struct tests *all, size_t i)
{
	return block_list_at(&all->places, i);
}

/* n tests of one group, by their numbers. */
static int take_group(struct kcidb *k, const struct tests *all, const uint32_t *tests, size_t n,
		      struct ctx *own)
{
	struct json_object o = {.ctx = own, .at = &(const struct json_at){0}};
	struct group g = {0};
	struct test t;

	for (size_t i = 0; i < n; i++) {
		arena_reset(own->arena);
		ctx_init(own, own->arena, NULL);
		o.v = json_read_again(own, k->bytes + place_at(all, tests[i])->begin, k->end);
		if (o.v && read_test(k, &o, &t)) {
			if (!g.s)
				begin_group(k, &g, &t);
			take_test(&g, &t);
		}
		json_decref(o.v);
	}
	return g.s ? samples_end(g.s) : E_OK;
}

/* Their numbers, group by group; those of group i end at end[i]. */
static uint32_t *by_group(struct kcidb *k, const struct tests *all, uint32_t *end)
{
	uint32_t *order = arena_array(k->own, uint32_t, all->places.n);

	for (size_t i = 0; i < all->places.n; i++) {
		if (place_at(all, i)->group + 1 < all->groups.n)
			end[place_at(all, i)->group + 1]++;
	}
	for (size_t i = 1; i < all->groups.n; i++)
		end[i] += end[i - 1];
	for (size_t i = 0; i < all->places.n; i++)
		order[end[place_at(all, i)->group]++] = (uint32_t)i;
	return order;
}

static int take_tests(struct kcidb *k, const struct tests *all)
{
	uint32_t *end = arena_array(k->own, uint32_t, all->groups.n);
	uint32_t *order = by_group(k, all, end);
	struct ctx own;

	ctx_init(&own, arena_new(), NULL);
	for (size_t i = 0, from = 0; i < all->groups.n; from = end[i++]) {
		take_group(k, all, &order[from], end[i] - from, &own);
		if (asked_to_stop(k->in))
			break;
	}
	arena_free(own.arena);
	return k->c->err;
}

/* A build alone is a note on its commit. Nobody names its machine, but who built it. */
static void add_build(struct kcidb *k)
{
	struct record *r = record_begin(k->in, "build");

	kcidb_describe(k, r);
	record_axis(r, "tbox_group", k->build.origin);
	record_submission(r)->started = k->build.started;
	record_end(r);
}

static int take_builds(struct kcidb *k)
{
	for (size_t i = 0; i < k->builds.ids.n; i++) {
		if (i < k->tested_cap && k->tested[i])
			continue;
		kcidb_load(k, i);
		add_build(k);
		if (asked_to_stop(k->in))
			break;
	}
	if (!k->c->err && !import_count(k->in))
		fail(k->c, E_INVALID, "the document has neither tests nor builds");
	return k->c->err;
}

static bool check_version(struct kcidb *k, const char *bytes, struct json_span v)
{
	const struct json_at top = {0}, *at = JSON_AT_KEY(&top, "version");
	json_t *version = json_span_object(k->c, bytes, v, at);
	struct json_object o = {.ctx = k->c, .v = version, .at = at};
	double major = version ? result_number(&o, "major") : (double)NAN;

	json_decref(version);
	if (major == 4 || major == 5)
		return true;
	json_read_fault(k->c, JSON_AT_KEY(at, "major"), "must be 4 or 5");
	return false;
}

static int read_document(struct kcidb *k, struct tests *all, const char *bytes, size_t n)
{
	static const char *const keys[] = {"checkouts", "builds", "tests", "version"};
	const struct json_at top = {0};
	struct json_span document, found[4];
	struct json_elements e;

	if (!json_document(k->c, bytes, n, &document) ||
	    !json_find_members(k->c, bytes, document, keys, 4, found) ||
	    !check_version(k, bytes, found[3]))
		return k->c->err;
	for (size_t list = 0; list < 3; list++) {
		const struct json_at *at = JSON_AT_KEY(&top, keys[list]);

		if (found[list].p && json_elements_begin(&e, k->c, bytes, found[list], at))
			check_list(k, all, &e, list);
	}
	if (k->c->err)
		return k->c->err;
	return take_tests(k, all) < 0 ? (int)k->c->err : take_builds(k);
}

int import_kcidb(struct import *in, const char *bytes, size_t n)
{
	struct kcidb k = {.in = in,
			  .c = in->ctx,
			  .bytes = bytes,
			  .end = bytes + n,
			  .own = in->ctx->arena,
			  .read_again = {.arena = arena_new()},
			  .loaded = TEXT_MAP_NONE};
	struct tests all = {0};
	int e;

	text_map_init(&k.checkouts.ids, k.own);
	text_map_init(&k.builds.ids, k.own);
	text_map_init(&all.groups, k.own);
	block_list_init(&all.places, k.own, sizeof(struct place));
	e = read_document(&k, &all, bytes, n);
	arena_free(k.read_again.arena);
	return e;
}

int kcidb_sniff(const char *bytes, size_t n)
{
	const char *end = bytes + n, *p = json_piece_find(bytes, end);

	if (!p || !sniff_finds(bytes, n, "\"version\"") || !sniff_finds(bytes, n, "\"major\""))
		return 0;
	return sniff_finds(bytes, n, "\"checkouts\"") || sniff_finds(bytes, n, "\"builds\"") ||
			       sniff_finds(bytes, n, "\"tests\"")
		       ? 100
		       : 0;
}
