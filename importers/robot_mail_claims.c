/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands beside the tables of a mail: samples run by run, which go to the table whose mean
 * they have; what the report claims, put to the commit that it claims it of; and compilers'
 * warnings, put to the patch under test. What has no table of its own becomes a note.
 */
#include "importers/robot_mail.h"

#include <ctype.h>
#include <math.h>

#include "server/analysis/metric_rules.h"
#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/base/num.h"

#define MEAN_TOLERANCE 0.002 /* a printed mean has four digits or more */
#define TENTH          0.051 /* by which printed changes of one figure differ */
#define HALF           0.51

/* --- samples ------------------------------------------------------------------------------------
 */

static double mean_of(const struct mail_samples *k)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < k->n; i++) {
		if (isnan(k->values[i]))
			continue;
		sum += k->values[i];
		n++;
	}
	return n ? sum / (double)n : NAN;
}

/* How well a table fits: 3 it has the very mean, 2 metric and commit, 1 the commit, 0 nothing. */
static int fit(const struct mail_table *t, const struct mail_samples *k, double mean)
{
	int best = 0;

	for (size_t c = 0; c < t->ncolumns; c++) {
		if (!t->columns[c].name || !mail_same_commit(t->columns[c].name, k->of.name))
			continue;
		best = best ? best : 1;
		for (size_t i = 0; i < t->nrows; i++) {
			double printed = t->cells[i * t->ncolumns + c].mean;

			if (strcmp(t->metrics[i], k->metric) != 0)
				continue;
			if (fabs(printed - mean) <= MEAN_TOLERANCE * fabs(mean) + 0.01)
				return 3;
			best = 2;
		}
	}
	return best;
}

/* The best table; of equals the last one above the samples. */
static const struct mail_table *table_for(const struct mail *m, const struct mail_samples *k)
{
	const struct mail_table *found = NULL;
	double mean = mean_of(k);
	int best = -1;

	for (size_t i = 0; i < m->ntables; i++) {
		const struct mail_table *t = m->tables[i];
		int how = t->path || t->aggregate ? -1 : fit(t, k, mean);

		if (how > best || (how == best && how >= 0 && t->line < k->line)) {
			best = how;
			found = t;
		}
	}
	return found;
}

static int by_metric(const void *a, const void *b)
{
	return strcmp((*(struct mail_samples *const *)a)->metric,
		      (*(struct mail_samples *const *)b)->metric);
}

static void set_run(struct arena *a, struct run_in *run, struct mail_samples **lists, size_t n,
		    size_t row)
{
	struct metric_names *names = arena_array(a, struct metric_names, 1);
	const char **texts = arena_array(a, const char *, n);
	double *values = arena_array(a, double, n);
	struct digest_state d;

	digest_init(&d);
	for (size_t i = 0; i < n; i++) {
		if (row >= lists[i]->n || isnan(lists[i]->values[row]))
			continue;
		texts[names->n] = arena_str(a, lists[i]->metric);
		values[names->n] = lists[i]->values[row];
		digest_add_str(&d, texts[names->n++]);
	}
	names->names = texts;
	names->digest = digest_end(&d);
	run->names = names;
	run->values = values;
}

static void set_runs(struct mail *m, struct submission *s, struct mail_samples **lists, size_t n)
{
	struct arena *a = import_room(m->in);
	struct run_in *runs;
	size_t most = 0;

	for (size_t i = 0; i < n; i++)
		most = lists[i]->n > most ? lists[i]->n : most;
	qsort(lists, n, sizeof(*lists), by_metric);
	runs = arena_array(a, struct run_in, most);
	for (size_t row = 0; row < most; row++) {
		set_run(a, &runs[s->nruns], lists, n, row);
		s->nruns += runs[s->nruns].names->n > 0;
	}
	s->runs = runs;
	s->kind = SUBMISSION_RUNS;
}

static bool is_new(struct mail *m, const struct mail_samples *k, const char *commit,
		   const struct pair *axes, size_t naxes)
{
	uint64_t h = hash_bytes(k->values, k->n * sizeof(*k->values));

	h = h * 31 + hash_bytes(k->metric, strlen(k->metric));
	h = h * 31 + hash_bytes(commit, strlen(commit));
	for (size_t i = 0; i < naxes; i++)
		h = h * 31 + hash_bytes(axes[i].value, strlen(axes[i].value));
	return mail_seen_add(m->seen, h);
}

/* The commit's name in full, that of the request where the mail has none, and the table. */
static void place(struct mail *m, struct mail_samples *k)
{
	const char *name = k->commit ? k->commit : m->in->commit;

	if (name)
		k->of = mail_commit_resolve(m, name);
	if (k->of.name)
		k->table = table_for(m, k);
}

