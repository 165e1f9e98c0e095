# Makes a library of each top-level folder and a target of each noun in it, with the same flags everywhere.

# Compilation uses ccache if it is installed. Its results do not depend on the directory of the checkout:
# paths below the source tree are hashed and written as relative ones, so that all checkouts on this machine
# share them.
find_program(EVENTSPACE_CCACHE ccache)
mark_as_advanced(EVENTSPACE_CCACHE)
if(EVENTSPACE_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${PROJECT_SOURCE_DIR}/cmake/ccache.sh ${PROJECT_SOURCE_DIR})
endif()

add_library(eventspace_flags INTERFACE)
target_compile_features(eventspace_flags INTERFACE cxx_std_20)
target_compile_options(
  eventspace_flags
  INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
            -Woverloaded-virtual -fno-omit-frame-pointer $<$<BOOL:${EVENTSPACE_WERROR}>:-Werror>)
# Neither __FILE__ nor debug information contains the directory of the checkout. A debugger that is started in another
# directory needs `set substitute-path . DIRECTORY` (gdb) or `settings set target.source-map . DIRECTORY` (lldb).
target_compile_options(eventspace_flags INTERFACE -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)
if(EVENTSPACE_PRECOMPILE AND CMAKE_CXX_COMPILER_ID MATCHES Clang)
  target_compile_options(eventspace_flags INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
endif()
# Tests are optimised less than the code under test: they take longer to compile than to run. With AddressSanitizer the
# same holds for all code: -O1 doubles the time of compilation and adds no checks.
set(is_test $<BOOL:$<TARGET_PROPERTY:EVENTSPACE_IS_TEST>>)
if(EVENTSPACE_SANITIZE)
  if(EVENTSPACE_FUZZ)
    set(optimised -O1)
  elseif(EVENTSPACE_SANITIZE MATCHES address)
    # But pathmaps/: its tests expand hundreds of trees, which takes minutes without.
    set(optimised $<IF:$<STREQUAL:$<TARGET_PROPERTY:NAME>,eventspace_pathmaps>,-O1,-O0>)
  else()
    set(optimised -O1)
  endif()
  target_compile_options(eventspace_flags INTERFACE -fsanitize=${EVENTSPACE_SANITIZE} -fno-sanitize-recover=all
                                                    $<IF:${is_test},-O0,${optimised}>)
  target_link_options(eventspace_flags INTERFACE -fsanitize=${EVENTSPACE_SANITIZE})
else()
  target_compile_options(eventspace_flags INTERFACE $<$<AND:$<CONFIG:RelWithDebInfo>,${is_test}>:-O1>)
endif()

if(CMAKE_UNITY_BUILD)
  # Files that are compiled together shadow names of each other; and GCC takes the included files for headers, whose
  # types should not have members from unnamed namespaces.
  target_compile_options(eventspace_flags INTERFACE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()

# The same for files in C, which need only <eventspace.h>.
add_library(eventspace_c_flags INTERFACE)
target_compile_options(eventspace_c_flags INTERFACE -std=c11 -Wall -Wextra -pedantic -Wshadow
                                                    $<$<BOOL:${EVENTSPACE_WERROR}>:-Werror>)
if(EVENTSPACE_SANITIZE)
  target_compile_options(eventspace_c_flags INTERFACE -fsanitize=${EVENTSPACE_SANITIZE} -fno-sanitize-recover=all)
endif()

# eventspace_precompile(TARGET HEADERS...) compiles the headers once for all files of the target.
function(eventspace_precompile target)
  target_precompile_headers(${target} PRIVATE ${ARGN})
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    # ccache hashes this file instead of the precompiled header, see cmake/ccache.sh. The text of the headers is part of
    # the preprocessed text, which ccache hashes too.
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/cmake_pch.hxx.pch.sum
         CONTENT "${CMAKE_CXX_COMPILER_VERSION} ${ARGN}\n")
  endif()
endfunction()

# The large headers of the tests are precompiled. Those of the libraries are not, so that a missing include is
# noticed.
if(EVENTSPACE_PRECOMPILE AND EVENTSPACE_BUILD_TESTS)
  find_package(GTest REQUIRED)
  file(WRITE ${PROJECT_BINARY_DIR}/precompiled/empty.cpp "")
  add_library(eventspace_precompiled_tests OBJECT ${PROJECT_BINARY_DIR}/precompiled/empty.cpp)
  set_target_properties(eventspace_precompiled_tests PROPERTIES EVENTSPACE_IS_TEST ON)
  target_link_libraries(eventspace_precompiled_tests PRIVATE eventspace_flags fmt::fmt GTest::gmock)
  eventspace_precompile(
    eventspace_precompiled_tests
    <chrono>
    <filesystem>
    <functional>
    <map>
    <memory>
    <optional>
    <set>
    <string>
    <thread>
    <vector>
    <fmt/format.h>
    <gmock/gmock.h>
    <gtest/gtest.h>)
endif()

# What each target compiles and uses, for tests/house: lines "target FOLDER", "source FILE", "uses TARGET" and
# "command FUNCTION".
set(EVENTSPACE_TARGETS_FILE ${PROJECT_BINARY_DIR}/targets.txt)
file(WRITE ${EVENTSPACE_TARGETS_FILE} "")

function(eventspace_record_target name sources uses commands)
  set(lines "target ${name}\n")
  foreach(source IN LISTS sources)
    if(NOT source MATCHES "^\\$|^/")
      string(APPEND lines "source ${source}\n")
    endif()
  endforeach()
  foreach(used IN LISTS uses)
    string(APPEND lines "uses ${used}\n")
  endforeach()
  foreach(command IN LISTS commands)
    string(APPEND lines "command ${command}\n")
  endforeach()
  file(APPEND ${EVENTSPACE_TARGETS_FILE} ${lines})
endfunction()

# eventspace_library(FOLDER SOURCES ... [HEADERS ...] [USES nouns ...] [PUBLIC targets ...] [PRIVATE targets ...])
# makes the library eventspace_FOLDER with the alias eventspace::FOLDER; EventSpaceInstall.cmake installs it. USES names
# nouns whose files these sources include. HEADERS are the files of
# include/eventspace that it implements.
function(eventspace_library folder)
  cmake_parse_arguments(ARG "" "" "SOURCES;HEADERS;USES;PUBLIC;PRIVATE" ${ARGN})
  set(target eventspace_${folder})
  # Header-only helpers of our own build, which users of the installed library do not need.
  list(TRANSFORM ARG_PRIVATE REPLACE "^(eventspace_.*)$" "$<BUILD_INTERFACE:\\1>")
  add_library(${target} STATIC ${ARG_SOURCES})
  add_library(eventspace::${folder} ALIAS ${target})
  # Also lets all that link the library include <eventspace/...>.
  list(TRANSFORM ARG_HEADERS PREPEND ${PROJECT_SOURCE_DIR}/include/eventspace/)
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${ARG_HEADERS})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${folder} POSITION_INDEPENDENT_CODE ON
                                             EVENTSPACE_USED_BY_NOUNS "${ARG_PUBLIC}")
  # Headers of the tree include each other as "folder/x.h". Installed are only those of include/eventspace.
  target_include_directories(
    ${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(
    ${target}
    PUBLIC ${ARG_PUBLIC}
    PRIVATE $<BUILD_INTERFACE:eventspace_flags> ${ARG_PRIVATE})
  set_property(GLOBAL APPEND PROPERTY EVENTSPACE_LIBRARIES ${target})
  file(RELATIVE_PATH here ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  list(TRANSFORM ARG_SOURCES REPLACE "^([^/$].*)$" "${here}/\\1")
  eventspace_record_target(${folder} "${ARG_SOURCES}" "${ARG_USES}" "")
endfunction()

# eventspace_noun(SOURCES ... [NAME name] [APART] [USES nouns ...] [LINK targets ...] [DEFINITIONS ...] [COMMANDS functions ...])
# adds the files of the folder that calls it to the library of its top-level folder: scopes/streams is the target
# eventspace_scopes_streams, a part of eventspace::scopes. NAME is for a second noun in the folder.
#
# USES names all nouns from which the files include: folders below the same top-level folder, and engines ("probing").
# tests/house compares USES with the includes. LINK names targets outside EventSpace; the library is linked with them too.
# DEFINITIONS are for these files alone. COMMANDS names the functions that make commands of the program `eventspace`
# (monitors/cli/command.h).
#
# Nouns are object libraries, among which CMake refuses circles. In a unity build the library compiles their files itself,
# so that groups of files reach over small nouns, but for nouns that are APART: other libraries take their objects too.
function(eventspace_noun)
  cmake_parse_arguments(ARG "APART" "NAME" "SOURCES;USES;LINK;DEFINITIONS;COMMANDS" ${ARGN})
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  string(REGEX REPLACE "/.*" "" top ${folder})
  set(name ${folder})
  if(ARG_NAME)
    string(APPEND name /${ARG_NAME})
  endif()
  string(REPLACE / _ target eventspace_${name})
  string(REGEX REPLACE "^eventspace_" eventspace:: alias ${target})
  string(REPLACE / _ uses "${ARG_USES}")
  list(TRANSFORM uses PREPEND eventspace::)
  if(CMAKE_UNITY_BUILD AND NOT ARG_APART)
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE ${uses} ${ARG_LINK})
    target_sources(eventspace_${top} PRIVATE ${ARG_SOURCES})
    target_compile_definitions(eventspace_${top} PRIVATE ${ARG_DEFINITIONS})
  else()
    get_target_property(below eventspace_${top} EVENTSPACE_USED_BY_NOUNS)
    add_library(${target} OBJECT ${ARG_SOURCES})
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_compile_definitions(${target} PRIVATE ${ARG_DEFINITIONS})
    target_link_libraries(${target} PUBLIC ${below} ${uses} ${ARG_LINK} PRIVATE fmt::fmt eventspace_flags)
    if(TARGET eventspace_${top}_precompiled)
      target_precompile_headers(${target} REUSE_FROM eventspace_${top}_precompiled)
    endif()
    target_sources(eventspace_${top} PRIVATE $<TARGET_OBJECTS:${target}>)
  endif()
  add_library(${alias} ALIAS ${target})
  list(TRANSFORM ARG_LINK REPLACE "^(eventspace_.*)$" "$<BUILD_INTERFACE:\\1>")
  get_target_property(linked eventspace_${top} LINK_LIBRARIES)
  list(REMOVE_ITEM ARG_LINK ${linked})
  target_link_libraries(eventspace_${top} PRIVATE ${ARG_LINK})
  list(TRANSFORM ARG_SOURCES PREPEND ${folder}/)
  eventspace_record_target(${name} "${ARG_SOURCES}" "${ARG_USES}" "${ARG_COMMANDS}")
  set_property(GLOBAL APPEND PROPERTY EVENTSPACE_COMMANDS ${ARG_COMMANDS})
endfunction()

# Builds the programs of all tests labelled "concurrent" that sanitizers repeat, and no others.
add_custom_target(concurrent_tests)
# Builds the programs of all tests that AddressSanitizer repeats.
add_custom_target(repeated_tests)

# The settings with which all files of tests are compiled.
function(eventspace_test_target name)
  set_target_properties(${name} PROPERTIES EVENTSPACE_IS_TEST ON)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${ARGN} eventspace_flags GTest::gmock)
  if(TARGET eventspace_precompiled_tests)
    # The precompiled headers contain those of fmt, which need fmt's definitions.
    target_link_libraries(${name} PRIVATE fmt::fmt)
    target_precompile_headers(${name} REUSE_FROM eventspace_precompiled_tests)
  endif()
endfunction()

# eventspace_test_parts(NAME SOURCES ... [LINK targets ...]) compiles files that several test programs use only once;
# these programs name NAME in their LINK. Tests in such a file run in each program that links it.
function(eventspace_test_parts name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} OBJECT ${ARG_SOURCES})
  eventspace_test_target(${name} ${ARG_LINK})
