/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stores what a copy of a store brings besides submissions. A file finds its run by the place in
 * the submission, since numbers of runs may differ here. What is here already is left alone, so
 * that the same copy can be imported again.
 */
#include "server/import_aside.h"

#include "db/tokens.h"
#include "db/writer.h"
#include "server/base/clock.h"

#define WHO         "command line"
#define SAME_MOMENT 1000 /* events of one machine at one second that are looked through */

struct storing_aside {
	struct job job; /* first */
	const struct import_aside *f;
	struct artifact_in in;
	bool known;
};

/* --- a file --- */

static int check_file(struct ctx *c, struct storing_aside *s)
{
	const struct import_aside *f = s->f;
	struct artifact kept;
	int e = artifact_find_run(c, f->series, f->key, f->position, &s->in.run_id);

	if (e < 0)
		return e;
	if (!s->in.run_id)
		return fail(c, E_NOTFOUND, "the run of \"%.100s\" is not here", f->name);
	if (!f->file.data && (e = artifact_get(c, &f->file.digest, &kept)) < 0)
		return e;
	s->in.name = f->name;
	s->in.file = f->file;
	s->in.who = WHO;
	return artifact_check(c, &s->in);
}

/* --- a machine --- */

/* The later word counts. */
static int check_machine(struct ctx *c, struct storing_aside *s)
{
	struct machine m;
	int e = machine_get(c, s->f->machine.name, &m);

	if (e == E_NOTFOUND) {
		ctx_clear(c);
		return E_OK;
	}
	s->known = e >= 0 && m.changed != TIME_NONE && m.changed >= s->f->received;
	return e;
}

static int store_machine(struct ctx *c, const struct import_aside *f)
{
	const struct machine_change change = {
		.sets_description = true,
		.sets_every = true,
		.description = f->machine.description,
		.state = f->machine.state,
		.expect_every = f->machine.expect_every,
	};

	return machine_write(c, f->machine.name, &change, 0, WHO, f->received);
}

/* --- an event --- */

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static int check_event(struct ctx *c, struct storing_aside *s)
{
	const struct event *k = &s->f->event;
	struct event *list;
	size_t n;
	int e = event_range(c, k->machine, k->at, k->at, SAME_MOMENT, &list, &n);

	for (size_t i = 0; e >= 0 && i < n; i++)
		s->known |= list[i].created == s->f->received && !strcmp(list[i].key, k->key) &&
			    same_text(list[i].old_value, k->old_value) &&
			    same_text(list[i].new_value, k->new_value) &&
			    same_text(list[i].note, k->note);
	return e;
}

/* --- one job for each --- */

static int check(struct ctx *c, struct job *j)
{
	struct storing_aside *s = (struct storing_aside *)j;

	s->known = false;
	if (s->f->kind == ASIDE_FILE)
		return check_file(c, s);
	return s->f->kind == ASIDE_MACHINE ? check_machine(c, s) : check_event(c, s);
}

static int store(struct ctx *c, struct job *j)
{
	struct storing_aside *s = (struct storing_aside *)j;
	const struct import_aside *f = s->f;
	int64_t token_id = 0, id;
	int e = E_OK;

	if (s->known)
		return E_OK;
	if (f->by)
		e = token_stand_in(c, f->by, f->received, &token_id);
	if (e < 0)
		return e;
	if (f->kind == ASIDE_MACHINE)
		return store_machine(c, f);
	if (f->kind == ASIDE_EVENT)
		return event_tell(c, &f->event, token_id, f->by ? f->by : WHO, f->received, &id);
	s->in.token_id = token_id;
	return artifact_store(c, &s->in, f->received);
}

int import_aside_store(struct ctx *c, struct writer *w, const struct import_aside *f)
{
	struct storing_aside s = {
		.job = {.check = check, .store = store, .ctx = c, .weight = f->file.ndata},
		.f = f,
	};

	return writer_run(w, &s.job);
}
