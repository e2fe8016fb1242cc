/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * POST /api/v1/runs. A JSON body is stored as a whole or not at all, with every fault named; of an
 * NDJSON body each line is for itself, and the answer has a line for each. Either is one job of the
 * writer, so a queue that is full refuses the body before anything of it is stored: it can be sent
 * again as it is. After req_submit the request is in the writer's hands and nothing here touches it
 * until the reply.
 */
#include "server/pages/upload.h"

#include "importers/import.h"
#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/model/intake.h"
#include "server/pages/req.h"
#include "server/view/json.h"

/* Bounds of what one body of lines costs in memory, whatever is in it. After so many faults a
 * refused line names only its first few and the number of the rest. */
#define FAULTS_TOTAL 20000
#define FAULTS_FEW   3

struct uploader upload_by(const struct req *r)
{
	return (struct uploader){r->token->id, clock_now()};
}

int upload_check_machine(struct ctx *c, const struct req *r, const struct submission *s)
{
	const char *machine = r->token->machine;

	if (!machine || strcmp(machine, s->tbox_group) == 0)
		return E_OK;
	fail(c, E_FORBIDDEN, "the token is bound to machine %.100s", machine);
	fault(c, "axes.tbox_group", "is \"%.100s\", but the token is bound to machine \"%.100s\"",
	      s->tbox_group, machine);
	return E_FORBIDDEN;
}

void upload_write_accepted(struct jw *w, const struct accepted *k)
{
	jw_str(w, "key", k->key);
	jw_str(w, "status", k->duplicate ? "duplicate" : "created");
	jw_int(w, "series", k->series_id);
	jw_str(w, "series_digest", k->series_digest);
	jw_arr(w, "runs");
	for (size_t i = 0; i < k->nruns; i++)
		jw_int(w, NULL, k->run_ids[i]);
	jw_end(w);
}

/* --- all or nothing: an object, an array, a foreign file --- */

struct whole {
	struct intake t;    /* first */
	const char *format; /* what it was taken for; NULL: it was sent as native */
};

static int reply_whole(struct req *r, struct job *j)
{
	const struct whole *k = (const struct whole *)j;
	const struct intake *t = &k->t;
	bool created = false;
	struct jw w;

	if (j->result < 0)
		return j->result;
	jw_init(&w, r->out);
	jw_obj(&w, NULL);
	if (k->format)
		jw_str(&w, "format", k->format);
	jw_arr(&w, "submissions");
	for (size_t i = 0; i < t->n; i++) {
		jw_obj(&w, NULL);
		upload_write_accepted(&w, &t->accepted[i]);
		jw_end(&w);
		created |= !t->accepted[i].duplicate;
	}
	jw_end(&w);
	jw_end(&w);
	out_char(r->out, '\n');
	r->answer_type = "application/json";
	return created ? 201 : 200;
}

int upload_charge(void *r)
{
	struct req *own = r;

	return own->charge(own);
}

int upload_store(struct req *r, const struct import *in, const char *format)
{
	struct ctx *c = &r->ctx;
	struct whole *k = arena_array(c->arena, struct whole, 1);
	const struct uploader by = upload_by(r);

	for (size_t i = 0; i < in->n; i++) {
		c->item = in->is_array ? (long)i : -1;
		upload_check_machine(c, r, &in->subs[i]);
	}
	c->item = -1;
	if (c->err)
		return c->err;
	intake_all(&k->t, c->arena, in->subs, in->n, in->is_array, &by);
	k->format = format;
	r->drop_body(r);
	k->t.job.weight = arena_used(c->arena);
	return req_submit(r, &k->t.job, reply_whole);
}

static int upload_document(struct req *r)
{
	struct import in = {.ctx = &r->ctx, .after_document = upload_charge, .after_arg = r};
	int e = import_native(&in, r->body, r->body_len);

	return e < 0 ? e : upload_store(r, &in, NULL);
}

/* --- lines --- */

static void write_error(struct jw *w, const char *path, const char *message)
{
	jw_obj(w, NULL);
	jw_str(w, "path", path);
	jw_str(w, "message", message);
	jw_end(w);
}

static void write_errors(struct jw *w, const struct intake_item *item)
{
	char more[40];

	jw_arr(w, "errors");
	for (size_t i = 0; i < item->nfaults; i++)
		write_error(w, item->faults[i].path, item->faults[i].message);
	if (!item->nfaults)
		write_error(w, "", item->detail);
	if (item->more) {
		snprintf(more, sizeof(more), "and %zu more", item->more);
		write_error(w, "", more);
	}
	jw_end(w);
}

