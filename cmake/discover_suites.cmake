# cmake -D PROGRAM=FILE -D OUTPUT=FILE -D NAME=NAME -D PREFIX=TEXT -D PROPERTIES="NAME VALUE ..." -P discover_suites.cmake
#
# Writes a CTest file that registers each suite of a GoogleTest program as one test, and sets NAME_TESTS to their names, as
# gtest_discover_tests does for single tests (see eventspace_test).
execute_process(
  COMMAND ${PROGRAM} --gtest_list_tests
  OUTPUT_VARIABLE listed
  RESULT_VARIABLE result
  TIMEOUT 60)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} --gtest_list_tests: ${result}\n${listed}")
endif()
separate_arguments(properties UNIX_COMMAND "${PROPERTIES}")
list(JOIN properties "\" \"" properties)
# The line of a suite is not indented and has a dot behind the name, and may have a comment.
string(REGEX MATCHALL "(^|\n)[^ \n]+\\." suites "${listed}")
set(script)
set(names)
foreach(suite IN LISTS suites)
  string(STRIP "${suite}" suite)
  set(name "${PREFIX}${suite}*")
  string(APPEND names " [==[${name}]==]")
  string(APPEND script "add_test([==[${name}]==] \"${PROGRAM}\" [==[--gtest_filter=${suite}*]==])\n"
         "set_tests_properties([==[${name}]==] PROPERTIES \"${properties}\")\n")
endforeach()
file(WRITE "${OUTPUT}" "${script}set(${NAME}_TESTS${names})\n")
