#!/usr/bin/env bash
# version_test.sh SOURCE_DIR
#
# What `eventspace --version` says of the commit, in each way in which somebody has the sources. Only the script runs that
# writes the source file; nothing is compiled.
set -euo pipefail
source=$1
if ! command -v git >/dev/null; then
  echo "git is not installed: nothing was tested"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The line of the source file with the commit, for the sources in directory $1.
built_from() {
  cmake -DSOURCE="$1" -DOUT="$work/out.cpp" -DEVENTSPACE_VERSION=1.2.3 -DEVENTSPACE_COMPILER=C -DEVENTSPACE_BUILD_TYPE=B \
    -P "$1/cmake/BuildInfo.cmake"
  grep 'return {"1.2.3"' "$work/out.cpp"
}

expect() {
  if [[ $2 != *"$3"* ]]; then
    echo "$1: expected $3 in: $2"
    exit 1
  fi
}

# A directory without git: nothing is known, and what contains the directory is not asked.
mkdir -p "$work/copy/cmake"
cp "$source"/cmake/{BuildInfo.cmake,commit.txt,this_build.cpp.in} "$work/copy/cmake"
git -C "$work" init --quiet
git -C "$work" -c user.name=a -c user.email=a@b commit --quiet --allow-empty -m other
expect "a copy" "$(built_from "$work/copy")" '{"1.2.3", "", "", "C", "B"}'

# A working tree.
git -C "$work/copy" init --quiet
cp "$source/.gitattributes" "$work/copy"
git -C "$work/copy" add .
git -C "$work/copy" -c user.name=a -c user.email=a@b commit --quiet -m first --date 2026-01-02T03:04:05Z
commit=$(git -C "$work/copy" rev-parse HEAD)
expect "a working tree" "$(built_from "$work/copy")" "\"$commit\", \""
first=$(stat -c %Y.%i "$work/out.cpp")
built_from "$work/copy" >/dev/null
expect "the same again, which must not be compiled again" "$(stat -c %Y.%i "$work/out.cpp")" "$first"
echo '#' >>"$work/copy/cmake/BuildInfo.cmake"
expect "a changed working tree" "$(built_from "$work/copy")" "\"$commit-modified\""

# An archive, as it is made for a release.
mkdir "$work/archive"
git -C "$work/copy" archive HEAD | tar -x -C "$work/archive"
expect "an archive" "$(built_from "$work/archive")" "\"$commit\", \""
