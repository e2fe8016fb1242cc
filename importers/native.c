/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The native form: cuts a body into documents, has jansson read each, and turns one after the other
 * into submissions; a document's tree is freed before the next is read, so memory is bounded by one
 * document. Syntax ends the reading at once; what is wrong in sound documents is collected over all
 * of them.
 */
#include "importers/native.h"

#include <malloc.h>
#include <pthread.h>

#include "importers/json_parts.h"
#include "importers/json_scan.h"
#include "server/base/arena.h"
#include "server/base/clock.h"

/* A document's tree is up to 20 times its text: there is one big one at a time in the process. */
#define BIG_DOCUMENT ((size_t)1 << 20)
static pthread_mutex_t big_document = PTHREAD_MUTEX_INITIALIZER;

#define HANDED_ON ((size_t)256 << 10) /* submissions of a stream: together, for their names */

/* What ends the reading counts alone: faults found so far are of no use to who sent half a
 * document. */
#define give_up(nv, code, ...)                                                                     \
	(ctx_clear((nv)->ctx), ctx_clear((nv)->in->ctx), fail((nv)->in->ctx, (code), __VA_ARGS__))

/* "line 3, column 17": of the byte before at, which is the last that was read. Columns are
 * characters. */
static const char *position(struct native *nv, const char *at)
{
	size_t line = 1, column = 0;

	for (const char *p = nv->bytes; p < at; p++) {
		if (*p == '\n') {
			line++;
			column = 0;
		} else if (((unsigned char)*p & 0xc0) != 0x80) {
			column++;
		}
	}
	if (!column)
		column = 1;
	if (nv->one_line)
		return arena_fmt(nv->ctx->arena, "column %zu", column);
	return arena_fmt(nv->ctx->arena, "line %zu, column %zu", line, column);
}

static int syntax_error(struct native *nv, const char *at, const char *what)
{
	return give_up(nv, E_SYNTAX, "%s: %s", position(nv, at), what);
}

/* jansson quotes from the input in its messages: no control characters from there. */
static void clean(char *s)
{
	for (; *s; s++) {
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			*s = '?';
	}
}

/* Frees a document's tree. The pages of a big one go back to the system: glibc would keep them for
 * this thread alone. */
static void forget(struct native *nv, json_t *v)
{
	json_decref(v);
	if (nv->size <= BIG_DOCUMENT)
		return;
	malloc_trim(0);
	pthread_mutex_unlock(&big_document);
}

/* One document that begins at p; *stop is behind it. NULL after a failure. */
static json_t *parse(struct native *nv, const char *p, const char **stop)
{
	size_t left = (size_t)(nv->end - p);
	size_t most = nv->in->is_copy && nv->one_line ? NATIVE_COPY_LINE_MAX : NATIVE_DOCUMENT_MAX;
	const char *end = left > most ? p + most + 1 : nv->end;
	enum json_scan found = json_scan_value(p, end, NATIVE_DEPTH_MAX, NATIVE_BRACKETS_MAX, stop);
	json_error_t error;
	json_t *v;

	if (found == JSON_SCAN_DEEP) {
		give_up(nv, E_SYNTAX, "%s: nested deeper than %d levels", position(nv, *stop + 1),
			NATIVE_DEPTH_MAX);
		return NULL;
	}
	if (found == JSON_SCAN_MANY) {
		give_up(nv, E_TOO_LARGE, "%s: more than %d objects and arrays in one document",
			position(nv, *stop + 1), NATIVE_BRACKETS_MAX);
		return NULL;
	}
	if ((size_t)(*stop - p) > most) {
		give_up(nv, E_TOO_LARGE,
			"%s: the document that begins here is larger than %zu bytes",
			position(nv, p + 1), most);
		return NULL;
	}
	nv->size = (size_t)(*stop - p);
	if (nv->size > BIG_DOCUMENT)
		pthread_mutex_lock(&big_document);
	v = json_loadb(p, nv->size,
		       JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL | JSON_DECODE_ANY, &error);
	if (!v) {
		forget(nv, v);
		clean(error.text);
		syntax_error(nv, p + error.position, error.text);
	}
	return v;
}

