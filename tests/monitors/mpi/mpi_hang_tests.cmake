# Programs that hang, for each MPI that is installed with its compiler and launcher (servers/mpi_tests.cmake).
function(eventspace_mpi_hang_test name)
  if(NOT TARGET mpi_programs_${name})
    return()
  endif()
  set(app ${CMAKE_CURRENT_BINARY_DIR}/hang_app_${name})
  add_custom_command(
    OUTPUT ${app}
    COMMAND ${EVENTSPACE_MPICC_${name}} -O1 -Wno-stringop-overflow -o ${app} ${CMAKE_CURRENT_SOURCE_DIR}/mpi/hang_app.c
    DEPENDS mpi/hang_app.c
    COMMENT "Building MPI programs that hang for ${name}"
    VERBATIM)
  set(random_job ${CMAKE_CURRENT_BINARY_DIR}/random_job_${name})
  add_custom_command(
    OUTPUT ${random_job}
    COMMAND ${EVENTSPACE_MPICC_${name}} -O1 -Wno-stringop-overflow -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/include -o ${random_job} ${CMAKE_CURRENT_SOURCE_DIR}/mpi/random_job.c
            -ldl
    DEPENDS mpi/random_job.c
    COMMENT "Building a random MPI job for ${name}"
    VERBATIM)
  # Not with MPICH, which spawns only where its launcher can start processes anew.
  set(spawned)
  set(spawn_app)
  if(name STREQUAL openmpi)
    set(spawned mpi/spawned_job_test.cpp)
    set(spawn_app ${CMAKE_CURRENT_BINARY_DIR}/spawn_app_${name})
    add_custom_command(
      OUTPUT ${spawn_app}
      COMMAND ${EVENTSPACE_MPICC_${name}} -O1 -o ${spawn_app} ${CMAKE_CURRENT_SOURCE_DIR}/mpi/spawn_app.c
      DEPENDS mpi/spawn_app.c
      COMMENT "Building an MPI program that spawns for ${name}"
      VERBATIM)
  endif()
  add_custom_target(hang_program_${name} DEPENDS ${app} ${random_job} ${spawn_app})
  find_package(SQLite3)
  set(replayed)
  if(SQLite3_FOUND)
    set(replayed mpi/replayed_job_test.cpp)
  endif()
  set(page)
  if(TARGET eventspace_web)
    set(page web/page_of_job_test.cpp)
  endif()
  eventspace_test(
    mpi_hang_${name}_test
    SOURCES metrics/measure_job_test.cpp mpi/hang_test.cpp mpi/job_commands_test.cpp ${replayed} ${spawned} ${page} one_machine.cpp
    LINK workplace_parts eventspace::monitors ${SQLite3_LIBRARIES}
    LABELS monitors mpi once
    LONG "HealthyForLong|SixtyFourRanks|ManySeeds"
    PREFIX "${name}."
    TIMEOUT 600)
  target_compile_definitions(mpi_hang_${name}_test PRIVATE MPI_NAME="${name}" HANG_APP="${app}" RANDOM_JOB="${random_job}" SPAWN_APP="${spawn_app}"
                                                           MPIRUN="${EVENTSPACE_MPIRUN_${name}}")
  add_dependencies(mpi_hang_${name}_test eventspace hang_program_${name})
endfunction()

eventspace_mpi_hang_test(openmpi)
eventspace_mpi_hang_test(mpich)
