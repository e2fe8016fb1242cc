/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events: told by hand, or seen by the writer when a machine says something else of itself than
 * before. Per machine, host and key machine_fact has a row for each value that followed another,
 * with the first and (to the hour) last time at which it was said; the rows after the first have an
 * event. Uploads come in any order: an earlier one may show that a change was earlier than known,
 * or that there were two where one was seen. In the common case, nothing new, a key costs one look
 * into an index.
 *
 * A command line names kernel and job, which are others each time: such words are not compared.
 */
#include "db/events.h"

#include "db/submission.h"
#include "db/tokens.h"
#include "server/base/arena.h"
#include "server/base/clock.h"

#define LAST_EVERY 3600 /* how often the last time is written anew */

SQL(event_insert, "INSERT INTO event (machine, at, key, old, new, note, token_id, created)"
		  " VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING event_id")

static int insert_event(struct ctx *c, const struct event *k, int64_t token_id, int64_t now,
			int64_t *id)
{
	auto_stmt struct stmt *st = db_stmt(c, &event_insert);

	bind_text(st, 1, k->machine);
	bind_int(st, 2, k->at);
	bind_text(st, 3, k->key);
	bind_text(st, 4, k->old_value);
	bind_text(st, 5, k->new_value);
	bind_text(st, 6, k->note);
	if (token_id > 0)
		bind_int(st, 7, token_id);
	else
		bind_null(st, 7);
	bind_int(st, 8, now);
	if (stmt_step(st) == STMT_ROW)
		*id = col_int(st, 0);
	return stmt_status(st);
}

int event_tell(struct ctx *c, const struct event *event, int64_t token_id, const char *who,
	       int64_t now, int64_t *id)
{
	int e = insert_event(c, event, token_id, now, id);

	return e < 0 ? e
		     : audit_add(c, now, token_id, who, "event",
				 arena_fmt(c->arena, "event %lld", (long long)*id),
				 arena_fmt(c->arena, "%.200s: %.200s", event->machine, event->key));
}

/* --- facts --- */

/* A value that a key had for a while. */
struct fact {
	int64_t since, last, event_id; /* event_id 0: none */
	const char *value;             /* NULL: there is no such row */
};

/* What is said now. */
struct saying {
	struct ctx *c;
	const char *machine, *host, *key, *value;
	int64_t at, now;
};

#define FACT_ROW                                                                                   \
	"SELECT since, last, event_id, value FROM machine_fact"                                    \
	" WHERE machine = $1 AND host = $2 AND key = $3"
SQL(fact_before, FACT_ROW " AND since <= $4 ORDER BY since DESC LIMIT 1")
SQL(fact_after, FACT_ROW " AND since > $4 ORDER BY since LIMIT 1")

static void bind_key(struct stmt *st, const struct saying *s, int64_t since)
{
	bind_text(st, 1, s->machine);
	bind_text(st, 2, s->host);
	bind_text(st, 3, s->key);
	bind_int(st, 4, since);
}

static int find_fact(const struct saying *s, const struct sql *sql, struct fact *out)
{
	auto_stmt struct stmt *st = db_stmt(s->c, sql);

	*out = (struct fact){.value = NULL};
	bind_key(st, s, s->at);
	if (stmt_step(st) == STMT_ROW)
		*out = (struct fact){
			.since = col_int(st, 0),
			.last = col_int(st, 1),
			.event_id = col_null(st, 2) ? 0 : col_int(st, 2),
			.value = col_text(st, 3),
		};
	return stmt_status(st);
}

SQL(fact_insert, "INSERT INTO machine_fact (machine, host, key, since, last, value, event_id)"
		 " VALUES ($1, $2, $3, $4, $5, $6, $7)")

/* The value from since on; with an event when another came before it. */
static int add_fact(const struct saying *s, int64_t since, int64_t last, const char *value,
		    const char *before)
{
	int64_t event_id = 0;
	int e = E_OK;

	if (before) {
		const struct event k = {
			.machine = s->machine,
			.at = since,
			.key = s->key,
			.old_value = before,
			.new_value = value,
			.note = *s->host ? arena_fmt(s->c->arena, "on %.200s", s->host) : NULL,
		};

		e = insert_event(s->c, &k, 0, s->now, &event_id);
	}
	if (e < 0)
		return e;
	auto_stmt struct stmt *st = db_stmt(s->c, &fact_insert);
	bind_key(st, s, since);
	bind_int(st, 5, last);
	bind_text(st, 6, value);
	if (event_id)
		bind_int(st, 7, event_id);
	else
		bind_null(st, 7);
	return stmt_run(st);
}

SQL(fact_set_last, "UPDATE machine_fact SET last = $5"
		   " WHERE machine = $1 AND host = $2 AND key = $3 AND since = $4")
SQL(fact_set_since, "UPDATE machine_fact SET since = $5"
		    " WHERE machine = $1 AND host = $2 AND key = $3 AND since = $4")
