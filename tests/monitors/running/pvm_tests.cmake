# Programs of PVM, and the test of its library with them (Debian: pvm, pvm-dev, libpvm3).
find_program(EVENTSPACE_PVMD pvmd)
find_library(EVENTSPACE_PVM3 pvm3)
find_library(EVENTSPACE_GPVM3 gpvm3)
find_library(EVENTSPACE_STATIC_PVM3 libpvm3.a)
find_library(EVENTSPACE_STATIC_GPVM3 libgpvm3.a)
find_library(EVENTSPACE_TIRPC NAMES tirpc libtirpc.so.3)
if(NOT TARGET eventspace_pvm_library OR NOT EVENTSPACE_PVMD OR NOT EVENTSPACE_PVM3 OR NOT EVENTSPACE_GPVM3
   OR NOT EVENTSPACE_STATIC_PVM3 OR NOT EVENTSPACE_STATIC_GPVM3 OR NOT EVENTSPACE_TIRPC)
  message(STATUS "Without tests of PVM programs: they need pvm3.h, pvmd and the libraries of PVM (Debian: pvm, pvm-dev)")
  return()
endif()
set(app ${CMAKE_CURRENT_BINARY_DIR}/pvm_app)
set(static_app ${CMAKE_CURRENT_BINARY_DIR}/static_pvm_app)
# The project needs no C compiler, so that for C++ compiles the C file.
add_custom_command(
  OUTPUT ${app} ${static_app}
  COMMAND ${CMAKE_CXX_COMPILER} -x c -std=gnu99 -g -O1 -w -I${EVENTSPACE_PVM_INCLUDE_DIR} -o ${app} ${CMAKE_CURRENT_SOURCE_DIR}/running/pvm_app.c
          -x none ${EVENTSPACE_GPVM3} ${EVENTSPACE_PVM3}
  COMMAND ${CMAKE_CXX_COMPILER} -x c -std=gnu99 -O1 -w -I${EVENTSPACE_PVM_INCLUDE_DIR} -o ${static_app}
          ${CMAKE_CURRENT_SOURCE_DIR}/running/pvm_app.c -x none ${EVENTSPACE_STATIC_GPVM3} ${EVENTSPACE_STATIC_PVM3} ${EVENTSPACE_TIRPC}
  DEPENDS running/pvm_app.c
  COMMENT "Building PVM programs"
  VERBATIM)
set(fortran_app "")
find_program(EVENTSPACE_GFORTRAN gfortran)
find_library(EVENTSPACE_FPVM3 fpvm3)
if(EVENTSPACE_GFORTRAN AND EVENTSPACE_FPVM3)
  set(fortran_app ${CMAKE_CURRENT_BINARY_DIR}/pvm_app_fortran)
  add_custom_command(
    OUTPUT ${fortran_app}
    COMMAND ${EVENTSPACE_GFORTRAN} -w -I${EVENTSPACE_PVM_INCLUDE_DIR} -o ${fortran_app} ${CMAKE_CURRENT_SOURCE_DIR}/running/pvm_app.f
            ${EVENTSPACE_FPVM3} ${EVENTSPACE_PVM3}
    DEPENDS running/pvm_app.f
    COMMENT "Building a PVM program in Fortran"
    VERBATIM)
endif()
add_custom_target(pvm_programs DEPENDS ${app} ${static_app} ${fortran_app})
get_filename_component(pvm_directory ${EVENTSPACE_PVMD} DIRECTORY)
eventspace_test(
  pvm_test
  SOURCES whatif/recording/pvm_prediction_test.cpp running/pvm_program_test.cpp one_machine.cpp
  LINK workplace_parts eventspace::monitors
  LABELS monitors pvm once
  TIMEOUT 300)
# tests/hosts uses them, too.
set(EVENTSPACE_PVM_TESTS
    EVENTSPACE_PROGRAM="$<TARGET_FILE:eventspace>"
    PVM_APP="${app}"
    STATIC_PVM_APP="${static_app}"
    FORTRAN_PVM_APP="${fortran_app}"
    PVM_DIRECTORY="${pvm_directory}"
    PVM_LIBRARY="$<TARGET_FILE:eventspace_pvm_library>"
    CACHE INTERNAL "What tests of PVM programs need to know")
target_compile_definitions(pvm_test PRIVATE ${EVENTSPACE_PVM_TESTS})
add_dependencies(pvm_test eventspace pvm_programs eventspace_pvm_library)
