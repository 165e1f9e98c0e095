#!/usr/bin/env bash
# links_test.sh CHECKER BUILD: installs BUILD as makers of packages do, below DESTDIR; CHECKER then follows the links of
# all pages there.
set -euo pipefail

checker=$1
build=$2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
DESTDIR=$work cmake --install "$build" --prefix /prefix >"$work/install.log" || { tail "$work/install.log" && exit 1; }
if [ -e "$work/$work" ]; then echo "some pages are below DESTDIR twice" && exit 1; fi
python3 "$checker" "$work/prefix/share/doc/eventspace"
