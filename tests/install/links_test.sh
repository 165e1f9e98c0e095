#!/usr/bin/env bash
# links_test.sh CHECKER BUILD: installs BUILD into an empty prefix; CHECKER then follows the links of all pages there.
set -euo pipefail

checker=$1
build=$2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" >"$work/install.log" || { tail "$work/install.log" && exit 1; }
python3 "$checker" "$work/prefix/share/doc/eventspace"
