/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The seal of a submission: a digest over what was measured, which says whether a second upload
 * under the same key is the same upload. Values enter in their packed form, a NaN as one fixed
 * pattern. Commit texts, units and the report stay outside; where nothing was measured, what the
 * note says is its content.
 */
#include "db/submission.h"

#include <endian.h>
#include <math.h>

#include "server/base/arena.h"

enum { STATUSES = RUN_DELETED + 1 };
static const char *const status_names[STATUSES] = {"ok",      "incomplete", "failed",
						   "invalid", "replaced",   "deleted"};

const char *run_status_name(enum run_status s)
{
	return status_names[s];
}

int run_status_find(const char *name)
{
	for (int i = 0; i < STATUSES; i++)
		if (!strcmp(status_names[i], name))
			return i;
	return -1;
}

static void add_int(struct digest_state *d, int64_t v)
{
	uint64_t le = htole64((uint64_t)v);

	digest_add(d, &le, sizeof(le));
}

static void add_reals(struct digest_state *d, const double *v, size_t n)
{
	uint64_t le[128];
	size_t fill = 0;

	for (size_t i = 0; i < n; i++) {
		double x = isnan(v[i]) ? (double)NAN : v[i];

		memcpy(&le[fill], &x, sizeof(x));
		le[fill] = htole64(le[fill]);
		if (++fill == 128 || i + 1 == n) {
			digest_add(d, le, fill * sizeof(le[0]));
			fill = 0;
		}
	}
}

static void add_cell(struct digest_state *d, const struct summary_in *k)
{
	const double reals[] = {k->mean, k->stddev, k->stddev_pct,
				k->min,  k->max,    k->printed_change};

	digest_add_str(d, k->metric);
	add_reals(d, reals, sizeof(reals) / sizeof(reals[0]));
	add_int(d, k->n);
	add_int(d, k->fails);
	add_int(d, k->runs);
	add_int(d, k->printed);
	digest_add_str(d, k->printed_base);
}

static void add_distribution(struct digest_state *d, const struct distribution_in *k)
{
	const double reals[] = {k->mean, k->stddev, k->min, k->max};

	digest_add_str(d, k->metric);
	add_reals(d, reals, sizeof(reals) / sizeof(reals[0]));
	add_int(d, k->n);
	add_int(d, (int64_t)k->npercentiles);
	for (size_t i = 0; i < k->npercentiles; i++) {
		digest_add_str(d, k->percentiles[i].name);
		add_reals(d, &k->percentiles[i].value, 1);
	}
	add_int(d, (int64_t)k->nbuckets);
	for (size_t i = 0; i < k->nbuckets; i++) {
		add_reals(d, &k->buckets[i].le, 1);
		add_int(d, k->buckets[i].count);
	}
}

/* What most uploads lack leaves their digest as it is without these words. */
static void add_rare(struct digest_state *d, const struct submission *s)
{
	if (s->ndistributions)
		digest_add_str(d, "distributions");
	for (size_t i = 0; i < s->ndistributions; i++)
		add_distribution(d, &s->distributions[i]);
	if (s->replaces) {
		digest_add_str(d, "replaces");
		digest_add_str(d, s->replaces);
	}
}

static void add_note(struct digest_state *d, const struct submission *s)
{
	const struct build_in *b = &s->commit.build;

	add_int(d, b->given);
	digest_add_str(d, b->config);
	digest_add_str(d, b->compiler);
	digest_add_str(d, b->status);
	add_int(d, (int64_t)b->nwarnings);
	for (size_t i = 0; i < b->nwarnings; i++) {
		digest_add_str(d, b->warnings[i].file);
		add_int(d, b->warnings[i].line);
		add_int(d, b->warnings[i].column);
		digest_add_str(d, b->warnings[i].message);
	}
	add_int(d, s->headline.given);
	if (s->headline.given) {
		digest_add_str(d, s->headline.metric);
		digest_add_str(d, s->headline.base);
		digest_add_str(d, s->headline.verdict);
		add_reals(d, &s->headline.change_pct, 1);
	}
}

void submission_seal(struct arena *a, struct submission *s)
{
	struct digest_state d;

	digest_init(&d);
	digest_add_str(&d, s->commit.id);
	if (!s->commit.is_hex && s->commit.tree)
		digest_add_str(&d, s->commit.tree); /* a tag is another commit in another tree */
	add_int(&d, s->started);
	add_int(&d, s->status);
	add_int(&d, (int64_t)s->ninfo);
	for (size_t i = 0; i < s->ninfo; i++) {
		digest_add_str(&d, s->info[i].name);
		digest_add_str(&d, s->info[i].value);
	}
	digest_add_str(&d, s->boot);
	add_int(&d, s->kind);
	add_int(&d, (int64_t)s->nruns);
	for (size_t i = 0; i < s->nruns; i++) {
		digest_add(&d, s->runs[i].names->digest.b, DIGEST_LEN);
		add_reals(&d, s->runs[i].values, s->runs[i].names->n);
	}
	add_int(&d, (int64_t)s->ncells);
	for (size_t i = 0; i < s->ncells; i++)
		add_cell(&d, &s->cells[i]);
	if (s->kind == SUBMISSION_NOTE)
		add_note(&d, s);
	add_rare(&d, s);
	s->content = s->stored ? s->stored->content : digest_end(&d);

	if (!s->key_given) {
		char hex[DIGEST_HEX + 1];

		digest_hex(&s->content, hex);
		s->key = arena_str(a, hex);
	}
}
