/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Report mails of the kernel test robot, and people's replies to them: a mailbox, one mail, a text
 * or page saved from an archive. Mailboxes are read mail by mail, and what is found in one is
 * handed on before the next, so memory goes by the largest mail; of all others a few bytes a cell
 * are kept, by which it is known again. What is printed is kept as printed; a table that is quoted
 * again is taken once. Where nothing in the bytes is a table, that is the fault.
 */
#include "importers/robot_mail.h"

#include <limits.h>

#include "importers/formats.h"
#include "server/base/arena.h"
#include "server/base/clock.h"

#define SNIFFED ((size_t)64 << 10)

/* "From someone Thu Jan  1 00:00:00 1970" after an empty line, with a field below it. */
static bool begins_mail(const char *p, const char *end)
{
	const char *next;

	if (end - p < 6 || memcmp(p, "From ", 5) != 0)
		return false;
	next = memchr(p, '\n', (size_t)(end - p));
	if (!next || next - p > 400)
		return false;
	next++;
	for (const char *q = next; q < end && q - next < 80; q++) {
		if (*q == ':')
			return q > next;
		if (*q <= ' ')
			return *q == ' ' && next[0] == '>'; /* ">From " of old mailers */
	}
	return false;
}

/* Where the mail that begins at p ends. */
static const char *end_of_mail(const char *p, const char *end)
{
	for (;;) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));

		if (!stop)
			return end;
		p = stop + 1;
		if (p < end && *p == '\r')
			p++;
		if (end - p > 6 && *p == '\n' && begins_mail(p + 1, end))
			return p + 1;
	}
}

bool mail_is_full(struct mail *m)
{
	if (!m->excess && arena_used(m->a) > MAIL_MEMORY_MAX)
		m->excess = "is too large: no report has that many lines or rows";
	return m->excess != NULL;
}

static void read_lines(struct mail *m)
{
	mail_facts_read(m);
	mail_tables_read(m);
	mail_samples_read(m);
}

static bool has_rows(const struct mail *m)
{
	for (size_t i = 0; i < m->ntables; i++) {
		if (m->tables[i]->nrows)
			return true;
	}
	return m->nsamples > 0;
}

/* The body as it stands, after nothing was found by what the head says of it: mails are kept with
 * the head of all their parts and the text of one, or with a label that was true before somebody
 * decoded them. */
static void read_body(struct mail *m, const char *p, const char *end)
{
	struct mail again = {.in = m->in,
			     .a = m->a,
			     .seen = m->seen,
			     .subject = m->subject,
			     .message_id = m->message_id,
			     .url = m->url,
			     .date = m->date,
			     .excess = m->excess};

	while (p < end && *p != '\n' && *p != '\r') {
		const char *stop = memchr(p, '\n', (size_t)(end - p));

		p = stop ? stop + 1 : end;
	}
	mail_plain_read(&again, p, (size_t)(end - p));
	read_lines(&again);
	if (has_rows(&again))
		*m = again;
}

/* What the mails of this import come to. */
struct reading {
	struct mail_seen seen;
	struct mail_left left;
	size_t found;
};

/* Adds up what was left out of a mail. */
static void note_left(struct import *in, struct reading *r, const struct mail *m)
{
	if (!m->left.rows && !m->left.columns)
		return;
	if (!r->left.rows && !r->left.columns)
		r->left.subject = arena_str(in->ctx->arena, m->subject);
	r->left.rows += m->left.rows;
	r->left.columns += m->left.columns;
}

static const char *several(struct arena *a, size_t n, const char *what)
{
	return arena_fmt(a, "%zu %s%s", n, what, n == 1 ? "" : "s");
}

