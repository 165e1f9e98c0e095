# The packages that EventSpace's libraries link with; each is a Debian package that scripts/setup installs.
# cmake/EventSpaceConfig.cmake.in names the same ones for users of the installed libraries. Packages that only
# one program or the benchmarks need are found in their own folders.

find_package(Threads REQUIRED)
find_package(cppzmq REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(fmt REQUIRED)
find_package(TBB REQUIRED)
find_package(zstd REQUIRED)

# Debian's msgpack-cxx: header only; used without Boost.
if(NOT TARGET eventspace_msgpack)
  find_path(EVENTSPACE_MSGPACK_INCLUDE_DIR msgpack.hpp REQUIRED)
  add_library(eventspace_msgpack INTERFACE)
  target_include_directories(eventspace_msgpack SYSTEM INTERFACE ${EVENTSPACE_MSGPACK_INCLUDE_DIR})
  target_compile_definitions(eventspace_msgpack INTERFACE MSGPACK_NO_BOOST)
endif()
