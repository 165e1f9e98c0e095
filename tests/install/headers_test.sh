#!/usr/bin/env bash
# headers_test.sh LIST BUILD COMPILER: installs BUILD into an empty prefix and compares the headers there with LIST;
# then compiles each of them alone, to check that each includes all that it needs.
set -euo pipefail

list=$1
build=$2
compiler=$3

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
cmake --install "$build" --prefix "$prefix" >"$work/install.log" || { tail "$work/install.log" && exit 1; }

include=$prefix/include/eventspace
if ! diff -u "$list" <(cd "$include" && find . -name '*.h' -printf '%P\n' | LC_ALL=C sort); then
  echo "These headers are installed, and $list has others."
  exit 1
fi

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name eventspace.pc)")
export PKG_CONFIG_PATH include compiler
read -r -a cflags < <(pkg-config --cflags eventspace)
export cflags_text="${cflags[*]}"
# shellcheck disable=SC2016,SC2086  # expanded by the inner shell
xargs -P "$(nproc)" -n 1 bash -c \
  '"$compiler" -std=c++20 $cflags_text -fsyntax-only -x c++ "$include/$1" || { echo "$1 cannot be included alone"; exit 255; }' _ <"$list"
