#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs libFuzzer on every target, one after the other: run.sh BUILD SECONDS [TARGET…]. It begins with the committed
# inputs and keeps what it finds under BUILD. What ends a target lies there as crash-…; mend it, and put the input
# into tests/fuzz/corpus under a name that says what it was. To keep what was found as well:
#   BUILD/fuzz_NAME -merge=1 tests/fuzz/corpus/NAME BUILD/found/NAME
set -eu
cd "$(dirname "$0")/../.."
build=$1
seconds=$2
shift 2
[ $# -gt 0 ] || set -- $(basename -a tests/fuzz/fuzz_*.c | sed 's/^fuzz_//; s/\.c$//')
bad=0
for name in "$@"; do
	mkdir -p "$build/found/$name"
	dict=tests/fuzz/$name.dict
	[ -f "$dict" ] && dict=-dict=$dict || dict=
	if "$build/fuzz_$name" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
		-artifact_prefix="$build/$name-" $dict "$build/found/$name" "tests/fuzz/corpus/$name" >"$build/$name.log" 2>&1; then
		echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$name.log") inputs, no fault"
	else
		echo "$name: ended; its log is $build/$name.log:"
		tail -n 40 "$build/$name.log"
		bad=1
	fi
done
exit $bad
