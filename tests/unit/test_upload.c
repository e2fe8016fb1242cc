/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * POST /api/v1/runs without a socket. The writer is played by submit(): it runs every job, undoes
 * it, and runs it again, as the writer does when a neighbour in the batch fails, so each answer
 * here is that of a second run.
 */
#include "tests/unit/db_lab.h"

#include <jansson.h>

#include "db/machines.h"
#include "db/tokens.h"
#include "db/writer.h"
#include "server/pages/req.h"
#include "server/pages/upload.h"

#define AXES            "\"axes\":{\"testcase\":\"hackbench\",\"tbox_group\":\"box\"}"
#define COMMIT          "\"commit\":{\"id\":\"a0fd217e6d6f\"}"
#define DOC(key, value) "{\"key\":\"" key "\"," AXES "," COMMIT ",\"runs\":[{\"m\":" value "}]}"

/* One request and its answer. */
struct asked {
	struct req r;
	struct out out;
	int status;
	json_t *json; /* the answer, of NDJSON an array of its lines */
};

static struct db_lab *lab;
static struct token token;
static int submit_failure;

static int run_once(struct ctx *c, struct job *j)
{
	int e;

	assert_int_equal(db_begin_write(c), E_OK);
	e = j->check ? j->check(c, j) : E_OK;
	return e < 0 ? e : j->store(c, j);
}

/* There is always room. */
static int charge(struct req *r)
{
	(void)r;
	return E_OK;
}

static void drop_body(struct req *r)
{
	r->body = NULL;
	r->body_len = 0;
}

static int submit(struct req *r, struct job *j, int (*reply)(struct req *r, struct job *j))
{
	struct ctx *c = j->ctx = &r->ctx;

	if (submit_failure)
		return (fail)(c, (enum err)submit_failure, "no room");
	c->db = lab->c.db;
	run_once(c, j);
	db_rollback(c);
	metrics_forget_pending();
	ctx_clear(c);
	j->result = run_once(c, j);
	if (j->result < 0) {
		db_rollback(c);
		metrics_forget_pending();
	} else {
		assert_int_equal(db_commit(c), E_OK);
		metrics_publish();
	}
	((struct asked *)r)->status = reply(r, j);
	return REQ_PENDING;
}

static json_t *parse_answer(const struct asked *a, bool lines)
{
	json_t *list;

	if (!lines)
		return json_loadb(a->out.p, a->out.len, JSON_REJECT_DUPLICATES, NULL);
	list = json_array();
	for (const char *p = a->out.p, *stop; *p; p = stop + 1) {
		stop = strchr(p, '\n');
		assert_non_null(stop);
		assert_int_equal(
			json_array_append_new(list, json_loadb(p, (size_t)(stop - p), 0, NULL)), 0);
	}
	return list;
}

static struct asked *ask(const char *type, const char *body)
{
	struct asked *a = calloc(1, sizeof(*a));
	int status;

	assert_non_null(a);
	ctx_init(&a->r.ctx, arena_new(), NULL);
	out_init(&a->out, OUT_MAX_DEFAULT);
	a->r.out = &a->out;
	a->r.body = body;
	a->r.body_len = strlen(body);
	a->r.content_type = type;
	a->r.token = &token;
	a->r.submit = submit;
	a->r.charge = charge;
	a->r.drop_body = drop_body;
	status = page_upload_runs(&a->r);
	if (status != REQ_PENDING)
		a->status = status;
	if (a->out.len)
		a->json = parse_answer(a, strcmp(a->r.answer_type, "application/x-ndjson") == 0);
	return a;
}

static struct asked *ask_json(const char *body)
{
	return ask("application/json", body);
}

static struct asked *ask_lines(const char *body)
{
	return ask("application/x-ndjson", body);
}

static void done(struct asked *a)
{
	json_decref(a->json);
	arena_free(a->r.ctx.arena);
	out_free(&a->out);
	free(a);
}

