#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Prints db/schema.sql: all migrations applied to an empty database, and what the database then says of itself.
# After a new migration: db/schema.sh > db/schema.sql (make check compares the two).
set -eu
cd "$(dirname "$0")"

cat <<'HEAD'
-- SPDX-License-Identifier: GPL-2.0-or-later
-- What the database looks like after all migrations, as SQLite tells it: made by db/schema.sh, never edited.
-- Times are seconds since 1970 in UTC. Samples and printed figures are packed (db/samples.h).
HEAD
{
	cat migrations/sqlite/[0-9]*.sql
	echo "SELECT CASE type WHEN 'table' THEN char(10) ELSE '' END || sql || ';'"
	echo "FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid;"
} | sqlite3 -batch -bail -init /dev/null :memory:
