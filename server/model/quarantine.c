/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Verdicts of quarantined machines. What is the same, or has no data, stays as it is. */
#include "server/model/quarantine.h"

#include "server/base/arena.h"

static void hold_cell(struct arena *a, const char *machine, struct cell *k)
{
	if (!verdict_is_change(k->verdict))
		return;
	k->verdict = VERDICT_SUSPECT;
	k->reason = arena_fmt(a, "not judged, %s is quarantined%s%s", machine,
			      k->reason ? ": " : "", k->reason ? k->reason : "");
}

/* The weightiest of its cells. */
static enum verdict row_verdict(const struct comparison_row *row, size_t ncols)
{
	enum verdict v = VERDICT_NO_DATA;

	for (size_t i = 0; i < ncols; i++)
		if (verdict_weight(row->cells[i].verdict) > verdict_weight(v))
			v = row->cells[i].verdict;
	return v;
}

int quarantine_hold(struct ctx *c, const char *machine, struct comparison *cmp, size_t col,
		    const char **which)
{
	bool is;
	int e = machine_is_quarantined(c, machine, &is);

	if (e < 0 || !is)
		return e;
	*which = machine;
	for (size_t i = 0; i < cmp->nrows; i++) {
		hold_cell(c->arena, machine, &cmp->rows[i].cells[col]);
		cmp->rows[i].verdict = row_verdict(&cmp->rows[i], cmp->ncols);
	}
	return E_OK;
}
