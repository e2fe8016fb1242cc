/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the Phoronix importer share; for nobody else. */
#ifndef IMPORTERS_PHORONIX_H
#define IMPORTERS_PHORONIX_H

#include "importers/block_list.h"
#include "importers/result_file.h"
#include "importers/text_map.h"

/* One that was tested. */
enum {
	SYSTEM_IDENTIFIER,
	SYSTEM_HARDWARE,
	SYSTEM_SOFTWARE,
	SYSTEM_USER,
	SYSTEM_TIME,
	SYSTEM_NOTES,
	SYSTEM_FIELDS
};
/* One test, with an entry for each system. */
enum {
	RESULT_IDENTIFIER,
	RESULT_TITLE,
	RESULT_VERSION,
	RESULT_ARGUMENTS,
	RESULT_DESCRIPTION,
	RESULT_SCALE,
	RESULT_PROPORTION,
	RESULT_FORMAT,
	RESULT_FIELDS
};
enum { ENTRY_IDENTIFIER, ENTRY_VALUE, ENTRY_RAW, ENTRY_FIELDS };

struct phoronix_entry {
	const char *text[ENTRY_FIELDS]; /* "": not told */
	int line;
};

struct phoronix_system {
	const char *text[SYSTEM_FIELDS];
};

/* What is kept of an entry until all is read: which result and group it is of, and its samples as
 * they were printed. */
struct phoronix_kept {
	const char *value; /* "": it has none */
	uint32_t result, group;
	int line;
};

/* One test on one system. Results of it may stand anywhere in the file, so they are put together
 * when all is read. */
struct phoronix_group {
	uint32_t tested, test; /* numbers in the maps */
};

struct phoronix {
	struct import *in;
	struct ctx *c;
	struct arena *own; /* what is kept: the texts of the file, less than the file */
	struct phoronix_system *systems;
	size_t nsystems, system_cap;
	struct text_map tested, tests, groups; /* names; groups: by the numbers of two */
	struct block_list list;                /* of struct phoronix_group, by number in groups */
	struct block_list results;             /* of RESULT_FIELDS texts */
	struct block_list entries;             /* of struct phoronix_kept */
};

/* Before the parser is given any of it. E_OK; E_TOO_LARGE: a tag, comment or CDATA section is
 * longer than the suite's ever are; E_SYNTAX: there is a document type. */
int phoronix_check_markup(struct ctx *c, const char *bytes, size_t n);

void phoronix_init(struct phoronix *p, struct import *in);
/* Keeps a result with its entries. */
void phoronix_result(struct phoronix *p, const char *const *text,
		     const struct phoronix_entry *entries, size_t n);
/* After all: makes the submissions. */
int phoronix_end(struct phoronix *p);

#endif
