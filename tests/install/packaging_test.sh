#!/usr/bin/env bash
# packaging_test.sh SOURCE_DIR
#
# packaging/ repeats facts of the project: the version, the parts, the packages that a build needs. They stay equal.
# Building the packages takes too long for the tests; scripts/package does it.
set -euo pipefail
cd "$1"
fail() { echo "$1" && exit 1; }

version=$(sed -n 's/^  VERSION \([0-9.]*\)$/\1/p' CMakeLists.txt)
packaged=$(sed -n '1s/^eventspace (\([0-9.]*\)) .*/\1/p' packaging/debian/changelog)
[ "$version" = "$packaged" ] || fail "CMakeLists.txt has version '$version', packaging/debian/changelog '$packaged'"

# A part that debian/rules does not name could be missing in the packages unnoticed.
for part in $(sed -n 's/^foreach(part \(.*\))$/\1/p' cmake/EventSpaceParts.cmake); do
  grep -q -- "-DEVENTSPACE_$part=ON" packaging/debian/rules || fail "packaging/debian/rules does not build the part $part"
  grep -q "EVENTSPACE_$part\|\"$part\"" packaging/spack/package.py || fail "packaging/spack/package.py ignores the part $part"
done

# Graphviz is needed at run time only; the compiler is always there when packages are built.
needed=$(sed -n '/^Build-Depends:/,/^Standards-Version:/p' packaging/debian/control)
build=$(sed -n '/^build_packages=(/,/^)/p' scripts/setup | sed '1d;$d')
for package in $build; do
  case "$package" in g++ | graphviz) continue ;; esac
  grep -qw -- "$package" <<<"$needed" ||
    fail "packaging/debian/control does not build with $package, which scripts/setup installs"
done

python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' packaging/spack/package.py
