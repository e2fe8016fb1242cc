/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "same.h"

#include <math.h>
#include <string.h>

#include "fuzz.h"

/* Each compares one field of a and b, and names it. */
#define TEXT(field)                                                                                \
	must(!a->field == !b->field && (!a->field || !strcmp(a->field, b->field)), "%s and %s",    \
	     a->field ? a->field : "none", b->field ? b->field : "none")
#define WHOLE(field)                                                                               \
	must(a->field == b->field, "%lld and %lld", (long long)a->field, (long long)b->field)
/* Also the sign of 0. */
#define REAL(field)                                                                                \
	must(isnan(a->field) ? isnan(b->field) : !memcmp(&a->field, &b->field, sizeof(double)),    \
	     "%a and %a", a->field, b->field)

static void same_pairs(const struct pair *x, const struct pair *y, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct pair *a = &x[i], *b = &y[i];

		TEXT(name);
		TEXT(value);
	}
}

static void same_person(const struct person *a, const struct person *b)
{
	TEXT(name);
	TEXT(email);
	WHOLE(date);
}

static void same_build(const struct build_in *x, const struct build_in *y)
{
	const struct build_in *a = x, *b = y;

	WHOLE(given);
	TEXT(config);
	TEXT(compiler);
	TEXT(status);
	WHOLE(nwarnings);
	for (size_t i = 0; i < x->nwarnings; i++) {
		const struct warning *v = &x->warnings[i], *w = &y->warnings[i];

		must(!v->file == !w->file && (!v->file || !strcmp(v->file, w->file)));
		must(!strcmp(v->message, w->message) && v->line == w->line &&
		     v->column == w->column);
	}
}

static void same_commit(const struct commit_in *a, const struct commit_in *b)
{
	TEXT(id);
	WHOLE(is_hex);
	TEXT(subject);
	TEXT(message);
	TEXT(tree);
	TEXT(label);
	same_person(&a->author, &b->author);
	same_person(&a->committer, &b->committer);
	WHOLE(date);
	WHOLE(nparents);
	for (size_t i = 0; i < a->nparents; i++)
		TEXT(parents[i]);
	WHOLE(patch.given);
	TEXT(patch.message_id);
	TEXT(patch.base);
	TEXT(patch.diff);
	WHOLE(patch.version);
	WHOLE(patch.index);
	WHOLE(patch.total);
	same_build(&a->build, &b->build);
}

static void same_run(const struct run_in *a, const struct run_in *b)
{
	WHOLE(names->n);
	for (size_t i = 0; i < a->names->n; i++) {
		TEXT(names->names[i]);
		REAL(values[i]);
	}
}

static void same_cell(const struct summary_in *a, const struct summary_in *b)
{
	TEXT(metric);
	REAL(mean);
	REAL(stddev);
	REAL(stddev_pct);
	REAL(min);
	REAL(max);
	WHOLE(n);
	WHOLE(fails);
	WHOLE(runs);
	WHOLE(printed);
	TEXT(printed_base);
	if (a->printed_base)
		REAL(printed_change);
}

static void same_distribution(const struct distribution_in *a, const struct distribution_in *b)
{
	TEXT(metric);
	TEXT(unit);
	REAL(mean);
	REAL(stddev);
	REAL(min);
	REAL(max);
	WHOLE(n);
	WHOLE(npercentiles);
	for (size_t i = 0; i < a->npercentiles; i++) {
		TEXT(percentiles[i].name);
		REAL(percentiles[i].value);
	}
	WHOLE(nbuckets);
	for (size_t i = 0; i < a->nbuckets; i++) {
		REAL(buckets[i].le);
		WHOLE(buckets[i].count);
	}
}

static void same_notes(const struct submission *a, const struct submission *b)
{
	WHOLE(report.given);
	TEXT(report.message_id);
	TEXT(report.subject);
	TEXT(report.url);
	WHOLE(report.date);
	WHOLE(headline.given);
	TEXT(headline.metric);
	TEXT(headline.base);
	TEXT(headline.verdict);
	if (a->headline.given)
		REAL(headline.change_pct);
}

void same_submission(const struct submission *a, const struct submission *b)
{
	TEXT(key);
	WHOLE(key_given);
	must(!memcmp(&a->content, &b->content, sizeof(a->content)));
	WHOLE(naxes);
	same_pairs(a->axes, b->axes, a->naxes);
	TEXT(testcase);
	TEXT(tbox_group);
	same_commit(&a->commit, &b->commit);
	WHOLE(started);
	WHOLE(status);
	WHOLE(ninfo);
	same_pairs(a->info, b->info, a->ninfo);
	TEXT(boot);
	TEXT(replaces);
	WHOLE(kind);
	WHOLE(nruns);
	for (size_t i = 0; i < a->nruns; i++)
		same_run(&a->runs[i], &b->runs[i]);
	WHOLE(ncells);
	for (size_t i = 0; i < a->ncells; i++)
		same_cell(&a->cells[i], &b->cells[i]);
	WHOLE(ndistributions);
	for (size_t i = 0; i < a->ndistributions; i++)
		same_distribution(&a->distributions[i], &b->distributions[i]);
	WHOLE(nunits);
	same_pairs(a->units, b->units, a->nunits);
	same_notes(a, b);
}
