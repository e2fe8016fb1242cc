/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Uploads that tell what they should be, sent the way the server sends them: bytes, importer, job,
 * writer. A key names its document ("r7-3-5-2": runs document 7 of 3 runs with 5 metrics from the
 * 2nd on) and each value follows from document, run and metric; so whatever a database holds can be
 * held against itself, whoever put it there.
 */
#ifndef TESTS_FAULT_LAB_H
#define TESTS_FAULT_LAB_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/engine.h"
#include "db/metrics.h"
#include "db/writer.h"
#include "server/base/arena.h"
#include "server/base/out.h"
#include "server/model/intake.h"

#include <cmocka.h> /* last: its macro fail() would hide ours */
#undef fail

/* Fails the test with a text. */
#define broken(...)                                                                                \
	do {                                                                                       \
		printf("# " __VA_ARGS__);                                                          \
		putchar('\n');                                                                     \
		_fail(__FILE__, __LINE__);                                                         \
	} while (0)

#define LAB_DOCS 160
#define LAB_JOBS 64

enum doc_kind { DOC_RUNS = 'r', DOC_SUMMARY = 's', DOC_NOTE = 'n' };
struct doc {
	enum doc_kind kind;
	int number, runs, metrics, first; /* one run comes with a distribution */
	bool replaces; /* the document three before, which is of the same series */
};
#define DOC(k, r, m, f)                                                                            \
	{                                                                                          \
		.kind = (k), .runs = (r), .metrics = (m), .first = (f)                             \
	}

/* One upload: documents from .. from + n - 1 of the lab. */
enum job_form { JOB_OBJECT, JOB_ARRAY, JOB_LINES };
struct upload {
	enum job_form form;
	int from, n;
	bool conflicting; /* the key of its document with another value: refused in any case */
	/* what came of the last sending */
	int result, duplicates;
	bool acknowledged; /* by any sending */
	char detail[400];  /* of the failure */
};

struct lab {
	char dir[64], path[80], crash[80];
	struct doc docs[LAB_DOCS];
	int ndocs;
	struct upload uploads[LAB_JOBS];
	int nuploads;
	int tokens;                                      /* acknowledged ones */
	struct writer *w;                                /* NULL: not running */
	void (*on_ack)(const struct lab *l, int upload); /* on the writer's thread; NULL */
	bool in_child;       /* what is broken ends the process with 4 */
	int64_t checked;     /* acknowledged uploads that were looked for and found */
	int64_t unconfirmed; /* found although the engine had reported an error */
};

void lab_init(struct lab *l); /* a folder of its own, no database */
void lab_end(struct lab *l);
void lab_remove(const char *path);               /* a database with all its files */
void lab_copy(const char *from, const char *to); /* log and journal too, not the shared index */
bool lab_long(void);                             /* the long form was asked for */

/* One more upload of new documents, like the description. */
struct upload *lab_add(struct lab *l, enum job_form form, int ndocs, struct doc like);
struct upload *lab_add_conflict(struct lab *l, int doc);
/* Forgets what came of all sendings. */
void lab_forget(struct lab *l);

/* Makes or migrates the database and starts the writer on it. */
int lab_start(struct lab *l);
void lab_stop(struct lab *l);
/* Sends uploads from .. from + n - 1 one after another, or into one batch. Results are in them. */
void lab_send(struct lab *l, int from, int n);
void lab_send_together(struct lab *l, int from, int n);
/* A job that keeps the writer busy until lab_open_gate. */
void lab_close_gate(struct lab *l);
void lab_open_gate(struct lab *l);
/* A token as the command makes one; an error or E_OK. */
int lab_token(struct lab *l);

/* Everything that must hold in the database at path; needs: acknowledged uploads must be there.
 * Fails the test with the place. */
void lab_verify(struct lab *l, const char *path, const char *place);
/* The same, and every upload must be there, once. */
void lab_verify_all(struct lab *l, const char *path, const char *place);
/* Sends everything again, to the running writer or to one that is started, and verifies. */
void lab_resend(struct lab *l, const char *place);

#endif
