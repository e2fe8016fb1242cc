/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page of a patch as JSON: {"message_id", "subject", "versions": [{"version", "parts": [{
 * "message_id", "index", "total", "asked", "commit", "base", "measured", "sentence"}]}], "steps":
 * [{"from_version", "to_version", "from", "to", "pairs", "kept", "interdiff"}], "in_git", "cut"}.
 * recovered and kept: as in a comparison (compare_json.c), each with its "sentence", and recovered
 * with "commits", what was compared.
 * interdiff: {"different", "cut", "lines": [["-", "+text"] …]}, null when a diff is not known.
 */
#include "server/pages/patch_page.h"

#include "server/base/clock.h"
#include "server/model/patch.h"
#include "server/pages/compare.h"
#include "server/pages/parts.h"
#include "server/pages/req.h"

static void write_count(struct jw *w, const char *name, int64_t n)
{
	if (n < 0)
		jw_null(w, name);
	else
		jw_int(w, name, n);
}

static void write_kept(struct jw *w, struct arena *a, const char *compare,
		       const struct compare_kept *kept, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		jw_obj(w, NULL);
		compare_json_kept(w, &kept[i]);
		jw_str(w, "sentence", compare_kept_words(a, &kept[i]));
		if (compare)
			jw_str(w, "commits", compare);
		jw_end(w);
	}
}

static void write_part(struct jw *w, struct arena *a, const struct patch_part *p)
{
	jw_obj(w, NULL);
	jw_str(w, "message_id", p->message_id);
	write_count(w, "index", p->index);
	write_count(w, "total", p->total);
	jw_bool(w, "asked", p->asked);
	part_json_commit(w, a, "commit", &p->commit);
	jw_str(w, "base", p->base);
	jw_bool(w, "measured", p->measured);
	jw_str(w, "sentence", p->sentence);
	jw_arr(w, "recovered");
	for (size_t i = 0; i < p->nrecovered; i++)
		write_kept(w, a, p->recovered[i].compare, p->recovered[i].kept, p->recovered[i].n);
	jw_end(w);
	jw_end(w);
}

static void write_versions(struct jw *w, struct arena *a, const struct patch_page *p)
{
	jw_arr(w, "versions");
	for (size_t i = 0; i < p->nparts; i++) {
		if (i == 0 || p->parts[i].version != p->parts[i - 1].version) {
			jw_obj(w, NULL);
			jw_int(w, "version", p->parts[i].version);
			jw_arr(w, "parts");
		}
		write_part(w, a, &p->parts[i]);
		if (i + 1 == p->nparts || p->parts[i].version != p->parts[i + 1].version) {
			jw_end(w);
			jw_end(w);
		}
	}
	jw_end(w);
}

static void write_interdiff(struct jw *w, const struct patch_step *s)
{
	if (!s->has_diffs) {
		jw_null(w, "interdiff");
		return;
	}
	jw_obj(w, "interdiff");
	jw_bool(w, "different", s->interdiff.different);
	jw_bool(w, "cut", s->interdiff.cut);
	jw_arr(w, "lines");
	for (size_t i = 0; i < s->interdiff.n; i++) {
		const struct diff_line *l = &s->interdiff.lines[i];

		jw_arr(w, NULL);
		jw_strn(w, NULL, &l->kind, 1);
		jw_strn(w, NULL, l->text, l->n);
		jw_end(w);
	}
	jw_end(w);
	jw_end(w);
}

static void write_step(struct jw *w, struct arena *a, const struct patch_step *s)
{
	jw_obj(w, NULL);
	jw_int(w, "from_version", s->before->version);
	jw_int(w, "to_version", s->after->version);
	jw_str(w, "from", s->before->commit.name);
	jw_str(w, "to", s->after->commit.name);
	jw_str(w, "pairs", s->compare);
	jw_arr(w, "kept");
	write_kept(w, a, NULL, s->kept, s->nkept);
	jw_end(w);
	write_interdiff(w, s);
	jw_end(w);
}

static void write_in_git(struct jw *w, const struct linked_list *l)
{
	jw_arr(w, "in_git");
	for (size_t i = 0; i < l->n; i++) {
		const struct linked *x = &l->list[i];

		jw_obj(w, NULL);
		jw_str(w, "id", x->commit.id);
		jw_str(w, "subject", x->commit.subject);
		jw_time(w, "date", x->commit.date);
		jw_str(w, "message_id", x->target);
		jw_arr(w, "trees");
		for (size_t k = 0; k < x->where.n; k++) {
			jw_obj(w, NULL);
			jw_str(w, "tree", x->where.trees[k].tree);
			jw_str(w, "first_tag",
			       x->where.trees[k].ntags ? x->where.trees[k].tags[0] : NULL);
			jw_end(w);
		}
		jw_end(w);
		jw_end(w);
	}
	jw_end(w);
}

void patch_page_json(struct req *r, const struct patch_page *p)
{
	struct arena *a = r->ctx.arena;
	struct jw w;

	jw_init(&w, r->out);
	jw_obj(&w, NULL);
	jw_str(&w, "message_id", p->message_id);
	jw_str(&w, "subject", p->subject);
	write_versions(&w, a, p);
	jw_arr(&w, "steps");
	for (size_t i = 0; i < p->nsteps; i++)
		write_step(&w, a, &p->steps[i]);
	jw_end(&w);
	write_in_git(&w, &p->in_git);
	jw_bool(&w, "cut", p->cut || p->nsteps < p->steps_seen);
	jw_end(&w);
}
