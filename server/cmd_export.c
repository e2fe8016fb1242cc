/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plumbline export: the whole store, or one series of it, as native lines on standard output that
 * `plumbline import native` makes into the same store. One snapshot, a submission at a time, so
 * memory does not grow with the store and a server may go on writing.
 */
#include "server/command.h"

#include <sys/stat.h>

#include "db/copy.h"
#include "db/engine.h"
#include "db/series.h"
#include "importers/native_write.h"
#include "server/base/arena.h"

struct exporting {
	struct cli *cli;
	struct copy copy;
	struct ctx ctx;               /* of one submission */
	struct artifact_digest *told; /* files whose bytes were written: a hash table */
	size_t ntold, cap;
	size_t submissions, artifacts;
};

static int write_line(struct exporting *x, struct out *o)
{
	out_char(o, '\n');
	if (o->failed)
		return fail(&x->ctx, E_TOO_LARGE, "a submission is too large to write");
	if (fwrite(o->p, 1, o->len, stdout) != o->len)
		return fail(&x->ctx, E_INTERNAL, "cannot write to standard output");
	return E_OK;
}

/* The slot of the digest, or the free one where it belongs. */
static struct artifact_digest *find_slot(struct artifact_digest *slots, size_t cap,
					 const struct artifact_digest *d)
{
	static const struct artifact_digest none;
	size_t i = hash_bytes(d, sizeof(*d)) & (cap - 1);

	while (memcmp(&slots[i], d, sizeof(*d)) != 0 && memcmp(&slots[i], &none, sizeof(none)) != 0)
		i = (i + 1) & (cap - 1);
	return &slots[i];
}

/* True when the file was not told before; it is from now on. */
static bool tell(struct exporting *x, const struct artifact_digest *d)
{
	struct artifact_digest *slot;

	if (2 * x->ntold >= x->cap) {
		size_t cap = x->cap ? 2 * x->cap : 1024, old = x->cap;
		struct artifact_digest *slots =
			arena_array(x->cli->ctx->arena, struct artifact_digest, cap);

		for (size_t i = 0; i < old; i++)
			*find_slot(slots, cap, &x->told[i]) = x->told[i];
		x->told = slots;
		x->cap = cap;
	}
	slot = find_slot(x->told, x->cap, d);
	if (memcmp(slot, d, sizeof(*d)) == 0)
		return false;
	*slot = *d;
	x->ntold++;
	return true;
}

static int write_artifact(struct exporting *x, const struct submission *s,
			  const struct copy_artifact *k)
{
	struct digest series = series_digest(s->axes, s->naxes);
	char digest[ARTIFACT_HEX + 1], series_hex[DIGEST_HEX + 1];
	struct artifact_line line = {
		.series = series_hex,
		.key = s->key,
		.position = k->position,
		.name = k->file.name,
		.by = k->file.by,
		.received = k->file.received,
		.size = k->file.size,
		.digest = digest,
	};
	auto_arena struct arena *a = arena_new();
	auto_out struct out o;
	struct artifact file;
	struct ctx c;

	out_init(&o, OUT_MAX_DEFAULT);
	ctx_init(&c, a, x->ctx.db);
	artifact_hex(&k->file.digest, digest);
	digest_hex(&series, series_hex);
	if (tell(x, &k->file.digest)) {
		if (artifact_get(&c, &k->file.digest, &file) < 0)
			return fail(&x->ctx, c.err, "%s", c.detail);
		line.encoding = file.encoding;
		line.bytes = file.data;
		line.nbytes = file.ndata;
	}
	native_write_artifact(&o, &line);
	x->artifacts++;
	return write_line(x, &o);
}

/* What was told by hand before a moment. */
static int write_events(struct exporting *x, int64_t before)
{
	struct copy_event *list;
	size_t n;
	int e;

	if (x->copy.series_id)
		return E_OK; /* of one series: what it measured */
	do {
		e = copy_events(&x->ctx, &x->copy, before, &list, &n);
		for (size_t i = 0; i < n && e >= 0; i++) {
			auto_out struct out o;

			out_init(&o, OUT_MAX_DEFAULT);
			native_write_event(&o, &list[i].event, list[i].by);
			e = write_line(x, &o);
		}
	} while (e >= 0 && n);
	return e;
}

static int write_machines(struct exporting *x)
{
	struct machine *list;
	size_t n;
	int e = x->copy.series_id ? E_OK : copy_machines(&x->ctx, &list, &n);

	for (size_t i = 0; !x->copy.series_id && i < n && e >= 0; i++) {
		auto_out struct out o;

		out_init(&o, OUT_MAX_DEFAULT);
		native_write_machine(&o, &list[i]);
		e = write_line(x, &o);
	}
	return e;
}

static int write_one(struct exporting *x, const struct submission *s)
{
	struct copy_artifact *files;
	size_t n;
	auto_out struct out o;
	int e;

	out_init(&o, OUT_MAX_DEFAULT);
	if ((e = write_events(x, s->stored->received)) < 0)
		return e;
	native_write(&o, s);
	x->submissions++;
	if ((e = write_line(x, &o)) < 0 || (e = copy_artifacts(&x->ctx, &x->copy, &files, &n)) < 0)
		return e;
	for (size_t i = 0; i < n && e >= 0; i++)
		e = write_artifact(x, s, &files[i]);
	return e;
}

static int export_all(struct exporting *x)
{
	auto_arena struct arena *a = arena_new();
	struct submission s;
	int e;

	do {
		arena_reset(a);
		ctx_init(&x->ctx, a, x->cli->ctx->db);
		e = copy_next(&x->ctx, &x->copy, &s);
		if (e > 0)
			e = write_one(x, &s) < 0 ? (int)x->ctx.err : 1;
	} while (e > 0);
	if (e >= 0 && (e = write_events(x, INT64_MAX)) >= 0)
		e = write_machines(x);
	return e < 0 ? fail(x->cli->ctx, (enum err)e, "%s", x->ctx.detail) : E_OK;
}

static int choose_series(struct exporting *x)
{
	const char *asked = cli_option(x->cli, "series");
	struct series s;
	int e;

	if (!asked)
		return E_OK;
	if ((e = series_get(x->cli->ctx, asked, &s)) < 0)
		return e;
	x->copy.series_id = s.id;
	return E_OK;
}

int cmd_export(struct cli *cli)
{
	struct exporting x = {.cli = cli, .copy.arena = cli->ctx->arena};
	struct stat st;
	int e;

	if (cli->argc > 0)
		return cli_usage(cli, "no argument is expected, but \"%s\" was given",
				 cli->argv[0]);
	if (stat(cli->config->database, &st) < 0)
		return fail(cli->ctx, E_NOTFOUND, "there is no database %s", cli->config->database);
	if ((e = cli_open_read(cli)) < 0 || (e = db_begin_read(cli->ctx)) < 0)
		return e;
	if ((e = choose_series(&x)) >= 0)
		e = export_all(&x);
	db_end_read(cli->ctx);
	if (e < 0)
		return e;
	fprintf(stderr, "%zu submissions, %zu artifacts\n", x.submissions, x.artifacts);
	if (x.copy.moved)
		fprintf(stderr,
			"%zu runs and summaries were moved by corrections; they are written for "
			"the commit and series that they were uploaded for\n",
			x.copy.moved);
	return E_OK;
}
