#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every C file compiles with clang too, and has the layout that .clang-format gives. TAP.
build=$1
n=0
bad=0
report() { # status name log
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		bad=1
		echo "not ok $n - $2"
		sed 's/^/# /' "$3" | head -n 20
	fi
}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
make --no-print-directory -j"$(nproc)" CC=clang BUILD="$build/clang" OPT=-O1 objects >"$log" 2>&1
report $? "clang compiles everything without a warning" "$log"
for f in $(git ls-files -co --exclude-standard '*.c' '*.h' | tr '\n' ' '); do
	clang-format "$f" | diff -u "$f" - >"$log"
	report $? "layout of $f" "$log"
done
echo "1..$n"
exit $bad
