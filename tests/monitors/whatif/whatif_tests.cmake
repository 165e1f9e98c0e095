# What if: programs of actions, networks and simulation. The engine is tested without the other monitors.
eventspace_test(
  whatif_engine_test
  SOURCES whatif/actions/action_text_test.cpp whatif/actions/smpi_trace_test.cpp
          whatif/networks/network_file_test.cpp
          whatif/simulation/ethernet_test.cpp whatif/simulation/loggp_test.cpp whatif/simulation/placement_test.cpp
          whatif/simulation/trace_test.cpp
          whatif/switched/platform_text_test.cpp
  LINK eventspace::whatif fmt::fmt
  LABELS monitors)

# Recordings of jobs, and the command.
eventspace_test(
  whatif_test
  SOURCES whatif/recording/mpi_actions_test.cpp whatif/recording/pvm_actions_test.cpp whatif/whatif_command_test.cpp
  LINK eventspace::monitors fmt::fmt
  LABELS monitors)
target_compile_definitions(whatif_test PRIVATE SOURCE_DIR="${PROJECT_SOURCE_DIR}")

# What SimGrid makes of the traces that are written; it is no part of the build (Debian: simgrid, libsimgrid-dev).
find_program(EVENTSPACE_SMPIRUN smpirun)
if(EVENTSPACE_SMPIRUN)
  eventspace_test(
    whatif_replay_test
    SOURCES whatif/simulation/smpi_replay_test.cpp
    LINK eventspace::monitors fmt::fmt
    LABELS monitors long once)
  target_compile_definitions(whatif_replay_test PRIVATE SMPIRUN="${EVENTSPACE_SMPIRUN}")
  if(TARGET eventspace_simgrid)
    target_compile_definitions(whatif_replay_test PRIVATE SIMGRID_DIRECTORY="$<TARGET_FILE_DIR:eventspace_simgrid>")
    add_dependencies(whatif_replay_test eventspace_simgrid)
  endif()
else()
  message(STATUS "Without the comparison with SimGrid: it needs smpirun (Debian: libsimgrid-dev)")
endif()

# Switched networks, in SimGrid.
if(TARGET eventspace_simgrid)
  eventspace_test(
    whatif_switched_test
    SOURCES whatif/switched/simulate_switched_test.cpp
    LINK eventspace::monitors fmt::fmt
    LABELS monitors once)
  target_compile_definitions(whatif_switched_test PRIVATE SIMGRID_DIRECTORY="$<TARGET_FILE_DIR:eventspace_simgrid>")
  add_dependencies(whatif_switched_test eventspace_simgrid)
endif()

# The wind tunnel, recorded as it runs.
eventspace_test(
  whatif_tunnel_test
  SOURCES whatif/recording/recorded_tunnel_test.cpp one_machine.cpp
  LINK workplace_parts eventspace::monitors
  LABELS monitors once
  TIMEOUT 300)
add_dependencies(whatif_tunnel_test eventspace windtunnel)

# Programs of different character, recorded as they run, with Open MPI (servers/mpi_tests.cmake).
if(TARGET mpi_programs_openmpi)
  set(EVENTSPACE_PATTERNS ${CMAKE_CURRENT_BINARY_DIR}/patterns CACHE INTERNAL "MPI programs to predict")
  add_custom_command(
    OUTPUT ${EVENTSPACE_PATTERNS}
    COMMAND ${EVENTSPACE_MPICC_openmpi} -O1 -o ${EVENTSPACE_PATTERNS} ${CMAKE_CURRENT_SOURCE_DIR}/whatif/recording/patterns.c
    DEPENDS whatif/recording/patterns.c
    COMMENT "Building MPI programs to predict"
    VERBATIM)
  add_custom_target(pattern_programs DEPENDS ${EVENTSPACE_PATTERNS})
  eventspace_test(
    whatif_recording_test
    SOURCES whatif/recording/recorded_pattern_test.cpp one_machine.cpp
    LINK workplace_parts eventspace::monitors
    LABELS monitors mpi once
    TIMEOUT 300)
  target_compile_definitions(whatif_recording_test PRIVATE PATTERNS="${EVENTSPACE_PATTERNS}"
                                                           MPIRUN="${EVENTSPACE_MPIRUN_openmpi}")
  add_dependencies(whatif_recording_test eventspace pattern_programs)
endif()
