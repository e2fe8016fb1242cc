/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tbench: dbench's load without the disk, over the network. It prints what dbench prints, and calls
 * itself "dbench version", too: auto takes an output for dbench's unless tbench is named in it.
 * Names are said in dbench_table.c.
 */
#include "importers/formats.h"
#include "importers/dbench_table.h"
#include "importers/program_output.h"

int import_tbench(struct import *in, const char *bytes, size_t n)
{
	return dbench_table_import(in, bytes, n, "tbench");
}

int tbench_sniff(const char *bytes, size_t n)
{
	int sure = dbench_table_sniff(bytes, n, "tbench", "dbench");

	/* named beside "dbench version", which both print */
	return sniff_finds(bytes, n, "tbench") && sure ? 92 : sure > 1 ? sure - 1 : 0;
}
