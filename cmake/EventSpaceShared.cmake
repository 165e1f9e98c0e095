# libeventspace.so: all libraries for users in one, as target eventspace_shared (eventspace::shared). Its objects are those
# of the static libraries, which are position-independent. It exports what the public headers declare
# (libeventspace.map, which scripts/exports writes), so that it never interferes with another copy of EventSpace in the
# program, such as a preloaded one. Not with sanitizers: the programs would need them too.
#
# The number in its name rises with each change of include/eventspace.h that older programs do not survive;
# tests/abi notices one.
file(STRINGS ${PROJECT_SOURCE_DIR}/include/eventspace.h EVENTSPACE_ABI_VERSION REGEX "#define ES_ABI_VERSION ")
string(REGEX REPLACE ".* " "" EVENTSPACE_ABI_VERSION "${EVENTSPACE_ABI_VERSION}")

# eventspace_shared_library(LIBRARIES...) makes it of these static libraries.
function(eventspace_shared_library)
  # what(1) of the System V finds the version in the file.
  set(mark ${PROJECT_BINARY_DIR}/shared/mark.cpp)
  file(CONFIGURE OUTPUT ${mark} @ONLY
       CONTENT "namespace {\n[[gnu::used]] constexpr char mark[] = \"@(#)libeventspace @PROJECT_VERSION@\";\n}\n")
  set(map ${PROJECT_SOURCE_DIR}/cmake/libeventspace.map)
  add_library(eventspace_shared SHARED ${mark})
  add_library(eventspace::shared ALIAS eventspace_shared)
  list(JOIN ARGN "," names)
  set_target_properties(
    eventspace_shared
    PROPERTIES EXPORT_NAME shared OUTPUT_NAME eventspace VERSION ${PROJECT_VERSION} SOVERSION ${EVENTSPACE_ABI_VERSION}
               LINK_DEPENDS ${map} LINK_LIBRARY_OVERRIDE "WHOLE_ARCHIVE,${names}"
               LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR})
  # The highest one, which uses all others: named twice, a whole archive would be linked twice.
  target_link_libraries(eventspace_shared PRIVATE eventspace::c eventspace_flags)
  target_link_options(eventspace_shared PRIVATE -Wl,--version-script=${map} -Wl,-z,defs)
  target_include_directories(
    eventspace_shared
    INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
              $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endfunction()
