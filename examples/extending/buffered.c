/* buffered: rank 0 sends through a buffer of its own, and waits until MPI has emptied it. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

enum { numbers = 1 << 17 }; /* too many to be sent before they are received */

int main(int argc, char** argv) {
  int rank = 0;
  int bytes = numbers * (int)sizeof(double) + MPI_BSEND_OVERHEAD;
  double* values = calloc(numbers, sizeof(double));
  char* buffer = malloc((size_t)bytes);
  if (values == NULL || buffer == NULL) return 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Buffer_attach(buffer, bytes);
    MPI_Bsend(values, numbers, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    MPI_Buffer_detach(&buffer, &bytes);
  } else if (rank == 1) {
    usleep(300000);
    MPI_Recv(values, numbers, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  free(buffer);
  free(values);
  return 0;
}
