/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a commit: its message and people in whatever encoding, and what it changed (diff.c). Every
 * byte of it came from outside.
 */
#include "server/history/objects.h"

#include <git2/refs.h>
#include <git2/tag.h>
#include <string.h>

#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/history/diff.h"
#include "server/history/position_inside.h"

static struct person person(struct arena *a, const git_signature *s, const char *encoding)
{
	struct person p = {.date = TIME_NONE};

	if (!s)
		return p;
	p.name = text_decode(a, s->name, strlen(s->name), encoding);
	p.email = text_decode(a, s->email, strlen(s->email), encoding);
	p.date = s->when.time;
	return p;
}

int object_commit_read(struct ctx *c, const char *id, bool with_diff, struct object_commit *out)
{
	struct opened o;
	int e = opened_find(c, id, &o);

	*out = (struct object_commit){.problem = o.problem, .tree = o.tree};
	out->author.date = out->committer.date = TIME_NONE;
	if (e < 0 || !o.commit)
		return e;
	const char *encoding = git_commit_message_encoding(o.commit);
	const char *message = git_commit_message(o.commit);
	out->message = text_decode(c->arena, message ? message : "", message ? strlen(message) : 0,
				   encoding);
	out->author = person(c->arena, git_commit_author(o.commit), encoding);
	out->committer = person(c->arena, git_commit_committer(o.commit), encoding);
	out->nparents = git_commit_parentcount(o.commit);
	diff_read(c, &o, with_diff, out);
	git_commit_free(o.commit);
	return E_OK;
}

int64_t object_tag_date(const char *path, const char *full_name)
{
	git_repository *repo = opened_repo(path);
	int64_t date = TIME_NONE;
	git_tag *tag;
	git_oid oid;

	if (!repo || git_reference_name_to_id(&oid, repo, full_name) < 0 ||
	    git_tag_lookup(&tag, repo, &oid) < 0)
		return TIME_NONE;
	if (git_tag_tagger(tag))
		date = git_tag_tagger(tag)->when.time;
	else
		date = 0;
	git_tag_free(tag);
	return date;
}
