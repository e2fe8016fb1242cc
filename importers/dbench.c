/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dbench: clients that do what a file server does, on a file system.
 * Names are said in dbench_table.c.
 */
#include "importers/formats.h"
#include "importers/dbench_table.h"

int import_dbench(struct import *in, const char *bytes, size_t n)
{
	return dbench_table_import(in, bytes, n, "dbench");
}

int dbench_sniff(const char *bytes, size_t n)
{
	return dbench_table_sniff(bytes, n, "dbench", "tbench");
}
