/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file of more than INTAKE_WHOLE_MAX bytes: its submissions are stored as they come, in one
 * transaction, and all taken back when something in it is wrong; a dry run prints what came before
 * that.
 */
#include "server/base/clock.h"
#include "server/import_file.h"
#include "server/model/intake_stream.h"
#include "server/say.h"

static int print_next(struct ctx *c, const struct submission *s, void *arg)
{
	struct importing *m = arg;

	m->created++;
	return import_print(c, s);
}

static void count_none(void *arg)
{
	struct importing *m = arg;

	m->large_created = m->large_duplicates = 0;
}

static int count_next(struct ctx *c, const struct accepted *k, void *arg)
{
	struct importing *m = arg;

	(void)c;
	if (k->duplicate)
		m->large_duplicates++;
	else
		m->large_created++;
	return E_OK;
}

static int store(struct importing *m, const struct intake_bytes *from)
{
	const struct uploader by = {.now = clock_now()};
	struct intake_stream t;
	int e;

	intake_stream(&t, from, &by);
	t.begin = count_none;
	t.stored = count_next;
	t.arg = m;
	e = import_run_job(m, &t.job);
	if (t.refused) {
		import_refuse_file(m, t.seen);
		return E_OK;
	}
	if (e < 0)
		return import_give_up(m, e);
	m->created += m->large_created;
	m->duplicates += m->large_duplicates;
	return E_OK;
}

int import_large(struct importing *m, const struct importer *format, const char *p, size_t n)
{
	const struct intake_eye eye = {.each = print_next, .arg = m};
	const struct import defaults = m->in;
	char remark[INTAKE_REMARK_MAX] = "";
	const struct intake_bytes from = {format, &defaults, p, n, remark};
	const size_t refused = m->refused;
	int e = E_OK;

	if (!m->dry_run)
		e = store(m, &from);
	else if (intake_look(&m->ctx, &from, &eye) < 0)
		import_refuse_file(m, 0);
	if (*remark && m->refused == refused)
		say("%s: %s", m->file, remark);
	return e;
}
