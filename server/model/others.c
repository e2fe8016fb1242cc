/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What several machines say together. One word at most: who wants to know more reads the small
 * table. Only what is called changed counts as a change elsewhere; a suspect confirms nothing.
 */
#include "server/model/others.h"

#include <math.h>

#include "server/base/arena.h"

const char *joint_name(enum joint j)
{
	static const char *const names[] = {
		[JOINT_NONE] = NULL,
		[JOINT_CONFIRMED] = "confirmed",
		[JOINT_CONTRADICTED] = "contradicted",
		[JOINT_ONLY_HERE] = "only here",
		[JOINT_NOT_MEASURED] = "not measured",
	};

	return names[j];
}

static int sign_of(double v)
{
	return (v > 0) - (v < 0);
}

int cell_way(const struct metric *m, const struct cell *base, const struct cell *c)
{
	if (!c->judged)
		return 0;
	if (c->show_printed && c->summary) {
		bool turned = c->summary->printed == PRINTED_PCT && base->mean < 0;

		return sign_of(c->summary->printed_change) * (turned ? -1 : 1);
	}
	if (m->facts.kind == KIND_FUNCTIONAL)
		return sign_of(c->reproduction_pct);
	return sign_of(c->change_abs);
}

/* 1: as here, -1: the other way, 0: it did not change there. */
static int agrees(const struct metric *m, const struct other *o, const struct cell *base,
		  const struct cell *c)
{
	enum verdict v = o->now->verdict;

	if (c->verdict == VERDICT_FAILED || v == VERDICT_FAILED)
		return c->verdict == v;
	if (v != VERDICT_REGRESSION && v != VERDICT_IMPROVEMENT && v != VERDICT_CHANGED)
		return 0;
	return cell_way(m, o->base, o->now) * cell_way(m, base, c);
}

static bool suspects(const struct metric *m, const struct other *o, const struct cell *base,
		     const struct cell *c)
{
	return o->now->verdict == VERDICT_SUSPECT &&
	       cell_way(m, o->base, o->now) * cell_way(m, base, c) > 0;
}

static bool is_measured(const struct other *o)
{
	return o->now && o->now->verdict != VERDICT_NO_DATA;
}

/* Machines among the first n of the list with said[i] == want, each once. */
static size_t count_machines(const struct others *o, const int *said, int want)
{
	size_t count = 0;

	for (size_t i = 0; i < o->n; i++) {
		bool again = false;

		if (said[i] != want)
			continue;
		for (size_t k = 0; k < i && !again; k++)
			again = said[k] == want && strcmp(o->list[k].series->tbox_group,
							  o->list[i].series->tbox_group) == 0;
		count += !again;
	}
	return count;
}

void others_join(struct others *o, const struct metric *m, const struct cell *base,
		 const struct cell *c)
{
	int said[OTHERS_MAX], measured[OTHERS_MAX], suspect[OTHERS_MAX];

	o->reported = true;
	for (size_t i = 0; i < o->n; i++) {
		measured[i] = is_measured(&o->list[i]);
		said[i] = measured[i] ? agrees(m, &o->list[i], base, c) : 0;
		suspect[i] = measured[i] && suspects(m, &o->list[i], base, c);
	}
	o->measured = count_machines(o, measured, 1);
	o->confirmed = count_machines(o, said, 1);
	o->contradicted = count_machines(o, said, -1);
	o->suspected = count_machines(o, suspect, 1);
	if (!verdict_is_change(c->verdict))
		o->joint = JOINT_NONE;
	else if (o->confirmed)
		o->joint = JOINT_CONFIRMED;
	else if (o->contradicted)
		o->joint = JOINT_CONTRADICTED;
	else
		o->joint = o->measured ? JOINT_ONLY_HERE : JOINT_NOT_MEASURED;
	for (size_t i = 0; i < o->n; i++)
		if (said[i] == (o->confirmed ? 1 : -1))
			o->reported &= o->list[i].now->reported;
	o->reported &= o->confirmed || o->contradicted;
}

static const char *machines(struct arena *a, size_t n)
{
	return arena_fmt(a, "%zu other machine%s", n, n == 1 ? "" : "s");
}

const char *others_words(struct arena *a, const struct others *o)
{
	const char *reported = o->reported ? ", as reported" : "";

	switch (o->joint) {
	case JOINT_CONFIRMED:
		return arena_fmt(a, "confirmed on %zu of %s%s", o->confirmed,
				 machines(a, o->measured), reported);
	case JOINT_CONTRADICTED:
		return arena_fmt(a, "the other way on %zu of %s%s", o->contradicted,
				 machines(a, o->measured), reported);
	case JOINT_ONLY_HERE:
		if (o->suspected)
			return arena_fmt(a, "only here, but suspect on %zu of %s", o->suspected,
					 machines(a, o->measured));
		return arena_fmt(a, "only here, not on %s", machines(a, o->measured));
	case JOINT_NOT_MEASURED:
		return o->more ? "other machines were not looked at"
			       : "not measured on other machines";
	case JOINT_NONE:
		break;
	}
	return NULL;
}

static size_t past_machine_axes(const struct series *s, size_t i)
{
	while (i < s->naxes && axis_class_of(s->axes[i].name) == AXIS_MACHINE)
		i++;
	return i;
}

bool series_is_peer(const struct series *a, const struct series *b)
{
	size_t i = past_machine_axes(a, 0), k = past_machine_axes(b, 0);

	if (strcmp(a->tbox_group, b->tbox_group) == 0)
		return false;
	while (i < a->naxes && k < b->naxes) {
		if (strcmp(a->axes[i].name, b->axes[k].name) != 0 ||
		    strcmp(a->axes[i].value, b->axes[k].value) != 0)
			return false;
		i = past_machine_axes(a, i + 1);
		k = past_machine_axes(b, k + 1);
	}
	return i == a->naxes && k == b->naxes;
}

struct cell *cell_keep(struct arena *a, const struct cell *c)
{
	struct cell *kept = arena_copy(a, c, sizeof(*c));

	kept->values = NULL;
	kept->rule = NULL;
	kept->reason = arena_str(a, c->reason);
	if (c->summary) {
		struct summary_cell *s = arena_copy(a, c->summary, sizeof(*s));

		s->printed_base = arena_str(a, s->printed_base);
		kept->summary = s;
	}
	return kept;
}
