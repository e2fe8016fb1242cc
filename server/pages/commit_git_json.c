/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What git tells of a commit, as JSON. Of a commit that git does not know the members are null, as
 * they are while no repository is followed. Names are those of branches and tags without refs/….
 */
#include "server/pages/commit_page.h"

#include "server/model/commit_git.h"
#include "server/model/compare.h"
#include "server/view/json.h"

static void write_file(struct jw *w, const struct object_file *f)
{
	bool counted = f->added >= 0;

	jw_obj(w, NULL);
	jw_str(w, "path", f->path);
	jw_str(w, "old_path", f->old_path);
	if (counted)
		jw_int(w, "added", f->added);
	else
		jw_null(w, "added");
	if (counted)
		jw_int(w, "removed", f->removed);
	else
		jw_null(w, "removed");
	jw_bool(w, "binary", !counted && !f->unread);
	jw_bool(w, "submodule", f->submodule);
	jw_end(w);
}

static void write_files(struct jw *w, const struct object_commit *o)
{
	if (o->problem) {
		jw_null(w, "files");
		jw_null(w, "diffstat");
		return;
	}
	jw_arr(w, "files");
	for (size_t i = 0; i < o->nfiles; i++)
		write_file(w, &o->files[i]);
	jw_end(w);
	jw_obj(w, "diffstat");
	jw_int(w, "files", (int64_t)o->files_seen);
	jw_int(w, "added", o->added);
	jw_int(w, "removed", o->removed);
	jw_int(w, "not_counted", (int64_t)o->unread);
	jw_end(w);
}

static void write_strings(struct jw *w, const char *name, const char *const *list, size_t n)
{
	jw_arr(w, name);
	for (size_t i = 0; i < n; i++)
		jw_str(w, NULL, list[i]);
	jw_end(w);
}

static void write_tree(struct jw *w, const struct position_tree *t)
{
	jw_obj(w, NULL);
	jw_str(w, "tree", t->tree);
	jw_bool(w, "snapshots", t->snapshots);
	jw_str(w, "describe", t->describe);
	jw_str(w, "first_tag", t->ntags ? t->tags[0] : NULL);
	jw_str(w, "last_tag", t->last_tag);
	jw_str(w, "gone_in", t->gone_in);
	write_strings(w, "branches", t->branches, t->nbranches);
	jw_int(w, "branches_in_all", (int64_t)t->branches_seen);
	write_strings(w, "tags", t->tags, t->ntags);
	jw_int(w, "tags_in_all", (int64_t)t->tags_seen);
	jw_end(w);
}

static bool in_list(const char *const *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i], name) == 0)
			return true;
	return false;
}

/* A name that an earlier tree has, too. */
static bool told(const struct position *p, size_t tree, bool tags, const char *name)
{
	for (size_t i = 0; i < tree; i++) {
		const struct position_tree *t = &p->trees[i];

		if (tags ? in_list(t->tags, t->ntags, name)
			 : in_list(t->branches, t->nbranches, name))
			return true;
	}
	return false;
}

/* The names of all trees, each once. */
static void write_all_names(struct jw *w, const char *member, const struct position *p, bool tags)
{
	jw_arr(w, member);
	for (size_t i = 0; i < p->n; i++) {
		const struct position_tree *t = &p->trees[i];
		size_t n = tags ? t->ntags : t->nbranches;

		for (size_t k = 0; k < n; k++) {
			const char *name = tags ? t->tags[k] : t->branches[k];

			if (!told(p, i, tags, name))
				jw_str(w, NULL, name);
		}
	}
	jw_end(w);
}

static void write_where(struct jw *w, const struct position *p)
{
	jw_arr(w, "trees");
	for (size_t i = 0; i < p->n; i++) {
		jw_obj(w, NULL);
		jw_str(w, "tree", p->trees[i].tree);
		jw_str(w, "first_tag", p->trees[i].ntags ? p->trees[i].tags[0] : NULL);
		jw_str(w, "last_tag", p->trees[i].last_tag);
		jw_str(w, "gone_in", p->trees[i].gone_in);
		jw_end(w);
	}
	jw_end(w);
}

static void write_linked_keys(struct jw *w, const struct linked *x)
{
	bool known = x->commit.position != 0;

	jw_str(w, "id", known ? x->commit.id : NULL);
	jw_str(w, "name", x->target);
	jw_str(w, "subject", known ? x->commit.subject : NULL);
	if (known)
		jw_time(w, "date", x->commit.date);
	else
		jw_null(w, "date");
	write_where(w, &x->where);
}

static void write_list(struct jw *w, const char *name, const struct linked_list *l)
{
	jw_arr(w, name);
	for (size_t i = 0; i < l->n; i++) {
		jw_obj(w, NULL);
		write_linked_keys(w, &l->list[i]);
		jw_end(w);
	}
	jw_end(w);
}

static void write_same(struct jw *w, const struct commit_git *g)
{
	jw_arr(w, "same_change");
	for (size_t i = 0; i < g->nsame; i++) {
		const struct same_change *s = &g->same[i];

		jw_obj(w, NULL);
		write_linked_keys(w, s->linked);
		jw_str(w, "how", same_how_name(s->linked->how));
		jw_bool(w, "measured", s->measured);
		jw_str(w, "verdict", s->judged ? verdict_name(s->verdict) : NULL);
		jw_str(w, "metric", s->metric);
		jw_str(w, "change", s->change);
		jw_str(w, "series", s->series);
		jw_str(w, "sentence", s->sentence);
		jw_end(w);
	}
	jw_end(w);
}

static void write_near(struct jw *w, const struct commit_git *g)
{
	jw_obj(w, "nearest_measured");
	jw_str(w, "before", g->has_before ? g->before.name : NULL);
	jw_str(w, "after", g->has_after ? g->after.name : NULL);
	jw_end(w);
}

void commit_git_json(struct jw *w, const struct commit_git *g)
{
	static const char *const members[] = {
		"files",    "diffstat",    "diff_cut",     "problem", "describe",
		"branches", "tags",        "contained_in", "fixes",   "fixed_by",
		"reverts",  "reverted_by", "same_change",  "gone",    "nearest_measured"};

	if (!g) {
		for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
			jw_null(w, members[i]);
		return;
	}
	write_files(w, &g->object);
	jw_str(w, "diff_cut", g->object.cut);
	jw_str(w, "problem", g->object.problem);
	jw_str(w, "describe", g->position.describe);
	write_all_names(w, "branches", &g->position, false);
	write_all_names(w, "tags", &g->position, true);
	jw_arr(w, "contained_in");
	for (size_t i = 0; i < g->position.n; i++)
		write_tree(w, &g->position.trees[i]);
	jw_end(w);
	write_list(w, "fixes", &g->links.fixes);
	write_list(w, "fixed_by", &g->links.fixed_by);
	write_list(w, "reverts", &g->links.reverts);
	write_list(w, "reverted_by", &g->links.reverted_by);
	write_same(w, g);
	jw_str(w, "gone", g->gone);
	write_near(w, g);
}