/* Lists of one commit that follow each other, each of another metric, are of the same runs. */
static size_t gather(struct mail *m, size_t i, struct mail_samples **lists)
{
	const struct mail_samples *first = &m->samples[i];
	size_t n = 0;

	for (; i < m->nsamples; i++) {
		struct mail_samples *k = &m->samples[i];

		if (!k->of.name || strcmp(k->of.name, first->of.name) != 0 ||
		    k->table != first->table)
			break;
		for (size_t other = 0; other < n; other++) {
			if (strcmp(lists[other]->metric, k->metric) == 0)
				return n;
		}
		lists[n++] = k;
	}
	return n;
}

/* Takes those of n lists that are new. */
static void store_lists(struct mail *m, struct mail_samples **lists, size_t n)
{
	const struct mail_samples *first = lists[0];
	const struct mail_setup *setup = mail_setup_at(m, first->line);
	const struct mail_table *t = first->table;
	struct pair *axes;
	size_t naxes, fresh = 0;
	bool own;

	if (t)
		mail_table_axes(m, t, &axes, &naxes, &own);
	else
		mail_setup_axes(m, setup, &axes, &naxes);
	for (size_t k = 0; k < n; k++) {
		if (is_new(m, lists[k], first->of.name, axes, naxes))
			lists[fresh++] = lists[k];
	}
	if (fresh)
		set_runs(m,
			 mail_submission(m, &first->of, axes, naxes, setup,
					 mail_table_machine(m, t, setup)),
			 lists, fresh);
}

void mail_store_samples(struct mail *m)
{
	struct mail_samples **lists = arena_array(m->a, struct mail_samples *, m->nsamples);

	for (size_t i = 0; i < m->nsamples; i++)
		place(m, &m->samples[i]);
	for (size_t i = 0, n; i < m->nsamples; i += n) {
		n = m->samples[i].of.name ? gather(m, i, lists) : 1;
		if (m->samples[i].of.name)
			store_lists(m, lists, n);
	}
}

/* --- claims -------------------------------------------------------------------------------------
 */

static const char *skip_spaces(const char *s)
{
	return s + strspn(s, " ");
}

static size_t word_length(const char *s)
{
	return strcspn(s, " ");
}

/* "group.name" without what a sentence puts behind it; 0 when it is no metric. */
static size_t metric_length(const char *s)
{
	size_t n = word_length(s);

	while (n && strchr(".,;:)\"", s[n - 1]))
		n--;
	if (n < 3 || n > MAIL_METRIC_MAX || !isalpha((unsigned char)*s) || !memchr(s, '.', n) ||
	    memmem(s, n, "://", 3) || memchr(s, '@', n) || memchr(s, '<', n))
		return 0;
	return n;
}

static bool is_verdict(const char *s, size_t n)
{
	static const char *const words[] = {"regression", "improvement", "increase",
					    "decrease",   "reduction",   "degradation"};

	while (n && strchr(".,;:", s[n - 1]))
		n--;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strlen(words[i]) == n && strncmp(words[i], s, n) == 0)
			return true;
	}
	return false;
}

/* A percentage with its sign, as a whole word. */
static bool read_percent(const char *s, double *v, bool *is_signed)
{
	size_t n = word_length(s);
	char text[32];

	while (n && strchr(".,;:)", s[n - 1]))
		n--;
	if (n < 2 || n >= sizeof(text) || s[n - 1] != '%')
		return false;
	memcpy(text, s, n - 1);
	text[n - 1] = '\0';
	*is_signed = *text == '-' || *text == '+';
	return num_parse_real(text, v);
}

bool mail_claim_read(struct mail *m, const char *s, struct mail_setup *out)
{
	const char *metric = NULL, *verdict = NULL;
	size_t metric_n = 0, verdict_n = 0;
	bool found = false;
	double v;

	for (s = skip_spaces(s); *s; s = skip_spaces(s + word_length(s))) {
		size_t n = word_length(s);
		bool is_signed;

		if (!found && read_percent(s, &v, &is_signed)) {
			found = true;
			out->change = v;
			out->is_signed = is_signed;
		} else if (!metric && metric_length(s)) {
			metric = s;
			metric_n = metric_length(s);
		} else if (found && !verdict && is_verdict(s, n)) {
			verdict = s;
			verdict_n = strcspn(s, " .,;:");
		} else if (metric && found && *s != '(') {
			break;
		}
	}
	if (!found || !metric)
		return false;
	out->metric = arena_strn(m->a, metric, metric_n);
	if (verdict)
		out->verdict = arena_strn(m->a, verdict, verdict_n);
	return import_text_valid(out->metric, MAIL_METRIC_MAX);
}

