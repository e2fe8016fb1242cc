/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the Phoronix importer share; for nobody else. */
#ifndef IMPORTERS_PHORONIX_H
#define IMPORTERS_PHORONIX_H

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

/* The results of one test on one system. */
struct phoronix_group {
	const char *tested;
	struct samples *s;
};

struct phoronix {
	struct import *in;
	struct ctx *c;
	struct phoronix_system *systems;
	size_t nsystems, system_cap;
	struct text_map groups, metrics; /* metrics: of a group */
	const char **arguments;          /* of the first result that is called so */
	size_t argument_cap;
	struct phoronix_group *list; /* by number in groups */
	size_t cap;
};

/* Takes a result with its entries. */
void phoronix_result(struct phoronix *p, const char *const *text,
		     const struct phoronix_entry *entries, size_t n);
/* After all: what is known of the systems, and seals. */
int phoronix_end(struct phoronix *p);

#endif
