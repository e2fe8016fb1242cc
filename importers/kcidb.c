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

#include "importers/formats.h"
#include "importers/json_scan.h"
#include "importers/program_output.h"
#include "server/base/arena.h"
#include "server/base/clock.h"

/* The tests that are one submission. */
struct group {
	struct samples *s;
	struct text_map paths;
	uint32_t *runs; /* of each path so far */
	size_t cap;
};

struct tests {
	struct text_map keys;
	struct group *list; /* by number in keys */
	size_t cap;
};

struct test {
	const char *path, *rest, *machine, *comment; /* rest: behind the path's first word, or "" */
	const char *testcase;
	struct kcidb_build *build;
};

static void read_environment(struct kcidb *k, json_t *v, const struct json_at *at, struct test *t)
{
	struct json_object o;
	json_t *list;

	if (!result_object(k->c, v, at, &o))
		return;
	t->comment = result_text(&o, "comment");
	t->machine = t->comment;
	list = json_read_member(&o, "compatible");
	if (result_array(k->c, list, JSON_AT_KEY(at, "compatible")) && json_array_size(list)) {
		const char *name = json_string_value(json_array_get(list, 0));

		if (name && *name)
			t->machine = result_clean(k->c->arena, name, strlen(name));
		else
			json_read_fault(k->c, JSON_AT_INDEX(JSON_AT_KEY(at, "compatible"), 0),
					"must be a string that is not empty");
	}
}

static struct group *group_of(struct kcidb *k, struct tests *all, const struct test *t)
{
	const char *key = arena_fmt(k->c->arena, "%s\x1f%s\x1f%s", t->build->id,
				    t->machine ? t->machine : "", t->testcase);
	struct group *g;
	bool fresh;
	size_t i = text_map_add(&all->keys, key, strlen(key), &fresh);

