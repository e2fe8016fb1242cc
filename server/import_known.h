/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which runs of a result tree are stored already, by where they lie and without reading them: what
 * makes an import that was interrupted go on fast. */
#ifndef SERVER_IMPORT_KNOWN_H
#define SERVER_IMPORT_KNOWN_H

#include "importers/import.h"

struct import_known;

/* Opens the database for reading. axes: what the command line says. */
int known_open(struct ctx *c, const char *database, const struct pair *axes, size_t naxes,
	       struct import_known **out);
void known_close(struct import_known *k); /* NULL is ignored */
/* True: its run is stored. False: it is not, or only reading it can tell; or the database failed,
 * and then storing will say so. Asked run after run, the runs of a commit cost one question. */
bool known_has(struct import_known *k, const char *path);

#endif
