# What if: programs of actions, networks, simulation, recordings of MPI jobs, and the command.
eventspace_test(
  whatif_test
  SOURCES whatif/actions/action_text_test.cpp whatif/actions/smpi_trace_test.cpp
          whatif/networks/network_file_test.cpp
          whatif/recording/mpi_actions_test.cpp
          whatif/simulation/ethernet_test.cpp whatif/simulation/loggp_test.cpp whatif/simulation/placement_test.cpp
          whatif/whatif_command_test.cpp
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
else()
  message(STATUS "Without the comparison with SimGrid: it needs smpirun (Debian: libsimgrid-dev)")
endif()
