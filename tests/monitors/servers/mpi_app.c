// An MPI program for tests, without EventSpace: mpi_app talk | ask | poll | await | many | join | large |
// use_file | stick | exit | abort | exec | never | spawn | child. Built with each MPI. With $GO_ON, rank 0
// prints "ready", and the program continues when a file of that name exists.
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

// Requests of all sorts.
static void ask(int rank) {
  static char out[2][1 << 20], in[2][1 << 20];
  const int other = 1 - rank;
  MPI_Request requests[2], barrier, lasting[2];
  MPI_Status status;
  MPI_Comm back, copy;
  int index = 0, flag = 0;
  int counts[2] = {1, 2}, from[2] = {0, 4}, own[2] = {rank + 1, rank + 1};
  MPI_Irecv(in[0], 1 << 20, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
  MPI_Send(out[0], 5, MPI_CHAR, other, 9, MPI_COMM_WORLD);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  for (int i = 0; i < 2; ++i) {
    MPI_Irecv(in[i], 1 << 20, MPI_CHAR, other, 20 + i, MPI_COMM_WORLD, &requests[i]);
  }
  for (int i = 0; i < 2; ++i) MPI_Ssend(out[i], 10 + i, MPI_CHAR, rank == 0 ? 1 : MPI_PROC_NULL, 20 + i, MPI_COMM_WORLD);
  for (int i = 0; i < 2; ++i) MPI_Send(out[i], 10 + i, MPI_CHAR, rank == 1 ? 0 : MPI_PROC_NULL, 20 + i, MPI_COMM_WORLD);
  MPI_Waitany(2, requests, &index, &status);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
  MPI_Wait(&barrier, MPI_STATUS_IGNORE);
  MPI_Alltoallv(out[0], counts, from, MPI_INT, in[0], own, from, MPI_INT, MPI_COMM_WORLD);
  MPI_Sendrecv(out[0], 3, MPI_INT, other, 4, in[0], 10, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send_init(out[0], 6, MPI_CHAR, other, 30, MPI_COMM_WORLD, &lasting[0]);
  MPI_Recv_init(in[0], 8, MPI_CHAR, other, 30, MPI_COMM_WORLD, &lasting[1]);
  for (int i = 0; i < 2; ++i) {
    MPI_Startall(2, lasting);
    MPI_Waitall(2, lasting, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < 2; ++i) MPI_Request_free(&lasting[i]);
  MPI_Irecv(in[0], 8, MPI_CHAR, other, 31, MPI_COMM_WORLD, &requests[0]);
  MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(out[0], 7, MPI_CHAR, other, 31, MPI_COMM_WORLD);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &back);
  MPI_Comm_set_name(back, "reversed");
  MPI_Barrier(back);
  MPI_Comm_idup(back, &copy, &barrier);
  MPI_Wait(&barrier, MPI_STATUS_IGNORE);
  MPI_Bcast(out[0], 4, MPI_CHAR, 0, copy);
}

// Rank 0 polls for two messages, a thousand times without success, and then until the first one has come.
static void poll(int rank) {
  char byte = 0;
  int found = 0;
  MPI_Request request;
  if (rank == 0) {
    MPI_Irecv(&byte, 1, MPI_CHAR, 1, 50, MPI_COMM_WORLD, &request);
    for (int i = 0; i < 1000; ++i) {
      MPI_Test(&request, &found, MPI_STATUS_IGNORE);
      MPI_Iprobe(1, 51, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    while (!found) MPI_Test(&request, &found, MPI_STATUS_IGNORE);
  } else {
    MPI_Send(&byte, 1, MPI_CHAR, 0, 50, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

// Rank 0 waits for three messages that rank 1 sends later.
static void await(int rank, void (*later)(int)) {
  char bytes[3] = "";
  MPI_Request requests[3];
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  if (rank == 0) {
    MPI_Irecv(&bytes[0], 1, MPI_CHAR, 1, 77, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&bytes[1], 1, MPI_CHAR, 1, 78, copy, &requests[1]);
    MPI_Irecv(&bytes[2], 1, MPI_CHAR, MPI_ANY_SOURCE, 79, MPI_COMM_WORLD, &requests[2]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  } else {
    later(0);
    for (int i = 0; i < 3; ++i) MPI_Send(bytes, 1, MPI_CHAR, 0, 77 + i, i == 1 ? copy : MPI_COMM_WORLD);
  }
}

// Communicators and requests without end, and requests that the program forgets, frees and completes twice.
static void many(int rank) {
  char byte = 0;
  const int other = 1 - rank;
  MPI_Request request, same;
  for (int i = 0; i < 5000; ++i) {
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    if (i % 1000 == 0) MPI_Barrier(copy);
    MPI_Comm_free(&copy);
  }
  for (int i = 0; i < 40000; ++i) MPI_Irecv(&byte, 1, MPI_CHAR, other, 5000, MPI_COMM_WORLD, &request);
  for (int i = 0; i < 1000; ++i) {
    MPI_Isend(&byte, 1, MPI_CHAR, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
  }
  MPI_Irecv(&byte, 1, MPI_CHAR, other, 6, MPI_COMM_WORLD, &request);
  same = request;
  MPI_Send(&byte, 1, MPI_CHAR, other, 6, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  (void)same;
  MPI_Barrier(MPI_COMM_WORLD);
}

// Communicators of two groups.
static void join(int rank) {
  MPI_Comm both, merged;
  int mine = rank, sum = 0;
  int counts[1] = {3}, from[1] = {0}, out[3] = {0}, in[3];
  MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 5, &both);
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, both);
  MPI_Alltoallv(out, counts, from, MPI_INT, in, counts, from, MPI_INT, both);
  MPI_Intercomm_merge(both, rank, &merged);
  MPI_Barrier(merged);
  MPI_Comm_disconnect(&both);
  MPI_Comm_free(&merged);
}

// More bytes than fit into 32 bits, and more elements where MPI has functions for them.
static void large(void) {
  MPI_Datatype mebi;
  char byte = 0;
  MPI_Type_contiguous(1 << 20, MPI_CHAR, &mebi);
  MPI_Type_commit(&mebi);
  MPI_Send(&byte, 5000, mebi, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
#if MPI_VERSION >= 4
  MPI_Send_c(&byte, 3000000000, MPI_CHAR, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
#endif
  MPI_Type_free(&mebi);
  MPI_Barrier(MPI_COMM_WORLD);
}

// Both processes write to the file $MPI_FILE in each way, and try to read beyond its end.
static void use_file(int rank) {
  char bytes[1000] = "";
  double number = rank;
  MPI_File file;
  MPI_Request request;
  MPI_File_open(MPI_COMM_WORLD, getenv("MPI_FILE"), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_write_at(file, 1000 * rank, bytes, 1000, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_iwrite_at(file, 2000 + 10 * rank, bytes, 10, MPI_CHAR, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_write_at_all(file, 2020 + 8 * rank, &number, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_write_at_all_begin(file, 2036 + 8 * rank, &number, 1, MPI_DOUBLE);
  MPI_File_write_at_all_end(file, &number, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_read_at(file, 2020, bytes, 1000, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
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

static void say_and_wait(int rank) { wait_for_file(rank); }

static void stick(int rank) {
  char byte = 0;
  if (rank == 1) MPI_Recv(&byte, 1, MPI_CHAR, 0, 42, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 0) {
    wait_for_file(rank);
    MPI_Send(&byte, 1, MPI_CHAR, 1, 42, MPI_COMM_WORLD);
  }
}

// Two more processes, which are started with the word child.
static void spawn(char* program) {
  char* words[] = {"child", NULL};
  MPI_Comm children;
  MPI_Comm_spawn(program, words, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "talk";
  int rank = 0, size = 0;
  // Becomes another program, which initialises MPI for the first time.
  if (strcmp(what, "exec") == 0) return execl(argv[0], argv[0], "talk", (char*)NULL);
  if (strcmp(what, "never") == 0) return 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(what, "talk") == 0) talk(rank, size);
  if (strcmp(what, "ask") == 0) ask(rank);
  if (strcmp(what, "poll") == 0) poll(rank);
  if (strcmp(what, "many") == 0) many(rank);
  if (strcmp(what, "join") == 0) join(rank);
  if (strcmp(what, "large") == 0) large();
  if (strcmp(what, "spawn") == 0) spawn(argv[0]);
  if (strcmp(what, "child") == 0) MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(what, "use_file") == 0) use_file(rank);
  if (strcmp(what, "stick") != 0 && strcmp(what, "await") != 0 && strcmp(what, "exit") != 0 && strcmp(what, "abort") != 0)
    wait_for_file(rank);
  if (strcmp(what, "await") == 0) await(rank, say_and_wait);
  if (strcmp(what, "stick") == 0) stick(rank);
  if (strcmp(what, "exit") == 0) exit(3);
  if (strcmp(what, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 5);
  MPI_Finalize();
  return 0;
}
