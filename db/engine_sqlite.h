/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the two files of the SQLite engine share; nobody else includes it. */
#ifndef DB_ENGINE_SQLITE_H
#define DB_ENGINE_SQLITE_H

#include <sqlite3.h>

#include "db/engine.h"

#define PARAMS_MAX 48

struct stmt {
	sqlite3_stmt *st; /* NULL: not prepared yet, or it could not be */
	const struct sql *sql;
	struct db *d;
	struct ctx *c;   /* of the present use */
	int status;      /* sticky */
	bool done;       /* ran to its end; a bind makes it ready to run again */
	uint64_t params; /* bit n: there is a $n */
	uint64_t bound;
	unsigned char at[PARAMS_MAX + 1]; /* SQLite's index of $n */
};

enum verb { VERB_BEGIN_READ, VERB_BEGIN_WRITE, VERB_COMMIT, VERB_ROLLBACK, VERBS };

struct db {
	sqlite3 *h;
	bool writing; /* db_begin_write was called; the engine may have dropped the transaction
			 since */
	bool reading;
	struct frozen *frozen; /* how the file was when it was opened as one that never changes;
				  else NULL */
	int log_pages;         /* length of the log after the last commit */
	sqlite3_stmt *verbs[VERBS];
	struct stmt *stmts; /* one for each statement of the program */
};

/* Files the failure that SQLite reported as rc while doing what; returns the code it became. */
int engine_fail(struct ctx *c, sqlite3 *h, int rc, const char *what);
/* engine_sqlite_frozen.c: a reader that could not open the file with rc tries again without a log.
 * Returns the failure that is left, told in c. */
int engine_open_frozen(struct ctx *c, struct db *d, const char *path, int rc);
/* E_INTERNAL when the file is not as it was. */
int engine_check_frozen(struct ctx *c, const struct db *d);
/* For a value that came as NULL: ends the process when there was no memory to make it, which must
 * not read as "there is none". */
void engine_check_memory(sqlite3 *h);
/* Frees the prepared statements. */
void engine_free_stmts(struct db *d);

#endif
