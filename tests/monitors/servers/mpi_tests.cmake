include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_FLAGS -fsanitize=address)
check_cxx_source_compiles("int main() { return 0; }" EVENTSPACE_HAS_ADDRESS_SANITIZER)
unset(CMAKE_REQUIRED_FLAGS)

# Programs of each MPI that is installed with its compiler and launcher, and the test of its library with them. MPI's
# wrapper of the C compiler is called, which knows its libraries.
function(eventspace_mpi_test name)
  find_program(EVENTSPACE_MPICC_${name} mpicc.${name})
  find_program(EVENTSPACE_MPIRUN_${name} mpirun.${name})
  if(NOT TARGET eventspace_${name}_library OR NOT EVENTSPACE_MPICC_${name} OR NOT EVENTSPACE_MPIRUN_${name})
    message(STATUS "Without tests of MPI programs on ${name}: they need its mpi.h, mpicc.${name} and mpirun.${name}")
    return()
  endif()
  set(app ${CMAKE_CURRENT_BINARY_DIR}/mpi_app_${name})
  set(shim ${CMAKE_CURRENT_BINARY_DIR}/counting_shim_${name}.so)
  set(fault_app ${CMAKE_CURRENT_BINARY_DIR}/mpi_fault_app_${name})
  set(cpp_app ${CMAKE_CURRENT_BINARY_DIR}/mpi_app_cpp_${name})
  set(duplicates_app ${CMAKE_CURRENT_BINARY_DIR}/duplicates_app_${name})
  find_program(EVENTSPACE_MPICXX_${name} mpicxx.${name})
  find_program(EVENTSPACE_MPIFORT_${name} mpif90.${name})
  find_program(EVENTSPACE_GFORTRAN gfortran)
  set(fortran_apps "")
  if(EVENTSPACE_MPIFORT_${name} AND EVENTSPACE_GFORTRAN)
    foreach(binding 1 2 3)
      set(fortran_app ${CMAKE_CURRENT_BINARY_DIR}/mpi_app_f${binding}_${name})
      set(fallback "")
      if(name STREQUAL mpich)
        set(fallback -fallow-argument-mismatch)
      endif()
      add_custom_command(
        OUTPUT ${fortran_app}
        COMMAND ${EVENTSPACE_MPIFORT_${name}} -cpp -DBINDING=${binding} -w ${fallback} -J ${CMAKE_CURRENT_BINARY_DIR} -o ${fortran_app}
                ${CMAKE_CURRENT_SOURCE_DIR}/servers/mpi_app.f90
        DEPENDS servers/mpi_app.f90
        COMMENT "Building a Fortran program for ${name}"
        VERBATIM)
      list(APPEND fortran_apps ${fortran_app})
    endforeach()
  else()
    message(STATUS "Without tests of Fortran programs on ${name}: they need mpif90.${name} and gfortran")
  endif()
  add_custom_command(
    OUTPUT ${app} ${fault_app} ${cpp_app} ${duplicates_app} ${shim}
    COMMAND ${EVENTSPACE_MPICC_${name}} -g -Wno-stringop-overflow -o ${app} ${CMAKE_CURRENT_SOURCE_DIR}/servers/mpi_app.c
    COMMAND ${EVENTSPACE_MPICC_${name}} -w -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/include -o ${fault_app} ${CMAKE_CURRENT_SOURCE_DIR}/servers/mpi_fault_app.c
    COMMAND ${EVENTSPACE_MPICC_${name}} -w -o ${duplicates_app} ${CMAKE_CURRENT_SOURCE_DIR}/servers/duplicates_app.c
    COMMAND ${EVENTSPACE_MPICXX_${name}} -w -o ${cpp_app} ${CMAKE_CURRENT_SOURCE_DIR}/servers/mpi_app.cpp -pthread
    COMMAND ${EVENTSPACE_MPICC_${name}} -w -shared -fPIC -o ${shim} ${CMAKE_CURRENT_SOURCE_DIR}/servers/counting_shim.c -ldl
    DEPENDS servers/mpi_app.c servers/mpi_fault_app.c servers/mpi_app.cpp servers/duplicates_app.c servers/counting_shim.c
    COMMENT "Building MPI programs for ${name}"
    VERBATIM)
  set(asan_app "")
  if(EVENTSPACE_HAS_ADDRESS_SANITIZER)
    set(asan_app ${CMAKE_CURRENT_BINARY_DIR}/mpi_app_asan_${name})
    add_custom_command(
      OUTPUT ${asan_app}
      COMMAND ${EVENTSPACE_MPICC_${name}} -w -fsanitize=address -o ${asan_app} ${CMAKE_CURRENT_SOURCE_DIR}/servers/mpi_app.c
      DEPENDS servers/mpi_app.c
      VERBATIM)
  endif()
  # A program with MPI inside, as far as its file says; the MPI of Debian cannot be linked statically.
  set(static_app ${CMAKE_CURRENT_BINARY_DIR}/static_mpi_app_${name})
  add_custom_command(
    OUTPUT ${static_app}
    COMMAND ${CMAKE_CXX_COMPILER} -static -x c++ -o ${static_app} ${CMAKE_CURRENT_SOURCE_DIR}/servers/static_mpi_app.cpp
    DEPENDS servers/static_mpi_app.cpp
    VERBATIM)
  # A program without MPI, and what it opens: a plug-in that is linked with MPI, or MPI's library itself.
  set(dlopen_app ${CMAKE_CURRENT_BINARY_DIR}/dlopen_mpi_app_${name})
  set(plugin ${CMAKE_CURRENT_BINARY_DIR}/mpi_plugin_${name}.so)
  add_custom_command(
    OUTPUT ${dlopen_app} ${plugin}
    COMMAND ${CMAKE_CXX_COMPILER} -x c -Wall -Wextra -Werror ${CMAKE_CURRENT_SOURCE_DIR}/servers/dlopen_mpi_app.c -x none -o
            ${dlopen_app} -ldl
    COMMAND ${EVENTSPACE_MPICC_${name}} -shared -fPIC -o ${plugin} ${CMAKE_CURRENT_SOURCE_DIR}/servers/mpi_plugin.c
    DEPENDS servers/dlopen_mpi_app.c servers/mpi_plugin.c
    VERBATIM)
  add_custom_target(mpi_programs_${name} DEPENDS ${dlopen_app} ${plugin} ${app} ${fault_app} ${cpp_app} ${duplicates_app} ${shim} ${static_app} ${asan_app} ${fortran_apps})
  eventspace_test(
    mpi_${name}_test
    SOURCES servers/mpi_program_test.cpp
            servers/mpi_languages_test.cpp
            servers/mpi_requests_test.cpp
            servers/mpi_duplicates_test.cpp
            servers/mpi_faults_test.cpp
            servers/mpi_packages_test.cpp
            running/several_hosts_test.cpp
            running/unrecorded_run_test.cpp
            running/waiting_run_test.cpp
            top/terminal_emulator.cpp
            top/terminal_program.cpp
            one_machine.cpp
    LINK workplace_parts eventspace::monitors
    LABELS monitors mpi once
    LONG "MpiPackagesTest|AtEachThreadLevel"
    PREFIX "${name}."
    TIMEOUT 900)
  target_compile_definitions(
    mpi_${name}_test
    PRIVATE MPI_NAME="${name}"
            EVENTSPACE_PROGRAM="$<TARGET_FILE:eventspace>"
            MPI_APP="${app}"
            MPI_APP_CPP="${cpp_app}"
            MPI_FAULT_APP="${fault_app}"
            ASAN_APP="${asan_app}"
            DUPLICATES_APP="${duplicates_app}"
            STATIC_MPI_APP="${static_app}"
            DLOPEN_MPI_APP="${dlopen_app}"
            MPI_PLUGIN="${plugin}"
            MPI_APPS_FORTRAN="$<JOIN:${fortran_apps},:>"
            COUNTING_SHIM="${shim}"
            MPIRUN="${EVENTSPACE_MPIRUN_${name}}"
            MPI_LIBRARY="$<TARGET_FILE:eventspace_${name}_library>"
            PREPROCESSED="$<TARGET_FILE_DIR:eventspace_pathmaps>/mpi/${name}_mpi.ii"
            GENERATE_WRAPPERS="$<TARGET_FILE:eventspace_generate_wrappers>"
            UNCOVERED="${PROJECT_SOURCE_DIR}/tests/collectors/mpi/uncovered.txt")
  add_dependencies(mpi_${name}_test eventspace mpi_programs_${name} eventspace_generate_wrappers)
  if(TARGET mpi_programs_openmpi AND TARGET mpi_programs_mpich)
    # Each library with a program of the other MPI.
    target_compile_definitions(mpi_mpich_test PRIVATE OTHER_LIBRARY="$<TARGET_FILE:eventspace_openmpi_library>")
    target_compile_definitions(mpi_openmpi_test PRIVATE OTHER_LIBRARY="$<TARGET_FILE:eventspace_mpich_library>")
  endif()
endfunction()

eventspace_mpi_test(openmpi)
eventspace_mpi_test(mpich)
