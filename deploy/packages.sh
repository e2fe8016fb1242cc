#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Debian packages that Plumbline needs: `packages.sh need SET…` names what is missing and fails,
# `packages.sh install SET…` installs it (as root, or with sudo).
set -eu

build="gcc g++ make libc6-dev curl libmicrohttpd-dev libsqlite3-dev libjansson-dev zlib1g-dev libzstd-dev liblzma-dev \
	libsodium-dev libgit2-dev libgmime-3.0-dev libxml2-dev pkg-config git"
check="libcmocka-dev clang clang-format postgresql-15 postgresql-client-15 sqlite3 nodejs procps wrk zstd tidy xz-utils \
	fio rt-tests sysbench stress-ng hyperfine iperf3 time"
fuzz="libclang-rt-14-dev" # libFuzzer

verb=$1
shift
missing=
for set_name in "$@"; do
	eval "packages=\$$set_name"
	for p in $packages; do
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null)" = installed ] ||
			command -v "$p" >/dev/null 2>&1 || missing="$missing $p"
	done
done
[ -n "$missing" ] || exit 0

if [ "$verb" = need ]; then
	echo "plumbline: missing Debian packages:$missing" >&2
	echo "plumbline: install them with: apt-get install$missing" >&2
	exit 1
fi
as_root=
if [ "$(id -u)" != 0 ]; then
	as_root=sudo
	if ! command -v sudo >/dev/null 2>&1; then
		echo "plumbline: neither root nor sudo; as root: apt-get install$missing" >&2
		exit 1
	fi
fi
echo "installing:$missing"
$as_root apt-get update -q
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
