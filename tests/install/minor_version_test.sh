#!/usr/bin/env bash
# minor_version_test.sh SOURCE BUILD CXX_COMPILER: that a program in C++ which was linked with another minor version of
# libeventspace.so does not start, and that one in C does. The other version has two functions of the real one.
set -euo pipefail

source=$1
library=$(find "$2" -name 'libeventspace.so.0' -print -quit)
compiler=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir other

cat >other.cpp <<'END'
#include <eventspace.h>
#include <eventspace/deadline.h>
eventspace::Deadline::Clock::duration eventspace::Deadline::left() const noexcept { return Clock::duration(1); }
const char* es_version(void) { return "other"; }
END
sed 's/EVENTSPACE_CXX_[0-9.]*/EVENTSPACE_CXX_99.9/' "$source/cmake/libeventspace.map" >other.map
"$compiler" -std=gnu++20 -I"$source/include" -shared -fPIC -Wl,-soname,libeventspace.so.0 -Wl,--version-script=other.map \
  -o other/libeventspace.so.0 other.cpp

cat >in_cxx.cpp <<'END'
#include <eventspace/deadline.h>
int main() { return eventspace::Deadline::never().left().count() > 0 ? 0 : 1; }
END
cat >in_c.cpp <<'END'
#include <eventspace.h>
#include <stdio.h>
int main() { puts(es_version()); }
END
for program in in_cxx in_c; do
  "$compiler" -std=gnu++20 -I"$source/include" -o "$program" "$program.cpp" other/libeventspace.so.0
done
export LD_LIBRARY_PATH=$work/other
./in_cxx
[ "$(./in_c)" = other ]

LD_LIBRARY_PATH=$(dirname "$library")
[ "$(./in_c)" != other ]
if said=$(./in_cxx 2>&1); then
  echo "the program in C++ started"
  exit 1
fi
if ! grep -q "version .EVENTSPACE_CXX_99.9. not found" <<<"$said"; then
  printf 'expected the missing version in:\n%s\n' "$said"
  exit 1
fi
