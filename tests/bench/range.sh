#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Ranges at length: range.sh BUILD. On a made repository of 50,000 commits 200 random ranges are held against git, then
# the warm walk is measured beside `git rev-list` with a generation-1 commit-graph, and a page of 500 rows. Goals: ratio
# at most 1.2, page under 50 ms.
set -eu
cd "$(dirname "$0")/../.."
build=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

echo "# 200 ranges of 50,000 commits against git"
PLUMBLINE=$build/plumbline RANGE_COMMITS=50000 RANGE_COUNT=200 node tests/http/test_range_git.mjs
PLUMBLINE=$build/plumbline node tests/bench/range.mjs "$folder" "$build/bench/walk"
