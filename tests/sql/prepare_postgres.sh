#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every statement of the program is prepared on a throwaway PostgreSQL and explained on SQLite; and db/schema.sql
# is what the migrations make. prepare_postgres.sh BUILD. Prints TAP.
#
# On SQLite no statement may read a big table from end to end, but for those in scans.txt. Walking an index in the
# order asked for and stopping at a LIMIT is no such reading.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$1
big='run|submission|summary|measured'
bin=/usr/lib/postgresql/15/bin

# PostgreSQL refuses to run as root. Its socket's path must be short, so this lies in /tmp.
work=$(TMPDIR=/tmp mktemp -d) || exit 1
as=()
if [ "$(id -u)" = 0 ]; then
	chown postgres "$work"
	as=(setpriv --reuid=postgres --regid=postgres --clear-groups)
fi
cleanup() {
	[ ! -f "$work/data/postmaster.pid" ] ||
		(cd "$work" && "${as[@]}" "$bin/pg_ctl" -D "$work/data" -m immediate stop >/dev/null 2>&1)
	rm -rf "$work"
}
trap cleanup EXIT

n=0
bad=0
report() { # status name: standard input tells the faults
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		bad=1
		echo "not ok $n - $2"
		sed 's/^/# /'
	fi
}

ids=()
texts=()
while IFS= read -r -d '' id && IFS= read -r -d '' text; do
	ids+=("$id")
	texts+=("$text")
done < <("$build/list_statements")
[ "${#ids[@]}" -gt 0 ]
report $? "the program has statements" <<<"$build/list_statements printed none"

# --- PostgreSQL ---

start_postgres() {
	cd "$work" || return 1
	env -u PGDATA "${as[@]}" "$bin/initdb" -D "$work/data" -A trust -U postgres -E UTF8 \
		--locale=C -N || return 1
	printf '%s\n' "listen_addresses = ''" "unix_socket_directories = '$work'" "fsync = off" |
		"${as[@]}" tee -a "$work/data/postgresql.conf" || return 1
	"${as[@]}" "$bin/pg_ctl" -D "$work/data" -l "$work/data/log" -w start
}
(start_postgres) >"$work/log" 2>&1
report $? "PostgreSQL starts" <"$work/log"

psql() {
	command psql -X -q -h "$work" -U postgres -d postgres "$@" 2>&1
}
cat db/migrations/postgres/[0-9]*.sql | psql -v ON_ERROR_STOP=1 -1 >"$work/log"
report "${PIPESTATUS[1]}" "the migrations apply to PostgreSQL" <"$work/log"

# One session for all, with a mark before each statement, so that an error finds its owner.
for i in "${!ids[@]}"; do
	printf '\\echo @%s\nPREPARE s%s AS %s;\n' "$i" "$i" "${texts[i]}"
done >"$work/prepare.sql"
psql <"$work/prepare.sql" >"$work/answers"
marks=$(grep -c '^@' "$work/answers")
[ "$marks" = "${#ids[@]}" ]
report $? "PostgreSQL was asked about every statement" <<<"$marks of ${#ids[@]}"
for i in "${!ids[@]}"; do
	error=$(awk -v mark="@$i" '/^@/ { on = $0 == mark; next } on' "$work/answers")
	[ -z "$error" ]
	report $? "PostgreSQL prepares ${ids[i]}" <<<"$error"
done

# --- SQLite ---

sqlite() {
	sqlite3 -batch -init /dev/null "$work/plan.db" 2>&1
}
cat db/migrations/sqlite/[0-9]*.sql | sqlite >"$work/log"
[ ! -s "$work/log" ]
report $? "the migrations apply to SQLite" <"$work/log"
for i in "${!ids[@]}"; do
	printf '.print @%s\nEXPLAIN QUERY PLAN %s;\n' "$i" "${texts[i]}"
done | sqlite >"$work/plans"

# Names under which a statement's text knows the big tables.
big_names() {
	tr -s ' ()\t\n' '     ' <<<"$1" |
		grep -oiE "\b(FROM|JOIN|,|UPDATE|INTO) ?($big)( (AS )?[a-z_][a-z0-9_]*)?" |
		awk '{ name = $NF; t = tolower(name)
		       if (t ~ /^(where|on|using|group|order|join|left|inner|cross|set|limit|union|values|default)$/) name = $(NF - 1)
		       print name }' | sort -u
}

# The scans in plan $1 of statement text $2 that read all of a big table.
big_scans() {
	local name stops=0
	if grep -qw 'LIMIT' <<<"$2" && ! grep -qE 'USE TEMP B-TREE FOR (ORDER|GROUP|DISTINCT)' <<<"$1"; then
		stops=1
	fi
	for name in $(big_names "$2"); do
		# An index made for the moment is made by reading everything.
		grep -E "SEARCH $name USING AUTOMATIC" <<<"$1"
		grep -E "SCAN $name( |$)" <<<"$1" |
			if [ "$stops" = 1 ]; then grep -vE ' USING (COVERING )?INDEX '; else cat; fi
	done
}

for i in "${!ids[@]}"; do
	plan=$(awk -v mark="@$i" '/^@/ { on = $0 == mark; next } on' "$work/plans")
	scans=$(big_scans "$plan" "${texts[i]}")
	if grep -qiE '(parse )?error' <<<"$plan"; then
		report 1 "SQLite explains ${ids[i]}" <<<"$plan"
	elif grep -qE "^${ids[i]}\b" tests/sql/scans.txt; then
		[ -n "$scans" ]
		report $? "${ids[i]} is rightly in scans.txt" <<<"it scans nothing big (any more)"
	else
		[ -z "$scans" ]
		report $? "SQLite scans no big table for ${ids[i]}" <<<"$plan"
	fi
done

db/schema.sh 2>&1 | diff -u db/schema.sql - >"$work/log"
report $? "db/schema.sql is current" <"$work/log"

echo "1..$n"
exit "$bad"
