# Programs of each MPI that is installed with its compiler and launcher, and the test of its library with them. The
# project's only language is C++, so the MPI's wrapper of the C compiler is called.
function(eventspace_mpi_test name)
  find_program(EVENTSPACE_MPICC_${name} mpicc.${name})
  find_program(EVENTSPACE_MPIRUN_${name} mpirun.${name})
  if(NOT TARGET eventspace_${name}_library OR NOT EVENTSPACE_MPICC_${name} OR NOT EVENTSPACE_MPIRUN_${name})
    message(STATUS "Without tests of MPI programs on ${name}: they need its mpi.h, mpicc.${name} and mpirun.${name}")
    return()
  endif()
  set(app ${CMAKE_CURRENT_BINARY_DIR}/mpi_app_${name})
  set(shim ${CMAKE_CURRENT_BINARY_DIR}/counting_shim_${name}.so)
  add_custom_command(
    OUTPUT ${app} ${shim}
    COMMAND ${EVENTSPACE_MPICC_${name}} -Wno-stringop-overflow -o ${app} ${CMAKE_CURRENT_SOURCE_DIR}/servers/mpi_app.c
    COMMAND ${EVENTSPACE_MPICC_${name}} -w -shared -fPIC -o ${shim} ${CMAKE_CURRENT_SOURCE_DIR}/servers/counting_shim.c -ldl
    DEPENDS servers/mpi_app.c servers/counting_shim.c
    COMMENT "Building MPI programs for ${name}"
    VERBATIM)
  add_custom_target(mpi_programs_${name} DEPENDS ${app} ${shim})
  eventspace_test(
    mpi_${name}_test
    SOURCES servers/mpi_program_test.cpp one_machine.cpp
    LINK workplace_parts eventspace::monitors
    LABELS monitors mpi once
    PREFIX "${name}."
    TIMEOUT 300)
  target_compile_definitions(
    mpi_${name}_test
    PRIVATE MPI_NAME="${name}"
            MPI_APP="${app}"
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
