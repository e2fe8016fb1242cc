#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the service does beside what its libraries allow, measured in the same run on the same machine.
#   run.sh BUILD
# Every figure is a median; the wanted figures stand in the last column.
set -eu
cd "$(dirname "$0")/../.."
build=$1
. tests/bench/lib.sh

machine
row "what" "measured" "beside" "wanted"

# Uploads: one run of 2000 metrics a body, four clients; the reference is one thread that only parses.
"$build/invent" --seed 1 --metrics 2000 --commits 400 --runs 1 --boxes 1 --tests 1 >"$work/one"
"$build/invent" --seed 2 --metrics 2000 --commits 20 --runs 1 --boxes 1 --tests 1 >"$work/warm"
start_server upload --page_cache 0
"$client" post "$port" "$token" "$work/warm" 4 >"$work/out"
before=$(anon)
"$limits" parse "$work/one" >"$work/parse"
"$client" post "$port" "$token" "$work/one" 4 >"$work/out"
read -r parse_s values <"$work/parse"
read -r post_s bodies bytes <"$work/out"
row "upload, values/s (4 clients, 2000 metrics a run)" "$(calc %.0f "$values/$post_s")" \
	"parse alone: $(calc %.0f "$values/$parse_s") ($(calc %.2f "$parse_s/$post_s"))" ">= 400000 and .60"
row "  the same, durable uploads/s" "$(calc %.0f "$bodies/$post_s")" "$(calc %.0f "$bytes/$post_s/1e6") MB/s of JSON" ""
row "memory after it, MiB (RssAnon)" "$(anon)" "at rest: $before" "<= 256, at rest 64"
"$limits" blobs "$work/blobs.db" 400 >"$work/out"
read -r blob_s <"$work/out"
row "  bare SQLite storing the same blobs, values/s" "$(calc %.0f "400*2000/$blob_s")" "" ""
stop_server
size=$(stat -c %s "$work/upload.db")
row "bytes a value (database file)" "$(calc %.2f "$size/(420*2000)")" "8.00 packed; LNT 61" ""

