#!/usr/bin/env bash
# abi_test.sh SOURCE C_COMPILER [--renew]: compares the interface of include/eventspace.h with its dump, libeventspace.so.0.abi,
# by abidiff (Debian: abigail-tools); --renew writes the dump. The functions of the header are compiled with empty bodies and
# debug information: what programs see, without the library's own types. The test install.exports shows that the library has
# all of them. Exit status 77 without abidiff.
set -euo pipefail

source=$1
compiler=$2
dump=$source/tests/abi/libeventspace.so.0.abi
if ! command -v abidiff >/dev/null; then
  echo "abidiff was not found (Debian: abigail-tools): nothing was tested"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Builds $2, a library with the functions of the header $1.
build_interface() {
  {
    printf '#include <stdlib.h>\n#include "%s"\n' "$(realpath "$1")"
    "$compiler" -E -P -x c "$1" | tr '\n' ' ' | sed 's/;/;\n/g' | grep -oE '[A-Za-z_][A-Za-z0-9_ *]*\bes_[a-z0-9_]+\([^;]*\);' |
      sed 's/;$/ { abort(); }/'
  } >"$work/interface.c"
  "$compiler" -g -Og -w -shared -fPIC -o "$2" "$work/interface.c"
}

write_dump() {
  abidw --no-show-locs --no-corpus-path --no-comp-dir-path --no-architecture --no-elf-needed --drop-undefined-syms \
    --out-file "$2" "$1"
}

# compare LIBRARY [OPTION]: dumps too are compared, because they do not name an architecture.
compare() {
  write_dump "$1" "$work/new.abi"
  abidiff "${@:2}" "$dump" "$work/new.abi"
}
# Whether programs that were compiled before survive the change: whether there are at most new functions.
survives() { compare "$1" --no-added-syms; }

build_interface "$source/include/eventspace.h" "$work/now.so"
functions=$(nm -D --defined-only "$work/now.so" | grep -c ' es_')
exported=$(grep -c '^ *es_' "$source/cmake/libeventspace.map")
if [ "$functions" -ne "$exported" ]; then
  echo "found $functions functions in the header, and $exported in cmake/libeventspace.map, which scripts/exports writes"
  exit 1
fi
if [ "${3:-}" = --renew ]; then
  write_dump "$work/now.so" "$dump"
  exit 0
fi

renew="tests/abi/abi_test.sh . cc --renew"
if ! survives "$work/now.so"; then
  echo "Programs that were compiled with the old include/eventspace.h do not work with the new one. If that must be:"
  echo "raise ES_ABI_VERSION and the name of tests/abi/libeventspace.so.0.abi, run $renew, and say so in CHANGELOG.md."
  exit 1
fi
if ! compare "$work/now.so"; then
  echo "The header has new functions. Older programs survive them: run $renew."
  exit 1
fi

# And this test would notice: each change must be found, and an addition must be told from the others.
change() { # of the header by sed, into changed.so
  sed "$1" "$source/include/eventspace.h" >"$work/eventspace.h"
  if cmp -s "$source/include/eventspace.h" "$work/eventspace.h"; then echo "nothing to change: $1" && exit 1; fi
  build_interface "$work/eventspace.h" "$work/changed.so"
}
for broken in 's/es_path_write(es_path\* path, const es_tuple\* tuple, int64_t wait_ns)/es_path_write(es_path* path, const es_tuple* tuple, int wait_ns)/' \
  's/^void es_scope_free.*//' 's/  uint32_t form;/  uint16_t form;/' 's/^  ES_REFUSED = 7,/  ES_REFUSED = 9,/'; do
  change "$broken"
  if survives "$work/changed.so" >/dev/null; then echo "not found: $broken" && exit 1; fi
done
change 's/^void es_scope_free/void es_scope_more(es_scope* scope);\n&/'
survives "$work/changed.so" || exit 1
