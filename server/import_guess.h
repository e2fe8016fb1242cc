/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a file to be imported may be. */
#ifndef SERVER_IMPORT_GUESS_H
#define SERVER_IMPORT_GUESS_H

#include "importers/import.h"

/* The importer that is surest of these bytes; NULL: none fits. */
const struct importer *import_guess(const char *p, size_t n);
/* A submission a line: the file's name says so, or its first line is a whole object. */
bool import_has_lines(const char *name, const char *p, size_t n);

#endif
