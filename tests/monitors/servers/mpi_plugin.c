// A plug-in that is linked with MPI and calls it, as an extension of an interpreter does. dlopen_mpi_app
// opens it and calls plugin_run.
#include <mpi.h>

int plugin_run(void) {
  int rank = 0, sum = 0;
  if (MPI_Init(0, 0) != MPI_SUCCESS) return 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Finalize();
}
