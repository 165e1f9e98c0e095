#!/usr/bin/env bash
# plugin_test.sh PLUGIN BUILD COMPILER: installs BUILD into an empty prefix, builds the project PLUGIN against it,
# outside both trees, and loads the resulting shared object with the installed program.
set -euo pipefail

plugin=$1
build=$2
compiler=$3

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
cp -r "$plugin" "$work/plugin"
cd "$work/plugin"

cmake --install "$build" --prefix "$prefix" >"$work/install.log" || { tail "$work/install.log" && exit 1; }
cmake -S . -B build -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$prefix"

said=$("$prefix/bin/eventspace" check every-nth.yaml 2>&1) && { echo "expected a fault: it is not built yet" && exit 1; }
grep -q "every-nth.yaml:15:24: error: no such file" <<<"$said" || { echo "$said" && exit 1; }

cmake --build build
"$prefix/bin/eventspace" check every-nth.yaml

sed -i 's/n: 10/n: none/' every-nth.yaml
said=$("$prefix/bin/eventspace" check every-nth.yaml 2>&1) && { echo "expected a fault: n is no number" && exit 1; }
grep -q "every-nth" <<<"$said" || { echo "$said" && exit 1; }
