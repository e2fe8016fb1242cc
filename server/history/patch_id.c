/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The patch-id of a commit: equal for the same change wherever it was applied. Sizes are looked at
 * first; what is too large, a merge, or changes nothing has none.
 */
#include <string.h>

#include "server/base/arena.h"
#include "server/history/diff.h"

#define PATCH_FILES_MAX 2000
#define LINES_LOOK                                                                                 \
	((int64_t)256 << 10) /* files above are looked at for how many lines they have             \
			      */

static bool many_lines(git_repository *repo, const git_diff_file *f)
{
	git_blob *blob;
	size_t n = 0;

	if (git_blob_lookup(&blob, repo, &f->id) < 0)
		return true;
	const char *p = git_blob_rawcontent(blob), *end = p + git_blob_rawsize(blob);
	while (p < end && n <= BLOB_LINES_MAX) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));

		p = nl ? nl + 1 : end;
		n++;
	}
	git_blob_free(blob);
	return n > BLOB_LINES_MAX;
}

static bool small_enough(git_repository *repo, git_diff *diff)
{
	size_t n = git_diff_num_deltas(diff);
	int64_t bytes = 0;

	if (n > PATCH_FILES_MAX)
		return false;
	for (size_t i = 0; i < n; i++) {
		const git_diff_delta *d = git_diff_get_delta(diff, i);
		const git_diff_file *sides[] = {&d->old_file, &d->new_file};

		for (size_t k = 0; k < 2; k++) {
			int64_t size = diff_side_size(repo, sides[k]);

			bytes += size;
			if (size < 0 || bytes > (int64_t)PATCH_BYTES_MAX ||
			    (size > LINES_LOOK && many_lines(repo, sides[k])))
				return false;
		}
	}
	return true;
}

/* Known once the contents were looked at. libgit2 leaves them out, so that any two changes of a
 * file that is binary would be the same; git takes shortened ids, which differ between
 * repositories. */
static bool any_binary(git_diff *diff)
{
	for (size_t i = 0; i < git_diff_num_deltas(diff); i++)
		if (git_diff_get_delta(diff, i)->flags & GIT_DIFF_FLAG_BINARY)
			return true;
	return false;
}

int object_patch_id(struct ctx *c, const char *id, const char **patch_id)
{
	struct opened o;
	git_diff *diff;
	git_oid oid;
	int e = opened_find(c, id, &o);

	*patch_id = NULL;
	if (e < 0 || !o.commit)
		return e;
	if (git_commit_parentcount(o.commit) > 1) {
		*patch_id = "";
	} else if (diff_make(&o, &diff) >= 0) {
		*patch_id = "";
		if (git_diff_num_deltas(diff) && small_enough(o.repo, diff) &&
		    git_diff_patchid(&oid, diff, NULL) >= 0 && !any_binary(diff))
			*patch_id = git_oid_tostr(arena_alloc(c->arena, GIT_OID_HEXSZ + 1),
						  GIT_OID_HEXSZ + 1, &oid);
		git_diff_free(diff);
	}
	git_commit_free(o.commit);
	return E_OK;
}
