/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Uploads for the fault tests: making and sending them. What must hold of a database is in
 * verify.c. */
#include "tests/fault/lab.h"

#include <semaphore.h>
#include <unistd.h>

#include "db/migrate.h"
#include "db/tokens.h"
#include "importers/import.h"
#include "server/base/log.h"
#include "tests/fault/vfs.h"

#define LAB_TIME 1689822060

struct sending {
	struct intake intake;
	struct ctx ctx;
	struct import in;
	struct out body;
	struct intake_item *items;
	struct upload *upload;
	sem_t *done;
};

static const char *const suffixes[] = {"", "-wal", "-shm", "-journal", ".lock"};

bool lab_long(void)
{
	const char *s = getenv("FAULTS");

	return s && strcmp(s, "long") == 0;
}

void lab_init(struct lab *l)
{
	const char *tmp = getenv("TMPDIR");

	memset(l, 0, sizeof(*l));
	if (access("/dev/shm", W_OK) == 0)
		tmp = "/dev/shm"; /* nothing is synced: memory will do */
	snprintf(l->dir, sizeof(l->dir), "%.30s/plumbline-fault.XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(l->dir));
	snprintf(l->path, sizeof(l->path), "%s/lab.db", l->dir);
	snprintf(l->crash, sizeof(l->crash), "%s/crash.db", l->dir);
	log_set_level(LOG_ERROR);
	metrics_forget_all();
}

void lab_remove(const char *path)
{
	char name[120];

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		snprintf(name, sizeof(name), "%s%s", path, suffixes[i]);
		unlink(name);
	}
}

void lab_end(struct lab *l)
{
	lab_stop(l);
	lab_remove(l->path);
	lab_remove(l->crash);
	rmdir(l->dir);
}

static void copy_file(const char *from, const char *to)
{
	static char buf[1 << 16];
	FILE *in = fopen(from, "rb"), *out;
	size_t n;

	if (!in)
		return;
	out = fopen(to, "wb");
	assert_non_null(out);
	while ((n = fread(buf, 1, sizeof(buf), in)) > 0)
		assert_int_equal(fwrite(buf, 1, n, out), n);
	fclose(in);
	assert_int_equal(fclose(out), 0);
}

void lab_copy(const char *from, const char *to)
{
	char a[120], b[120];

	lab_remove(to);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		if (strcmp(suffixes[i], "-shm") == 0)
			continue;
		snprintf(a, sizeof(a), "%s%s", from, suffixes[i]);
		snprintf(b, sizeof(b), "%s%s", to, suffixes[i]);
		copy_file(a, b);
	}
}

/* --- documents --- */

struct upload *lab_add(struct lab *l, enum job_form form, int ndocs, struct doc like)
{
	struct upload *u = &l->uploads[l->nuploads++];

	assert_true(l->nuploads <= LAB_JOBS && l->ndocs + ndocs <= LAB_DOCS);
	*u = (struct upload){.form = form, .from = l->ndocs, .n = ndocs, .result = E_INTERNAL};
	for (int i = 0; i < ndocs; i++) {
		like.number = l->ndocs;
		l->docs[l->ndocs++] = like;
		like.first++; /* so that layouts differ and overlap */
	}
	return u;
}

struct upload *lab_add_conflict(struct lab *l, int doc)
{
	struct upload *u = &l->uploads[l->nuploads++];

	*u = (struct upload){.form = JOB_OBJECT, .from = doc, .n = 1, .conflicting = true};
	return u;
}

void lab_forget(struct lab *l)
{
	for (int i = 0; i < l->nuploads; i++) {
		l->uploads[i].result = E_INTERNAL;
		l->uploads[i].duplicates = 0;
		l->uploads[i].acknowledged = false;
	}
	l->tokens = 0;
}

static void write_runs(struct out *o, const struct doc *d, bool conflicting)
{
	out_str(o, "\"runs\":[");
	for (int r = 0; r < d->runs; r++) {
		out_str(o, r ? ",{" : "{");
		for (int m = d->first; m < d->first + d->metrics; m++)
			out_fmt(o, "%s\"lab.m%d\":%d.5", m > d->first ? "," : "", m,
				d->number * 1000000 + r * 1000 + m + conflicting);
		out_char(o, '}');
	}
	out_str(o, "]");
}

static void write_key(struct out *o, const char *name, const struct doc *d)
{
	out_fmt(o, "\"%s\":\"%c%d-%d-%d-%d\",", name, d->kind, d->number, d->runs, d->metrics,
		d->first);
}

static void write_summary(struct out *o, const struct doc *d)
{
	out_str(o, "\"summary\":{");
	for (int m = d->first; m < d->first + d->metrics; m++)
		out_fmt(o, "%s\"lab.m%d\":{\"mean\":%d.5,\"stddev_pct\":2}",
			m > d->first ? "," : "", m, d->number * 1000000 + m);
	out_str(o, "}");
}

