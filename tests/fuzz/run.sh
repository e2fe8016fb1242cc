#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs libFuzzer on targets: run.sh BUILD SECONDS [TARGET…], JOBS of them at a time (1). None: every fuzz_*.c. raw:fio
# is fuzz_raw with nothing but fio; the word formats stands for one target a row of importers.def. Each begins with the
# committed inputs and keeps what it finds under BUILD/found. What ends a target lies in BUILD as NAME-crash-…; mend it,
# and put the input into tests/fuzz/corpus under a name that says what it was. To keep what was found as well:
#   BUILD/fuzz_NAME -merge=1 tests/fuzz/corpus/NAME BUILD/found/NAME
set -eu
cd "$(dirname "$0")/../.."
build=$1
seconds=$2
shift 2

formats() {
	sed -n 's/^IMPORTER[A-Z_]*("\([^"]*\)".*/\1/p' importers/importers.def | while read -r format; do
		case $format in
		native | robot-mail) echo "$format" | tr - _ ;;
		lkp-result) echo lkp ;;
		*) echo "raw:$format" ;;
		esac
	done
}

# A format's inputs: the corpus' as they are, the samples of the unit tests behind a byte that would select.
seed() {
	case $1 in
	lkp-*) like='lkp*' ;;
	build-log) like='build-*' ;;
	csv) like='*.csv' ;;
	google-benchmark) like='google-*' ;;
	*) like="$1[-.]*" ;;
	esac
	for f in tests/fuzz/corpus/raw/$like tests/fuzz/corpus/raw/field-$like "tests/fuzz/corpus/raw/$1-found-"*; do
		[ ! -f "$f" ] || cp "$f" "$2"
	done
	for f in tests/data/raw/$like tests/data/field/$like; do
		[ ! -f "$f" ] || { printf 0 && cat "$f"; } >"$2/data-$(basename "$f")"
	done
	case $1 in
	lkp-*) for f in tests/fuzz/corpus/lkp/*; do
			{ printf 0 && cat "$f"; } >"$2/$(basename "$f")"
		done ;;
	csv) for f in tests/data/field/*.tsv; do
			{ printf 0 && cat "$f"; } >"$2/data-$(basename "$f")"
		done ;;
	esac
}

# The words of a format are those that its importer looks for: the strings of its source.
words() {
	sources=$(echo "$1" | tr - _)
	case $1 in
	lkp-*)
		sources=lkp
		cat tests/fuzz/lkp.dict
		;;
	*) cat tests/fuzz/raw.dict ;;
	esac
	LC_ALL=C grep -hv '^#include' importers/"$sources"*.[ch] | grep -oE '"([^"\\]|\\.)+"' | sed 's/\\n/\\x0a/g; s/\\t/\\x09/g' |
		LC_ALL=C grep -vE '[^ -~]|\\[^"\\x]|%[a-z.*]|.{40}' | sort -u
}

# One target; a line on how it went. An input of few bytes that takes seconds is a fault, too.
one() {
	name=$1 program=$1 dict=tests/fuzz/$1.dict seeds=tests/fuzz/corpus/$1 format=
	case $1 in
	raw:*)
		program=raw
		format=${1#raw:}
		name=raw_$format
		dict=$build/$name.dict
		seeds=$build/seeds/$format
		rm -rf "$seeds"
		mkdir -p "$seeds"
		seed "$format" "$seeds"
		words "$format" >"$dict"
		;;
	esac
	[ -f "$dict" ] || dict=
	log=$build/$name.log
	mkdir -p "$build/found/$name"
	end=ended
	"$build/fuzz_$program" -max_total_time="$seconds" -timeout=20 -report_slow_units=5 -rss_limit_mb=2048 \
		-print_final_stats=1 -artifact_prefix="$build/$name-" ${format:+-max_len=65536} ${dict:+-dict="$dict"} \
		${format:+--format="$format"} "$build/found/$name" "$seeds" >"$log" 2>&1 || end="ended with $?"
	inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
	slowest=$(sed -n 's/^stat::slowest_unit_time_sec: *//p' "$log")
	if [ "$end" != ended ]; then
		printf '%s: %s after %s inputs; the end of %s:\n%s\n' "$1" "$end" "${inputs:-unknown}" "$log" "$(tail -n 40 "$log")"
		return 1
	elif [ "${slowest:-0}" -gt 5 ]; then
		echo "$1: $inputs inputs, but $slowest s for one: $build/$name-slow-unit-…"
		return 1
	fi
	echo "$1: $inputs inputs, no fault"
}

case ${1:-} in
'') set -- $(basename -a tests/fuzz/fuzz_*.c | sed 's/^fuzz_//; s/\.c$//') ;;
formats) set -- $(formats) ;;
--one)
	one "$2"
	exit
	;;
esac
printf '%s\n' "$@" | xargs -P "${JOBS:-1}" -I '{}' "$0" "$build" "$seconds" --one '{}'
