/* A job with injected inefficiency, for tests: each rank prints "ready", then makes steps until a file $GO_ON exists.
 *
 *     balance_app imbalance   rank 0 works 10 ms in a step, the last rank 40 ms, then all meet
 *     balance_app ring        a token goes around; each rank works 10 ms when it has it
 *
 * A step of imbalance is the region "step", ended by the probe "iteration_end".
 */
#include <eventspace/probe.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int goes_on(void) {
  int go_on = access(getenv("GO_ON"), F_OK) != 0;
  MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return go_on;
}

static void imbalance(int rank, int size) {
  EVENTSPACE_REGION_BEGIN("work");
  usleep(rank == size - 1 ? 40000 : 10000);
  EVENTSPACE_REGION_END("work");
  MPI_Barrier(MPI_COMM_WORLD);
}

static void ring(int rank, int size) {
  int token = 0;
  if (rank > 0) MPI_Recv(&token, 1, MPI_INT, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  usleep(10000);
  MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD);
  if (rank == 0) MPI_Recv(&token, 1, MPI_INT, size - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  printf("ready %d\n", rank);
  fflush(stdout);
  do {
    if (argc > 1 && strcmp(argv[1], "ring") == 0) {
      ring(rank, size);
    } else {
      imbalance(rank, size);
    }
    EVENTSPACE_PROBE("iteration_end");
  } while (goes_on());
  MPI_Finalize();
  return 0;
}