static void read_axes(struct native *nv, json_t *v, const struct json_at *at, struct submission *s)
{
	static const struct json_pairs_rule rule = {JSON_NAME_MAX, JSON_TEXT_MAX, false, false};
	static const char *const required[] = {"testcase", "tbox_group"};
	const struct import *in = nv->in;
	const struct pair *said;
	struct pair *all;

	json_read_pairs(nv->ctx, v, at, &rule, &said, &s->naxes);
	all = arena_array(nv->ctx->arena, struct pair, s->naxes + in->naxes);
	for (size_t i = 0; i < s->naxes; i++)
		all[i] = said[i];
	for (size_t i = 0; i < in->naxes; i++) {
		if (!v || !json_object_get(v, in->axes[i].name))
			all[s->naxes++] = in->axes[i];
	}
	if (s->naxes > NATIVE_AXES_MAX)
		json_read_fault(nv->ctx, at, "has %zu names, at most %d are allowed", s->naxes,
				NATIVE_AXES_MAX);
	json_read_sort_pairs(all, s->naxes);
	s->axes = all;
	for (size_t i = 0; i < s->naxes; i++) {
		if (strcmp(all[i].name, "testcase") == 0)
			s->testcase = all[i].value;
		else if (strcmp(all[i].name, "tbox_group") == 0)
			s->tbox_group = all[i].value;
	}
	for (size_t i = 0; i < 2; i++) {
		if (!(i ? s->tbox_group : s->testcase) && (!v || json_is_object(v)) &&
		    !json_object_get(v, required[i]))
			json_read_fault(nv->ctx, JSON_AT_KEY(at, required[i]), "is required");
	}
}

static void read_info(struct native *nv, json_t *v, const struct json_at *at, struct submission *s)
{
	static const struct json_pairs_rule rule = {JSON_NAME_MAX, 4 * JSON_TEXT_MAX, true, false};
	const struct pair *said;
	struct pair *kept;
	size_t n;

	json_read_pairs(nv->ctx, v, at, &rule, &said, &n);
	kept = arena_array(nv->ctx->arena, struct pair, n);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(said[i].name, "boot") != 0)
			kept[s->ninfo++] = said[i];
		else if (*said[i].value)
			s->boot = said[i].value;
	}
	s->info = kept;
}

static enum run_status read_status(const struct json_object *o)
{
	static const enum run_status sendable[] = {RUN_OK, RUN_INCOMPLETE, RUN_FAILED};
	const char *word = json_read_name(o, "status", JSON_NAME_MAX);

	for (size_t i = 0; word && i < 3; i++) {
		if (strcmp(word, run_status_name(sendable[i])) == 0)
			return sendable[i];
	}
	if (word)
		json_read_fault(o->ctx, JSON_AT_KEY(o->at, "status"),
				"must be ok, incomplete or failed, is \"%.40s\"", word);
	return RUN_OK;
}

/* Exactly one of runs, matrix and summary; or none, where a headline or a build says something by
 * itself. */
static void read_results(struct native *nv, const struct json_object *o, struct submission *s)
{
	static const struct {
		const char *name;
		enum submission_kind kind;
		void (*read)(struct native *nv, json_t *v, const struct json_at *at,
			     struct submission *s);
	} forms[] = {
		{"runs", SUBMISSION_RUNS, native_read_runs},
		{"matrix", SUBMISSION_RUNS, native_read_matrix},
		{"summary", SUBMISSION_SUMMARY, native_read_summary},
	};
	const char *first = NULL;

	s->kind = SUBMISSION_NOTE;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		const struct json_at *place = JSON_AT_KEY(o->at, forms[i].name);
		json_t *v = json_read_member(o, forms[i].name);

		if (!v)
			continue;
		if (first) {
			json_read_fault(o->ctx, place, "cannot stand beside %s", first);
			continue;
		}
		first = forms[i].name;
		s->kind = forms[i].kind;
		forms[i].read(nv, v, place, s);
	}
	if (!first && !s->headline.given && !s->commit.build.given && !s->stored &&
	    !json_read_member(o, "distributions"))
		json_read_fault(o->ctx, o->at,
				"needs one of runs, matrix, summary; or distributions, a headline "
				"or commit.build");
}

