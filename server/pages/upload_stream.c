/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A large body in a foreign format: all of it is stored, or nothing. It is read here first, by the
 * worker, which finds what the importer has against it, machines that the token may not speak for,
 * and what memory it takes: so what is hostile never gets to the writer. Then the writer's job
 * reads it again and stores each submission as it comes (model/intake_stream.h).
 *
 * The answer names every run and may become large. It is written while they are stored; the first
 * reading has counted them and taken its room.
 */
#include "importers/import.h"
#include "server/base/arena.h"
#include "server/model/intake_stream.h"
#include "server/pages/req.h"
#include "server/pages/upload.h"
#include "server/view/json.h"

/* Of a submission in the answer besides its key and runs, and of a run: a number of 10 digits. */
#define ANSWER_SUBMISSION 150
#define ANSWER_RUN        11

/* The part of a body's size that is taken in advance. With less, two large ones could both be read
 * for seconds, and both be sent away for want of the room that the other has. */
#define ROOM_SHARE 2

struct streamed {
	struct intake_stream t; /* first */
	struct req *r;
	const char *format;
	size_t held, answer; /* bytes, of the first reading */
	struct jw w;
	bool created;
};

static int end_if_stopping(struct streamed *k, struct ctx *c)
{
	if (!k->r->stopping(k->r))
		return E_OK;
	return fail(c, E_BUSY, "the server is stopping: send it again soon");
}

/* --- looking --- */

/* Room for what is held and for the answer as far as it is known; negative: that is too much. */
static int take_room(struct streamed *k, struct ctx *c)
{
	int e = k->r->reserve(k->r, k->held + k->answer);

	return e < 0 ? fail(c, (enum err)e, "%s", k->r->ctx.detail) : E_OK;
}

static int look_held(struct ctx *c, size_t bytes, void *arg)
{
	struct streamed *k = arg;

	if (bytes <= k->held)
		return end_if_stopping(k, c);
	k->held = bytes;
	return take_room(k, c);
}

static int look_at(struct ctx *c, const struct submission *s, void *arg)
{
	struct streamed *k = arg;

	k->answer += ANSWER_SUBMISSION + strlen(s->key) + s->nruns * ANSWER_RUN;
	if (upload_check_machine(c, k->r, s) < 0)
		return c->err;
	return take_room(k, c);
}

/* --- storing, on the writer's thread --- */

static void begin_answer(void *arg)
{
	struct streamed *k = arg;

	out_truncate(k->r->out, 0);
	k->created = false;
	jw_init(&k->w, k->r->out);
	jw_obj(&k->w, NULL);
	jw_str(&k->w, "format", k->format);
	jw_arr(&k->w, "submissions");
}

static int answer_one(struct ctx *c, const struct accepted *a, void *arg)
{
	struct streamed *k = arg;

	jw_obj(&k->w, NULL);
	upload_write_accepted(&k->w, a);
	jw_end(&k->w);
	k->created |= !a->duplicate;
	if (k->r->out->failed)
		return fail(c, E_TOO_LARGE,
			    "it has too many runs to name them all: send it in parts");
	return end_if_stopping(k, c);
}

static int reply(struct req *r, struct job *j)
{
	struct streamed *k = (struct streamed *)j;

	r->drop_body(r);
	if (j->result < 0)
		return j->result;
	jw_end(&k->w);
	jw_end(&k->w);
	out_char(r->out, '\n');
	r->answer_type = "application/json";
	return k->created ? 201 : 200;
}

int upload_stream(struct req *r, const struct import *defaults, const struct importer *format)
{
	struct streamed *k = arena_array(r->ctx.arena, struct streamed, 1);
	struct import *own = arena_copy(r->ctx.arena, defaults, sizeof(*defaults));
	const struct intake_bytes from = {format, own, r->body, r->body_len, NULL};
	const struct intake_eye eye = {look_at, look_held, k};
	const struct uploader by = upload_by(r);
	int e;

	k->r = r;
	k->format = format->name;
	e = r->reserve(r, r->body_len / ROOM_SHARE);
	if (e < 0)
		return e;
	e = intake_look(&r->ctx, &from, &eye);
	if (e < 0)
		return e;
	intake_stream(&k->t, &from, &by);
	k->t.begin = begin_answer;
	k->t.stored = answer_one;
	k->t.arg = k;
	k->t.job.weight = r->body_len;
	return req_submit(r, &k->t.job, reply);
}
