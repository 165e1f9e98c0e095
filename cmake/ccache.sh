#!/bin/sh
# cmake/ccache.sh FOLDER COMMAND...: runs a compiler's command through ccache, with all paths below FOLDER made relative,
# so that all checkouts on this machine share the results. It is the compiler launcher; the working directory is the
# build directory.
#
# ccache makes paths relative too (CCACHE_BASEDIR), but not in the options after -Xclang, with which CMake passes
# precompiled headers to Clang. A header that Clang has precompiled contains absolute paths in any case. So each checkout
# makes its own, and ccache hashes the file .sum beside it instead (eventspace_precompile in EventSpaceTargets.cmake).
folder=$1
shift
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
case " $* " in
  *" -emit-pch "*) exec ccache "$@" ;;
esac
up=$(realpath --relative-to=. "$folder")
for argument in "$@"; do
  shift
  case $argument in
    "$folder"/*) argument=$up/${argument#"$folder"/} ;;
  esac
  set -- "$@" "$argument"
done
export CCACHE_BASEDIR="$folder" CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1
exec ccache "$@"