/* Everything of one document. Where something is at fault the rest is still looked at. */
static void read_submission(struct native *nv, json_t *v)
{
	static const char *const known[] = {"key",           "axes",     "commit",   "started",
					    "status",        "info",     "runs",     "matrix",
					    "summary",       "units",    "headline", "report",
					    "distributions", "replaces", "stored",   NULL};
	static const struct json_pairs_rule units = {JSON_METRIC_MAX, NATIVE_UNIT_MAX, false, true};
	const struct json_at top = {0};
	const size_t seen = nv->ctx->faults_seen;
	struct submission *s;
	struct json_object o;
	size_t nstatuses = 0;
	json_t *part;

	if (!json_read_object(nv->ctx, v, &top, known, &o))
		return;
	s = import_add(nv->in);
	s->key = json_read_name(&o, "key", JSON_METRIC_MAX);
	s->key_given = s->key != NULL;
	s->replaces = json_read_name(&o, "replaces", JSON_METRIC_MAX);
	if (s->key && s->replaces && strcmp(s->key, s->replaces) == 0)
		json_read_fault(nv->ctx, JSON_AT_KEY(&top, "replaces"),
				"is the upload's own key: it needs a new one");
	s->started = json_read_time(&o, "started");
	s->status = read_status(&o);
	read_axes(nv, json_read_member(&o, "axes"), JSON_AT_KEY(&top, "axes"), s);
	read_info(nv, json_read_member(&o, "info"), JSON_AT_KEY(&top, "info"), s);
	native_read_commit(nv, json_read_member(&o, "commit"), JSON_AT_KEY(&top, "commit"),
			   &s->commit);
	if ((part = json_read_member(&o, "report")))
		native_read_report(nv, part, JSON_AT_KEY(&top, "report"), &s->report);
	if ((part = json_read_member(&o, "headline")))
		native_read_headline(nv, part, JSON_AT_KEY(&top, "headline"), &s->headline);
	if ((part = json_read_member(&o, "stored")))
		native_read_stored(nv, part, JSON_AT_KEY(&top, "stored"), s, &nstatuses);
	read_results(nv, &o, s);
	if ((part = json_read_member(&o, "distributions")))
		native_read_distributions(nv, part, JSON_AT_KEY(&top, "distributions"), s);
	json_read_pairs(nv->ctx, json_read_member(&o, "units"), JSON_AT_KEY(&top, "units"), &units,
			&s->units, &s->nunits);
	if (nstatuses && nstatuses != (s->kind == SUBMISSION_RUNS ? s->nruns : 1))
		json_read_fault(nv->ctx, JSON_AT_KEY(&top, "stored"), "has %zu statuses",
				nstatuses);
	native_add_units(nv, JSON_AT_KEY(&top, "distributions"), s);
	if (nv->ctx->faults_seen == seen)
		submission_seal(nv->ctx->arena, s);
}

/* After a document, and at the end: what is whole goes to the stream, faults to the import. With
 * faults nothing more is handed on. */
static int hand_on(struct native *nv, size_t least)
{
	struct import *in = nv->in;

	if (nv->ctx == in->ctx)
		return in->ctx->err;
	json_hand_over(nv->ctx, in->ctx);
	if (!in->ctx->err && arena_used(in->stream->made) < least)
		return E_OK;
	in->names = NULL;
	if (!in->ctx->err) {
		nv->ended = import_take(in) < 0;
		return in->ctx->err;
	}
	in->subs = NULL;
	in->n = in->cap = 0;
	arena_reset(in->stream->made);
	return in->ctx->err;
}

