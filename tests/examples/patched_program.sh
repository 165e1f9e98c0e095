#!/usr/bin/env bash
# patched_program.sh SOURCE BUILD DIFF OUT [MPI]: applies DIFF to copies of the files that it changes, and builds the
# program OUT/bin/eventspace with them; with MPI (openmpi, mpich) also libeventspace-MPI.so, with new wrappers, and
# OUT/uncovered, the functions without a wrapper. Takes seconds: it compiles only the changed files, with the commands of
# BUILD, a build by Ninja, and links them with the libraries of BUILD. Fails if DIFF does not apply, or adds a source that
# no CMakeLists.txt names.
set -euo pipefail
shopt -s inherit_errexit
unset XDG_CACHE_HOME # which tests set to a place where ccache cannot write
source=$1 build=$2 diff=$3 out=$4 mpi=${5:-}
objects=()

command_of() { ninja -t commands "$1" | tail -1; }

# output_of FILE: the object that BUILD makes of FILE.
output_of() { grep -B1 -F "\"file\": \"$1\"" compile_commands.json | sed -n 's/.* -o \([^ ]*\) -c .*/\1/p' | sed -n 1p; }

# unit_of FILE: FILE, or the file in which a unity build includes it.
unit_of() {
  local unity
  unity=$(sed -n 's/.*"file": "\(.*\/unity_[0-9]*_cxx\.cxx\)".*/\1/p' compile_commands.json |
    { xargs -r grep -lF "\"$1\"" || true; } | sed -n 1p)
  echo "${unity:-$1}"
}

# compile OBJECT FROM TO: compiles TO as BUILD compiles OBJECT from FROM; prints the name of the new object.
compile() {
  local command new
  new=$out/objects/$(basename "$3").o
  command=$(command_of "$1")
  command=${command//"$1"/"$new"}
  command=${command//"$2"/"$3"}
  eval "${command/" -I$source "/" -I$out/tree -I$source "}" >&2
  echo "$new"
}

# compile_changed FILE: the object of a file that DIFF changes, and of the others in its unity.
compile_changed() {
  local unit copy=$out/tree/$1 file edits=()
  unit=$(unit_of "$source/$1")
  if [ "$unit" != "$source/$1" ]; then
    copy=$out/objects/$(echo "${unit#"$build/"}" | tr / _)
    [ ! -e "$copy" ] || return 0
    for file in "${changed[@]}"; do edits+=(-e "s|\"$source/$file\"|\"$out/tree/$file\"|"); done
    sed "${edits[@]}" "$unit" >"$copy"
  fi
  objects+=("$(compile "$(output_of "$unit")" "$unit" "$copy")")
}

# compile_added FILE: the object of a file that DIFF adds, with the options of a file beside it.
compile_added() {
  local beside unit copy
  beside=$(find "$source/$(dirname "$1")" -name '*.cpp' | sort | sed -n 1p)
  unit=$(unit_of "$beside")
  copy=$out/objects/$(basename "$1" .cpp)_added.cxx
  echo "#include \"$out/tree/$1\"" >"$copy"
  objects+=("$(compile "$(output_of "$unit")" "$unit" "$copy")")
}

# check_is_built FILE: whether CMake makes the added FILE part of the build.
check_is_built() {
  local whole=$out/whole option entry
  mkdir "$whole"
  for entry in "$source"/*; do
    case $build/ in "$entry"/*) continue ;; esac
    case $entry in */build | */out) ;; *) cp -r -t "$whole" "$entry" ;; esac
  done
  cp -r -t "$whole" "$out"/tree/*
  option=$(sed -n 's/^\(EVENTSPACE_MSGPACK_INCLUDE_DIR:PATH=.*\)/-D\1/p' CMakeCache.txt)
  cmake -S "$whole" -B "$whole/build" -G Ninja -DEVENTSPACE_BUILD_TESTS=OFF -DEVENTSPACE_BUILD_BENCH=OFF \
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON ${option:+"$option"} >"$out/configure.log" 2>&1
  grep -qF "\"file\": \"$whole/$1\"" "$whole/build/compile_commands.json"
}

# link TARGET [FROM TO]: links TARGET of BUILD into OUT, with the new objects before the libraries, and TO for FROM.
link() {
  local command
  mkdir -p "$out/$(dirname "$1")"
  command=$(command_of "$1")
  [ $# = 1 ] || command=${command/"$2"/"$3"}
  eval "${command/" -o $1 "/" -o $out/$1 ${objects[*]} "}"
}

# build_mpi_library: generates the wrappers of the changed table, and makes the library of them.
build_mpi_library() {
  local file=$build/pathmaps/mpi/${mpi}_wrappers.cpp header=pathmaps/mpi/${mpi}_mpi.ii object
  link collectors/eventspace_generate_wrappers
  "$out/collectors/eventspace_generate_wrappers" "$header" >"$out/wrappers.cpp"
  "$out/collectors/eventspace_generate_wrappers" --uncovered "$header" >"$out/uncovered"
  object=$(output_of "$file")
  link "$(ninja -t targets all | sed -n "s|^\(.*/libeventspace-$mpi\.so\): .*|\1|p" | sed -n 1p)" \
    "$object" "$(compile "$object" "$file" "$out/wrappers.cpp")"
}

rm -rf "$out"
mkdir -p "$out/tree" "$out/objects"
mapfile -t changed < <(sed -n 's|^--- a/||p' "$diff")
mapfile -t all < <(sed -n 's|^+++ b/||p' "$diff")
(cd "$source" && cp --parents -t "$out/tree" "${changed[@]}")
patch --quiet --strip=1 --fuzz=0 --no-backup-if-mismatch --directory="$out/tree" --input="$diff"

cd "$build"
for file in "${all[@]}"; do
  case $file in *.cpp) ;; *) continue ;; esac
  if [ -e "$source/$file" ]; then
    compile_changed "$file"
  else
    compile_added "$file"
    check_is_built "$file"
  fi
done
link bin/eventspace
[ -z "$mpi" ] || build_mpi_library
