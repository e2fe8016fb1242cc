/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is copied for commits that have rows here: their whole text, so that it stays when the
 * repository does not, and their patch-id, together with those of commits that have the same
 * subject and may be the same change. Patch-ids cost a diff each: they are made for a while, and
 * the rest at the next sync.
 */
#include "server/history/sync_inside.h"

#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/history/objects.h"
#include "server/history/opened.h"

#define ROWS_AT_ONCE 50
#define PATCH_IDS_US 20000000 /* of one call */
#define SAME_SUBJECT 20

struct told {
	int64_t commit_id;
	struct git_text text;
};
struct texts_step {
	struct told rows[ROWS_AT_ONCE];
	size_t n;
};

static int store_texts(struct ctx *c, void *arg)
{
	struct texts_step *t = arg;
	int e = E_OK;

	for (size_t i = 0; i < t->n && e >= 0; i++)
		e = git_row_set_text(c, t->rows[i].commit_id, &t->rows[i].text);
	return e;
}

static struct person person_of(struct arena *a, const git_signature *s, const char *encoding)
{
	if (!s)
		return (struct person){.date = TIME_NONE};
	return (struct person){
		.name = text_decode(a, s->name, strlen(s->name), encoding),
		.email = text_decode(a, s->email, strlen(s->email), encoding),
		.date = s->when.time,
	};
}

static void read_text(struct arena *a, git_commit *commit, struct git_text *out)
{
	const char *encoding = git_commit_message_encoding(commit);
	const char *message = git_commit_message(commit);

	*out = (struct git_text){
		.subject = text_subject(a, commit),
		.message = message ? text_decode(a, message, strlen(message), encoding) : NULL,
		.author = person_of(a, git_commit_author(commit), encoding),
		.committer = person_of(a, git_commit_committer(commit), encoding),
	};
}

/* --- patch-ids ----------------------------------------------------------------------------------
 */

struct patch_step {
	int64_t position;
	const char *patch_id;
};

static int store_patch_id(struct ctx *c, void *arg)
{
	const struct patch_step *t = arg;

	return git_commit_set_patch_id(c, t->position, t->patch_id);
}

static int make_patch_id(struct sync_lab *lab, struct ctx *c, int64_t position, const char *id)
{
	struct patch_step step = {.position = position};
	int e = object_patch_id(c, id, &step.patch_id);

	return e < 0 || !step.patch_id ? e : sync_write(lab, store_patch_id, &step);
}

static int make_for_subject(struct sync_lab *lab, struct ctx *c, int64_t position)
{
	struct git_commit k, *alike;
	size_t n = 0;
	int e = git_commit_at(c, position, &k);

	if (e >= 0)
		e = git_commit_by_subject(c, k.subject, SAME_SUBJECT, &alike, &n);
	for (size_t i = 0; i < n && e >= 0; i++)
		if (!alike[i].patch_id)
			e = make_patch_id(lab, c, alike[i].position, alike[i].id);
	return e;
}

static int make_patch_ids(struct sync_lab *lab)
{
	int64_t end = clock_us() + PATCH_IDS_US, above = 0;
	size_t n;
	int e;

	do {
		auto_arena struct arena *a = arena_new();
		struct git_row *rows;
		struct ctx c;

		ctx_init(&c, a, lab->c->db);
		e = git_rows_known(&c, above, true, ROWS_AT_ONCE, &rows, &n);
		for (size_t i = 0; i < n && e >= 0; i++) {
			above = rows[i].position;
			if (clock_us() > end || stop_raised(lab->stop))
				return E_OK;
			e = make_patch_id(lab, &c, rows[i].position, rows[i].id);
			if (e >= 0)
				e = make_for_subject(lab, &c, rows[i].position);
		}
		if (e < 0 && !lab->c->err)
			fail(lab->c, (enum err)e, "%s", c.detail);
	} while (e >= 0 && n == ROWS_AT_ONCE);
	return e;
}

/* --- both ---------------------------------------------------------------------------------------
 */

/* The next rows above one; 1: there may be more. */
static int copy_some(struct sync_lab *lab, int64_t *above, bool patch_ids)
{
	auto_arena struct arena *a = arena_new();
	struct texts_step step = {.n = 0};
	int64_t positions[ROWS_AT_ONCE];
	const char *ids[ROWS_AT_ONCE];
	struct git_row *rows;
	struct opened found;
	struct ctx c;
	size_t n;

	ctx_init(&c, a, lab->c->db);
	int e = git_rows_without_text(&c, *above, ROWS_AT_ONCE, &rows, &n);
	bool more = n == ROWS_AT_ONCE;
	for (size_t i = 0; i < n && e >= 0; i++) {
		if (arena_used(a) > SYNC_BATCH_BYTES) {
			more = true;
			break;
		}
		*above = rows[i].commit_id;
		e = opened_find(&c, rows[i].id, &found);
		if (e < 0 || !found.commit)
			continue;
		positions[step.n] = rows[i].position;
		ids[step.n] = rows[i].id;
		step.rows[step.n].commit_id = rows[i].commit_id;
		read_text(a, found.commit, &step.rows[step.n++].text);
		git_commit_free(found.commit);
	}
	if (e >= 0 && step.n)
		e = sync_write(lab, store_texts, &step);
	for (size_t i = 0; i < step.n && e >= 0 && patch_ids; i++)
		e = make_patch_id(lab, &c, positions[i], ids[i]);
	if (e < 0)
		return lab->c->err ? e : fail(lab->c, (enum err)e, "%s", c.detail);
	return more;
}

int sync_rows(struct sync_lab *lab, int64_t *next)
{
	bool all = *next == 0;
	int e;

	do {
		if (stop_raised(lab->stop))
			return E_OK;
		e = copy_some(lab, next, !all);
	} while (e > 0);
	return e < 0 || !all ? e : make_patch_ids(lab);
}
