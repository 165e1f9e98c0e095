# eventspace_preloaded_library(NAME PART HEADER PACKAGE VERSION_SCRIPT SOURCES): libeventspace-NAME.so, which is preloaded into
# programs of a message library, as target eventspace_NAME_library. It is built where EVENTSPACE_<NAME>_INCLUDE_DIR has
# HEADER, which is in Debian's PACKAGE, if the option of the part allows it, and is not linked with the message library. Not with sanitizers: the programs
# would need them too.
function(eventspace_preloaded_library name part header package version_script)
  string(TOUPPER ${name} upper_name)
  set(include_dir ${EVENTSPACE_${upper_name}_INCLUDE_DIR})
  if(EVENTSPACE_SANITIZE)
    return()
  elseif(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|aarch64)$")
    message(STATUS "Without libeventspace-${name}.so: not available for ${CMAKE_SYSTEM_PROCESSOR}")
    return()
  endif()
  set(needs "no ${header} found (Debian: ${package}; -DEVENTSPACE_${upper_name}_INCLUDE_DIR=DIR names another place)")
  eventspace_decide(is_built ${part} "${include_dir}" libeventspace-${name}.so "${needs}")
  if(NOT is_built)
    return()
  endif()
  message(STATUS "With libeventspace-${name}.so: ${include_dir}/${header}")
  set(target eventspace_${name}_library)
  set(common ${PROJECT_SOURCE_DIR}/pathmaps/preloading)
  add_library(${target} SHARED ${common}/call_sites.cpp ${common}/joined_process.cpp ${common}/next_function.cpp ${ARGN})
  target_include_directories(${target} SYSTEM PRIVATE ${include_dir})
  # The library is loaded when the process starts: its thread-local variables are at a fixed place.
  target_compile_options(${target} PRIVATE -ftls-model=initial-exec)
  target_link_libraries(${target} PRIVATE eventspace::pathmaps eventspace_flags)
  target_link_options(${target} PRIVATE -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/${version_script})
  # Where it is seen from the program `eventspace` is the same as in an install.
  set_target_properties(
    ${target}
    PROPERTIES OUTPUT_NAME eventspace-${name} UNITY_BUILD OFF LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${version_script}
               LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR})
  set_property(GLOBAL APPEND PROPERTY EVENTSPACE_PRELOADED_LIBRARIES ${target})
endfunction()
