/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An importer with and without a stream: what it made, in order, and the most memory that it held.
 * Included after cmocka.h. */
#ifndef TESTS_STREAM_LAB_H
#define TESTS_STREAM_LAB_H

#include <math.h>
#include <string.h>

#include "importers/import.h"
#include "server/base/arena.h"
#include "server/base/digest.h"

/* What was made of some bytes. */
struct made {
	struct ctx ctx;
	struct import in;
	struct import_stream stream;
	struct made_one {
		struct digest digest; /* of all that it says */
		char key[1100];
		size_t nruns, naxes;
	} * list;
	size_t n, cap, runs, files;
	size_t most; /* bytes, in ctx.arena and the stream's two */
	int e;
};

static void add_text(struct digest_state *d, const char *s)
{
	digest_add(d, s ? "+" : "-", 1);
	digest_add_str(d, s);
}

static void add_bytes(struct digest_state *d, const void *p, size_t n)
{
	digest_add(d, &n, sizeof(n));
	digest_add(d, p, n);
}

static void add_pairs(struct digest_state *d, const struct pair *p, size_t n)
{
	digest_add(d, &n, sizeof(n));
	for (size_t i = 0; i < n; i++) {
		add_text(d, p[i].name);
		add_text(d, p[i].value);
	}
}

static void add_commit(struct digest_state *d, const struct commit_in *c)
{
	add_text(d, c->id);
	add_text(d, c->subject);
	add_text(d, c->message);
	add_text(d, c->tree);
	add_text(d, c->label);
	add_text(d, c->author.name);
	add_bytes(d, &c->author.date, sizeof(c->author.date));
	add_bytes(d, &c->date, sizeof(c->date));
	for (size_t i = 0; i < c->nparents; i++)
		add_text(d, c->parents[i]);
	add_text(d, c->patch.message_id);
	add_text(d, c->patch.base);
	add_text(d, c->patch.diff);
	add_bytes(d, &c->patch.version, sizeof(c->patch.version));
	add_text(d, c->build.config);
	add_text(d, c->build.compiler);
	add_text(d, c->build.status);
	for (size_t i = 0; i < c->build.nwarnings; i++) {
		add_text(d, c->build.warnings[i].file);
		add_text(d, c->build.warnings[i].message);
		add_bytes(d, &c->build.warnings[i].line, sizeof(c->build.warnings[i].line));
	}
}

static void add_distributions(struct digest_state *d, const struct submission *s)
{
	for (size_t i = 0; i < s->ndistributions; i++) {
		const struct distribution_in *k = &s->distributions[i];

		add_text(d, k->metric);
		add_text(d, k->unit);
		add_bytes(d, &k->mean, sizeof(k->mean));
		add_bytes(d, &k->max, sizeof(k->max));
		for (size_t p = 0; p < k->npercentiles; p++) {
			add_text(d, k->percentiles[p].name);
			add_bytes(d, &k->percentiles[p].value, sizeof(double));
		}
		for (size_t b = 0; b < k->nbuckets; b++) {
			add_bytes(d, &k->buckets[b].le, sizeof(double));
			add_bytes(d, &k->buckets[b].count, sizeof(int64_t));
		}
	}
}

static void add_figures(struct digest_state *d, const struct submission *s)
{
	for (size_t i = 0; i < s->nruns; i++) {
		const struct run_in *r = &s->runs[i];

		for (size_t k = 0; k < r->names->n; k++)
			add_text(d, r->names->names[k]);
		add_bytes(d, r->names->digest.b, DIGEST_LEN);
		add_bytes(d, r->values, r->names->n * sizeof(double));
	}
	for (size_t i = 0; i < s->ncells; i++) {
		add_text(d, s->cells[i].metric);
		add_text(d, s->cells[i].printed_base);
		add_bytes(d, &s->cells[i].mean, sizeof(double));
		add_bytes(d, &s->cells[i].printed_change, sizeof(double));
	}
}

static struct digest digest_of(const struct submission *s)
{
	struct digest_state d;

	digest_init(&d);
	add_text(&d, s->key);
	digest_add(&d, s->content.b, DIGEST_LEN);
	add_pairs(&d, s->axes, s->naxes);
	add_text(&d, s->testcase);
	add_text(&d, s->tbox_group);
	add_commit(&d, &s->commit);
	add_bytes(&d, &s->started, sizeof(s->started));
	add_bytes(&d, &s->status, sizeof(s->status));
	add_bytes(&d, &s->kind, sizeof(s->kind));
	add_pairs(&d, s->info, s->ninfo);
	add_text(&d, s->boot);
	add_text(&d, s->replaces);
	add_pairs(&d, s->units, s->nunits);
	add_text(&d, s->report.message_id);
	add_text(&d, s->report.subject);
	add_text(&d, s->report.url);
	add_text(&d, s->headline.metric);
	add_text(&d, s->headline.base);
	add_figures(&d, s);
	add_distributions(&d, s);
	return digest_end(&d);
}

