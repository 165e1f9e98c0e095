#!/usr/bin/env bash
# consumer_test.sh [shared-]cmake|[shared-]pkg-config CONSUMER BUILD COMPILER: installs BUILD into an empty prefix, builds the
# project CONSUMER against it, with CMake or pkg-config, outside both trees, and runs it; with "shared-", against the shared
# library.
set -euo pipefail

way=$1
consumer=$2
build=$3
compiler=$4

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
cp -r "$consumer" "$work/consumer"
cd "$work/consumer"

cmake --install "$build" --prefix "$prefix" >"$work/install.log" || { tail "$work/install.log" && exit 1; }

package=eventspace
case "$way" in
  shared-*)
    package=eventspace-shared
    sed -i 's/eventspace::eventspace/eventspace::shared/; s/REQUIRED)/REQUIRED COMPONENTS shared)/' CMakeLists.txt
    LD_LIBRARY_PATH=$(dirname "$(find "$prefix" -name libeventspace.so)")
    ;;
esac

case "$way" in
  *cmake)
    cmake -S . -B build -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$prefix"
    cmake --build build
    greetings=build/greetings
    ;;
  *pkg-config)
    export LD_LIBRARY_PATH # programs that CMake links know the place
    PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name eventspace.pc)")
    export PKG_CONFIG_PATH
    greetings=./greetings
    read -r -a cflags < <(pkg-config --cflags "$package")
    read -r -a libs < <(pkg-config --libs "$package")
    "$compiler" -std=c++20 "${cflags[@]}" greetings.cpp "${libs[@]}" -o "$greetings"
    ;;
esac

needs=$(readelf -d "$greetings")
case "$way" in
  shared-*) grep -q 'NEEDED.*\[libeventspace\.so\.0\]' <<<"$needs" ;;
  *) ! grep -q 'libeventspace' <<<"$needs" ;;
esac || { echo "linked with the other kind of library" && exit 1; }

mkdir "$work/shm"
said=$(EVENTSPACE_SHM_DIR=$work/shm "$greetings" greetings.yaml)
printf '%s\n' "$said"
if [ "$(grep -c '^greeter: write of ' <<<"$said")" -ne 3 ]; then
  echo "expected the three writes of the greeter"
  exit 1
fi

# An exception of the library is caught in the program.
said=$("$greetings" none.yaml 2>&1) && { echo "expected a fault: there is no such file" && exit 1; }
grep -q "greetings: none.yaml: error: no such file" <<<"$said" || { echo "$said" && exit 1; }

for installed in bin/eventspace bin/windtunnel share/eventspace/pathmaps/windtunnel.yaml \
  share/doc/eventspace/{LICENSE,README.md,docs/commands.md} share/man/man1/eventspace{,-heartbeat}.1 \
  share/bash-completion/completions/eventspace share/zsh/site-functions/_eventspace \
  share/fish/vendor_completions.d/eventspace.fish; do
  if [ ! -f "$prefix/$installed" ]; then
    echo "not installed: $installed"
    exit 1
  fi
done

# The library that programs with probes load, and `eventspace run`, which tells them where it is.
library=$(EVENTSPACE_SHM_DIR=$work/shm "$prefix/bin/eventspace" run greetings.yaml -- \
  sh -c 'printf "%s" "$EVENTSPACE_PROBE_LIBRARY"')
if [ ! -f "$library" ] || [[ $library != "$(realpath "$prefix")"/* ]]; then
  echo "not the installed library of probes: '$library'"
  exit 1
fi