SQL(event_set_at, "UPDATE event SET at = $2 WHERE event_id = $1")
SQL(event_set_old, "UPDATE event SET old = $2 WHERE event_id = $1")
SQL(fact_set_event, "UPDATE machine_fact SET event_id = $5"
		    " WHERE machine = $1 AND host = $2 AND key = $3 AND since = $4")

static int set_fact(const struct saying *s, const struct sql *sql, int64_t since, int64_t value)
{
	auto_stmt struct stmt *st = db_stmt(s->c, sql);

	bind_key(st, s, since);
	bind_int(st, 5, value);
	return stmt_run(st);
}

/* It held already earlier than was known. */
static int begin_earlier(const struct saying *s, const struct fact *next)
{
	int e = set_fact(s, &fact_set_since, next->since, s->at);

	if (e < 0 || !next->event_id)
		return e;
	auto_stmt struct stmt *st = db_stmt(s->c, &event_set_at);
	bind_int(st, 1, next->event_id);
	bind_int(st, 2, s->at);
	return stmt_run(st);
}

/* The value after ours changed from ours, not from what was known. */
static int follow(const struct saying *s, const struct fact *next)
{
	const struct event k = {.machine = s->machine,
				.at = next->since,
				.key = s->key,
				.old_value = s->value,
				.new_value = next->value};
	int64_t id;
	int e;

	if (next->event_id) {
		auto_stmt struct stmt *st = db_stmt(s->c, &event_set_old);

		bind_int(st, 1, next->event_id);
		bind_text(st, 2, s->value);
		return stmt_run(st);
	}
	e = insert_event(s->c, &k, 0, s->now, &id);
	return e < 0 ? e : set_fact(s, &fact_set_event, next->since, id);
}

/* Another value than before. */
static int change(const struct saying *s, const struct fact *before)
{
	struct fact next;
	int e = find_fact(s, &fact_after, &next);

	if (e < 0)
		return e;
	if (before->value && before->since == s->at)
		return E_OK; /* two at once: the first word counts */
	if (before->value && before->last > s->at) {
		/* the value before was said again later */
		e = add_fact(s, s->at, s->at, s->value, before->value);
		if (e >= 0)
			e = add_fact(s, before->last, before->last, before->value, s->value);
		return e < 0 ? e : set_fact(s, &fact_set_last, before->since, before->since);
	}
	if (next.value && !strcmp(next.value, s->value))
		return begin_earlier(s, &next);
	e = add_fact(s, s->at, s->at, s->value, before->value);
	return e < 0 || !next.value ? e : follow(s, &next);
}

static int note_fact(const struct saying *s)
{
	struct fact before;
	int e = find_fact(s, &fact_before, &before);

	if (e < 0)
		return e;
	if (!before.value || strcmp(before.value, s->value) != 0)
		return change(s, &before);
	if (s->at - before.last < LAST_EVERY)
		return E_OK;
	return set_fact(s, &fact_set_last, before.since, s->at);
}

static const char *const fact_keys[] = {
#define FACT(key) key,
#define VARIES(begin)
#include "db/machine_facts.def"
#undef FACT
#undef VARIES
};

static bool is_fact(const char *name)
{
	for (size_t i = 0; i < sizeof(fact_keys) / sizeof(fact_keys[0]); i++)
		if (!strcmp(fact_keys[i], name))
			return true;
	return false;
}

/* Words of a command line that are others for each kernel or each job. */
static bool varies(const char *word, size_t n)
{
	static const char *const begins[] = {
#define FACT(key)
#define VARIES(begin) begin,
#include "db/machine_facts.def"
#undef FACT
#undef VARIES
	};

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (n >= strlen(begins[i]) && !strncmp(word, begins[i], strlen(begins[i])))
			return true;
	return false;
}

/* The words of a command line that stay, with one space between them. */
static const char *steady_words(struct arena *a, const char *line)
{
	char *text = arena_alloc(a, strlen(line) + 1);
	size_t len = 0;

	for (const char *p = line; *p;) {
		size_t n = strcspn(p, " \t");

		if (n && !varies(p, n)) {
			if (len)
				text[len++] = ' ';
			memcpy(text + len, p, n);
			len += n;
		}
		p += n;
		p += strspn(p, " \t");
	}
	text[len] = '\0';
	return text;
}

int event_note_facts(struct ctx *c, const char *machine, const struct pair *info, size_t ninfo,
		     int64_t at, int64_t now)
{
	struct saying s = {.c = c, .machine = machine, .host = "", .at = at, .now = now};
	int e = E_OK;

	for (size_t i = 0; i < ninfo; i++)
		if (!strcmp(info[i].name, "hostname"))
			s.host = info[i].value;
	for (size_t i = 0; i < ninfo && e >= 0; i++) {
		if (!*info[i].value || !is_fact(info[i].name))
			continue;
		s.key = info[i].name;
		s.value = strstr(s.key, "cmdline") ? steady_words(c->arena, info[i].value)
						   : info[i].value;
		if (*s.value)
			e = note_fact(&s);
	}
	return e;
}