/* p is behind the '['. Each element is a document of its own. */
static int read_array(struct native *nv, const char *p)
{
	p = json_skip_space(p, nv->end);
	if (p < nv->end && *p == ']') {
		p = json_skip_space(p + 1, nv->end);
		if (p != nv->end)
			return syntax_error(nv, p + 1, "nothing may follow the document");
		return json_read_fault(nv->ctx, &(const struct json_at){0},
				       "must be an object or a non-empty array, is an empty array");
	}
	nv->in->is_array = true;
	for (long item = 0;; item++) {
		json_t *v;

		if (p == nv->end)
			return syntax_error(nv, p, "the array has no end");
		if (item == NATIVE_DOCUMENTS_MAX)
			return give_up(nv, E_TOO_LARGE,
				       "the array has more than %d documents: send it in parts",
				       NATIVE_DOCUMENTS_MAX);
		v = parse(nv, p, &p);
		if (!v)
			return nv->in->ctx->err;
		nv->in->ctx->item = nv->ctx->item = item;
		read_submission(nv, v);
		forget(nv, v);
		hand_on(nv, HANDED_ON);
		nv->in->ctx->item = nv->ctx->item = -1;
		if (nv->ended ||
		    (nv->in->after_document && nv->in->after_document(nv->in->after_arg) < 0))
			return nv->in->ctx->err;
		p = json_skip_space(p, nv->end);
		if (p == nv->end || (*p != ',' && *p != ']'))
			return syntax_error(nv, p < nv->end ? p + 1 : p, "',' or ']' expected");
		if (*p++ == ']')
			break;
		p = json_skip_space(p, nv->end);
	}
	p = json_skip_space(p, nv->end);
	if (p != nv->end)
		return syntax_error(nv, p + 1, "nothing may follow the document");
	return hand_on(nv, 0);
}

/* A body that is one document. */
static int read_single(struct native *nv, const char *p)
{
	const char *begin = p;
	json_t *v = parse(nv, p, &p);

	if (!v)
		return nv->in->ctx->err;
	if ((size_t)(p - begin) > NATIVE_DOCUMENT_MAX && !json_object_get(v, "stored") &&
	    !json_object_get(v, "artifact")) {
		forget(nv, v);
		return give_up(nv, E_TOO_LARGE, "the line is larger than %zu bytes",
			       NATIVE_DOCUMENT_MAX);
	}
	p = json_skip_space(p, nv->end);
	if (p != nv->end)
		syntax_error(nv, p + 1, "nothing may follow the document");
	else if (!json_is_object(v) && !nv->one_line)
		json_read_fault(nv->ctx, &(const struct json_at){0},
				"must be an object or a non-empty array, is %s", json_read_kind(v));
	else if (!nv->one_line || !native_read_aside(nv, v))
		read_submission(nv, v);
	forget(nv, v);
	return hand_on(nv, 0);
}

int import_native(struct import *in, const char *bytes, size_t n)
{
	struct native nv = {.in = in, .ctx = in->ctx, .bytes = bytes, .end = bytes + n};
	const char *p = json_skip_space(bytes, nv.end);

	if (in->stream) {
		ctx_init(&nv.own, in->stream->made, in->ctx->db);
		nv.ctx = &nv.own;
	}
	if (n > NATIVE_BODY_MAX)
		return fail(in->ctx, E_TOO_LARGE, "the body is larger than %zu bytes",
			    NATIVE_BODY_MAX);
	if (p == nv.end)
		return fail(in->ctx, E_SYNTAX, "line 1, column 1: the body is empty");
	return *p == '[' ? read_array(&nv, p + 1) : read_single(&nv, p);
}

int import_native_line(struct import *in, const char *bytes, size_t n)
{
	struct native nv = {
		.in = in, .ctx = in->ctx, .bytes = bytes, .end = bytes + n, .one_line = true};
	const char *p = json_skip_space(bytes, nv.end);

	if (p == nv.end)
		return fail(in->ctx, E_SYNTAX, "column 1: the line is empty");
	return read_single(&nv, p);
}

/* Ours has the two words that every submission needs, near its beginning or not at all. */
int native_sniff(const char *bytes, size_t n)
{
	const char *p = json_skip_space(bytes, bytes + n);

	if (p == bytes + n || (*p != '{' && *p != '['))
		return 0;
	return memmem(bytes, n, "\"axes\"", 6) && memmem(bytes, n, "\"commit\"", 8) ? 90 : 0;
}
