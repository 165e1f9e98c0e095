// MPI programs of different character, for predictions from their recordings: patterns PATTERN ROUNDS BYTES.
// For tests, without EventSpace. Rank 0 prints how long the pattern took, "took SECONDS", and all ranks wait
// before they end until the file $GO_ON exists, if that is set. Work is simulated by sleeping, so that it
// takes as long on a machine with fewer processors than ranks.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *out, *in;
static int rank, size, rounds, bytes;

static void work(int microseconds) { usleep((useconds_t)microseconds); }
static void send(int to, int tag) { MPI_Send(out, bytes, MPI_CHAR, to, tag, MPI_COMM_WORLD); }
static void receive(int from, int tag) {
  MPI_Recv(in, bytes, MPI_CHAR, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// One message, from each rank to the next.
static void ring(void) {
  for (int round = 0; round < rounds; ++round) {
    if (rank == 0) send(1 % size, 1);
    receive((rank + size - 1) % size, 1);
    if (rank != 0) send((rank + 1) % size, 1);
  }
}

// Each with both neighbours at once, followed by work.
static void halo(void) {
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  for (int round = 0; round < rounds; ++round) {
    MPI_Request requests[4];
    MPI_Irecv(in, bytes, MPI_CHAR, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(in + bytes, bytes, MPI_CHAR, right, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(out, bytes, MPI_CHAR, right, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(out + bytes, bytes, MPI_CHAR, left, 2, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    work(5000);
  }
}

static void alltoall(void) {
  for (int round = 0; round < rounds; ++round)
    MPI_Alltoall(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, MPI_COMM_WORLD);
}

// Up a binomial tree, and down again.
static void tree(void) {
  for (int round = 0; round < rounds; ++round) {
    int bit = 1;
    for (; bit < size && (rank & bit) == 0; bit *= 2)
      if (rank + bit < size) receive(rank + bit, 1);
    if (rank != 0) {
      send(rank - bit, 1);
      receive(rank - bit, 2);
    }
    for (bit /= 2; bit > 0; bit /= 2)
      if (rank + bit < size) send(rank + bit, 2);
  }
}

// Rank 0 gives the others work, to each when it requests more.
static void farm(void) {
  enum { job = 1, result = 2, over = 3 };
  MPI_Status status;
  if (rank != 0) {
    for (;;) {
      MPI_Recv(in, bytes, MPI_CHAR, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      if (status.MPI_TAG == over) return;
      work(2000 * rank);
      send(0, result);
    }
  }
  int given = 0;
  for (int worker = 1; worker < size; ++worker, ++given) send(worker, job);
  for (int done = 0; done < given;) {
    MPI_Recv(in, bytes, MPI_CHAR, MPI_ANY_SOURCE, result, MPI_COMM_WORLD, &status);
    ++done;
    if (given < rounds) {
      send(status.MPI_SOURCE, job);
      ++given;
    }
  }
  for (int worker = 1; worker < size; ++worker) MPI_Send(out, 0, MPI_CHAR, worker, over, MPI_COMM_WORLD);
}

// Block after block through all ranks.
static void wavefront(void) {
  for (int round = 0; round < rounds; ++round) {
    if (rank > 0) receive(rank - 1, 1);
    work(2000);
    if (rank + 1 < size) send(rank + 1, 1);
  }
}

// Exchanges with one other rank after the other.
static void transpose(void) {
  for (int round = 0; round < rounds; ++round) {
    for (int bit = 1; bit < size; ++bit) {
      const int with = rank ^ bit;
      if (with < size)
        MPI_Sendrecv(out, bytes, MPI_CHAR, with, 1, in, bytes, MPI_CHAR, with, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
  }
}

// Rank 0 sends late: the others wait for it while it works.
static void late(void) {
  for (int round = 0; round < rounds; ++round) {
    if (rank != 0) {
      receive(0, 1);
      continue;
    }
    work(20000);
    for (int to = 1; to < size; ++to) send(to, 1);
  }
}

static const struct {
  const char* name;
  void (*run)(void);
} patterns[] = {{"ring", ring}, {"halo", halo},           {"alltoall", alltoall},   {"tree", tree},
                {"farm", farm}, {"wavefront", wavefront}, {"transpose", transpose}, {"late", late}};

static void run(const char* name) {
  for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; ++i)
    if (strcmp(name, patterns[i].name) == 0) return patterns[i].run();
  fprintf(stderr, "there is no pattern %s\n", name);
  MPI_Abort(MPI_COMM_WORLD, 2);
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  rounds = atoi(argv[2]);
  bytes = atoi(argv[3]);
  out = calloc((size_t)bytes * (size_t)size + 1, 2);
  in = calloc((size_t)bytes * (size_t)size + 1, 2);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  run(argv[1]);
  MPI_Barrier(MPI_COMM_WORLD);
  const double end = MPI_Wtime();
  if (rank == 0) printf("took %.6f\n", end - begin);
  fflush(stdout);
  const char* go_on = getenv("GO_ON");
  while (go_on != NULL && access(go_on, F_OK) != 0) usleep(10000);
  MPI_Finalize();
  free(out);
  free(in);
  return 0;
}
