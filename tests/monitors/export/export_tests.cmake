# Exports: what sinks get, what they write, and the command. The formats are read by programs and libraries of others
# where these are installed.
find_package(nlohmann_json REQUIRED)
set(sources
    export/chrome_csv_test.cpp
    export/event_order_test.cpp
    export/message_ends_test.cpp
    export/number_streams_test.cpp
    export/otf2_ctf_test.cpp
    export/partial_output_test.cpp
    export/recorded_events_test.cpp
    export/slice_order_test.cpp)
set(libraries eventspace::monitors fmt::fmt nlohmann_json::nlohmann_json)

find_package(SQLite3)
if(SQLite3_FOUND)
  list(APPEND sources export/sqlite_test.cpp ../docs/page.cpp)
  list(APPEND libraries ${SQLite3_LIBRARIES})
endif()

find_package(Protobuf)
if(Protobuf_FOUND AND Protobuf_PROTOC_EXECUTABLE)
  protobuf_generate_cpp(perfetto_code perfetto_header export/perfetto_fields.proto)
  add_library(perfetto_fields STATIC ${perfetto_code} ${perfetto_header})
  target_include_directories(perfetto_fields SYSTEM PUBLIC ${CMAKE_CURRENT_BINARY_DIR} ${Protobuf_INCLUDE_DIRS})
  target_link_libraries(perfetto_fields PUBLIC ${Protobuf_LIBRARIES})
  list(APPEND sources export/perfetto_test.cpp)
  list(APPEND libraries perfetto_fields)
else()
  message(STATUS "Without tests of exports to Perfetto: they need Debian's libprotobuf-dev and protobuf-compiler")
endif()

eventspace_test(export_test SOURCES ${sources} LINK ${libraries} LABELS monitors)
target_compile_definitions(export_test PRIVATE EVENTSPACE_SOURCE="${PROJECT_SOURCE_DIR}")
find_program(EVENTSPACE_OTF2_PRINT_PROGRAM otf2-print)
if(EVENTSPACE_OTF2_PRINT_PROGRAM AND EVENTSPACE_OTF2_LIBRARY)
  target_compile_definitions(export_test PRIVATE EVENTSPACE_OTF2_PRINT="${EVENTSPACE_OTF2_PRINT_PROGRAM}")
else()
  message(STATUS "Without tests of exports to OTF2: they need Debian's libopen-trace-format2-dev and otf2-tools")
endif()
find_program(EVENTSPACE_BABELTRACE_PROGRAM babeltrace2)
if(EVENTSPACE_BABELTRACE_PROGRAM)
  target_compile_definitions(export_test PRIVATE EVENTSPACE_BABELTRACE="${EVENTSPACE_BABELTRACE_PROGRAM}")
else()
  message(STATUS "Without tests of exports to CTF: they need Debian's babeltrace2")
endif()

eventspace_test(
  export_commands_test
  SOURCES export/export_commands_test.cpp one_machine.cpp
  LINK workplace_parts eventspace::monitors fmt::fmt
  PROGRAMS eventspace queue_app
  LABELS monitors
  TIMEOUT 300)
target_compile_definitions(export_commands_test PRIVATE ${otf2_if_any})
