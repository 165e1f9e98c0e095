# cmake -DSOURCE=DIR -DOUT=FILE -DEVENTSPACE_VERSION=... -P BuildInfo.cmake
#
# Writes the C++ file with the version, the commit, the compiler and the build type of this build; leaves it alone if it
# says this already. The commit is asked of git, if the sources are the root of a working tree of git; in an archive that
# `git archive` made, it is in cmake/commit.txt. Elsewhere it is empty.
set(commit "")
set(date "")

file(READ ${SOURCE}/cmake/commit.txt archived)
if(archived MATCHES "^([0-9a-f]+) ([-0-9]+)")
  set(commit ${CMAKE_MATCH_1})
  set(date ${CMAKE_MATCH_2})
elseif(EXISTS ${SOURCE}/.git)
  # Another project that contains these sources has a commit of its own, which is not asked for.
  find_program(git git)
  if(git)
    execute_process(
      COMMAND ${git} -C ${SOURCE} log -1 "--format=%H %cs"
      OUTPUT_VARIABLE asked ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    execute_process(
      COMMAND ${git} -C ${SOURCE} status --porcelain --untracked-files=no
      OUTPUT_VARIABLE changes ERROR_QUIET)
  endif()
  if("${asked}" MATCHES "^([0-9a-f]+) ([-0-9]+)$")
    set(commit ${CMAKE_MATCH_1})
    set(date ${CMAKE_MATCH_2})
    if(NOT "${changes}" STREQUAL "")
      string(APPEND commit "-modified")
    endif()
  endif()
endif()

configure_file(${SOURCE}/cmake/this_build.cpp.in ${OUT} @ONLY)