/* For people: what of the mails is not in the submissions, and why. */
static void say_left(struct import *in, const struct mail_left *left)
{
	struct arena *a = in->ctx->arena;
	const char *rows, *columns;

	if (!left->rows && !left->columns)
		return;
	rows = left->rows ? arena_fmt(a, "%s of figures under no row of commits",
				      several(a, left->rows, "row"))
			  : "";
	columns = left->columns ? arena_fmt(a, "%s of tables whose head is no commit",
					    several(a, left->columns, "column"))
				: "";
	in->remark = arena_fmt(a, "left out: %s%s%s%s%s%s", rows, *rows && *columns ? ", and " : "",
			       columns, left->subject ? " (first in \"" : "",
			       left->subject ? left->subject : "", left->subject ? "\")" : "");
}

static int read_mail(struct import *in, struct arena *a, struct reading *r, const char *p,
		     const char *end)
{
	struct mail m = {.in = in, .a = a, .seen = &r->seen, .date = TIME_NONE};
	size_t n;

	if (end - p > 5 && memcmp(p, "From ", 5) == 0 && begins_mail(p, end))
		p = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
	n = (size_t)(end - p);
	if (n > MAIL_BYTES_MAX)
		return fail(in->ctx, E_TOO_LARGE, "a mail of more than %zu MiB",
			    MAIL_BYTES_MAX >> 20);
	if (mail_has_head(p, n)) {
		mail_mime_read(&m, p, n);
		read_lines(&m);
		if (!has_rows(&m))
			read_body(&m, p, end);
	} else {
		mail_plain_read(&m, p, n);
		read_lines(&m);
	}
	r->found += mail_store(&m);
	note_left(in, r, &m);
	if (mail_is_full(&m))
		return fault(in->ctx, "", "the mail \"%.100s\" %s", m.subject ? m.subject : "",
			     m.excess);
	return import_take(in);
}

static const char *skip_empty_lines(const char *p, const char *end)
{
	if (end - p >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
		p += 3;
	while (p < end && (*p == '\n' || *p == '\r'))
		p++;
	return p;
}

int import_robot_mail(struct import *in, const char *bytes, size_t n)
{
	const char *end = bytes + n, *p = skip_empty_lines(bytes, end), *next;
	bool is_mailbox = begins_mail(p, end);
	auto_arena struct arena *a = arena_new();
	struct reading r = {0};
	int e = E_OK;

	for (; p < end && e >= 0; p = next) {
		next = is_mailbox ? end_of_mail(p, end) : end;
		e = read_mail(in, a, &r, p, next);
		arena_reset(a);
		if (e >= 0 && in->after_document)
			e = in->after_document(in->after_arg);
	}
	free(r.seen.slots);
	if (e < 0)
		return in->ctx->err;
	say_left(in, &r.left);
	if (!r.found && r.left.rows)
		return fault(in->ctx, "",
			     "%zu rows of figures stand in it, but no row of commits above them: "
			     "it says whose they are, and must be kept",
			     r.left.rows);
	if (!r.found)
		return fault(in->ctx, "",
			     "there is no table of results in it, nor samples of a "
			     "commit");
	if (!import_count(in))
		return fault(in->ctx, "",
			     "its tables name no commit: give --commit ID or commit=ID");
	return E_OK;
}

static bool has(const char *bytes, size_t n, const char *text)
{
	return memmem(bytes, n, text, strlen(text)) != NULL;
}

int robot_mail_sniff(const char *bytes, size_t n)
{
	bool is_mail;

	if (n > SNIFFED)
		n = SNIFFED;
	is_mail = begins_mail(bytes, bytes + n) || mail_has_head(bytes, n);
	if (has(bytes, n, "%stddev") && (has(bytes, n, "change") || has(bytes, n, "fail:runs")))
		return is_mail ? 97 : 90;
	if (has(bytes, n, "fail:runs") && has(bytes, n, "%reproduction"))
		return is_mail ? 97 : 90;
	if (has(bytes, n, "tbox_group/testcase") || has(bytes, n, "kernel test robot"))
		return is_mail ? 90 : 70;
	if (is_mail)
		return 60;
	return mail_is_html(bytes, n) ? 20 : 0;
}
