# Efficiencies: of views, of recordings of simulated programs, and of programs that run.
eventspace_test(
  efficiency_test
  SUITES
  SOURCES efficiency/efficiency_command_test.cpp efficiency/factors_test.cpp efficiency/ideal_clocks_test.cpp
          efficiency/observed_processes_test.cpp efficiency/observed_units_test.cpp efficiency/unit_times_test.cpp
  LINK eventspace::monitors fmt::fmt
  LABELS monitors)

eventspace_test(
  efficiency_watch_test
  SOURCES efficiency/efficiency_watch_test.cpp one_machine.cpp
  LINK workplace_parts eventspace::monitors fmt::fmt
  PROGRAMS eventspace collective_app
  LABELS monitors once
  TIMEOUT 300)

# A job with injected imbalance, with Open MPI (servers/mpi_tests.cmake).
if(TARGET mpi_programs_openmpi)
  set(EVENTSPACE_BALANCE_APP ${CMAKE_CURRENT_BINARY_DIR}/balance_app CACHE INTERNAL "MPI program with injected imbalance")
  add_custom_command(
    OUTPUT ${EVENTSPACE_BALANCE_APP}
    COMMAND ${EVENTSPACE_MPICC_openmpi} -O1 -I${PROJECT_SOURCE_DIR}/include -o ${EVENTSPACE_BALANCE_APP}
            ${CMAKE_CURRENT_SOURCE_DIR}/efficiency/balance_app.c -ldl
    DEPENDS efficiency/balance_app.c
    COMMENT "Building an MPI program with injected imbalance"
    VERBATIM)
  add_custom_target(balance_program DEPENDS ${EVENTSPACE_BALANCE_APP})
  eventspace_test(
    efficiency_job_test
    SOURCES efficiency/efficiency_job_test.cpp one_machine.cpp
    LINK workplace_parts eventspace::monitors fmt::fmt
    LABELS monitors mpi once
    TIMEOUT 300)
  target_compile_definitions(efficiency_job_test PRIVATE MPI_NAME="openmpi" HANG_APP="${EVENTSPACE_BALANCE_APP}"
                                                         MPIRUN="${EVENTSPACE_MPIRUN_openmpi}")
  add_dependencies(efficiency_job_test eventspace balance_program)
endif()
