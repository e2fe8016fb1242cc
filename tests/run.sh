#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs the test suites and counts: run.sh BUILD [SUITE…]. Every suite prints TAP; a suite that ends before its
# plan, or whose count differs from it, is a failure. The last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/.."
build=$1
shift
[ $# -gt 0 ] || set -- lint compile unit sql http sanitizers

logs=$build/test-log
mkdir -p "$logs"
rm -f "$logs"/*.tap "$logs/summary"
passed=0
failed=0

# Runs one program that prints TAP; $1 is its name.
tap() {
	name=$1
	shift
	log=$logs/$(printf %s "$name" | tr '/ ' '__').tap
	"$@" >"$log" 2>&1
	status=$?
	p=$(grep -c '^ok ' "$log")
	f=$(grep -c '^not ok ' "$log")
	plan=$(sed -n 's/^1\.\.\([0-9][0-9]*\).*/\1/p' "$log" | tail -n 1)
	if [ "$((p + f))" != "${plan:-none}" ] || { [ "$status" != 0 ] && [ "$f" = 0 ]; }; then
		f=$((f + 1))
		echo "not ok - $name ended with status $status after $p passed of ${plan:-no} planned:"
		tail -n 30 "$log" | sed 's/^/    /'
	elif [ "$f" != 0 ]; then
		echo "not ok - $name: $f failed, $p passed:"
		grep -A 25 '^not ok ' "$log" | head -n 80 | sed 's/^/    /'
	else
		echo "ok - $name: $p passed"
	fi
	passed=$((passed + p))
	failed=$((failed + f))
}

for suite in "$@"; do
	case $suite in
	lint) tap lint tests/lint/lint.sh ;;
	compile) tap compile tests/lint/compile.sh "$build" ;;
	unit) for t in "$build"/unit/test_*; do
			case $t in *.d) continue ;; esac
			tap "$(basename "$t")" "$t"
		done ;;
	sql) tap sql tests/sql/prepare_postgres.sh "$build" ;;
	http) for t in tests/http/test_*.mjs; do
			PLUMBLINE=$build/plumbline tap "$(basename "$t" .mjs)" node "$t"
		done ;;
	sanitizers)
		# The same tests again with address and undefined-behaviour sanitizers.
		if make --no-print-directory BUILD="$build/asan" SANITIZE=1 all units >"$logs/asan-build.log" 2>&1; then
			build_before=$build
			build=$build/asan
			for t in "$build"/unit/test_*; do
				case $t in *.d) continue ;; esac
				tap "asan $(basename "$t")" "$t"
			done
			for t in tests/http/test_*.mjs; do
				PLUMBLINE=$build/plumbline tap "asan $(basename "$t" .mjs)" node "$t"
			done
			build=$build_before
		else
			echo "not ok - sanitizer build:"
			tail -n 30 "$logs/asan-build.log" | sed 's/^/    /'
			failed=$((failed + 1))
		fi ;;
	*) echo "run.sh: no suite called $suite" >&2
		exit 2 ;;
	esac
done

echo "$passed passed, $failed failed" | tee "$logs/summary"
[ "$failed" = 0 ]
