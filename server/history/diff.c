/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The diffstat and the diff of a commit. Trees are compared and renames found by libgit2; contents
 * are loaded here, one pair at a time and only after their sizes were looked at, since libgit2
 * would hold the lines of a whole patch in memory. A file that only came or went is not compared at
 * all: its lines are counted.
 */
#include "server/history/diff.h"

#include <string.h>

#include "server/base/arena.h"
#include "server/history/rename_metric.h"

#define RENAME_PAIRS_MAX 40000 /* more candidates: only renames without a change */
#define RENAME_BYTES_MAX ((int64_t)16 << 20)
#define BINARY_LOOK      8000 /* bytes, as git looks */

static const char no_newline[] = "\\ No newline at end of file";

/* One commit's diff while it is read. */
struct reading {
	struct arena *a;
	git_repository *repo;
	struct object_commit *out;
	bool with_lines;
	size_t file_cap, line_cap, bytes; /* bytes: of the lines that are kept */
	size_t read;                      /* bytes of blobs */
	int64_t lines_seen;
	bool full;                /* no more lines are kept */
	struct object_file *file; /* whose contents are compared */
};

/* A side's content; data NULL: there is none. */
struct side {
	git_blob *blob;
	const char *data;
	size_t n;
};

int64_t diff_side_size(git_repository *repo, const git_diff_file *f)
{
	git_object_t type;
	git_odb *odb;
	size_t size;
	int e;

	if (git_oid_is_zero(&f->id) || f->mode == GIT_FILEMODE_COMMIT)
		return 0;
	if (git_repository_odb(&odb, repo) < 0)
		return -1;
	e = git_odb_read_header(&size, &type, odb, &f->id);
	git_odb_free(odb);
	return e < 0 ? -1 : (int64_t)size;
}

/* Lines ------------------------------------------------------------------------------------------
 */

static void add_line(struct reading *r, char kind, const char *text, size_t n)
{
	struct object_commit *out = r->out;
	size_t len;

	if (kind != 'f')
		r->lines_seen++;
	if (!r->with_lines || r->full)
		return;
	if (out->nlines == DIFF_LINES_MAX || r->bytes + n > DIFF_BYTES_MAX) {
		r->full = true;
		return;
	}
	out->lines =
		arena_grow(r->a, out->lines, &r->line_cap, out->nlines + 1, sizeof(*out->lines));
	text = text_clean(r->a, text, n, &len);
	out->lines[out->nlines++] = (struct diff_line){kind, text, len};
	r->bytes += len;
}

static void add_head(struct reading *r, const struct object_file *f)
{
	const char *text = f->path;

	if (f->old_path)
		text = arena_fmt(r->a, "%s → %s", f->old_path, f->path);
	add_line(r, 'f', text, strlen(text));
}

/* A file that only came ('+') or went ('-'). */
static void whole_file(struct reading *r, char kind, const struct side *s)
{
	int64_t lines = 0;
	const char *p = s->data, *end = s->data + s->n;
	const char *head;

	for (const char *q = p; q < end; lines++) {
		const char *nl = memchr(q, '\n', (size_t)(end - q));

		q = nl ? nl + 1 : end;
	}
	if (kind == '+')
		r->file->added = lines;
	else
		r->file->removed = lines;
	if (lines == 0)
		return;
	head = kind == '+' ? arena_fmt(r->a, "@@ -0,0 +1,%lld @@", (long long)lines)
			   : arena_fmt(r->a, "@@ -1,%lld +0,0 @@", (long long)lines);
	add_line(r, '@', head, strlen(head));
	while (p < end && r->with_lines && !r->full) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *stop = nl ? nl : end;

		add_line(r, kind, p, (size_t)(stop - p));
		lines--;
		p = nl ? nl + 1 : end;
		if (!nl)
			add_line(r, ' ', no_newline, sizeof(no_newline) - 1);
	}
	r->lines_seen += lines;
}

static int on_hunk(const git_diff_delta *delta, const git_diff_hunk *hunk, void *arg)
{
	size_t n = hunk->header_len;

	(void)delta;
	while (n && (hunk->header[n - 1] == '\n' || hunk->header[n - 1] == '\r'))
		n--;
	add_line(arg, '@', hunk->header, n);
	return 0;
}

