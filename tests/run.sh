#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs the test suites and counts: run.sh BUILD [SUITE…]. Every suite prints TAP; a suite that ends before its
# plan, or whose count differs from it, is a failure. The last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/.."
build=$1
shift
[ $# -gt 0 ] || set -- lint compile unit fault fuzz sql http sanitizers

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
	fault) for t in "$build"/fault/test_*; do
			case $t in *.d) continue ;; esac
			name=fault_$(basename "$t" | sed s/^test_//)
			tap "$name" "$t"
			grep '^# .*[0-9] \(k\|cuts\|power\|dead\|rounds\|acknowledged\)' "$logs/$name.tap" | sed 's/^/    /'
		done ;;
	fuzz) for t in "$build"/fuzz/fuzz_*; do
			case $t in *.d) continue ;; esac
			name=$(basename "$t" | sed s/^fuzz_//)
			tap "fuzz_$name" "$t" "tests/fuzz/corpus/$name"
			sed -n "s/^ok 1 - /    /p" "$logs/$name.tap"
		done ;;
	sql) tap sql tests/sql/prepare_postgres.sh "$build" ;;
	http) for t in tests/http/test_*.mjs; do
			PLUMBLINE=$build/plumbline tap "$(basename "$t" .mjs)" node "$t"
		done ;;
	sanitizers)
		# The same tests again with address and undefined-behaviour sanitizers.
		if make --no-print-directory -j"$(nproc)" BUILD="$build/asan" SANITIZE=1 all units fuzz-tests >"$logs/asan-build.log" 2>&1; then
			build_before=$build
			build=$build/asan
			for t in "$build"/unit/test_*; do
				case $t in *.d) continue ;; esac
				tap "asan $(basename "$t")" "$t"
			done
			for t in "$build"/fuzz/fuzz_*; do
				case $t in *.d) continue ;; esac
				tap "asan $(basename "$t")" "$t" "tests/fuzz/corpus/$(basename "$t" | sed s/^fuzz_//)"
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
	threads)
		# The same tests again with the thread sanitizer, which some kernels' random addresses get in the way of.
		if make --no-print-directory -j"$(nproc)" BUILD="$build/tsan" THREADS=1 all units >"$logs/tsan-build.log" 2>&1; then
			fixed=
			"$build/tsan/unit/test_arena" >/dev/null 2>&1 || fixed="setarch -R"
			for t in "$build"/tsan/unit/test_*; do
				case $t in *.d) continue ;; esac
				tap "tsan $(basename "$t")" $fixed "$t"
			done
			for t in tests/http/test_*.mjs; do
				PLUMBLINE=$build/tsan/plumbline tap "tsan $(basename "$t" .mjs)" $fixed node "$t"
			done
		else
			echo "not ok - thread sanitizer build:"
			tail -n 30 "$logs/tsan-build.log" | sed 's/^/    /'
			failed=$((failed + 1))
		fi ;;
	*) echo "run.sh: no suite called $suite" >&2
		exit 2 ;;
	esac
done

echo "$passed passed, $failed failed" | tee "$logs/summary"
[ "$failed" = 0 ]
