#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The house rules that a machine can keep. TAP: one line a rule, faults as comments.
cd "$(dirname "$0")/../.." || exit 1
n=0
bad=0
faults=$(mktemp)
trap 'rm -f "$faults"' EXIT

# Reports the rule named $1: broken when $faults is not empty.
rule() {
	n=$((n + 1))
	if [ -s "$faults" ]; then
		bad=1
		echo "not ok $n - $1"
		sed 's/^/# /' "$faults"
	else
		echo "ok $n - $1"
	fi
	: >"$faults"
}

files=$(git ls-files -co --exclude-standard '*.c' '*.h' '*.cc' '*.def' '*.mjs' '*.js' '*.css' '*.sh' '*.sql' | sort)
code=$(printf '%s\n' $files | grep -E '\.(c|h)$')

# Layers: a room's number; a file may include rooms of its own number or lower.
layer() {
	case $1 in
	server/base/*) echo 0 ;;
	server/analysis/*) echo 1 ;;
	server/view/*) echo 1 ;;
	db/*) echo 2 ;;
	importers/*) echo 3 ;;
	server/history/*) echo 3 ;;
	server/model/*) echo 4 ;;
	server/report/*) echo 5 ;;
	server/config.h | server/limits.h) echo 0 ;;
	server/pages/*) echo 6 ;;
	server/http/*) echo 7 ;;
	*) echo 8 ;;
	esac
}
room() { dirname "$1"; }
for f in $(printf '%s\n' $code | grep -vE '^(tests|deploy|static)/'); do
	from=$(layer "$f")
	for inc in $(sed -n 's/^#include "\([^"]*\)".*/\1/p' "$f"); do
		case $inc in */*) ;; *) continue ;; esac
		to=$(layer "$inc")
		if [ "$to" -gt "$from" ]; then
			echo "$f includes $inc from a room above"
		elif [ "$to" = "$from" ] && [ "$from" != 0 ] && [ "$from" != 8 ] && [ "$(room "$f")" != "$(room "$inc")" ]; then
			echo "$f includes $inc from the room beside"
		fi
	done
done >"$faults"
rule "who includes whom: base <- analysis, view <- db <- importers, history <- model <- report <- pages <- http <- main"

grep -lE '#include <(sqlite3|microhttpd|git2|git2/[a-z_/]*|jansson|libpq-fe|gmime/gmime|libxml/[a-zA-Z]*)\.h>' $code | while read -r f; do
	grep -oE '#include <(sqlite3|microhttpd|git2|git2/[a-z_/]*|jansson|libpq-fe|gmime/gmime|libxml/[a-zA-Z]*)\.h>' "$f" | while read -r inc; do
		case "$inc $f" in
		*sqlite3.h*db/engine_sqlite*) ;;
		*microhttpd.h*server/http/*) ;;
		*microhttpd.h*tests/bench/*) ;;
		*git2*server/history/*) ;;
		*git2*tests/*) ;;
		*gmime.h*importers/*) ;;
		*libxml*importers/*) ;;
		*jansson.h*importers/*) ;;
		*jansson.h*db/*) ;;
		*jansson.h*tests/*) ;;
		*sqlite3.h*tests/*) ;;
		*) echo "$f: $inc" ;;
		esac
	done
done >"$faults"
rule "each library has its one room"

for f in $files; do
	lines=$(wc -l <"$f")
	[ "$lines" -le 500 ] || case $f in db/schema.sql) ;; *) echo "$f has $lines lines" ;; esac
done >"$faults"
rule "no file over 500 lines"

for f in $(printf '%s\n' $code | grep '\.c$' | grep -v '^tests/'); do
	awk -v f="$f" '
		/^[a-zA-Z_].*[^;]$/ && /\(/ { head = FNR; name = $0 }
		/^\{/ { start = FNR }
		/^\}/ { if (start && FNR - start - 1 > 60) print f ":" start ": " FNR - start - 1 " lines: " name; start = 0 }
	' "$f"
done >"$faults"
rule "no function over 60 lines"

for f in $files; do
	head -n 2 "$f" | grep -q 'SPDX-License-Identifier: GPL-2.0-or-later' || echo "$f"
done >"$faults"
rule "every file says its licence"

grep -nE '(href|src|action)=\\?"%s|=%s|style=\\?"|<script>' $(printf '%s\n' $code | grep -E '^server/(view|pages)/') /dev/null |
	grep -vE 'value=\\"%s' | grep -E 'html\(|"<' >"$faults"
rule "no address by %s, no unquoted attribute, no inline style or script"

for f in $(printf '%s\n' $code | grep '\.c$' | grep -vE '^(tests|deploy|static)/'); do
	first=$(sed -n 's/^#include "\([^"]*\)".*/\1/p' "$f" | head -n 1)
	own=${f%.c}.h
	[ ! -f "$own" ] || [ "$first" = "$own" ] || echo "$f: first include is $first"
done >"$faults"
rule "every .c includes its own header first"

grep -nE '\<(TODO|FIXME|XXX|HACK)\>' $files /dev/null | grep -v '^tests/lint/' >"$faults"
rule "nothing is left open in a comment"

git ls-files -co --exclude-standard | grep -E '(utils|common|misc|helpers)\.[a-z]+$' >"$faults"
rule "no room called utils"

grep -nE '[^a-z_]sleep\(|[^.]setTimeout|[[:space:]]sleep [0-9]' $(printf '%s\n' $files | grep '^tests/') /dev/null |
	grep -v '^tests/lint/' >"$faults"
rule "no test sleeps"

echo "1..$n"
exit $bad
