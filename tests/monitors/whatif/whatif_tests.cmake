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