static void keep_made(struct made *m)
{
	for (size_t i = 0; i < m->in.n; i++) {
		const struct submission *s = &m->in.subs[i];
		struct made_one *one;

		if (m->n == m->cap) {
			m->cap = 2 * m->cap + 16;
			m->list = realloc(m->list, m->cap * sizeof(*m->list));
			assert_non_null(m->list);
		}
		one = &m->list[m->n++];
		one->digest = digest_of(s);
		snprintf(one->key, sizeof(one->key), "%s", s->key);
		one->nruns = s->nruns;
		one->naxes = s->naxes;
		m->runs += s->nruns;
	}
	m->files += m->in.nfiles;
}

static int look_at_memory(void *arg)
{
	struct made *m = arg;
	size_t used = arena_used(m->ctx.arena);

	if (m->in.stream)
		used += arena_used(m->stream.records) + arena_used(m->stream.made);
	m->most = used > m->most ? used : m->most;
	return 0;
}

static int take_made(struct import *in, void *arg)
{
	assert_ptr_equal(in, &((struct made *)arg)->in);
	look_at_memory(arg);
	keep_made(arg);
	return E_OK;
}

__attribute__((unused)) static void made_run(struct made *m, const char *format, const char *bytes,
					     size_t n, bool stream)
{
	static const struct pair axes[] = {{"tbox_group", "rig-1"}, {"testcase", "t"}};
	const struct importer *i = importer_find(format);

	assert_non_null(i);
	*m = (struct made){.stream = {.take = take_made, .arg = m}};
	ctx_init(&m->ctx, arena_new(), NULL);
	m->in = (struct import){.ctx = &m->ctx,
				.axes = axes,
				.naxes = 1,
				.source = "rigs/a",
				.after_document = look_at_memory,
				.after_arg = m};
	/* what the file itself does not name */
	if (!strcmp(format, "csv") && !memmem(bytes, n < 200 ? n : 200, "testcase", 8))
		m->in.naxes = 2;
	if (strcmp(format, "robot-mail") != 0 && strcmp(format, "native") != 0 &&
	    !(strcmp(format, "csv") == 0 && memmem(bytes, n < 200 ? n : 200, "commit", 6)))
		m->in.commit = "v6.5";
	if (stream) {
		m->stream.records = arena_new();
		m->stream.made = arena_new();
		m->in.stream = &m->stream;
	}
	m->e = i->run(&m->in, bytes, n);
	look_at_memory(m);
	if (!stream && m->e == E_OK)
		keep_made(m);
	if (stream && m->e == E_OK) {
		assert_int_equal(m->in.n, 0); /* all was taken */
		assert_int_equal(m->stream.open, 0);
	}
}

__attribute__((unused)) static void made_end(struct made *m)
{
	arena_free(m->ctx.arena);
	arena_free(m->stream.records);
	arena_free(m->stream.made);
	free(m->list);
}

/* Both ways make the same, or fail with the same words. name: for who reads the failure. */
__attribute__((unused)) static void made_same(const char *name, const char *format,
					      const char *bytes, size_t n)
{
	struct made whole, pieces;

	made_run(&whole, format, bytes, n, false);
	made_run(&pieces, format, bytes, n, true);
	if (whole.e != pieces.e || (whole.e == E_OK && whole.n != pieces.n))
		print_error("%s: %zu bytes: %d %zu, %d %zu\n", name, n, whole.e, whole.n, pieces.e,
			    pieces.n);
	assert_int_equal(whole.e, pieces.e);
	assert_string_equal(whole.ctx.detail, pieces.ctx.detail);
	assert_int_equal(whole.ctx.nfaults, pieces.ctx.nfaults);
	for (size_t i = 0; i < whole.ctx.nfaults; i++) {
		assert_string_equal(whole.ctx.faults[i].path, pieces.ctx.faults[i].path);
		assert_string_equal(whole.ctx.faults[i].message, pieces.ctx.faults[i].message);
	}
	if (whole.e == E_OK) {
		assert_int_equal(whole.n, pieces.n);
		for (size_t i = 0; i < whole.n; i++) {
			if (!digest_equal(&whole.list[i].digest, &pieces.list[i].digest))
				print_error("%s: %zu bytes: submission %zu differs\n", name, n, i);
			assert_string_equal(whole.list[i].key, pieces.list[i].key);
			assert_int_equal(whole.list[i].nruns, pieces.list[i].nruns);
			assert_int_equal(whole.list[i].naxes, pieces.list[i].naxes);
			assert_true(digest_equal(&whole.list[i].digest, &pieces.list[i].digest));
		}
	}
	made_end(&whole);
	made_end(&pieces);
}

#endif
