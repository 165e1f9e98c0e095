// An MPI program for tests, without EventSpace: mpi_app talk | stick | exit | abort. Built with each MPI. With $GO_ON,
// rank 0 says "ready", and the program goes on when there is a file of that name.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void talk(int rank, int size) {
  char bytes[64] = "";
  double sum = 0, mine = rank;
  MPI_Request requests[2];
  MPI_Comm half, copy;
  if (rank == 0) {
    for (int i = 0; i < 3; ++i) MPI_Send(bytes, 10 + i, MPI_CHAR, 1, 7, MPI_COMM_WORLD);
  } else if (rank == 1) {
    for (int i = 0; i < 3; ++i)
      MPI_Recv(bytes, 64, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Irecv(bytes, 64, MPI_CHAR, (rank + size - 1) % size, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&mine, 1, MPI_DOUBLE, (rank + 1) % size, 3, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  for (int i = 0; i < 4; ++i) MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, copy);
  MPI_Bcast(bytes, 64, MPI_CHAR, 0, half);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, memset(bytes, 0, 64), 4, MPI_CHAR, copy);
  MPI_Comm_free(&half);
  MPI_Comm_free(&copy);
  if (rank == 0) printf("sum %g\n", sum);
}

static void wait_for_file(int rank) {
  const char* const file = getenv("GO_ON");
  if (file == NULL) return;
  if (rank == 0) {
    printf("ready\n");
    fflush(stdout);
  }
  while (access(file, F_OK) != 0) usleep(10000);
}

static void stick(int rank) {
  char byte = 0;
  if (rank == 1) MPI_Recv(&byte, 1, MPI_CHAR, 0, 42, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 0) {
    wait_for_file(rank);
    MPI_Send(&byte, 1, MPI_CHAR, 1, 42, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "talk";
  int rank = 0, size = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(what, "talk") == 0) talk(rank, size);
  if (strcmp(what, "talk") == 0) wait_for_file(rank);
  if (strcmp(what, "stick") == 0) stick(rank);
  if (strcmp(what, "exit") == 0) exit(3);
  if (strcmp(what, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 5);
  MPI_Finalize();
  return 0;
}
