# Probes in programs that run: symbols and machine code. The engine is tested without the other monitors.
eventspace_test(
  probing_engine_test
  SOURCES probing/analysis_cache/analysis_cache_test.cpp probing/call_check_test.cpp probing/elf_image_test.cpp
          probing/entry_check_test.cpp probing/exit_check_test.cpp
  LINK eventspace::probing fmt::fmt
  LABELS monitors)
if(LIBLZMA_FOUND)
  target_link_libraries(probing_engine_test PRIVATE ${LIBLZMA_LIBRARIES})
endif()

# `eventspace functions`, and processes that the tests start.
eventspace_test(
  probing_test
  SOURCES probing/functions_command_test.cpp probing/listing_test.cpp probing/process_modules_test.cpp
  LINK eventspace::monitors eventspace_msgpack fmt::fmt
  LABELS monitors)

# Threads of other processes, which stand still to be looked at.
# This program is never built with sanitizers: it would be in functions of theirs most of the time.
add_executable(stack_app probing/stack_app.cpp)
target_compile_features(stack_app PRIVATE cxx_std_20)
target_compile_options(stack_app PRIVATE -Wall -Wextra -Werror -O1 -g1 -fno-omit-frame-pointer)
target_link_libraries(stack_app PRIVATE Threads::Threads)
eventspace_test(
  stack_test
  SOURCES probing/stack_test.cpp
  LINK eventspace::monitors fmt::fmt
  PROGRAMS stack_app
  LABELS monitors concurrent
  TIMEOUT 300)

# Programs to which something happens meanwhile.
add_library(fault_library SHARED probing/fault_library.cpp)
target_link_libraries(fault_library PRIVATE eventspace_flags)
add_executable(fault_app probing/fault_app.cpp)
target_link_libraries(fault_app PRIVATE eventspace_flags ${CMAKE_DL_LIBS})
add_executable(odd_app probing/odd_app.cpp)
target_link_libraries(odd_app PRIVATE eventspace_flags)

# Probes in programs that run, which have to compute the same with them.
add_executable(hot_app probing/hot_app.cpp)
target_link_libraries(hot_app PRIVATE eventspace_flags)
add_executable(short_app probing/short_app.cpp)
target_link_libraries(short_app PRIVATE eventspace_flags)
eventspace_test(
  probes_test
  SOURCES probing/attach_test.cpp probing/interrupted_probe_test.cpp
          probing/killed_tool_test.cpp probing/library/application_test.cpp probing/measured_program_test.cpp probing/measuring_code_test.cpp
          probing/odd_program_test.cpp probing/probe_faults_test.cpp
          probing/probe_task_test.cpp probing/probes_test.cpp probing/tracing/traced_thread_test.cpp probing/trampoline_test.cpp
          probing/two_tools_test.cpp
          probing/variables/program_variable_test.cpp
  LINK eventspace::monitors fmt::fmt
  PROGRAMS hot_app short_app stack_app fault_app odd_app fault_library eventspace
  LABELS monitors once
  LONG "ForLong"
  TIMEOUT 900)

# A work loop with parts of known lengths.
add_executable(uneven_app probing/balance/uneven_app.cpp)
target_link_libraries(uneven_app PRIVATE eventspace_flags)

# A launcher with a table of processes.
add_executable(launcher_app probing/groups/launcher_app.cpp)
target_link_libraries(launcher_app PRIVATE eventspace_flags)

# Groups of processes, here and on machines for which addresses of loopback stand.
eventspace_test(
  groups_test
  SOURCES probing/balance/balance_command_test.cpp probing/balance/balance_search_test.cpp
          probing/groups/group_answer_test.cpp probing/groups/group_command_test.cpp probing/groups/group_order_test.cpp
          probing/groups/process_choice_test.cpp
          probing/groups/process_table_test.cpp
          probing/nodes/node_work_test.cpp
  LINK eventspace::monitors eventspace_msgpack fmt::fmt
  PROGRAMS hot_app launcher_app uneven_app eventspace
  LABELS monitors once
  TIMEOUT 300)
