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
};

/* path "-": standard input. A file that cannot be read or understood is counted and said on
 * standard error; negative: the store failed, with the failure in m->c. */
int import_file(struct importing *m, const char *path);

#endif
