// An MPI program of two processes for tests, without EventSpace: mpi_fault_app join | accept | crowd | reduce
// | handle | phases | regions | signal. Built with each MPI. With $GO_ON, rank 0 prints "ready" at the end of
// the test, and the program continues when a file of that name exists.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <eventspace/probe.h>

// The two processes meet at a socket, and make a communicator of that connection.
static int meet(int rank) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const int own = socket(AF_UNIX, SOCK_STREAM, 0);
  snprintf(address.sun_path, sizeof address.sun_path, "%s", getenv("SOCKET"));
  if (rank == 0) {
    bind(own, (struct sockaddr*)&address, sizeof address);
    listen(own, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    return accept(own, NULL, NULL);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  connect(own, (struct sockaddr*)&address, sizeof address);
  return own;
}

// Talks to the other process over a connection; the remote group is its group.
static void talk_over(MPI_Comm connection, int rank) {
  char byte = (char)('a' + rank), other = 0;
  MPI_Sendrecv(&byte, 1, MPI_CHAR, 0, 8, &other, 1, MPI_CHAR, 0, 8, connection, MPI_STATUS_IGNORE);
  if (other != (char)('a' + 1 - rank)) exit(1);
  MPI_Barrier(connection);
}

// As two programs that find each other by a port.
static void accept_or_connect(int rank) {
  MPI_Comm connection;
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  if (rank == 0 && MPI_Open_port(MPI_INFO_NULL, port) != MPI_SUCCESS) port[0] = 0;
  MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (port[0] == 0) {
    if (rank == 0) printf("this MPI has no ports\n");
    return;
  }
  if (rank == 0)
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &connection);
  else
    MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &connection);
  talk_over(connection, rank);
  MPI_Comm_disconnect(&connection);
  if (rank == 0) MPI_Close_port(port);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void join(int rank) {
  MPI_Comm joined;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  if (MPI_Comm_join(meet(rank), &joined) != MPI_SUCCESS) {
    if (rank == 0) printf("this MPI cannot join\n");
    return;
  }
  talk_over(joined, rank);
  MPI_Comm_disconnect(&joined);
  MPI_Barrier(MPI_COMM_WORLD);
}

static long pages(void) {
  long all = 0, resident = 0;
  FILE* const in = fopen("/proc/self/statm", "r");
  if (in == NULL || fscanf(in, "%ld %ld", &all, &resident) != 2) exit(1);
  fclose(in);
  return resident;
}

// Measures the memory that 90000 communicators take, after the first 10000, that are made and freed.
static void crowd(int rank) {
  long before = 0;
  for (int i = 0; i < 100000; ++i) {
    MPI_Comm copy;
    if (i == 10000) before = pages();
    MPI_Comm_dup(MPI_COMM_SELF, &copy);
    if (i == 99999) MPI_Bcast(&i, 1, MPI_INT, 0, copy);
    MPI_Comm_free(&copy);
  }
  if (rank == 0) printf("%ld KiB more\n", (pages() - before) * 4);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void add_and_talk(void* in, void* inout, int* length, MPI_Datatype* type) {
  int size = 0, flag = 0;
  char byte = 0;
  MPI_Type_size(*type, &size);
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
  MPI_Send(&byte, 1, MPI_CHAR, MPI_PROC_NULL, 1, MPI_COMM_SELF);
  for (int i = 0; i < *length; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

static void reduce(int rank) {
  MPI_Op op;
  int one = 1, sum = 0;
  MPI_Op_create(add_and_talk, 1, &op);
  for (int i = 0; i < 5; ++i) MPI_Allreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
  if (rank == 0) printf("sum %d\n", sum);
  MPI_Op_free(&op);
  MPI_Barrier(MPI_COMM_WORLD);
}

static int errors;
static void talk_of_error(MPI_Comm* comm, int* code, ...) {
  char text[MPI_MAX_ERROR_STRING], byte = 0;
  int length = 0;
  (void)comm;
  MPI_Error_string(*code, text, &length);
  MPI_Send(&byte, 1, MPI_CHAR, MPI_PROC_NULL, 1, MPI_COMM_SELF);
  ++errors;
}

static void handle(int rank) {
  MPI_Errhandler handler;
  char byte = 0;
  MPI_Comm_create_errhandler(talk_of_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  for (int i = 0; i < 3; ++i) MPI_Send(&byte, 1, MPI_CHAR, 77, 1, MPI_COMM_WORLD);
  if (rank == 0) printf("errors %d\n", errors);
  MPI_Barrier(MPI_COMM_WORLD);
}

// Calls in a region, in a region inside it, and outside of regions.
static void regions(void) {
  EVENTSPACE_REGION_BEGIN("step");
  MPI_Barrier(MPI_COMM_WORLD);
  EVENTSPACE_REGION_BEGIN("solve");
  for (int i = 0; i < 3; ++i) MPI_Allreduce(MPI_IN_PLACE, &(double){1}, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  EVENTSPACE_REGION_END("solve");
  EVENTSPACE_REGION_END("step");
  MPI_Barrier(MPI_COMM_WORLD);
}

static void phases(void) {
  for (int level = 2; level <= 3; ++level) {
    MPI_Pcontrol(level);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Pcontrol(77, "text", 2.5, 9L);
  MPI_Barrier(MPI_COMM_WORLD);
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

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "";
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(what, "join") == 0) join(rank);
  if (strcmp(what, "accept") == 0) accept_or_connect(rank);
  if (strcmp(what, "crowd") == 0) crowd(rank);
  if (strcmp(what, "reduce") == 0) reduce(rank);
  if (strcmp(what, "handle") == 0) handle(rank);
  if (strcmp(what, "phases") == 0) phases();
  if (strcmp(what, "regions") == 0) regions();
  if (strcmp(what, "signal") == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    printf("before\n");
    fflush(stdout);
    if (rank == 1) raise(SIGTERM);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  wait_for_file(rank);
  MPI_Finalize();
  return 0;
}