static int on_line(const git_diff_delta *delta, const git_diff_hunk *hunk,
		   const git_diff_line *line, void *arg)
{
	struct reading *r = arg;
	size_t n = line->content_len;

	(void)delta;
	(void)hunk;
	if (line->origin != ' ' && line->origin != '+' && line->origin != '-') {
		add_line(r, ' ', no_newline, sizeof(no_newline) - 1);
		return 0;
	}
	r->file->added += line->origin == '+';
	r->file->removed += line->origin == '-';
	if (n && line->content[n - 1] == '\n')
		n--;
	add_line(r, line->origin, line->content, n);
	return 0;
}

static git_diff_options options(void)
{
	git_diff_options o;

	git_diff_options_init(&o, GIT_DIFF_OPTIONS_VERSION);
	o.flags = GIT_DIFF_INDENT_HEURISTIC | GIT_DIFF_FORCE_TEXT;
	o.context_lines = 3;
	o.interhunk_lines = 0;
	o.old_prefix = "a";
	o.new_prefix = "b";
	o.ignore_submodules = GIT_SUBMODULE_IGNORE_NONE;
	return o;
}

/* Contents ---------------------------------------------------------------------------------------
 */

static bool is_binary(const struct side *s)
{
	return s->data && memchr(s->data, 0, s->n < BINARY_LOOK ? s->n : BINARY_LOOK);
}

static bool too_many_lines(const struct side *s)
{
	size_t n = 0;

	for (const char *p = s->data, *end = s->data + s->n; p < end; n++) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));

		p = nl ? nl + 1 : end;
	}
	return n > BLOB_LINES_MAX;
}

static bool side_load(git_repository *repo, const git_diff_file *f, struct side *s)
{
	if (git_oid_is_zero(&f->id))
		return true;
	if (git_blob_lookup(&s->blob, repo, &f->id) < 0)
		return false;
	s->data = git_blob_rawcontent(s->blob);
	s->n = (size_t)git_blob_rawsize(s->blob);
	return true;
}

static void compare_sides(struct reading *r, const struct side *old, const struct side *new)
{
	struct object_file *f = r->file;
	git_diff_options o = options();

	f->added = f->removed = -1;
	if (is_binary(old) || is_binary(new)) {
		add_line(r, '@', "binary file", strlen("binary file"));
		return;
	}
	f->unread = old->data && new->data && (too_many_lines(old) || too_many_lines(new));
	if (f->unread)
		return;
	f->added = f->removed = 0;
	if (!old->data)
		whole_file(r, '+', new);
	else if (!new->data)
		whole_file(r, '-', old);
	else if (git_diff_buffers(old->data, old->n, NULL, new->data, new->n, NULL, &o, NULL, NULL,
				  on_hunk, on_line, r) < 0)
		f->unread = true;
}

static void load_and_compare(struct reading *r, const git_diff_delta *d)
{
	int64_t before = diff_side_size(r->repo, &d->old_file);
	int64_t after = diff_side_size(r->repo, &d->new_file);
	struct side old = {0}, new = {0};

	if (before < 0 || after < 0 || before > (int64_t)BLOB_BYTES_MAX ||
	    after > (int64_t)BLOB_BYTES_MAX ||
	    r->read + (size_t)before + (size_t)after > READ_BYTES_MAX) {
		r->file->unread = true;
		return;
	}
	r->read += (size_t)before + (size_t)after;
	if (side_load(r->repo, &d->old_file, &old) && side_load(r->repo, &d->new_file, &new))
		compare_sides(r, &old, &new);
	else
		r->file->unread = true;
	git_blob_free(old.blob);
	git_blob_free(new.blob);
}

static void one_submodule(struct reading *r, char kind, const git_diff_file *f)
{
	char id[GIT_OID_HEXSZ + 1];
	const char *text;

	if (f->mode != GIT_FILEMODE_COMMIT)
		return;
	git_oid_tostr(id, sizeof(id), &f->id);
	text = arena_fmt(r->a, "Subproject commit %s", id);
	add_line(r, kind, text, strlen(text));
	if (kind == '+')
		r->file->added = 1;
	else
		r->file->removed = 1;
}

