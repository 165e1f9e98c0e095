// An MPI program of two ranks, whose rank 1 spawns three children: spawn_app MODE. For tests, without
// EventSpace. Rank 0 prints "ready" when the children have passed a barrier and the fault is next. In mode
// "healthy" the program ends when there is a file $GO_ON, and in each step the children wait for their
// parents, which pause for $WORST_MS.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank;
static MPI_Comm others;  // the parents, or the children

static void sleep_in_io(void) {
  int ends[2];
  char byte;
  if (pipe(ends) != 0 || read(ends[0], &byte, 1) != 1) exit(9);
}
static int receive(int from) {
  int value = 0;
  MPI_Recv(&value, 1, MPI_INT, from, 1, others, MPI_STATUS_IGNORE);
  return value;
}
static void send(int to, int value) { MPI_Send(&value, 1, MPI_INT, to, 1, others); }

static void be_child(const char* mode) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) send(0, 0);
  if (strcmp(mode, "absent") == 0 && rank == 2) sleep_in_io();
  if (strcmp(mode, "across") == 0 && rank == 0) receive(0);
  for (int goes_on = 1; strcmp(mode, "healthy") == 0 && goes_on;) {
    if (rank == 0) goes_on = receive(0);
    MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void be_parent(const char* mode) {
  if (rank != 0) return;
  receive(0);
  printf("ready\n");
  fflush(stdout);
  if (strcmp(mode, "across") == 0) receive(0);
  for (int goes_on = 1; strcmp(mode, "healthy") == 0 && goes_on;) {
    usleep((unsigned)atoi(getenv("WORST_MS")) * 1000);
    goes_on = access(getenv("GO_ON"), F_OK) != 0;
    send(0, goes_on);
  }
}

int main(int argc, char** argv) {
  const char* const mode = argc > 1 ? argv[1] : "healthy";
  char* words[] = {(char*)mode, NULL};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_get_parent(&others);
  if (others == MPI_COMM_NULL) {
    MPI_Comm_spawn(argv[0], words, 3, MPI_INFO_NULL, 1, MPI_COMM_WORLD, &others, MPI_ERRCODES_IGNORE);
    be_parent(mode);
  } else {
    be_child(mode);
  }
  MPI_Comm_disconnect(&others);
  MPI_Finalize();
  return 0;
}