# Comparing two commits, 6 runs a side, 2000 metrics, on a database that holds more.
start_server compare --page_cache 0
"$build/invent" --seed 3 --metrics 2000 --commits 30 --runs 6 --boxes 1 --tests 2 >"$work/pairs"
"$client" post "$port" "$token" "$work/pairs" 2 >"$work/out"
set -- $(id --seed 3 --metrics 1 --commits 2 --runs 1 --boxes 1 --tests 1)
pair="commits=$1,$2&axis.testcase=hackbench"
"$limits" print 28000 >"$work/print"
read -r print_s rest <"$work/print"
for form in "JSON, all rows:/compare.json?changed=0&:<= 8" "HTML, all rows:/compare?changed=0&:<= 15" \
	"HTML, first screen (changed rows):/compare?:<= 5" "text, the robot's table:/compare.txt?:"; do
	name=${form%%:*}
	rest=${form#*:}
	get "${rest%%:*}$pair" 100
	row "compare 2 x 6 x 2000, $name, ms" "$(calc %.2f "$median/1000")" \
		"$size bytes, p95 $(calc %.2f "$p95/1000") ms ($status)" "${rest##*:}"
done
row "  printing 28,000 numbers alone, ms" "$(calc %.2f "$print_s*1000")" "the robot's ncompare: 520" ""
stop_server

# The same where other machines measured it too: they are judged beside the rows that changed, and what they come to is
# kept until the next write.
for peers in 1 3 8; do
	start_server "beside$peers" --page_cache 0
	"$build/invent" --seed 3 --metrics 2000 --commits 2 --runs 6 --boxes $((peers + 1)) --tests 1 >"$work/beside"
	"$client" post "$port" "$token" "$work/beside" 2 >"$work/out"
	set -- $(id --seed 3 --metrics 1 --commits 2 --runs 1 --boxes 1 --tests 1)
	box=$(sed -n '1s/.*"tbox_group":"\([^"]*\)".*/\1/p' "$work/beside")
	for form in "first screen:/compare?:<= 5" "HTML, all rows:/compare?changed=0&:<= 15" "JSON, all rows:/compare.json?changed=0&:<= 8"; do
		name=${form%%:*}
		rest=${form#*:}
		get "${rest%%:*}commits=$1,$2&axis.testcase=hackbench&axis.tbox_group=$box" 100
		row "  compare with $peers peers: $name, ms" "$(calc %.2f "$median/1000")" \
			"$size bytes, p95 $(calc %.2f "$p95/1000") ms ($status)" "${rest##*:}"
		[ "$peers" = 3 ] || break
	done
	stop_server
done

# The same beside 20 commits of history, and judging alone.
"$build/bench/judge" 200 >"$work/judge"
read -r with without fill <"$work/judge"
row "judging 2 x 6 x 2000 with 20 commits of history, ms" "$with" "without: $without; a commit anew: $fill" "<= 5"
start_server judged --page_cache 0
"$client" post "$port" "$token" "$work/pairs" 2 >"$work/out"
set -- $(id --seed 3 --metrics 1 --commits 22 --runs 1 --boxes 1 --tests 1)
shift 20
pair="commits=$1,$2&axis.testcase=hackbench"
for form in "JSON, all rows:/compare.json?changed=0&:<= 8" "HTML, all rows:/compare?changed=0&:<= 15" \
	"HTML, first screen (changed rows):/compare?:<= 5"; do
	name=${form%%:*}
	rest=${form#*:}
	get "${rest%%:*}$pair" 100
	row "  compared beside 20 commits, $name, ms" "$(calc %.2f "$median/1000")" \
		"$size bytes, p95 $(calc %.2f "$p95/1000") ms ($status)" "${rest##*:}"
done
stop_server

# One metric over 1000 commits, 6 runs each, 2000 metrics a run.
start_server history --page_cache 0
"$build/invent" --seed 4 --metrics 2000 --commits 1000 --runs 6 --boxes 1 --tests 1 >"$work/long"
"$client" post "$port" "$token" "$work/long" 4 >"$work/out"
rm "$work/long"
get "/history.json?series=1&metric=hackbench.throughput" 50
row "history of a metric, 1000 commits x 6 runs, JSON, ms" "$(calc %.2f "$median/1000")" "$size bytes ($status)" "<= 15"
get "/series/1.json?changes=all" 3
row "change points of 2000 metrics, over as many commits as there is room for, JSON, ms" "$(calc %.0f "$median/1000")" \
	"$(curl -s "http://127.0.0.1:$port/series/1.json?changes=all" | sed -n 's/.*"changes":{"ref":[^,]*,"commits":\([0-9]*\),.*/\1/p') commits ($status)" ""
row "  of 2000 metrics x 500 commits, without loading them, ms" "$("$build/bench/changepoints" | cut -d' ' -f1)" "" "<= 1000"
get "/history?series=1&metric=hackbench.throughput" 50
row "  history of a metric, as HTML with its chart, ms" "$(calc %.2f "$median/1000")" "$size bytes ($status)" ""
set -- $(id --seed 4 --metrics 1 --commits 2 --runs 1 --boxes 1 --tests 1)
get "/compare.json?commits=$1,$2&changed=0" 100
row "compare with 12 million values stored, JSON, ms" "$(calc %.2f "$median/1000")" "($status)" ""
row "memory, MiB (RssAnon)" "$(anon)" "" "<= 256"
stop_server

# The same of 3 runs a commit in a process that made the page before: first, then after one more commit.
start_server grown --page_cache 0
"$build/invent" --seed 6 --metrics 2000 --commits 501 --runs 3 --boxes 1 --tests 1 >"$work/all"
head -n 500 "$work/all" >"$work/most"
tail -n 1 "$work/all" >"$work/more"
"$client" post "$port" "$token" "$work/most" 4 >"$work/out"
rm "$work/all" "$work/most"
get "/series/1.json?changes=all" 1
cold=$(calc %.0f "$median/1000")
"$client" post "$port" "$token" "$work/more" 1 >"$work/out"
get "/series/1.json?changes=all" 1
more=$(calc %.0f "$median/1000")
get "/series/1.json?changes=all" 9
row "series page after one more commit, 2000 metrics x 500, ms" "$more" \
	"cold: $cold; asked again: $(calc %.0f "$median/1000") ($status)" "<= a quarter of cold"
stop_server

# Unchanged and cached pages beside a bare reply of libmicrohttpd, by the same load.
start_server pages
"$build/invent" --seed 5 --metrics 200 --commits 5 --runs 3 --boxes 1 --tests 1 >"$work/few"
"$client" post "$port" "$token" "$work/few" 1 >"$work/out"
mkfifo "$work/hold" "$work/line"
"$limits" reply <"$work/hold" >"$work/line" &
bare=$!
exec 9>"$work/hold"
read -r bare_port <"$work/line"
# Requests a second, and server CPU microseconds a request, of one second of load on process $1.
load() {
	pid=$1
	shift
	before=$(awk '{ print $14 + $15 }' "/proc/$pid/stat")
	wrk -t1 -c16 -d2 "$@" >"$work/wrk"
	after=$(awk '{ print $14 + $15 }' "/proc/$pid/stat")
	awk -v ticks=$((after - before)) -v hz="$(getconf CLK_TCK)" '/requests in/ { n = $1 }
		/^Requests\/sec/ { printf "%.0f %.2f\n", $2, ticks / hz * 1e6 / n }' "$work/wrk"
}
etag=$(curl -sS -H 'Accept: text/html' -D - -o /dev/null "http://127.0.0.1:$port/series" | tr -d '\r' |
	sed -n 's/^[Ee][Tt][Aa][Gg]: //p')
# In turn, so that a change of the machine's speed meets all three.
for round in 1 2 3 4 5; do
	echo "$(load "$bare" "http://127.0.0.1:$bare_port/")" \
		"$(load "$server" -H 'Accept: text/html' -H "If-None-Match: $etag" "http://127.0.0.1:$port/series")" \
		"$(load "$server" -H 'Accept: text/html' "http://127.0.0.1:$port/series")"
done >"$work/rounds"
middle() { awk "{ print $1 }" "$work/rounds" | sort -n | sed -n 3p; }
row "unchanged page (304), requests/s" "$(middle '$3')" "bare reply: $(middle '$1') ($(calc %.2f "$(middle '$3/$1')"))" ">= .70"
row "  CPU a request, microseconds" "$(middle '$4')" "bare reply: $(middle '$2') ($(calc %.2f "$(middle '$2/$4')"))" ""
row "cached page, requests/s" "$(middle '$5')" "bare reply: $(middle '$1') ($(calc %.2f "$(middle '$5/$1')"))" ">= .70"
row "  CPU a request, microseconds" "$(middle '$6')" "bare reply: $(middle '$2') ($(calc %.2f "$(middle '$2/$6')"))" ""
exec 9>&-

# Importers: the robot's JSON beside jansson's own parsing of the same bytes, and a result tree of small runs.
importing=$build/bench/importing
for kind in stats matrix; do
	"$importing" $kind "$work/$kind.json" 2000
	"$importing" read lkp-$kind "$work/$kind.json" >"$work/out"
	read -r ours theirs bytes <"$work/out"
	row "import lkp-$kind, MB/s" "$(calc %.0f "$bytes/$ours/1e6")" \
		"jansson alone: $(calc %.0f "$bytes/$theirs/1e6") ($(calc %.2f "$theirs/$ours"))" ">= .60"
done
"$importing" tree "$work/result" 10000
for again in "" ", again"; do
	before=$(date +%s%N)
	"$build/plumbline" import lkp-result "$work/result" --database "$work/tree.db" >"$work/out" 2>>"$work/log"
	row "import of a tree of 10,000 small runs$again, runs/s" "$(calc %.0f "1e13/($(date +%s%N)-$before)")" "$(cat "$work/out")" \
		"$([ "$again" ] || echo '>= 2000')"
done
"$build/bench/mails" "$work/mails" 2000
"$importing" read robot-mail "$work/mails" >"$work/out"
read -r ours theirs bytes <"$work/out"
row "import robot-mail, MB/s" "$(calc %.0f "$bytes/$ours/1e6")" "" ">= 50"