/* Parents, build, report and info are shared with other documents here and there, as in life. */
static void write_doc(struct out *o, const struct doc *d, bool conflicting)
{
	out_char(o, '{');
	write_key(o, "key", d);
	if (d->replaces)
		write_key(o, "replaces", d - 3);
	out_fmt(o,
		"\"axes\":{\"testcase\":\"lab\",\"tbox_group\":"
		"\"box%d\",\"n\":\"%d\"},\"commit\":{\"id\":\"%040x\",\"subject\":\"lab: change "
		"%d\",\"parents\":[\"%040x\"],\"tree\":\"tree%d\",\"build\":{\"config\":\"c%d\","
		"\"warnings\":[{\"file\":\"a.c\",\"line\":3,\"message\":\"unused\"}]}},",
		d->number % 3, d->number / 6, d->number * 7 + 1, d->number, d->number * 7 + 8,
		d->number % 2, d->number % 4);
	out_fmt(o,
		"\"started\":\"2023-07-20T12:%02d:%02dZ\",\"info\":{\"host\":\"h%d\",\"boot\":\"b%"
		"d\"},",
		d->number / 60, d->number % 60, d->number % 3, d->number);
	out_fmt(o, "\"report\":{\"message_id\":\"<%d@lab>\",\"subject\":\"s\"},", d->number % 5);
	if (d->kind == DOC_RUNS && d->runs == 1)
		out_fmt(o,
			"\"distributions\":{\"lab.m%d\":{\"n\":%d,\"percentiles\":{\"99.00\":%d}}}"
			",",
			d->first, d->number, d->number + 1);
	if (d->kind == DOC_RUNS)
		write_runs(o, d, conflicting);
	else if (d->kind == DOC_SUMMARY)
		write_summary(o, d);
	else
		out_str(o, "\"headline\":{\"metric\":\"lab.m1\",\"change_pct\":-3}");
	if (d->kind != DOC_NOTE)
		out_fmt(o, ",\"units\":{\"lab.m%d\":\"unit%d\"}", d->first, d->first);
	out_char(o, '}');
}

/* --- sending --- */

static int prepare_lines(struct sending *s, const struct uploader *by)
{
	const char *p = s->body.p;
	size_t n = (size_t)s->upload->n;

	s->items = arena_array(s->ctx.arena, struct intake_item, n);
	for (size_t i = 0; i < n; i++) {
		const char *stop = strchr(p, '\n');
		int e = import_native_line(&s->in, p, (size_t)(stop - p));

		if (e < 0)
			return e;
		s->items[i].line = (long)i + 1;
		p = stop + 1;
	}
	for (size_t i = 0; i < n; i++)
		s->items[i].sub = &s->in.subs[i];
	intake_each(&s->intake, s->items, n, by);
	return E_OK;
}

/* Bytes to a job. */
static int prepare(struct lab *l, struct sending *s, struct upload *u)
{
	static const struct uploader by = {.now = LAB_TIME};
	int e;

	memset(s, 0, sizeof(*s));
	s->upload = u;
	u->duplicates = 0;
	ctx_init(&s->ctx, arena_new(), NULL);
	s->in.ctx = &s->ctx;
	out_init(&s->body, OUT_MAX_DEFAULT);
	out_str(&s->body, u->form == JOB_ARRAY ? "[" : "");
	for (int i = 0; i < u->n; i++) {
		if (i && u->form == JOB_ARRAY)
			out_char(&s->body, ',');
		write_doc(&s->body, &l->docs[u->from + i], u->conflicting);
		out_str(&s->body, u->form == JOB_LINES ? "\n" : "");
	}
	out_str(&s->body, u->form == JOB_ARRAY ? "]" : "");
	if (u->form == JOB_LINES) {
		e = prepare_lines(s, &by);
	} else {
		e = import_native(&s->in, s->body.p, s->body.len);
		if (e >= 0)
			intake_all(&s->intake, s->ctx.arena, s->in.subs, s->in.n, s->in.is_array,
				   &by);
	}
	s->intake.job.ctx = &s->ctx;
	s->intake.job.weight = s->body.len;
	return e;
}

static int count_duplicates(const struct sending *s)
{
	int n = 0;

	for (size_t i = 0; i < s->intake.nitems; i++)
		n += s->items[i].accepted.duplicate;
	for (size_t i = 0; i < s->intake.n; i++)
		n += s->intake.accepted[i].duplicate;
	return n;
}