/* Asks, checks the status, forgets. */
static void expect_json(const char *body, int status)
{
	struct asked *a = ask_json(body);

	assert_int_equal(a->status, status);
	done(a);
}

static int64_t stored_submissions(void)
{
	struct store_counts counts;

	assert_int_equal(db_begin_read(&lab->c), E_OK);
	assert_int_equal(store_counts(&lab->c, &counts), E_OK);
	db_end_read(&lab->c);
	return counts.submissions;
}

static int setup(void **state)
{
	char secret[TOKEN_TEXT];

	assert_int_equal(db_lab_open(state), 0);
	lab = *state;
	submit_failure = E_OK;
	assert_int_equal(db_begin_write(&lab->c), E_OK);
	assert_int_equal(token_create(&lab->c, "rig", SCOPE_UPLOAD, NULL, LAB_TIME, secret), E_OK);
	assert_int_equal(db_commit(&lab->c), E_OK);
	assert_int_equal(token_find(&lab->c, secret, &token), E_OK);
	return 0;
}

static const char *text_at(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

/* --- documents
 * ------------------------------------------------------------------------------------ */

static void test_created_then_duplicate(void **state)
{
	struct asked *first = ask_json(DOC("k", "1")), *again = ask_json(DOC("k", "1"));
	json_t *one = json_array_get(json_object_get(first->json, "submissions"), 0);
	json_t *two = json_array_get(json_object_get(again->json, "submissions"), 0);

	(void)state;
	assert_int_equal(first->status, 201);
	assert_string_equal(first->r.answer_type, "application/json");
	assert_string_equal(text_at(one, "key"), "k");
	assert_string_equal(text_at(one, "status"), "created");
	assert_int_equal(strlen(text_at(one, "series_digest")), 32);
	assert_int_equal(json_array_size(json_object_get(one, "runs")), 1);
	assert_int_equal(again->status, 200);
	assert_string_equal(text_at(two, "status"), "duplicate");
	assert_true(json_equal(json_object_get(one, "runs"), json_object_get(two, "runs")));
	assert_true(json_equal(json_object_get(one, "series"), json_object_get(two, "series")));
	assert_int_equal(stored_submissions(), 1);
	done(first);
	done(again);
}

static void test_conflict_refuses_the_array(void **state)
{
	struct asked *a;

	(void)state;
	expect_json(DOC("k", "1"), 201);
	a = ask_json("[" DOC("new", "5") "," DOC("k", "2") "]");
	assert_int_equal(a->status, E_CONFLICT);
	assert_int_equal(a->r.ctx.nfaults, 1);
	assert_int_equal(a->r.ctx.faults[0].item, 1);
	assert_string_equal(a->r.ctx.faults[0].path, "key");
	assert_int_equal(a->out.len, 0);
	done(a);
	assert_int_equal(stored_submissions(), 1);
	/* one that was sent alone has no item number, and an array of one has */
	a = ask_json(DOC("k", "2"));
	assert_int_equal(a->r.ctx.faults[0].item, -1);
	done(a);
	a = ask_json("[" DOC("k", "2") "]");
	assert_int_equal(a->r.ctx.faults[0].item, 0);
	done(a);
}

static void test_partly_duplicate_array(void **state)
{
	struct asked *a;
	json_t *list;

	(void)state;
	expect_json(DOC("k", "1"), 201);
	a = ask_json("[" DOC("k", "1") "," DOC("new", "5") "," DOC("new", "5") "]");
	list = json_object_get(a->json, "submissions");
	assert_int_equal(a->status, 201);
	assert_string_equal(text_at(json_array_get(list, 0), "status"), "duplicate");
	assert_string_equal(text_at(json_array_get(list, 1), "status"), "created");
	assert_string_equal(text_at(json_array_get(list, 2), "status"), "duplicate");
	assert_true(json_equal(json_object_get(json_array_get(list, 1), "runs"),
			       json_object_get(json_array_get(list, 2), "runs")));
	assert_int_equal(stored_submissions(), 2);
	done(a);
}

static void test_refused_documents_leave_nothing(void **state)
{
	(void)state;
	expect_json("{\"a\":", E_SYNTAX);
	expect_json("", E_SYNTAX);
	expect_json("{}", E_INVALID);
	expect_json("[]", E_INVALID);
	expect_json("[" DOC("a", "1") "," DOC("b", "\"1\"") "]", E_INVALID);
	assert_int_equal(stored_submissions(), 0);
}

static void test_content_types(void **state)
{
	static const char *const types[] = {NULL, "", "text/plain", "application/jsonx",
					    "text/json"};

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct asked *a = ask(types[i], DOC("k", "1"));

		assert_int_equal(a->status, E_MEDIA_TYPE);
		done(a);
	}
	assert_int_equal(stored_submissions(), 0);
}

