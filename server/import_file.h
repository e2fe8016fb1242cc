/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plumbline import, one file: guessed, read as lines or as a whole, stored or printed. */
#ifndef SERVER_IMPORT_FILE_H
#define SERVER_IMPORT_FILE_H

#include "importers/import.h"
#include "server/model/intake.h"

#define IMPORT_BATCH_ITEMS 256

struct importing {
	struct ctx *c;                 /* for failures that end the command */
	const struct importer *format; /* NULL: auto */
	struct import defaults;        /* what the files do not say */
	bool dry_run;
	struct writer *writer; /* NULL in a dry run */
	size_t created, duplicates, refused;

	/* the batch */
	struct ctx ctx;
	struct import in;
	const char *file;
	struct intake_item items[IMPORT_BATCH_ITEMS];
	size_t n, bytes;
	size_t large_created, large_duplicates; /* of one large file so far */
};

/* path "-": standard input. A file that cannot be read or understood is counted and said on
 * standard error; negative: the store failed, with the failure in m->c. */
int import_file(struct importing *m, const char *path);

/* --- between the files of it --- */

/* More than INTAKE_WHOLE_MAX bytes of the format. Returns as import_file does. */
int import_large(struct importing *m, const struct importer *format, const char *p, size_t n);
/* Prints one of a dry run. */
int import_print(struct ctx *c, const struct submission *s);
/* Runs a job of the batch. A failure of the engine ends the command: */
int import_run_job(struct importing *m, struct job *j);
int import_give_up(struct importing *m, int e);
/* Says what m->ctx has against the file, and counts what was in it; 0: nobody knows. */
void import_refuse_file(struct importing *m, size_t submissions);

#endif
