/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of other systems (tests/data/field) through their importers; for tests. Included after
 * cmocka.h. What raw_lab.h has for values, units, axes and info holds here too. */
#ifndef TESTS_FIELD_LAB_H
#define TESTS_FIELD_LAB_H

#include "raw_lab.h"

/* The request names only what stands in axes ("name=value", NULL at the end), and the commit if
 * there is one. */
static int field_run(struct raw *r, const char *format, const char *bytes, size_t n,
		     const char *const *axes, const char *commit)
{
	static struct pair pairs[4];
	static char text[4][64];
	const struct importer *i = importer_find(format);
	size_t count = 0;

	assert_non_null(i);
	ctx_init(&r->ctx, arena_new(), NULL);
	for (; axes && axes[count]; count++) {
		snprintf(text[count], sizeof(text[count]), "%s", axes[count]);
		pairs[count].value = strchr(text[count], '=') + 1;
		*strchr(text[count], '=') = '\0';
		pairs[count].name = text[count];
	}
	r->in = (struct import){
		.ctx = &r->ctx, .axes = pairs, .naxes = count, .commit = commit, .source = "f"};
	return i->run(&r->in, bytes, n);
}

__attribute__((unused)) static void field_read(struct raw *r, const char *format, const char *file,
					       const char *const *axes, const char *commit)
{
	char path[100];
	int e;

	snprintf(path, sizeof(path), "../field/%s", file);
	r->bytes = raw_load(path, &r->n);
	e = field_run(r, format, r->bytes, r->n, axes, commit);
	if (e != E_OK)
		print_error("%s: %s\n", file, r->ctx.detail);
	for (size_t i = 0; e != E_OK && i < r->ctx.nfaults; i++)
		print_error("%s: %s\n", r->ctx.faults[i].path, r->ctx.faults[i].message);
	assert_int_equal(e, E_OK);
}

/* A text that must be refused with a fault at the place, whose message holds the words. */
__attribute__((unused)) static void field_refused(const char *format, const char *text,
						  const char *const *axes, const char *commit,
						  const char *place, const char *words)
{
	struct raw r = {0};
	bool found = false;

	assert_true(field_run(&r, format, text, strlen(text), axes, commit) != E_OK);
	for (size_t i = 0; i < r.ctx.nfaults; i++)
		found = found || (!strcmp(r.ctx.faults[i].path, place) &&
				  strstr(r.ctx.faults[i].message, words));
	found = found || (!*place && strstr(r.ctx.detail, words));
	if (!found)
		print_error("no \"%s: %s\" in: %s\n", place, words, r.ctx.detail);
	for (size_t i = 0; !found && i < r.ctx.nfaults; i++)
		print_error("%s: %s\n", r.ctx.faults[i].path, r.ctx.faults[i].message);
	assert_true(found);
	raw_end(&r);
}

/* A text that must be taken. */
__attribute__((unused)) static void field_taken(struct raw *r, const char *format, const char *text,
						const char *const *axes, const char *commit)
{
	int e;

	*r = (struct raw){0};
	e = field_run(r, format, text, strlen(text), axes, commit);
	if (e != E_OK)
		print_error("%s\n", r->ctx.detail);
	for (size_t i = 0; i < r->ctx.nfaults; i++)
		print_error("%s: %s\n", r->ctx.faults[i].path, r->ctx.faults[i].message);
	assert_int_equal(e, E_OK);
}

/* The mean of a summary's metric; NAN: it has none. */
__attribute__((unused)) static const struct summary_in *field_cell(const struct raw *r, size_t sub,
								   const char *metric)
{
	const struct submission *s = &r->in.subs[sub];

	assert_in_range(sub, 0, r->in.n - 1);
	for (size_t i = 0; i < s->ncells; i++) {
		if (!strcmp(s->cells[i].metric, metric))
			return &s->cells[i];
	}
	raw_fail("no summary of %s", metric);
	return NULL;
}

/* Which submission has the axis; all its runs are counted. */
__attribute__((unused)) static size_t field_find(const struct raw *r, const char *axis,
						 const char *value, const char *commit)
{
	for (size_t i = 0; i < r->in.n; i++) {
		if (!strcmp(raw_axis(r, i, axis), value) &&
		    (!commit || !strcmp(r->in.subs[i].commit.id, commit)))
			return i;
	}
	raw_fail("no submission with %s=%s", axis, value);
	return 0;
}

#endif
