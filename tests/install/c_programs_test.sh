#!/usr/bin/env bash
# c_programs_test.sh BUILD C_COMPILER [FORTRAN_COMPILER]: installs BUILD into an empty prefix, builds the project
# examples/c and the program in Fortran against it, outside both trees, and runs them. Their output is compared with what
# the documentation says.
set -euo pipefail

build=$1
compiler=$2
fortran=${3:-}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
cmake --install "$build" --prefix "$prefix" >"$work/install.log" || { tail "$work/install.log" && exit 1; }
cp -r "$prefix"/share/doc/eventspace/examples "$work/examples"
mkdir "$work/shm" "$work/run"
export EVENTSPACE_SHM_DIR=$work/shm XDG_RUNTIME_DIR=$work/run PATH=$prefix/bin:$PATH
cd "$work/examples"

# expect OUTPUT WORDS: that a line of the output has these words.
expect() {
  if ! grep -qF -- "$2" <<<"$1"; then
    printf 'expected "%s" in:\n%s\n' "$2" "$1"
    exit 1
  fi
}

cmake -S c -B c/build -G Ninja -DCMAKE_C_COMPILER="$compiler" -DCMAKE_C_FLAGS="-std=c11 -Wall -Wextra -Werror -pedantic" \
  -DCMAKE_PREFIX_PATH="$prefix"
cmake --build c/build
pathmap=workshop/workshop.yaml
eventspace up "$pathmap"
trap 'eventspace down "$pathmap" --clean || true; rm -rf "$work"' EXIT

said=$(eventspace run "$pathmap" --record "$work/run.evs" -- "$work/examples/c/build/workshop_c" 2)
expect "$said" "batch 2: 100 parts, the last one has number 200"
said=$(c/build/watch_c recording "$work/run.evs")
expect "$said" "write           200 events"
expect "$said" "Writes of p0: 200"
said=$(c/build/watch_c pathmap "$pathmap" 2>&1)
expect "$said" "maker      write"
said=$(c/build/watch_c recording "$work/none.evs" 2>&1) && exit 1
expect "$said" "watch_c: recording: environment: "

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name eventspace-shared.pc)")
export PKG_CONFIG_PATH
read -r -a cflags < <(pkg-config --cflags eventspace-shared)
read -r -a libs < <(pkg-config --libs eventspace-shared)
library=$(dirname "$(find "$prefix" -name libeventspace.so)")
"$compiler" -std=c11 "${cflags[@]}" c/workshop_c.c "${libs[@]}" -o by_pkg_config
said=$(LD_LIBRARY_PATH=$library ./by_pkg_config 2>&1) && exit 1
expect "$said" "workshop_c: join: configuration: "

# The macros of probe.h find the library.
cat >probes.c <<'END'
#include <eventspace.h>
#include <eventspace/probe.h>
int main(void) {
  es_session* session = NULL;
  if (es_session_open("probes", NULL, 0, &session) != ES_OK) return 1;
  EVENTSPACE_PROBE("step", 1);
  es_monitor* monitor = NULL;
  es_events* events = NULL;
  if (es_monitor_of_session("probes", &monitor) != ES_OK) return 2;
  if (es_monitor_events(monitor, NULL, ES_USUAL, &events) != ES_OK) return 3;
  return es_events_size(events) == 1 ? 0 : 4;
}
END
"$compiler" -std=c11 "${cflags[@]}" probes.c "${libs[@]}" -o with_probes
LD_LIBRARY_PATH=$library ./with_probes || { echo "a probe is not recorded: $?" && exit 1; }

# Regions of MPI programs are recorded beside the calls of MPI, although the program is linked with a copy of the library.
cat >region.c <<'END'
#include <eventspace.h>
#include <mpi.h>
int main(int argc, char** argv) {
  es_site* const solve = es_site_of("solve", NULL);
  MPI_Init(&argc, &argv);
  es_region_begin(solve);
  MPI_Barrier(MPI_COMM_WORLD);
  es_region_end(solve, NULL, 0);
  return MPI_Finalize();
}
END
if command -v mpicc.mpich mpirun.mpich >/dev/null && [ -e "$library/libeventspace-mpich.so" ]; then
  mpicc.mpich "${cflags[@]}" region.c "${libs[@]}" -o with_region
  LD_LIBRARY_PATH=$library eventspace run --session region --record "$work/region.evs" -- mpirun.mpich -n 2 ./with_region
  said=$(c/build/watch_c recording "$work/region.evs")
  expect "$said" "region            2 events"
  expect "$said" "collective        2 events"
  # A process is in a session once: after MPI_Init the preloaded library has joined.
  cat >late.c <<'END'
#include <eventspace.h>
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  es_session* session = NULL;
  MPI_Init(&argc, &argv);
  const es_status status = es_session_from_environment(&session);
  printf("%s: %s\n", es_status_name(status), es_error_text());
  return MPI_Finalize();
}
END
  mpicc.mpich "${cflags[@]}" late.c "${libs[@]}" -o joins_late
  said=$(LD_LIBRARY_PATH=$library eventspace run --session late -- mpirun.mpich -n 1 ./joins_late)
  expect "$said" "configuration: a preloaded library of EventSpace"
else
  echo "no MPICH: regions of MPI programs were not tested"
fi

if [ -n "$fortran" ]; then
  module=$(pkg-config --variable=includedir eventspace-shared)/eventspace.f90
  "$fortran" -std=f2018 -Wall -Werror "$module" fortran/jacobi.f90 "${libs[@]}" -o solve_rod
  export LD_LIBRARY_PATH=$library
  said=$(eventspace run --session jacobi --record "$work/jacobi.evs" -- ./solve_rod 100)
  expect "$said" "100 steps: 92.04 degrees beside the hot end"
  said=$(c/build/watch_c recording "$work/jacobi.evs")
  expect "$said" "region          100 events"
  expect "$said" "point           100 events"
  expect "$said" "take              1 events"
else
  echo "no Fortran compiler: the program in Fortran was not built"
fi
