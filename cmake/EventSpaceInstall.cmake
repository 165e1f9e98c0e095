# The files that `cmake --install` installs:
#
#   bin/                       the programs eventspace and windtunnel, and eventspace-simgrid if SimGrid was found
#   include/                   eventspace.h, the header for C; eventspace.f90, the source of the module for Fortran
#   include/eventspace/        the headers for C++, and eventspace.h, which includes them all
#   lib/                       libeventspace.so, one static library for each folder, libeventspace-probes.so, and
#                              libeventspace-openmpi.so, libeventspace-mpich.so and libeventspace-pvm.so
#                              if their headers were found
#   lib/cmake/EventSpace/      find_package(EventSpace)
#   lib/pkgconfig/             eventspace.pc, eventspace-shared.pc, eventspace-probing.pc
#   share/eventspace/pathmaps/ example pathmaps and the JSON Schema
#   share/doc/eventspace/      the documentation, with README, CHANGELOG, CONTRIBUTING, LICENSE and the examples
#   share/man/man1/            a manual page for the program and for each of its commands
#   share/                     completion for bash, zsh and fish, where these shells look for it
include(CMakePackageConfigHelpers)

set(EVENTSPACE_PATHMAP_DIR ${CMAKE_INSTALL_DATADIR}/eventspace/pathmaps)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/EventSpace)
get_property(libraries GLOBAL PROPERTY EVENTSPACE_LIBRARIES)
list(REMOVE_ITEM libraries eventspace_monitors eventspace_whatif) # internal to the programs
# Probes in programs that run: for tools that name eventspace::probing, as it needs libraries that others do not.
list(REMOVE_ITEM libraries eventspace_probing)

# The umbrella: all libraries, and one header that includes theirs.
set(headers)
foreach(library IN LISTS libraries)
  get_target_property(of_library ${library} HEADER_SET)
  list(APPEND headers ${of_library})
endforeach()
list(FILTER headers INCLUDE REGEX "/eventspace/[^/]+$") # not the header for C
list(TRANSFORM headers REPLACE "^.*/" "")
list(SORT headers)
list(TRANSFORM headers REPLACE "^(.+)$" "#include <eventspace/\\1>")
list(JOIN headers "\n" EVENTSPACE_INCLUDES)
configure_file(${PROJECT_SOURCE_DIR}/cmake/eventspace.h.in
               ${PROJECT_BINARY_DIR}/include/eventspace/eventspace.h @ONLY)
add_library(eventspace_umbrella INTERFACE)
add_library(eventspace::eventspace ALIAS eventspace_umbrella)
set_target_properties(eventspace_umbrella PROPERTIES EXPORT_NAME eventspace)
target_include_directories(eventspace_umbrella INTERFACE $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>)
target_link_libraries(eventspace_umbrella INTERFACE ${libraries})

