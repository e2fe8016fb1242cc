#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What a hundred times more data costs: the same pages with 1 million values stored and with 100 million.
#   scale.sh BUILD [MILLIONS]     about five minutes and 3 GB of disk for the 100 that count
set -eu
cd "$(dirname "$0")/../.."
build=$1
millions=${2:-100}
. tests/bench/lib.sh

machine
start_server scale --page_cache 0
# 12 series, 6 runs, 2000 metrics: 144,000 values a commit.
store() { # SEED COMMITS
	"$build/invent" --seed "$1" --commits "$2" --runs 6 --metrics 2000 --boxes 4 >"$work/part"
	"$client" post "$port" "$token" "$work/part" 4 >"$work/out"
	read -r seconds bodies bytes <"$work/out"
	rm "$work/part"
}
set -- $(id --seed 1 --metrics 1 --commits 2 --runs 1 --boxes 1 --tests 1)
pair="commits=$1,$2&axis.testcase=hackbench&axis.tbox_group=invented-box1"
measure() { # sets json, screen, commit in microseconds
	get "/compare.json?changed=0&$pair" 200
	json=$median
	get "/compare?$pair" 200
	screen=$median
	get "/commit/$2.json" 100
	commit=$median
}
store 1 7
measure "$@"
small_json=$json small_screen=$screen small_commit=$commit
small=$(stat -c %s "$db")
stored=7
total=0
seed=2
while [ $((stored * 144)) -lt $((millions * 1000)) ]; do
	store $seed 70
	stored=$((stored + 70))
	seed=$((seed + 1))
	total=$(calc %.3f "$total+$seconds")
done
measure "$@"
row "what" "1 million" "$millions million" "wanted"
row "compare 2 x 6 x 2000, JSON, ms" "$(calc %.2f "$small_json/1000")" \
	"$(calc %.2f "$json/1000") ($(calc %.2f "$json/$small_json") times)" "<= 1.3 times"
row "compare, HTML, first screen, ms" "$(calc %.2f "$small_screen/1000")" \
	"$(calc %.2f "$screen/1000") ($(calc %.2f "$screen/$small_screen") times)" "<= 1.3 times"
row "a commit's page as JSON, 12 series, ms" "$(calc %.2f "$small_commit/1000")" \
	"$(calc %.2f "$commit/1000") ($(calc %.2f "$commit/$small_commit") times)" ""
row "memory of the server, MiB (RssAnon)" "" "$(anon)" "<= 256"
stop_server
row "bytes a value (database file)" "$(calc %.2f "$small/7/144000")" "$(calc %.2f "$(stat -c %s "$db")/$stored/144000")" ""
row "stored, values/s over all" "" "$(calc %.0f "($stored-7)*144000/$total")" ""
