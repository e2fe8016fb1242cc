/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files and bodies that are too large to be held as submissions: the importer hands each on as soon
 * as it is whole (importers/import.h), and it is looked at, or checked and stored, in memory that
 * the next one uses again. Who wants all or nothing either looks first, or takes all back: the job
 * of the writer runs the importer inside its one transaction.
 */
#ifndef MODEL_INTAKE_STREAM_H
#define MODEL_INTAKE_STREAM_H

#include "importers/import.h"
#include "server/model/intake.h"

/* What is not larger is held as a whole: its faults are all found before the writer has it. */
#define INTAKE_WHOLE_MAX ((size_t)4 << 20)
/* What an importer may hold of a file besides its bytes, where nobody says less: submissions that
 * are not whole yet, and what lasts over the file. */
#define INTAKE_HELD_MAX ((size_t)112 << 20)

struct intake_bytes {
	const struct importer *format;
	const struct import *defaults; /* axes, commit, tree, source, is_copy */
	const char *p;                 /* borrowed, as is all that the defaults point to */
	size_t n;
	char *remark; /* INTAKE_REMARK_MAX bytes for what import.remark says, or ""; NULL */
};
#define INTAKE_REMARK_MAX 500

/* Who looks at what comes. Both may fail, with the failure set in c; that ends the reading. */
struct intake_eye {
	/* s is gone when it returns; c->item is its number where faults carry one */
	int (*each)(struct ctx *c, const struct submission *s, void *arg);
	/* so many bytes are held besides the file; NULL: INTAKE_HELD_MAX alone counts */
	int (*held)(struct ctx *c, size_t bytes, void *arg);
	void *arg;
};

/* Reads all without storing: E_OK, or what the importer or an eye failed with. Failure and faults
 * are then in c; c's arena gets nothing else. */
int intake_look(struct ctx *c, const struct intake_bytes *b, const struct intake_eye *eye);

struct intake_stream {
	struct job job; /* first; ctx, done and weight are the caller's to set */
	struct intake_bytes from;
	struct uploader by;
	/* On the writer's thread, and all over again after a rollback: begin, then stored for each
	 * that is stored or was there already. k is gone when it returns. begin may be NULL. */
	void (*begin)(void *arg);
	int (*stored)(struct ctx *c, const struct accepted *k, void *arg);
	void *arg;
	/* after the job */
	size_t seen;  /* submissions; 0: it was not read to its end */
	bool refused; /* it failed for what is in the bytes: see its ctx */
};

/* Prepares t->job: all of the bytes or nothing. What is wrong with what they hold (E_CONFLICT,
 * E_INVALID) is collected over the whole file; behind the first that is refused nothing more is
 * stored, all is only held against what there is. */
void intake_stream(struct intake_stream *t, const struct intake_bytes *from,
		   const struct uploader *by);

#endif