# The headers alone, for shared objects with filters of events, which do not link with EventSpace.
add_library(eventspace_headers INTERFACE)
add_library(eventspace::headers ALIAS eventspace_headers)
set_target_properties(eventspace_headers PROPERTIES EXPORT_NAME headers)
target_include_directories(eventspace_headers INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(eventspace_headers INTERFACE cxx_std_20)

install(TARGETS ${libraries} eventspace_umbrella eventspace_headers eventspace_probing EXPORT EventSpaceLibraries FILE_SET HEADERS)
install(EXPORT EventSpaceLibraries NAMESPACE eventspace:: DESTINATION ${package_dir})
if(NOT EVENTSPACE_SANITIZE)
  include(EventSpaceShared)
  eventspace_shared_library(${libraries})
  install(TARGETS eventspace_shared EXPORT EventSpaceShared)
  install(EXPORT EventSpaceShared NAMESPACE eventspace:: DESTINATION ${package_dir})
endif()

get_property(preloaded_libraries GLOBAL PROPERTY EVENTSPACE_PRELOADED_LIBRARIES)
foreach(program eventspace eventspace_simgrid windtunnel eventspace_probe_library ${preloaded_libraries})
  if(TARGET ${program})
    install(TARGETS ${program})
  endif()
endforeach()

# The other headers for users are the file sets of their libraries. Nothing else is installed;
# tests/install/installed_headers.txt lists the result.
install(FILES ${PROJECT_BINARY_DIR}/include/eventspace/eventspace.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/eventspace)
# The source, because compiled modules differ from compiler to compiler.
install(FILES include/eventspace.f90 DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

file(GLOB pathmaps CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/pathmaps/examples/*.yaml
     ${PROJECT_SOURCE_DIR}/pathmaps/*.json ${PROJECT_SOURCE_DIR}/pathmaps/schema/*.json)
install(FILES ${pathmaps} DESTINATION ${EVENTSPACE_PATHMAP_DIR})

# The pages link to each other, and to examples, as they do in the source tree.
file(GLOB pages RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/*.md)
set(doc_dir ${CMAKE_INSTALL_DATADIR}/doc/eventspace)
install(FILES LICENSE DESTINATION ${doc_dir})
install(DIRECTORY examples DESTINATION ${doc_dir} PATTERN README.md EXCLUDE)
install(DIRECTORY docs/pictures DESTINATION ${doc_dir}/docs FILES_MATCHING PATTERN *.png)
install(DIRECTORY pathmaps/examples DESTINATION ${doc_dir}/pathmaps FILES_MATCHING PATTERN *.yaml)
install(FILES pathmaps/pathmap.schema.json DESTINATION ${doc_dir}/pathmaps)
list(JOIN pages " " page_names)
install(CODE "include(\"${PROJECT_SOURCE_DIR}/cmake/InstallPages.cmake\")
install_pages(\"${PROJECT_SOURCE_DIR}\" \"\${CMAKE_INSTALL_PREFIX}/${doc_dir}\"
              README.md CHANGELOG.md CONTRIBUTING.md examples/README.md ${page_names})")

if(EVENTSPACE_MANUAL_DIR)
  set(completion_dir ${EVENTSPACE_MANUAL_DIR}/completion)
  install(DIRECTORY ${EVENTSPACE_MANUAL_DIR}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
  install(FILES ${completion_dir}/eventspace.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
          RENAME eventspace)
  install(FILES ${completion_dir}/_eventspace DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${completion_dir}/eventspace.fish
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/EventSpaceConfig.cmake.in ${PROJECT_BINARY_DIR}/EventSpaceConfig.cmake
  INSTALL_DESTINATION ${package_dir}
  PATH_VARS EVENTSPACE_PATHMAP_DIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/EventSpaceConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/EventSpaceConfig.cmake ${PROJECT_BINARY_DIR}/EventSpaceConfigVersion.cmake
        DESTINATION ${package_dir})

# Static libraries: a library comes before those that it uses.
list(REVERSE libraries)
list(TRANSFORM libraries PREPEND -l OUTPUT_VARIABLE link_flags)
list(JOIN link_flags " " EVENTSPACE_LINK_FLAGS)
# Relative to the file itself, so that the prefix may be chosen, or changed, after the build.
file(RELATIVE_PATH EVENTSPACE_PREFIX_FROM_PKGCONFIG /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${PROJECT_SOURCE_DIR}/cmake/eventspace.pc.in ${PROJECT_BINARY_DIR}/eventspace.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/eventspace.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(TARGET eventspace_shared)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/eventspace-shared.pc.in ${PROJECT_BINARY_DIR}/eventspace-shared.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/eventspace-shared.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
# The same for eventspace::probing, with the libraries that were found for it.
set(EVENTSPACE_PROBING_LIBRARIES "")
foreach(found EVENTSPACE_ZYDIS_LIBRARY EVENTSPACE_ZYCORE_LIBRARY LIBLZMA_LIBRARY_RELEASE)
  if(${found})
    get_filename_component(name ${${found}} NAME_WE)
    string(REGEX REPLACE "^lib" "-l" name ${name})
    string(APPEND EVENTSPACE_PROBING_LIBRARIES " ${name}")
  endif()
endforeach()
configure_file(${PROJECT_SOURCE_DIR}/cmake/eventspace-probing.pc.in ${PROJECT_BINARY_DIR}/eventspace-probing.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/eventspace-probing.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
