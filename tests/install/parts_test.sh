#!/usr/bin/env bash
# parts_test.sh SOURCE COMPILER: configures without the parts that options leave out, and compares what is said about them.
# Nothing is compiled.
set -euo pipefail

source=$1
compiler=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

configure() { # OPTIONS...
  cmake -S "$source" -B "$work/build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DEVENTSPACE_BUILD_TESTS=OFF \
    -DEVENTSPACE_BUILD_BENCH=OFF "$@" >"$work/said.txt" 2>&1
}
expect() {
  if ! tr '\n' ' ' <"$work/said.txt" | tr -s ' ' | grep -qF -- "$1"; then
    cat "$work/said.txt"
    echo "expected: $1"
    exit 1
  fi
}

configure -DEVENTSPACE_MPI=OFF -DEVENTSPACE_PVM=OFF -DEVENTSPACE_SIMGRID=OFF -DEVENTSPACE_PAGE=OFF
expect "Without libeventspace-openmpi.so: EVENTSPACE_MPI is OFF"
expect "Without libeventspace-mpich.so: EVENTSPACE_MPI is OFF"
expect "Without libeventspace-pvm.so: EVENTSPACE_PVM is OFF"
expect "Without switched networks in \`eventspace whatif\`: EVENTSPACE_SIMGRID is OFF"
expect "Without a page in a browser: EVENTSPACE_PAGE is OFF"
targets=$(ninja -C "$work/build" -t targets all)
for part in eventspace-openmpi.so eventspace-mpich.so eventspace-pvm.so eventspace-simgrid eventspace_web.a; do
  if grep -qF "$part" <<<"$targets"; then echo "$part is built though it is switched off" && exit 1; fi
done

# An empty folder is one without the header.
configure -DEVENTSPACE_PVM=AUTO -DEVENTSPACE_PVM_INCLUDE_DIR=
expect "Without libeventspace-pvm.so: no pvm3.h found (Debian: pvm-dev"
if configure -DEVENTSPACE_PVM=ON -DEVENTSPACE_PVM_INCLUDE_DIR=; then echo "PVM is missing and configuring succeeds" && exit 1; fi
expect "EVENTSPACE_PVM is ON, but without libeventspace-pvm.so: no pvm3.h found"
