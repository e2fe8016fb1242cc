# SPDX-License-Identifier: GPL-2.0-or-later
# What the benchmarks share: a private server, and rows of figures. Sourced with $build set.
work=$(mktemp -d)
server=
bare=
client=$build/bench/client
limits=$build/bench/limits

stop() {
	[ -z "$server" ] || kill -TERM "$server" 2>/dev/null || true
	[ -z "$bare" ] || kill -TERM "$bare" 2>/dev/null || true
	wait 2>/dev/null || true
	rm -rf "$work"
}
trap stop EXIT
trap 'exit 1' INT TERM

# Starts a server on a database of its own; more arguments are options of serve. Sets port and token.
start_server() {
	db=$work/$1.db
	shift
	mkfifo "$work/line"
	"$build/plumbline" serve --listen 127.0.0.1:0 --database "$db" "$@" >"$work/line" 2>"$work/log" &
	server=$!
	read -r line <"$work/line"
	rm "$work/line"
	port=${line##*:}
	token=$("$build/plumbline" token create --name bench --scope upload --database "$db" 2>>"$work/log")
}
stop_server() {
	kill -TERM "$server"
	wait "$server" || true
	server=
}
anon() { # RssAnon of the server in MiB
	awk '/^RssAnon/ { printf "%.1f", $2 / 1024 }' "/proc/$server/status"
}
row() { printf '%-58s %14s   %-34s %s\n' "$1" "$2" "$3" "$4"; }
calc() { awk "BEGIN { printf \"$1\", $2 }"; }
# Ids of the invented commits, in order.
id() { "$build/invent" "$@" | grep -o '"commit":{"id":"[0-9a-f]*' | cut -d'"' -f6 | uniq; }
# Median of COUNT requests in microseconds, in $median (and p95, status, size).
get() {
	"$client" get "$port" "$1" "$2" >"$work/out"
	read -r median p95 status size <"$work/out"
}
machine() { echo "$(nproc) cores, $(uname -m), $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"; }