endfunction()

# eventspace_test(NAME SOURCES ... [LINK targets ...] [PROGRAMS targets ...] [LABELS ...] [LONG regex] [TIMEOUT seconds]
# [PREFIX text] [SUITES])
# makes a GoogleTest program and registers each of its tests with CTest under its name, preceded by the prefix. PROGRAMS
# are built before it; it has the path of each as a macro: QUEUE_APP for queue_app, but EVENTSPACE_PROGRAM for eventspace
# and WINDTUNNEL_PROGRAM for windtunnel. Labels tell scripts/test how to run the tests: "concurrent": also under
# ThreadSanitizer; "once": under no sanitizer; "slow": before the others; "long": only with --long. LONG adds the label
# "long" to the tests whose names match. SUITES registers each suite instead, which runs in one process: for programs of
# many tests that take less than the start of a process does, which under a sanitizer is a quarter of a second. A skipped
# test of a suite counts as passed.
function(eventspace_test name)
  cmake_parse_arguments(ARG "SUITES" "TIMEOUT;PREFIX;LONG" "SOURCES;LINK;PROGRAMS;LABELS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  eventspace_test_target(${name} ${ARG_LINK} GTest::gmock_main)
  foreach(program IN LISTS ARG_PROGRAMS)
    string(TOUPPER ${program} macro)
    if(program MATCHES "^(eventspace|windtunnel)$")
      string(APPEND macro _PROGRAM)
    endif()
    target_compile_definitions(${name} PRIVATE ${macro}="$<TARGET_FILE:${program}>")
    add_dependencies(${name} ${program})
  endforeach()
  set(environment)
  if(EVENTSPACE_SANITIZE MATCHES thread)
    set(environment
        ENVIRONMENT
        "TSAN_OPTIONS=die_after_fork=0:second_deadlock_stack=1:suppressions=${PROJECT_SOURCE_DIR}/tests/tsan.supp")
  elseif(EVENTSPACE_SANITIZE MATCHES address)
    set(environment
        ENVIRONMENT "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/lsan.supp:print_suppressions=0")
  endif()
  if(ARG_SUITES)
    set(tests ${CMAKE_CURRENT_BINARY_DIR}/${name}_suites.cmake)
    list(JOIN environment " " properties)
    add_custom_command(
      TARGET ${name}
      POST_BUILD
      BYPRODUCTS ${tests}
      COMMAND ${CMAKE_COMMAND} -D PROGRAM=$<TARGET_FILE:${name}> -D OUTPUT=${tests} -D NAME=${name} -D PREFIX=${ARG_PREFIX} -D
              "PROPERTIES=TIMEOUT ${ARG_TIMEOUT} ${properties}" -P ${PROJECT_SOURCE_DIR}/cmake/discover_suites.cmake
      VERBATIM)
    set(include ${CMAKE_CURRENT_BINARY_DIR}/${name}_include.cmake)
    file(WRITE ${include} "if(EXISTS \"${tests}\")\n  include(\"${tests}\")\nelse()\n  add_test(${name}_NOT_BUILT ${name})\nendif()\n")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${include})
  else()
    gtest_discover_tests(
      ${name}
      TEST_PREFIX "${ARG_PREFIX}"
      DISCOVERY_TIMEOUT 60
      PROPERTIES TIMEOUT ${ARG_TIMEOUT} ${environment})
  endif()
  # gtest_discover_tests keeps only the first of several labels, so they are given afterwards. Tests neither use nor change
  # what commands keep for this user (docs/running-programs.md).
  set(labels ${CMAKE_CURRENT_BINARY_DIR}/${name}_labels.cmake)
  set(cost 0)
  if("slow" IN_LIST ARG_LABELS)
    set(cost 1000) # started first, to run beside the others
  endif()
  set(long)
  if(ARG_LONG)
    set(long "  if(test MATCHES [==[${ARG_LONG}]==])
    set(labels \"${ARG_LABELS};long\")
  endif()
")
  endif()
  file(WRITE ${labels} "foreach(test IN LISTS ${name}_TESTS)
  set(labels \"${ARG_LABELS}\")
${long}  set_tests_properties(\"\${test}\" PROPERTIES LABELS \"\${labels}\" COST ${cost}
                       ENVIRONMENT_MODIFICATION XDG_CACHE_HOME=set:/dev/null)
endforeach()
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${labels})
  if("once" IN_LIST ARG_LABELS)
    return()
  endif()
  add_dependencies(repeated_tests ${name})
  if("concurrent" IN_LIST ARG_LABELS)
    add_dependencies(concurrent_tests ${name})
  endif()
endfunction()

# eventspace_bench_group(GROUP targets ...)
# adds targets to bench_GROUP, which scripts/bench builds before it measures the group.
function(eventspace_bench_group group)
  if(NOT TARGET bench_${group})
    add_custom_target(bench_${group})
  endif()
  add_dependencies(bench_${group} ${ARGN})
endfunction()

# eventspace_benchmark(GROUP SOURCES ... [LINK targets ...] [SMOKE_FILTER regex])
# makes the Google Benchmark program GROUP_benchmark, which scripts/bench runs, and registers one iteration of each of
# its benchmarks that the filter selects as a smoke test, which shows that they work, not how fast they are.
function(eventspace_benchmark group)
  cmake_parse_arguments(ARG "" "SMOKE_FILTER" "SOURCES;LINK" ${ARGN})
  set(target ${group}_benchmark)
  add_executable(${target} ${ARG_SOURCES})
  # Measurements use the preset `release`, which compiles each file alone. Elsewhere the program only has to run.
  set_target_properties(${target} PROPERTIES EVENTSPACE_IS_TEST ON)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE ${ARG_LINK} eventspace_flags benchmark::benchmark_main)
  eventspace_bench_group(${group} ${target})
  if(EVENTSPACE_BUILD_TESTS)
    add_test(NAME bench.${group} COMMAND ${target} --benchmark_min_time=0 --benchmark_filter=${ARG_SMOKE_FILTER})
    set_tests_properties(bench.${group} PROPERTIES LABELS bench TIMEOUT 900 ENVIRONMENT_MODIFICATION
                                                                                    XDG_CACHE_HOME=set:/dev/null)
  endif()
endfunction()
