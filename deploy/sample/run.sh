#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Serves the sample lab: starts the server, uploads the scenarios and the invented year as a rig would, over HTTP
# with a token, and says what to look at first. Run again, everything is a duplicate and nothing is stored twice.
#   run.sh BUILD [ADDR:PORT]
set -eu
cd "$(dirname "$0")/../.."
build=$1
listen=${2:-127.0.0.1:8080}
state=state
mkdir -p "$state"
# A lab of its own for each version of the figures: those of another would be refused beside it.
version=$(cat deploy/sample/*.ndjson deploy/sample/invent* | cksum | cut -d' ' -f1)
database=$state/sample-$version.db

# The first line on standard output says where it listens; the pipe ends early when it could not start.
rm -f "$state/listening"
mkfifo "$state/listening"
"$build/plumbline" serve --listen "$listen" --database "$database" >"$state/listening" 2>>"$state/log" &
server=$!
trap 'kill -TERM $server 2>/dev/null; wait $server || true; exit 0' INT TERM
if ! read -r line <"$state/listening"; then
	why=$(tail -n 1 "$state/log")
	printf 'The server did not start:\n%s\n' "$why" >&2
	case $why in *"cannot listen"*) echo "Another port: make run LISTEN=127.0.0.1:8081" >&2 ;; esac
	exit 1
fi
url=${line#listening on }

secret=$state/secret-$version
if ! [ -s "$secret" ]; then
	(umask 077 && "$build/plumbline" token create --name sample --scope upload,admin \
		--database "$database" >"$secret" 2>>"$state/log")
fi
header="$state/header"
(umask 077 && printf 'Authorization: Bearer %s\n' "$(cat "$secret")" >"$header")

upload() { # reads NDJSON on standard input
	answer=$(curl -sS --fail-with-body -H @"$header" -H 'Content-Type: application/x-ndjson' \
		--data-binary @- "$url/api/v1/runs") || {
		echo "An upload was refused: $answer" >&2
		kill -TERM $server
		exit 1
	}
	if printf '%s\n' "$answer" | grep -m1 '"refused"' >&2; then
		kill -TERM $server
		exit 1
	fi
}
for f in deploy/sample/*.ndjson; do
	upload <"$f"
done
# 30 MB, in bodies that a small server takes easily.
rm -f "$state"/year.*
"$build/invent" --year | split -l 1000 - "$state/year."
for f in "$state"/year.*; do
	upload <"$f"
	rm -f "$f"
done
# One box of the year ran a broken version of its rig for a week: what it sent is marked, once, and stays in view.
case $(curl -sS "$url/corrections.json?limit=1") in
*'"corrections":[]'*)
	curl -sS --fail-with-body -o "$state/answer" -H @"$header" -H 'Content-Type: application/json' \
		"$url/api/v1/corrections" --data '{"select": {"machine": "year-icl-2sp1",
		"info.rig_version": "1.9-rc1"}, "set": {"status": "invalid"},
		"reason": "this version of the rig reported ten times too much"}' || {
		cat "$state/answer" >&2
		kill -TERM $server
		exit 1
	} ;;
esac

cat <<END

Plumbline serves its sample lab on $url

  a report's figures, three ways     $url/compare?commits=361a2a229fa3,8cc621d2f45d,7bafb1c4e72a
  raw samples, six runs a side       $url/compare?commits=7bc162d5cc4d,a0fd217e6d6f
  the same as a kernel mail has it   curl '$url/compare.txt?commits=7bc162d5cc4d,a0fd217e6d6f'
  one commit on every machine        $url/c/a0fd217e6d6f
  an invented year: a regression     $url/compare?commits=25448f2a94e0,33d758883745&axis.testcase=hackbench
  the year: one metric over it       $url/history?series=53f4b0873dfc62cd565f07c35336fdd7&metric=hackbench.throughput
  the year: a fix, two versions      $url/compare?commits=8887e3c1cc9d,a79f3ab057d0,8faa443bd48a
  the year: what was corrected, why  $url/corrections
  everything                         $url/

Ctrl-C stops it. The database is $database, the log $state/log.
END
wait $server