static const struct summary_in *cell_of(const struct submission *s, const char *metric)
{
	for (size_t i = 0; i < s->ncells; i++) {
		if (strcmp(s->cells[i].metric, metric) == 0)
			return &s->cells[i];
	}
	return NULL;
}

/* The claim is about this column: it has the change that was claimed, whatever its sign; old tables
 * print it without decimals. */
static bool is_claimed(const struct submission *s, const struct mail_setup *claim)
{
	const struct summary_in *k = cell_of(s, claim->metric);

	if (!k || !k->printed_base)
		return false;
	if (!claim->commit)
		return fabs(fabs(k->printed_change) - fabs(claim->change)) < TENTH;
	return s->commit.is_hex && mail_same_commit(claim->commit, s->commit.id) &&
	       fabs(fabs(k->printed_change) - fabs(claim->change)) < HALF;
}

/* The sign of a claim without one: a fall of what should be high is a regression. */
static double signed_change(const struct mail_setup *claim)
{
	struct metric_facts f = metric_facts_of(claim->metric);
	bool is_bad = claim->verdict && strcmp(claim->verdict, "regression") == 0;
	bool is_good = claim->verdict && strcmp(claim->verdict, "improvement") == 0;

	if (claim->is_signed || f.direction == DIRECTION_NONE || (!is_bad && !is_good))
		return claim->change;
	return (f.direction == DIRECTION_HIGHER) == is_good ? fabs(claim->change)
							    : -fabs(claim->change);
}

static void set_headline(struct mail *m, struct submission *s, const struct mail_setup *claim,
			 double change, const char *base)
{
	struct arena *a = import_room(m->in);

	s->headline = (struct headline_in){.given = true,
					   .metric = arena_str(a, claim->metric),
					   .base = base,
					   .verdict = arena_str(a, claim->verdict),
					   .change_pct = change};
}

static bool claim_is_new(struct mail *m, const struct mail_setup *claim)
{
	uint64_t h = hash_bytes(claim->metric, strlen(claim->metric));

	h = h * 31 + hash_bytes(&claim->change, sizeof(claim->change));
	if (claim->commit)
		h = h * 31 + hash_bytes(claim->commit,
					strlen(claim->commit) < 10 ? strlen(claim->commit) : 10);
	return mail_seen_add(m->seen, h);
}

void mail_store_claims(struct mail *m, size_t first)
{
	for (size_t i = 0; i < m->nsetups; i++) {
		const struct mail_setup *claim = &m->setups[i];
		struct submission *to = NULL;
		struct mail_commit k;
		struct pair *axes;
		size_t naxes;

		if (!claim->metric || !claim_is_new(m, claim))
			continue;
		for (size_t s = first; s < m->in->n && !to; s++) {
			if (!m->in->subs[s].headline.given && is_claimed(&m->in->subs[s], claim))
				to = &m->in->subs[s];
		}
		if (to) {
			const struct summary_in *cell = cell_of(to, claim->metric);

			set_headline(m, to, claim,
				     claim->is_signed ? claim->change : cell->printed_change,
				     cell->printed_base);
			continue;
		}
		if (!claim->commit)
			continue;
		k = mail_commit_resolve(m, claim->commit);
		if (!k.name)
			continue;
		mail_setup_axes(m, claim, &axes, &naxes);
		set_headline(m, mail_submission(m, &k, axes, naxes, claim, claim->machine), claim,
			     signed_change(claim), NULL);
	}
}

/* A patch under test, else the commit of the report, else the last column. */
static struct submission *warned(struct mail *m, size_t first)
{
	struct submission *last = NULL, *about = NULL;

	for (size_t i = first; i < m->in->n; i++) {
		struct submission *s = &m->in->subs[i];

		if (s->commit.label && strstr(s->commit.label, "patch"))
			return s;
		if (!about && m->nsetups && m->setups[0].commit && s->commit.is_hex &&
		    mail_same_commit(m->setups[0].commit, s->commit.id))
			about = s;
		last = s;
	}
	return about ? about : last;
}

void mail_store_warnings(struct mail *m, size_t first)
{
	struct arena *a = import_room(m->in);
	struct submission *s = m->nwarnings ? warned(m, first) : NULL;
	struct warning *copy;

	if (!s)
		return;
	copy = arena_array(a, struct warning, m->nwarnings);
	for (size_t i = 0; i < m->nwarnings; i++) {
		copy[i] = m->warnings[i];
		copy[i].file = arena_str(a, copy[i].file);
		copy[i].message = arena_str(a, copy[i].message);
	}
	s->commit.build.given = true;
	s->commit.build.warnings = copy;
	s->commit.build.nwarnings = m->nwarnings;
}
