# C and Fortran, for their examples and tests. The library itself is C++.
include(CheckLanguage)

# The C compiler has the same maker as the C++ compiler, because sanitizers of two makers do not mix.
if(CMAKE_CXX_COMPILER_ID MATCHES Clang AND NOT CMAKE_C_COMPILER)
  string(REPLACE "clang++" "clang" EVENTSPACE_CLANG "${CMAKE_CXX_COMPILER}")
  if(EXISTS "${EVENTSPACE_CLANG}")
    set(CMAKE_C_COMPILER "${EVENTSPACE_CLANG}" CACHE FILEPATH "C compiler")
  endif()
endif()

foreach(language C Fortran)
  if(language STREQUAL "Fortran" AND EVENTSPACE_SANITIZE)
    continue() # GNU Fortran beside Clang
  endif()
  check_language(${language})
  if(CMAKE_${language}_COMPILER)
    enable_language(${language})
  else()
    message(STATUS "Without the examples and tests in ${language}: no compiler found")
  endif()
endforeach()