/* On the writer's thread, so that the record has it in its place. */
static void on_done(struct job *j)
{
	struct sending *s = (struct sending *)j;
	const struct lab *l = j->arg;

	s->upload->result = j->result;
	snprintf(s->upload->detail, sizeof(s->upload->detail), "%s", j->ctx->detail);
	if (j->result >= 0) {
		s->upload->acknowledged = true;
		s->upload->duplicates = count_duplicates(s);
		vfs_trace_ack((int)(s->upload - l->uploads));
		if (l->on_ack)
			l->on_ack(l, (int)(s->upload - l->uploads));
	}
	sem_post(s->done);
}

static void finish(struct sending *s)
{
	out_free(&s->body);
	arena_free(s->ctx.arena);
}

/* All of them queued at once when together, else each after the one before. */
static void send_all(struct lab *l, int from, int n, bool together)
{
	struct sending *all = calloc((size_t)n, sizeof(*all));
	int waiting = 0;
	sem_t done;

	if (!all)
		die("out of memory in the lab"); /* where a test makes it fail, in a child */
	sem_init(&done, 0, 0);
	if (together)
		lab_close_gate(l);
	for (int i = 0; i < n; i++) {
		struct sending *s = &all[i];
		int e = prepare(l, s, &l->uploads[from + i]);

		s->done = &done;
		s->intake.job.done = on_done;
		s->intake.job.arg = l;
		if (e >= 0)
			e = writer_submit(l->w, &s->intake.job);
		if (e < 0)
			s->upload->result = e;
		waiting += e >= 0;
		if (e >= 0 && !together) {
			sem_wait(&done);
			waiting--;
		}
	}
	if (together)
		lab_open_gate(l);
	while (waiting-- > 0)
		sem_wait(&done);
	for (int i = 0; i < n; i++)
		finish(&all[i]);
	sem_destroy(&done);
	free(all);
}

void lab_send(struct lab *l, int from, int n)
{
	send_all(l, from, n, false);
}

void lab_send_together(struct lab *l, int from, int n)
{
	send_all(l, from, n, true);
}

static struct gate {
	struct job job;
	struct ctx ctx;
	sem_t entered, go, done;
} gate;

/* In check, so that nothing is written by it. */
static int gate_check(struct ctx *c, struct job *j)
{
	(void)j;
	sem_post(&gate.entered);
	sem_wait(&gate.go);
	return fail(c, E_CONFLICT, "the gate");
}

static int gate_store(struct ctx *c, struct job *j)
{
	(void)c;
	(void)j;
	return E_OK;
}

static void gate_done(struct job *j)
{
	/* When the transaction could not even begin, it was never entered. */
	(void)j;
	sem_post(&gate.entered);
	sem_post(&gate.done);
}

void lab_close_gate(struct lab *l)
{
	memset(&gate, 0, sizeof(gate));
	ctx_init(&gate.ctx, arena_new(), NULL);
	sem_init(&gate.entered, 0, 0);
	sem_init(&gate.go, 0, 0);
	sem_init(&gate.done, 0, 0);
	gate.job = (struct job){
		.check = gate_check, .store = gate_store, .done = gate_done, .ctx = &gate.ctx};
	assert_int_equal(writer_submit(l->w, &gate.job), E_OK);
	sem_wait(&gate.entered);
}

void lab_open_gate(struct lab *l)
{
	(void)l;
	sem_post(&gate.go);
	sem_wait(&gate.done);
	arena_free(gate.ctx.arena);
}

/* --- the database --- */

int lab_start(struct lab *l)
{
	static const struct writer_limits limits = {LAB_JOBS + 1, SIZE_MAX / 2, 0};
	struct arena *a = arena_new();
	struct ctx c;
	struct db *db = NULL;
	int e;

	ctx_init(&c, a, NULL);
	e = db_open_migrated(&c, l->path, &db);
	db_close(db);
	if (e >= 0)
		e = writer_start(&c, l->path, &limits, &l->w);
	arena_free(a);
	return e;
}

void lab_stop(struct lab *l)
{
	if (l->w)
		writer_stop(l->w);
	l->w = NULL;
	metrics_forget_all(); /* what comes next is like another process */
}

int lab_token(struct lab *l)
{
	struct arena *a = arena_new();
	char secret[TOKEN_TEXT];
	struct ctx c;
	struct db *db;
	int e;

	ctx_init(&c, a, NULL);
	e = db_open_migrated(&c, l->path, &db);
	if (e >= 0) {
		c.db = db;
		if ((e = db_begin_write(&c)) >= 0) {
			e = token_create(&c, "rig", SCOPE_UPLOAD, NULL, LAB_TIME, secret);
			if (e >= 0)
				e = audit_add(&c, LAB_TIME, -1, "command line", "token create",
					      "rig", NULL);
			if (e >= 0)
				e = generation_bump(&c);
			if (e >= 0)
				e = db_commit(&c);
			else
				db_rollback(&c);
		}
		db_close(db);
	}
	l->tokens += e >= 0;
	arena_free(a);
	return e;
}
