// Times MPI calls, for bench/mpi/measure, without using EventSpace. Two processes. Rank 0 prints a line
// "FIGURE NANOSECONDS" for each figure: the least time of a call, or of a pair of calls, over many short
// batches, so that other programs on the machine matter little.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
static uint64_t ticks(void) { return __rdtsc(); }
#else
static uint64_t ticks(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
#endif

enum { calls_in_batch = 500 };
static int batches, rank;
static char bytes[64];
static volatile uint64_t ring[8 * 2048];

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// The minimum cost of recording: two readings of the clock and a cache line.
static void record_nothing(int i) {
  volatile uint64_t* const slot = &ring[8 * (i % 2048)];
  slot[1] = ticks();
  for (int word = 2; word < 7; ++word) slot[word] = (uint64_t)i;
  slot[0] = ticks();
  slot[7] = 0;
}
static void send_nowhere(int i) {
  (void)i;
  MPI_Send(bytes, 8, MPI_CHAR, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
}
static void ping_pong(int i) {
  (void)i;
  if (rank == 0) MPI_Send(bytes, 8, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
  MPI_Recv(bytes, 8, MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(bytes, 8, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
}
static void allreduce(int i) {
  double mine = i, sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
}
static void isend_and_wait(int i) {
  MPI_Request request, receive;
  (void)i;
  MPI_Irecv(bytes, 8, MPI_CHAR, 0, 1, MPI_COMM_SELF, &receive);
  MPI_Isend(bytes + 8, 8, MPI_CHAR, 0, 1, MPI_COMM_SELF, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
}
static MPI_Request never;
static void test_in_vain(int i) {
  int found = 0;
  (void)i;
  MPI_Test(&never, &found, MPI_STATUS_IGNORE);
}

static void measure(const char* figure, void (*call)(int)) {
  double least = 1e9;
  MPI_Barrier(MPI_COMM_WORLD);
  for (int batch = 0; batch < batches; ++batch) {
    const double before = seconds();
    for (int i = 0; i < calls_in_batch; ++i) call(i);
    const double took = (seconds() - before) / calls_in_batch;
    if (took < least) least = took;
  }
  if (rank == 0) printf("%s %.2f\n", figure, least * 1e9);
}

int main(int argc, char** argv) {
  batches = argc > 1 ? atoi(argv[1]) : 2000;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  measure("floor", record_nothing);
  measure("send_nowhere", send_nowhere);
  measure("allreduce", allreduce);
  measure("isend_and_wait", isend_and_wait);
  measure("ping_pong", ping_pong);
  MPI_Irecv(bytes, 8, MPI_CHAR, 0, 2, MPI_COMM_SELF, &never);
  measure("test_in_vain", test_in_vain);
  MPI_Cancel(&never);
  MPI_Wait(&never, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