static void test_bound_token(void **state)
{
	struct asked *a;

	(void)state;
	token.machine = "other";
	a = ask_json("[" DOC("a", "1") "," DOC("b", "2") "]");
	assert_int_equal(a->status, E_FORBIDDEN);
	assert_int_equal(a->r.ctx.nfaults, 2);
	assert_int_equal(a->r.ctx.faults[1].item, 1);
	assert_string_equal(a->r.ctx.faults[1].path, "axes.tbox_group");
	done(a);
	assert_int_equal(stored_submissions(), 0);
	token.machine = "box";
	expect_json(DOC("a", "1"), 201);
}

static void test_full_queue(void **state)
{
	struct asked *a;

	(void)state;
	submit_failure = E_BUSY;
	expect_json(DOC("a", "1"), E_BUSY);
	a = ask_lines(DOC("a", "1") "\n");
	assert_int_equal(a->status, E_BUSY);
	assert_int_equal(a->out.len, 0);
	done(a);
	assert_int_equal(stored_submissions(), 0);
}

/* --- lines
 * ---------------------------------------------------------------------------------------- */

static void check_line(const json_t *list, size_t i, int line, const char *status)
{
	const json_t *o = json_array_get(list, i);

	assert_int_equal(json_integer_value(json_object_get(o, "line")), line);
	assert_string_equal(text_at(o, "status"), status);
	assert_int_equal(json_object_get(o, "errors") != NULL, !strcmp(status, "refused"));
	assert_int_equal(json_object_get(o, "runs") != NULL, strcmp(status, "refused") != 0);
}

static void test_lines_each_for_itself(void **state)
{
	struct asked *a = ask_lines(DOC("a", "1") "\n\n" DOC("b", "2") "\r\n \t\n" DOC(
		"a", "9") "\n"
			  "{\"cut\n" DOC("b", "2") "\n" DOC("c", "\"3\"") "\n" DOC("d", "4"));
	const json_t *errors;

	(void)state;
	assert_int_equal(a->status, 200);
	assert_string_equal(a->r.answer_type, "application/x-ndjson");
	assert_int_equal(json_array_size(a->json), 7);
	check_line(a->json, 0, 1, "created");
	check_line(a->json, 1, 3, "created");
	check_line(a->json, 2, 5, "refused"); /* key a with other content, inside the body */
	check_line(a->json, 3, 6, "refused");
	check_line(a->json, 4, 7, "duplicate");
	check_line(a->json, 5, 8, "refused");
	check_line(a->json, 6, 9, "created");
	assert_string_equal(text_at(json_array_get(a->json, 2), "key"), "a");
	errors = json_object_get(json_array_get(a->json, 2), "errors");
	assert_string_equal(text_at(json_array_get(errors, 0), "path"), "key");
	errors = json_object_get(json_array_get(a->json, 3), "errors");
	assert_memory_equal(text_at(json_array_get(errors, 0), "message"), "column ", 7);
	errors = json_object_get(json_array_get(a->json, 5), "errors");
	assert_string_equal(text_at(json_array_get(errors, 0), "path"), "runs[0][\"m\"]");
	assert_true(json_equal(json_object_get(json_array_get(a->json, 1), "runs"),
			       json_object_get(json_array_get(a->json, 4), "runs")));
	assert_int_equal(stored_submissions(), 3);
	done(a);
}

