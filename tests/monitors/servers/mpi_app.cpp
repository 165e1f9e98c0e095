// A C++ program for tests, without EventSpace, as mpi_app.c: mpi_app_cpp threads | throw | fork | early. It
// asks MPI in a static constructor whether it has begun.
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

struct Early {
  Early() { MPI_Initialized(&has_begun); }
  int has_begun = -1;
} early;

// Each thread of a process exchanges messages with that of the same number.
void talk(int thread, int rank) {
  int out = thread;
  int in[4] = {};
  for (int i = 0; i < 300; ++i) {
    MPI_Request requests[2];
    MPI_Irecv(in, 4, MPI_INT, 1 - rank, thread, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, 1 - rank, thread, MPI_COMM_WORLD, &requests[1]);
    if (i % 2 == 0) {
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else {
      MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
  }
}

void fail(MPI_Comm*, int*, ...) { throw std::runtime_error("thrown"); }

// A receive with a tag that is not allowed, whose error handler throws.
void throw_through_mpi() {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(fail, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  char byte = 0;
  for (int i = 0; i < 3; ++i) {
    try {
      MPI_Send(&byte, 1, MPI_CHAR, 0, -77, MPI_COMM_WORLD);
    } catch (const std::exception& error) {
      std::printf("%s\n", error.what());
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

void wait_for_file(int rank) {
  const char* const file = std::getenv("GO_ON");
  if (file == nullptr) return;
  if (rank == 0) {
    std::printf("ready\n");
    std::fflush(stdout);
  }
  while (::access(file, F_OK) != 0) ::usleep(10000);
}

}  // namespace

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "";
  if (std::strcmp(what, "fork") == 0) {
    if (::fork() == 0) ::_exit(7);
    int status = 0;
    ::wait(&status);
    if (WEXITSTATUS(status) != 7) return 1;
  }
  int level = 0;
  int rank = 0;
  const bool has_threads = std::strcmp(what, "threads") == 0;
  MPI_Init_thread(&argc, &argv, has_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (std::strcmp(what, "threads") == 0) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back(talk, i, rank);
    for (std::thread& thread : threads) thread.join();
  }
  if (std::strcmp(what, "throw") == 0) throw_through_mpi();
  if (std::strcmp(what, "fork") == 0 && ::fork() == 0) ::_exit(0);
  if (std::strcmp(what, "early") == 0) std::printf("%d\n", early.has_begun);
  wait_for_file(rank);
  MPI_Finalize();
  return 0;
}