static int write_lines(struct req *r, const struct intake *t)
{
	for (size_t i = 0; i < t->nitems; i++) {
		const struct intake_item *item = &t->items[i];
		struct jw w;

		jw_init(&w, r->out);
		jw_obj(&w, NULL);
		jw_int(&w, "line", item->line);
		if (item->refused) {
			jw_str(&w, "status", "refused");
			if (item->sub)
				jw_str(&w, "key", item->sub->key);
			write_errors(&w, item);
		} else {
			upload_write_accepted(&w, &item->accepted);
		}
		jw_end(&w);
		out_char(r->out, '\n');
	}
	r->answer_type = "application/x-ndjson";
	return 200;
}

static int reply_lines(struct req *r, struct job *j)
{
	return j->result < 0 ? j->result : write_lines(r, (const struct intake *)j);
}

/* The body's lines that are not blank, as items; only their numbers and places are known. */
struct lines {
	struct intake_item *items;
	struct line_text {
		const char *p;
		size_t n;
	} * texts;
	size_t n;
};

static bool is_blank(const char *p, size_t n)
{
	while (n && (p[n - 1] == ' ' || p[n - 1] == '\t' || p[n - 1] == '\r'))
		n--;
	return n == 0;
}

static int cut_lines(struct req *r, struct lines *l)
{
	const char *p = r->body, *end = r->body + r->body_len;
	size_t items_cap = 0, texts_cap = 0;

	for (long number = 1; p < end; number++) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));
		size_t n = (size_t)((stop ? stop : end) - p);

		if (!is_blank(p, n)) {
			if (l->n == NATIVE_DOCUMENTS_MAX)
				return fail(&r->ctx, E_TOO_LARGE,
					    "the body has more than %d lines: send it in parts",
					    NATIVE_DOCUMENTS_MAX);
			l->items = arena_grow(r->ctx.arena, l->items, &items_cap, l->n + 1,
					      sizeof(*l->items));
			l->texts = arena_grow(r->ctx.arena, l->texts, &texts_cap, l->n + 1,
					      sizeof(*l->texts));
			l->items[l->n].line = number;
			l->texts[l->n++] = (struct line_text){p, n};
		}
		p += n + 1;
	}
	if (!l->n)
		return fail(&r->ctx, E_SYNTAX, "line 1, column 1: the body is empty");
	return E_OK;
}

/* Reads every line; those that are refused say so already. Returns how many are to be stored;
 * negative when the whole body can not be taken now. */
static long read_lines(struct req *r, struct lines *l)
{
	struct ctx *c = &r->ctx;
	struct import in = {.ctx = c};
	size_t faults = 0;
	long good = 0;

	for (size_t i = 0; i < l->n; i++) {
		size_t before = in.n;

		if (import_native_line(&in, l->texts[i].p, l->texts[i].n) >= 0)
			upload_check_machine(c, r, &in.subs[before]);
		if (c->err) {
			in.n = before;
			intake_refuse(&l->items[i], c,
				      faults < FAULTS_TOTAL ? FAULTS_MAX : FAULTS_FEW);
			faults += l->items[i].nfaults;
		}
		if (r->charge(r) < 0)
			return c->err;
	}
	/* only now: the list may have moved while it grew */
	for (size_t i = 0; i < l->n; i++) {
		if (!l->items[i].refused)
			l->items[i].sub = &in.subs[good++];
	}
	return good;
}

static int upload_lines(struct req *r)
{
	struct intake *t = arena_array(r->ctx.arena, struct intake, 1);
	const struct uploader by = upload_by(r);
	struct lines l = {0};
	long good;

	if (cut_lines(r, &l) < 0)
		return r->ctx.err;
	good = read_lines(r, &l);
	if (good < 0)
		return (int)good;
	intake_each(t, l.items, l.n, &by);
	if (!good)
		return write_lines(r, t);
	r->drop_body(r);
	t->job.weight = arena_used(r->ctx.arena);
	return req_submit(r, &t->job, reply_lines);
}

int page_upload_runs(struct req *r)
{
	const char *type = r->content_type ? r->content_type : "";

	if (strcmp(type, "application/json") == 0)
		return upload_document(r);
	if (strcmp(type, "application/x-ndjson") == 0)
		return upload_lines(r);
	return fail(&r->ctx, E_MEDIA_TYPE,
		    "the Content-Type must be application/json or application/x-ndjson, is %s%.80s",
		    *type ? "" : "missing", type);
}
