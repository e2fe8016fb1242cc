/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PUT /api/v1/run/<n>/artifacts/<name> - adds a file to a run: any bytes, kept once each. The same
 * file again is 200; a name that says another file already is refused, since nothing that was
 * accepted is lost.
 * GET /artifact/<digest> - the bytes. They never change. They came from outside, so a browser may
 * show them as plain text at most; anything else is saved under ?name=.
 */
#include "server/pages/artifact.h"

#include <stdatomic.h>

#include "db/artifacts.h"
#include "db/writer.h"
#include "server/base/clock.h"
#include "server/base/num.h"
#include "server/base/utf8.h"
#include "server/limits.h"
#include "server/pages/req.h"
#include "server/view/json.h"
#include "server/view/url.h"

/* Files in memory, of all requests. */
static _Atomic size_t files_bytes;

static void give_room(struct req *r, size_t n)
{
	r->file_bytes -= n;
	atomic_fetch_sub(&files_bytes, n);
}

/* One that is too large for the room is taken when it is empty, or it could never be sent. */
static bool take_room(struct req *r, size_t n)
{
	size_t before = atomic_fetch_add(&files_bytes, n);

	r->file_bytes += n;
	if (!before || before + n <= FILES_MAX)
		return true;
	give_room(r, n);
	return false;
}

void artifact_sent(struct req *r)
{
	give_room(r, r->file_bytes);
}

struct putting {
	struct job job; /* first */
	struct artifact_in in;
};

static int check_put(struct ctx *c, struct job *j)
{
	return artifact_check(c, &((struct putting *)j)->in);
}

static int store_put(struct ctx *c, struct job *j)
{
	return artifact_store(c, &((struct putting *)j)->in, clock_now());
}

static int reply_put(struct req *r, struct job *j)
{
	const struct artifact_in *in = &((const struct putting *)j)->in;
	char hex[ARTIFACT_HEX + 1];
	struct jw w;

	if (j->result < 0)
		return j->result;
	artifact_hex(&in->file.digest, hex);
	jw_init(&w, r->out);
	jw_obj(&w, NULL);
	jw_int(&w, "run", in->run_id);
	jw_str(&w, "name", in->name);
	jw_str(&w, "status", in->known ? "duplicate" : "created");
	jw_str(&w, "digest", hex);
	jw_int(&w, "size", in->file.size);
	jw_end(&w);
	out_char(r->out, '\n');
	r->answer_type = "application/json";
	r->location = url_artifact(r->ctx.arena, hex, NULL)->s;
	return in->known ? 200 : 201;
}

int page_put_artifact(struct req *r)
{
	struct putting *p = arena_array(r->ctx.arena, struct putting, 1);
	const char *run = r->captures[0], *name = r->captures[1], *wrong;

	if (!num_parse_int(run, 1, INT64_MAX, &p->in.run_id))
		return fail(&r->ctx, E_NOTFOUND, "a run has a number: /run/17");
	if ((wrong = artifact_name_fault(name)))
		return fault(&r->ctx, "name", "%s", wrong);
	if (r->body_len > ARTIFACT_MAX)
		return fail(&r->ctx, E_TOO_LARGE, "an artifact may have %zu bytes", ARTIFACT_MAX);
	/* it is compressed here, and copied once more by the writer */
	if (!take_room(r, 2 * r->body_len))
		return fail(&r->ctx, E_BUSY, "too many files at once: try again in a moment");
	artifact_pack(r->ctx.arena, r->body, r->body_len, &p->in.file);
	p->in.name = name;
	p->in.token_id = r->token->id;
	p->in.who = r->token->name;
	p->in.machine = r->token->machine;
	p->job = (struct job){.check = check_put, .store = store_put};
	p->job.weight = p->in.file.ndata;
	return req_submit(r, &p->job, reply_put);
}

/* UTF-8 without control characters beyond those of a log: ends of lines, tabs, colours. */
static bool is_text(const char *s, size_t n)
{
	for (size_t i = 0, bytes; i < n; i += bytes) {
		unsigned char ch = (unsigned char)s[i];

		bytes = utf8_length(s + i, n - i);
		if (!bytes || ch == 0x7f || (ch < 0x20 && !strchr("\t\n\r\f\b\x1b", ch)) || !ch)
			return false;
	}
	return true;
}

int page_artifact(struct req *r)
{
	struct artifact_digest digest;
	const char *name = req_param(r, "name");
	char hex[ARTIFACT_HEX + 1];
	int64_t size;
	int e;

	if (!r->captures[0] || !artifact_parse(r->captures[0], &digest))
		return fail(&r->ctx, E_NOTFOUND, "an artifact is named by %d hex digits",
			    ARTIFACT_HEX);
	if ((e = artifact_size(&r->ctx, &digest, &size)) < 0)
		return e;
	if (!take_room(r, 2 * (size_t)size)) /* as it is stored, and as it is sent */
		return fail(&r->ctx, E_BUSY,
			    "too many files are being sent: try again in a moment");
	if ((e = artifact_read(&r->ctx, &digest, r->out)) < 0)
		return e;
	give_room(r, (size_t)size);
	artifact_hex(&digest, hex);
	r->answer_type = "text/plain; charset=utf-8";
	if (!is_text(r->out->p, r->out->len)) {
		r->answer_type = "application/octet-stream";
		r->filename =
			name && !artifact_name_fault(name) ? name : arena_str(r->ctx.arena, hex);
	}
	r->forever = arena_str(r->ctx.arena, hex);
	return 200;
}
