/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a copy of a store holds besides submissions, into this one. */
#ifndef SERVER_IMPORT_ASIDE_H
#define SERVER_IMPORT_ASIDE_H

#include "importers/import.h"

struct writer;

/* What is here already stays. E_NOTFOUND: a file's run is not here; E_CONFLICT: it has another file
 * of that name; or the engine's. */
int import_aside_store(struct ctx *c, struct writer *w, const struct import_aside *f);

#endif