static void test_lines_again(void **state)
{
	struct asked *a;

	(void)state;
	done(ask_lines(DOC("a", "1") "\n" DOC("b", "2") "\n"));
	a = ask_lines(DOC("a", "1") "\n" DOC("b", "3") "\n");
	check_line(a->json, 0, 1, "duplicate");
	check_line(a->json, 1, 2, "refused");
	assert_int_equal(stored_submissions(), 2);
	done(a);
}

static void test_lines_all_refused(void **state)
{
	struct asked *a = ask_lines("1\nx\n[]\n");

	(void)state;
	assert_int_equal(a->status, 200);
	assert_int_equal(json_array_size(a->json), 3);
	check_line(a->json, 2, 3, "refused");
	assert_int_equal(stored_submissions(), 0);
	done(a);
}

static void test_lines_of_a_bound_token(void **state)
{
	struct asked *a;

	(void)state;
	token.machine = "other";
	a = ask_lines(DOC("a", "1") "\n{" AXES "," COMMIT ",\"runs\":[]}\n");
	assert_int_equal(a->status, 200);
	check_line(a->json, 0, 1, "refused");
	check_line(a->json, 1, 2, "refused");
	assert_int_equal(stored_submissions(), 0);
	done(a);
}

static void check_empty_lines(const char *body)
{
	struct asked *a = ask_lines(body);

	assert_int_equal(a->status, E_SYNTAX);
	done(a);
}

static void test_no_lines(void **state)
{
	(void)state;
	check_empty_lines("");
	check_empty_lines("\n \n\r\n");
}

static void test_too_many_lines(void **state)
{
	enum { LINES = 20001 };
	char *body = calloc(LINES, 2);
	struct asked *a;

	(void)state;
	assert_non_null(body);
	for (size_t i = 0; i < LINES; i++)
		memcpy(body + 2 * i, i + 1 < LINES ? "1\n" : "1", i + 1 < LINES ? 2 : 1);
	a = ask_lines(body);
	assert_int_equal(a->status, E_TOO_LARGE);
	done(a);
	free(body);
}

/* Each of many bad lines says something; only the first say all. */
static void test_many_bad_lines(void **state)
{
	auto_out struct out body;
	struct asked *a;
	const json_t *errors;

	out_init(&body, OUT_MAX_DEFAULT);
	(void)state;
	for (int i = 0; i < 300; i++) {
		out_char(&body, '{');
		for (int k = 0; k < 120; k++)
			out_fmt(&body, "%s\"k%d\":1", k ? "," : "", k);
		out_str(&body, "}\n");
	}
	a = ask_lines(body.p);
	assert_int_equal(json_array_size(a->json), 300);
	/* 120 unknown keys, no testcase, no tbox_group, no commit.id, no results: 124 */
	errors = json_object_get(json_array_get(a->json, 0), "errors");
	assert_int_equal(json_array_size(errors), 101);
	assert_string_equal(text_at(json_array_get(errors, 99), "path"), "k99");
	assert_string_equal(text_at(json_array_get(errors, 100), "message"), "and 24 more");
	errors = json_object_get(json_array_get(a->json, 299), "errors");
	assert_int_equal(json_array_size(errors), 4);
	assert_string_equal(text_at(json_array_get(errors, 0), "path"), "k0");
	assert_string_equal(text_at(json_array_get(errors, 3), "message"), "and 121 more");
	done(a);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, db_lab_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_created_then_duplicate),
		T(test_conflict_refuses_the_array),
		T(test_partly_duplicate_array),
		T(test_refused_documents_leave_nothing),
		T(test_content_types),
		T(test_bound_token),
		T(test_full_queue),
		T(test_lines_each_for_itself),
		T(test_lines_again),
		T(test_lines_all_refused),
		T(test_lines_of_a_bound_token),
		T(test_no_lines),
		T(test_too_many_lines),
		T(test_many_bad_lines),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("upload", tests, NULL, NULL);
}
