// A random MPI program that depends only on a seed: random_job SEED. It has barriers, collective operations
// on several communicators, blocking and non-blocking messages in a ring, and passages of a probe; ranks are
// late at random. For tests; it uses only the header of probes from EventSpace; built with each MPI. Rank 0
// prints "ready"; the program continues when there is a file $GO_ON.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <eventspace/probe.h>

enum { longest = 4096 };
static char out[longest], in[longest];
static int rank, size;
static uint64_t state;

// The same numbers on all ranks; `salt` makes them differ.
static unsigned random_below(unsigned limit, unsigned salt) {
  uint64_t x = state + salt * UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (unsigned)((x ^ (x >> 31)) % limit);
}
static void pause_us(unsigned us) {
  const struct timespec time = {us / 1000000, (long)(us % 1000000) * 1000};
  nanosleep(&time, NULL);
}

static void ring(int bytes, int tag) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Sendrecv(out, bytes, MPI_CHAR, next, tag, in, bytes, MPI_CHAR, before, tag, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}
static void ring_of_requests(int bytes, int tag) {
  MPI_Request requests[2];
  MPI_Irecv(in, bytes, MPI_CHAR, (rank + size - 1) % size, tag, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, bytes, MPI_CHAR, (rank + 1) % size, tag, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
static void pairs(int bytes, int tag) {
  const int partner = rank ^ 1;
  if (partner >= size) return;
  if (rank < partner) {
    MPI_Send(out, bytes, MPI_CHAR, partner, tag, MPI_COMM_WORLD);
  } else {
    MPI_Recv(in, bytes, MPI_CHAR, partner, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}
static void together(unsigned what, MPI_Comm comm, int bytes) {
  int mine = rank, all = 0;
  if (what == 0) MPI_Barrier(comm);
  if (what == 1) MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, comm);
  if (what == 2) MPI_Bcast(out, bytes, MPI_CHAR, 0, comm);
  if (what == 3) MPI_Reduce(&mine, &all, 1, MPI_INT, MPI_MAX, 0, comm);
}

static void step(int number, MPI_Comm halves) {
  const int bytes = 1 + (int)random_below(longest - 1, 1);
  if (random_below(2, 2)) pause_us(random_below(4000, 100 + (unsigned)rank));
  switch (random_below(5, 3)) {
    case 0:
      ring(bytes, number);
      break;
    case 1:
      ring_of_requests(bytes, number);
      break;
    case 2:
      pairs(bytes, number);
      break;
    case 3:
      together(random_below(4, 4), MPI_COMM_WORLD, bytes);
      break;
    default:
      together(random_below(4, 4), halves, bytes);
  }
  EVENTSPACE_PROBE("step_end", number, (double)bytes);
}

static void wait_for_start(void) {
  if (rank == 0) {
    printf("ready\n");
    fflush(stdout);
    while (getenv("GO_ON") && access(getenv("GO_ON"), F_OK) != 0) pause_us(20000);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Comm halves;
  if (argc != 2) return 2;
  state = strtoull(argv[1], NULL, 10) * UINT64_C(0x2545f4914f6cdd1d) + 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &halves);
  wait_for_start();
  const int steps = 50 + (int)random_below(150, 0);
  for (int number = 1; number <= steps; ++number) {
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    step(number, halves);
  }
  MPI_Comm_free(&halves);
  MPI_Finalize();
  return 0;
}
