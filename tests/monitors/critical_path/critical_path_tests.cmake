# Programs with an injected delay, recorded as they run: threads of a pathmap, and ranks of an MPI job.
eventspace_test(
  recorded_delay_test
  SOURCES critical_path/recorded_ring_test.cpp one_machine.cpp
  LINK workplace_parts eventspace::monitors fmt::fmt
  PROGRAMS eventspace ring_app
  LABELS monitors once
  TIMEOUT 300)

if(TARGET pattern_programs)
  eventspace_test(
    recorded_late_sender_test
    SOURCES critical_path/recorded_late_sender_test.cpp one_machine.cpp
    LINK workplace_parts eventspace::monitors
    LABELS monitors mpi once
    TIMEOUT 300)
  target_compile_definitions(recorded_late_sender_test PRIVATE PATTERNS="${EVENTSPACE_PATTERNS}"
                                                               MPIRUN="${EVENTSPACE_MPIRUN_openmpi}")
  add_dependencies(recorded_late_sender_test eventspace pattern_programs)
endif()