static void read_delta(struct reading *r, const git_diff_delta *d)
{
	struct object_commit *out = r->out;
	const char *path = d->new_file.path ? d->new_file.path : d->old_file.path;
	struct object_file f = {
		.path = text_clean(r->a, path, strlen(path), NULL),
		.submodule = d->old_file.mode == GIT_FILEMODE_COMMIT ||
			     d->new_file.mode == GIT_FILEMODE_COMMIT,
	};

	r->file = &f;
	if (d->status == GIT_DELTA_RENAMED)
		f.old_path = text_clean(r->a, d->old_file.path, strlen(d->old_file.path), NULL);
	add_head(r, &f);
	if (f.submodule) {
		one_submodule(r, '-', &d->old_file);
		one_submodule(r, '+', &d->new_file);
	} else if (!git_oid_equal(&d->old_file.id, &d->new_file.id)) {
		load_and_compare(r, d);
	}
	if (f.unread) {
		f.added = f.removed = -1;
		out->unread++;
		add_line(r, '@', "too large to be shown", strlen("too large to be shown"));
	}
	out->added += f.added > 0 ? f.added : 0;
	out->removed += f.removed > 0 ? f.removed : 0;
	if (out->nfiles == DIFF_FILES_MAX) {
		r->full = true;
		return;
	}
	out->files =
		arena_grow(r->a, out->files, &r->file_cap, out->nfiles + 1, sizeof(*out->files));
	out->files[out->nfiles++] = f;
}

/* Renames ----------------------------------------------------------------------------------------
 */

static int find_renames(git_repository *repo, git_diff *diff)
{
	git_diff_find_options o;
	size_t added = git_diff_num_deltas_of_type(diff, GIT_DELTA_ADDED);
	size_t deleted = git_diff_num_deltas_of_type(diff, GIT_DELTA_DELETED);
	bool exact = deleted && added > RENAME_PAIRS_MAX / deleted;
	int64_t bytes = 0;

	if (!added || !deleted)
		return 0;
	for (size_t i = 0; i < git_diff_num_deltas(diff) && !exact; i++) {
		const git_diff_delta *d = git_diff_get_delta(diff, i);
		int64_t size = 0;

		if (d->status == GIT_DELTA_ADDED)
			size = diff_side_size(repo, &d->new_file);
		else if (d->status == GIT_DELTA_DELETED)
			size = diff_side_size(repo, &d->old_file);
		bytes += size;
		exact = size < 0 || bytes > RENAME_BYTES_MAX;
	}
	git_diff_find_options_init(&o, GIT_DIFF_FIND_OPTIONS_VERSION);
	o.flags = GIT_DIFF_FIND_RENAMES | (exact ? GIT_DIFF_FIND_EXACT_MATCH_ONLY : 0);
	o.rename_threshold = 50;
	o.rename_limit = exact ? 200 : 1000;
	o.metric = &rename_metric;
	return git_diff_find_similar(diff, &o);
}

/* The whole --------------------------------------------------------------------------------------
 */

int diff_make(const struct opened *o, git_diff **diff)
{
	git_diff_options opts = options();
	git_tree *old = NULL, *new = NULL;
	int e = opened_parent_tree(o, &old);

	opts.flags &= ~(uint32_t)GIT_DIFF_FORCE_TEXT;
	*diff = NULL;
	if (e >= 0)
		e = git_commit_tree(&new, o->commit);
	if (e >= 0)
		e = git_diff_tree_to_tree(diff, o->repo, old, new, &opts);
	git_tree_free(old);
	git_tree_free(new);
	return e;
}

static void say_cut(struct reading *r)
{
	struct object_commit *out = r->out;

	if (r->full)
		out->cut = arena_fmt(r->a, "it ends after %zu of %s%lld lines", out->nlines,
				     out->unread ? "more than " : "", (long long)r->lines_seen);
	if (out->unread)
		out->cut = arena_fmt(r->a, "%s%s%zu %s too large to be read",
				     r->full ? out->cut : "", r->full ? "; " : "", out->unread,
				     out->unread == 1 ? "file is" : "files are");
}

void diff_read(struct ctx *c, const struct opened *o, bool with_lines, struct object_commit *out)
{
	struct reading r = {.a = c->arena, .repo = o->repo, .out = out, .with_lines = with_lines};
	git_diff *diff;
	int e = diff_make(o, &diff);

	if (e >= 0)
		e = find_renames(o->repo, diff);
	if (e < 0) {
		out->problem = arena_fmt(
			c->arena,
			e == GIT_ENOTFOUND ? "the repository %s does not have all of its files and "
					     "parents (is it shallow?)"
					   : "the repository %s is damaged",
			o->tree);
		git_diff_free(diff);
		return;
	}
	out->files_seen = git_diff_num_deltas(diff);
	for (size_t i = 0; i < out->files_seen; i++)
		read_delta(&r, git_diff_get_delta(diff, i));
	say_cut(&r);
	git_diff_free(diff);
}
