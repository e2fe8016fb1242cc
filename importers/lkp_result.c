/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lkp-result: a folder of the test robot's result tree. The folder of a run becomes a submission
 * with one run: the numbers of stats.json under the axes that job.yaml and the path say, and with
 * the files that tell how it was made. A run that did not come to its end is incomplete, with or
 * without numbers. The folder of a commit gives those runs of its matrix.json that have no
 * stats.json any more.
 */
#include "importers/formats.h"
#include "importers/lkp.h"

#include "server/base/arena.h"

/* What is kept with the run. */
static const char *const kept[] = {"job.yaml", "reproduce.sh", "config", "dmesg"};

bool lkp_part_wanted(const char *name)
{
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		if (strcmp(name, kept[i]) == 0)
			return true;
	}
	return strcmp(name, "stats.json") == 0 || strcmp(name, "last_state") == 0;
}

struct folder {
	struct import *in;
	const char *path;
	const struct import_part *parts;
	size_t n;
	struct lkp_job job;
};

static const struct import_part *part(const struct folder *f, const char *name)
{
	for (size_t i = 0; i < f->n; i++) {
		if (strcmp(f->parts[i].name, name) == 0)
			return &f->parts[i];
	}
	return NULL;
}

/* Makes what was found wrong in a file faults of that file. */
static int name_part(struct ctx *c, const char *name)
{
	struct fault *faults = c->faults;
	size_t n = c->nfaults, more = c->faults_seen - n;
	const char *detail = arena_str(c->arena, c->detail);

	if (!c->err)
		return E_OK;
	ctx_clear(c);
	if (!n)
		return fault(c, name, "%s", detail);
	for (size_t i = 0; i < n; i++)
		fault(c,
		      arena_fmt(c->arena, "%s%s%s", name, faults[i].path[0] ? ": " : "",
				faults[i].path),
		      "%s", faults[i].message);
	c->faults_seen += more;
	return c->err;
}

/* The members of a file; none when it is not there. */
static int read_rows(const struct folder *f, const char *name, struct lkp_row **rows, size_t *n)
{
	const struct import_part *p = part(f, name);

	*rows = NULL;
	*n = 0;
	if (!p)
		return E_OK;
	lkp_json_read(f->in->ctx, p->bytes, p->n, rows, n);
	return name_part(f->in->ctx, name);
}

static void read_job(struct folder *f)
{
	const struct import_part *p = part(f, "job.yaml");
	struct lkp_scalar *list;

	if (!p)
		return;
	f->job.n = lkp_yaml_read(f->in->ctx->arena, p->bytes, p->n, &list);
	f->job.list = list;
}

/* By the file last_state, which has lines of the same form. */
static bool says_incomplete(const struct folder *f)
{
	const struct import_part *p = part(f, "last_state");
	struct lkp_scalar *list;
	const char *v;
	size_t n;

	if (!p)
		return false;
	n = lkp_yaml_read(f->in->ctx->arena, p->bytes, p->n, &list);
	v = lkp_yaml_top(list, n, "is_incomplete_run");
	if (!v)
		v = lkp_yaml_top(list, n, "last_state.is_incomplete_run");
	return v && strcmp(v, "0") != 0;
}

static void keep_files(const struct folder *f, size_t sub)
{
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		const struct import_part *p = part(f, kept[i]);

		if (p && p->n)
			import_add_file(f->in, &(const struct import_file){
						       .sub = sub,
						       .name = kept[i],
						       .bytes = p->bytes,
						       .n = p->n,
					       });
	}
}

static int take_run(struct folder *f)
{
	struct ctx *c = f->in->ctx;
	struct lkp_place place;
	struct lkp_row *rows;
	struct submission *s;
	struct record *r;
	bool placed, incomplete;
	size_t n;

	if (read_rows(f, "stats.json", &rows, &n) < 0)
		return c->err;
	for (size_t i = 0; i < n; i++) {
		if (rows[i].kind != LKP_NUMBER)
			lkp_row_fault(c, &rows[i], "must be a number, is an array");
	}
	if (name_part(c, "stats.json") < 0)
		return c->err;
	incomplete = lkp_is_incomplete(rows, n) || says_incomplete(f);
	if (!n && !incomplete)
		return part(f, "stats.json")
			       ? fault(c, "stats.json", "has no metric")
			       : fault(c, "",
				       "has no stats.json, and does not say that the run is "
				       "incomplete");
	placed = lkp_job_place(c->arena, &f->job, f->path, &place);
	r = record_begin(f->in, NULL);
	s = record_submission(r);
	lkp_job_apply(r, &f->job, placed ? &place : NULL);
	s->key = placed ? lkp_key(c->arena, &place, place.run) : NULL;
	s->key_given = placed;
	s->status = incomplete ? RUN_INCOMPLETE : RUN_OK;
	record_run(r);
	lkp_take_values(r, rows, n);
	if (record_end(r) < 0)
		return c->err;
	keep_files(f, f->in->n - 1);
	return E_OK;
}

/* Runs that have stats.json of their own are not taken from the matrix. */
static bool needs_column(void *arg, int64_t run)
{
	char name[40];

	snprintf(name, sizeof(name), "%lld/stats.json", (long long)run);
	return !part(arg, name);
}

static int take_matrix(struct folder *f)
{
	struct lkp_place commit;
	struct lkp_matrix m = {.job = &f->job, .wanted = needs_column, .arg = f};
	struct lkp_row *rows;
	bool own = false;

	if (read_rows(f, "matrix.json", &rows, &m.n) < 0)
		return f->in->ctx->err;
	m.rows = rows;
	m.end = part(f, "matrix.json")->bytes + part(f, "matrix.json")->n;
	if (lkp_place_of_commit(f->in->ctx->arena, f->path, &commit))
		m.commit = &commit;
	for (size_t i = 0; i < f->n; i++)
		own |= strchr(f->parts[i].name, '/') != NULL;
	for (size_t i = 0; i < m.n; i++)
		if (rows[i].kind == LKP_TEXTS)
			own = false;
	if (own) /* which of the runs it is without is not said */
		return E_OK;
	lkp_matrix_take(f->in, &m);
	return name_part(f->in->ctx, "matrix.json");
}

int folder_lkp_result(struct import *in, const char *path, const struct import_part *parts,
		      size_t n)
{
	struct folder f = {.in = in, .path = path, .parts = parts, .n = n};

	read_job(&f);
	return part(&f, "matrix.json") ? take_matrix(&f) : take_run(&f);
}

int import_lkp_result(struct import *in, const char *bytes, size_t n)
{
	(void)bytes, (void)n;
	return fault(in->ctx, "",
		     "a result is a folder, which cannot be sent: `plumbline import lkp-result "
		     "FOLDER` takes it where it lies; its single files can be sent, stats.json "
		     "as lkp-stats, matrix.json as lkp-matrix, others as lkp-json");
}
