// Times messages of 4 MB of two threads that wait at once, for bench/mpi/measure, without using EventSpace.
// Two processes at MPI_THREAD_MULTIPLE: each thread exchanges messages with the thread of the same number.
// waiting_threads WAY ROUNDS, with WAY bsend, issend, persistent or poll. Rank 0 prints the nanoseconds of a
// round.
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { bytes = 4000000, threads = 2 };
static int rank, rounds;
static const char* way;

static void wait_for(int count, MPI_Request* requests) {
  int flag = 0;
  if (strcmp(way, "poll") != 0)
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  else
    while (!flag) MPI_Testall(count, requests, &flag, MPI_STATUSES_IGNORE);
}

static void exchange(int tag, char* out, char* in, MPI_Request* persistent) {
  MPI_Request requests[2];
  if (strcmp(way, "bsend") == 0) {
    MPI_Bsend(out, bytes, MPI_CHAR, 1 - rank, tag, MPI_COMM_WORLD);
    MPI_Recv(in, bytes, MPI_CHAR, 1 - rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (strcmp(way, "persistent") == 0) {
    MPI_Startall(2, persistent);
    MPI_Waitall(2, persistent, MPI_STATUSES_IGNORE);
  } else {
    MPI_Issend(out, bytes, MPI_CHAR, 1 - rank, tag, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(in, bytes, MPI_CHAR, 1 - rank, tag, MPI_COMM_WORLD, &requests[1]);
    wait_for(2, requests);
  }
}

static void* talk(void* number) {
  const int tag = (int)(intptr_t)number;
  char* const out = calloc(bytes, 1);
  char* const in = calloc(bytes, 1);
  MPI_Request persistent[2];
  MPI_Send_init(out, bytes, MPI_CHAR, 1 - rank, tag, MPI_COMM_WORLD, &persistent[0]);
  MPI_Recv_init(in, bytes, MPI_CHAR, 1 - rank, tag, MPI_COMM_WORLD, &persistent[1]);
  for (int i = 0; i < rounds; ++i) exchange(tag, out, in, persistent);
  for (int i = 0; i < 2; ++i) MPI_Request_free(&persistent[i]);
  free(out);
  free(in);
  return 0;
}

int main(int argc, char** argv) {
  pthread_t others[threads];
  int level = 0, size = threads * 8 * (bytes + MPI_BSEND_OVERHEAD);
  void* buffer = malloc((size_t)size);
  if (argc < 3) return 2;
  way = argv[1];
  rounds = atoi(argv[2]);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  if (level != MPI_THREAD_MULTIPLE) return 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Buffer_attach(buffer, size);
  MPI_Barrier(MPI_COMM_WORLD);
  const double began = MPI_Wtime();
  for (intptr_t i = 0; i < threads; ++i) pthread_create(&others[i], 0, talk, (void*)i);
  for (int i = 0; i < threads; ++i) pthread_join(others[i], 0);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("round %.0f\n", (MPI_Wtime() - began) * 1e9 / rounds);
  MPI_Buffer_detach(&buffer, &size);
  MPI_Finalize();
  return 0;
}
