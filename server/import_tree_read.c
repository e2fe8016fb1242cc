/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the files of one folder, unpacks and parses them. The files themselves are malloc'ed and
 * gone when it returns; what stays is in the unit's arena: submissions, and the run's files in the
 * form they are kept in.
 */
#include "server/import_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "importers/lkp.h"
#include "server/base/arena.h"
#include "server/import_unpack.h"

#define PARTS_MAX 8
#define TEXT_MAX  ((size_t)1 << 20) /* of job.yaml and last_state, which are looked into */

/* All that may be in a run's folder for us. optional: the run is taken without it. */
static const struct {
	const char *name;
	size_t max;
	bool optional;
} run_parts[] = {
	{"stats.json", NATIVE_BODY_MAX, false}, {"job.yaml", TEXT_MAX, false},
	{"last_state", TEXT_MAX, false},        {"reproduce.sh", ARTIFACT_MAX, true},
	{"config", ARTIFACT_MAX, true},         {"dmesg", ARTIFACT_MAX, true},
};

struct parts {
	struct import_part *list; /* in the arena, the bytes malloc'ed */
	size_t n;
};

static void note(struct tree_unit *u, const char *text)
{
	u->notes = arena_grow(u->arena, u->notes, &u->notes_cap, u->nnotes + 1, sizeof(*u->notes));
	u->notes[u->nnotes++] = text;
}

static int read_part(struct tree_unit *u, int folder, const char *name, size_t max, bool optional,
		     struct parts *parts)
{
	char *bytes;
	size_t n;
	int e = import_read_part(&u->ctx, folder, name, max, &bytes, &n);

	if (e < 0 && optional) {
		note(u, arena_str(u->arena, u->ctx.detail));
		ctx_clear(&u->ctx);
		return E_OK;
	}
	if (e < 0) { /* "name: reason", which faults have in two */
		const char *detail = arena_str(u->arena, u->ctx.detail);
		size_t len = strcspn(detail, ":");

		ctx_clear(&u->ctx);
		return fault(&u->ctx, arena_strn(u->arena, detail, len), "%s",
			     detail + len + strspn(detail + len, ": "));
	}
	if (bytes)
		parts->list[parts->n++] = (struct import_part){name, bytes, n};
	return E_OK;
}

static void read_run(struct tree_unit *u, int folder, struct parts *parts)
{
	parts->list = arena_array(u->arena, struct import_part, PARTS_MAX);
	for (size_t i = 0; i < sizeof(run_parts) / sizeof(run_parts[0]); i++) {
		if (read_part(u, folder, run_parts[i].name, run_parts[i].max, run_parts[i].optional,
			      parts) < 0)
			return;
	}
}

/* job.yaml of the first run that has one: all runs beside a matrix have the same parameters. */
static int read_any_job(struct tree_unit *u, int folder, struct parts *parts)
{
	size_t before = parts->n;
	int e = E_OK;

	for (int run = 0; e >= 0 && parts->n == before && run < 10; run++) {
		char name[12];
		int fd;

		snprintf(name, sizeof(name), "%d", run);
		fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		if (fd < 0)
			continue;
		e = read_part(u, fd, "job.yaml", TEXT_MAX, false, parts);
		close(fd);
	}
	return e;
}

static void read_commit(struct tree_unit *u, int folder, struct parts *parts)
{
	parts->list = arena_array(u->arena, struct import_part, u->nown + 2);
	for (size_t i = 0; i < u->nown; i++)
		parts->list[parts->n++].name =
			arena_fmt(u->arena, "%lld/stats.json", (long long)u->own[i]);
	if (read_part(u, folder, "matrix.json", IMPORT_FILE_MAX, false, parts) >= 0)
		read_any_job(u, folder, parts);
}

/* The run's files as they are kept: nothing of them points into the parts. */
static void pack_files(struct tree_unit *u)
{
	u->nfiles = u->in.nfiles;
	u->files = arena_array(u->arena, struct tree_file, u->nfiles);
	for (size_t i = 0; i < u->nfiles; i++) {
		const struct import_file *from = &u->in.files[i];
		struct tree_file *to = &u->files[i];

		*to = (struct tree_file){.sub = from->sub, .run = from->run};
		to->name = arena_str(u->arena, from->name);
		artifact_pack(u->arena, from->bytes, from->n, &to->file);
		if (to->file.data == from->bytes)
			to->file.data = arena_copy(u->arena, from->bytes, from->n);
	}
}

void tree_unit_read(const struct import_tree *t, struct tree_unit *u)
{
	int folder = open(u->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	struct parts parts = {0};

	ctx_init(&u->ctx, u->arena, NULL);
	u->in = *t->defaults;
	u->in.ctx = &u->ctx;
	u->in.source = arena_str(u->arena, u->path);
	if (folder < 0) {
		fail(&u->ctx, E_INTERNAL, "%s", strerror(errno));
		return;
	}
	if (u->is_commit)
		read_commit(u, folder, &parts);
	else
		read_run(u, folder, &parts);
	close(folder);
	if (!u->ctx.err && t->format->folder(&u->in, u->path, parts.list, parts.n) >= 0)
		pack_files(u);
	for (size_t i = 0; i < parts.n; i++)
		free((char *)parts.list[i].bytes);
	u->held = arena_used(u->arena);
}
