/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What dbench and tbench print alike: the table of operations and the line of throughput. */
#ifndef IMPORTERS_DBENCH_TABLE_H
#define IMPORTERS_DBENCH_TABLE_H

#include "importers/import.h"

/* program: "dbench" or "tbench", what metrics begin with. Fails as program_import. */
int dbench_table_import(struct import *in, const char *bytes, size_t n, const char *program);
/* How sure it is that the bytes are such an output of the one program and not of the other. */
int dbench_table_sniff(const char *bytes, size_t n, const char *program, const char *other);

#endif