	all->list = arena_grow(k->c->arena, all->list, &all->cap, i + 1, sizeof(*g));
	g = &all->list[i];
	if (!fresh)
		return g;
	g->s = samples_begin(k->in, t->testcase);
	text_map_init(&g->paths, k->c->arena);
	kcidb_describe(k, t->build, samples_record(g->s));
	record_axis(samples_record(g->s), "tbox_group", t->machine);
	record_info(samples_record(g->s), "environment.comment", t->comment);
	return g;
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

static void read_figures(struct kcidb *k, struct group *g, const struct test *t,
			 const struct json_object *o)
{
	const struct json_at *at = JSON_AT_KEY(o->at, "number");
	const char *status = status_word(o), *dot = *t->rest ? "." : "";
	struct submission *sub = record_submission(samples_record(g->s));
	int64_t started = result_time(o, "start_time");
	struct json_object number;
	bool fresh;
	size_t i = text_map_add(&g->paths, t->path, strlen(t->path), &fresh), run;

	g->runs = arena_grow(k->c->arena, g->runs, &g->cap, i + 1, sizeof(*g->runs));
	run = g->runs[i]++;
	if (result_object(k->c, json_read_member(o, "number"), at, &number)) {
		double v = result_number(&number, "value");

		if (isnan(v))
			json_read_fault(k->c, JSON_AT_KEY(at, "value"), "is missing");
		samples_set(g->s, run, result_text(&number, "unit"), v, "%s", t->rest);
	}
	if (status)
		samples_set(g->s, run, NULL, 1, "%s%s%s", t->rest, dot, status);
	samples_set(g->s, run, "s", result_number(o, "duration"), "time.%s%sduration", t->rest,
		    dot);
	if (started != TIME_NONE && (sub->started == TIME_NONE || started < sub->started))
		sub->started = started;
}

static void read_test(struct kcidb *k, struct tests *all, json_t *v, const struct json_at *at)
{
	struct json_object o = {.ctx = k->c, .v = v, .at = at};
	const char *build = result_text(&o, "build_id"), *given = result_asked(k->in, "testcase");
	struct test t = {.path = result_text(&o, "path")};
	size_t i, word;

	if (!build)
		json_read_fault(k->c, JSON_AT_KEY(at, "build_id"), "is missing");
	if (!t.path || *t.path == '.')
		json_read_fault(k->c, JSON_AT_KEY(at, "path"),
				t.path ? "begins with a dot" : "is missing");
	read_environment(k, json_read_member(&o, "environment"), JSON_AT_KEY(at, "environment"),
			 &t);
	i = build ? text_map_find(&k->build_ids, build, strlen(build)) : TEXT_MAP_NONE;
	if (build && !k->any_build && k->in->commit)
		i = kcidb_bare_build(k, build);
	if (build && i == TEXT_MAP_NONE)
		json_read_fault(k->c, JSON_AT_KEY(at, "build_id"),
				"there is no build \"%.200s\" in the file", build);
	if (i == TEXT_MAP_NONE || !t.path || *t.path == '.')
		return;
	t.build = &k->builds[i];
	t.build->tested = true;
	word = strcspn(t.path, ".");
	t.testcase = arena_strn(k->c->arena, t.path, word);
	t.rest = t.path[word] ? t.path + word + 1 : "";
	if (given && strcmp(given, t.testcase) != 0) { /* then the first word is no less a name */
		t.testcase = given;
		t.rest = t.path;
	}
	read_figures(k, group_of(k, all, &t), &t, &o);
}

/* A build alone is a note on its commit. Nobody names its machine, but who built it. */
static void add_build(struct kcidb *k, const struct kcidb_build *b)
{
	struct record *r = record_begin(k->in, "build");

	kcidb_describe(k, b, r);
	record_axis(r, "tbox_group", b->origin);
	record_submission(r)->started = b->started;
	record_end(r);
}

static int asked_to_stop(const struct import *in)
{
	return in->after_document && in->after_document(in->after_arg) < 0;
}

static int end_all(struct kcidb *k, struct tests *all)
{
	for (size_t i = 0; i < all->keys.n; i++) {
		samples_end(all->list[i].s);
		if (asked_to_stop(k->in))
			return k->c->err;
	}
	for (size_t i = 0; i < k->build_ids.n; i++) {
		if (k->builds[i].tested)
			continue;
		add_build(k, &k->builds[i]);
		if (asked_to_stop(k->in))
			return k->c->err;
	}
	if (!k->c->err && !k->in->n)
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

int import_kcidb(struct import *in, const char *bytes, size_t n)
{
	static const char *const keys[] = {"checkouts", "builds", "tests", "version"};
	struct kcidb k = {.in = in, .c = in->ctx};
	const struct json_at top = {0};
	struct json_span document, found[4];
	struct json_elements e;
	struct tests all = {0};
	json_t *v;

	if (!json_document(k.c, bytes, n, &document) ||
	    !json_find_members(k.c, bytes, document, keys, 4, found) ||
	    !check_version(&k, bytes, found[3]))
		return k.c->err;
	text_map_init(&k.checkout_ids, k.c->arena);
	text_map_init(&k.build_ids, k.c->arena);
	text_map_init(&all.keys, k.c->arena);
	for (size_t list = 0; list < 3; list++) {
		const struct json_at *at = JSON_AT_KEY(&top, keys[list]);

		if (!found[list].p || !json_elements_begin(&e, k.c, bytes, found[list], at))
			continue;
		while ((v = json_elements_next(&e))) {
			const struct json_at *place = JSON_AT_INDEX(at, e.index);

			k.any_checkout |= list == 0;
			k.any_build |= list == 1;
			if (list == 0)
				kcidb_read_checkout(&k, v, place);
			else if (list == 1)
				kcidb_read_build(&k, v, place);
			else
				read_test(&k, &all, v, place);
			json_decref(v);
		}
	}
	return k.c->err ? (int)k.c->err : end_all(&k, &all);
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
