// A C++ program for tests, without EventSpace, like mpi_app.c: mpi_app_cpp threads | poll | throw | fork |
// early. It asks MPI in a static constructor whether it is initialised.
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
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

constexpr int threads_of_process = 4;

// All threads exist from the first call of one to the last call of another: a thread that has ended leaves
// its trace element to the next one.
class AtOnce {
 public:
  AtOnce() { wait(begun_); }
  AtOnce(const AtOnce&) = delete;
  AtOnce& operator=(const AtOnce&) = delete;
  ~AtOnce() { wait(ended_); }

 private:
  static void wait(std::atomic<int>& count) {
    ++count;
    while (count < threads_of_process) std::this_thread::yield();
  }
  static std::atomic<int> begun_;
  static std::atomic<int> ended_;
};
std::atomic<int> AtOnce::begun_{0};
std::atomic<int> AtOnce::ended_{0};

// Each thread of a process exchanges messages with the thread of the same number.
void talk(int thread, int rank) {
  const AtOnce at_once;
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

// Rank 0 polls for messages with a function for each thread, first without success: rank 1 sends them on
// request.
enum Tags : int { awaited = 0, other = 100, asked_for = 200, thanked_for = 300 };
constexpr int in_vain = 20000;

bool has_found(int thread, MPI_Request* requests) {
  int flag = 0;
  int index = 0;
  switch (thread) {
    case 0:
      MPI_Test(requests, &flag, MPI_STATUS_IGNORE);
      break;
    case 1:
      MPI_Iprobe(1, awaited + thread, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
      break;
    case 2:
      MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE);
      break;
    default:
      MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
  }
  return flag != 0;
}

void poll(int thread) {
  char bytes[2] = {};
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  if (thread != 1) MPI_Irecv(&bytes[0], 1, MPI_CHAR, 1, awaited + thread, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&bytes[1], 1, MPI_CHAR, 1, other + thread, MPI_COMM_WORLD, &requests[1]);
  bool found = false;
  for (int i = 0; i <= in_vain || !found; ++i) {
    if (i == in_vain) MPI_Send(bytes, 1, MPI_CHAR, 1, asked_for + thread, MPI_COMM_WORLD);
    found = has_found(thread, requests);
  }
  if (thread == 1) MPI_Recv(&bytes[0], 1, MPI_CHAR, 1, awaited + thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Send(bytes, 1, MPI_CHAR, 1, thanked_for + thread, MPI_COMM_WORLD);
}

void answer(int thread) {
  char byte = 0;
  MPI_Recv(&byte, 1, MPI_CHAR, 0, asked_for + thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(&byte, 1, MPI_CHAR, 0, awaited + thread, MPI_COMM_WORLD);
  MPI_Send(&byte, 1, MPI_CHAR, 0, other + thread, MPI_COMM_WORLD);
  MPI_Recv(&byte, 1, MPI_CHAR, 0, thanked_for + thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void look_or_answer(int thread, int rank) {
  const AtOnce at_once;
  rank == 0 ? poll(thread) : answer(thread);
}

void fail(MPI_Comm*, int*, ...) { throw std::runtime_error("thrown"); }

// A receive with an invalid tag, whose error handler throws.
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
  const bool polls = std::strcmp(what, "poll") == 0;
  const bool has_threads = polls || std::strcmp(what, "threads") == 0;
  MPI_Init_thread(&argc, &argv, has_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (has_threads) {
    std::vector<std::thread> threads;
    for (int i = 0; i < threads_of_process; ++i) threads.emplace_back(polls ? look_or_answer : talk, i, rank);
    for (std::thread& thread : threads) thread.join();
  }
  if (std::strcmp(what, "throw") == 0) throw_through_mpi();
  if (std::strcmp(what, "fork") == 0 && ::fork() == 0) ::_exit(0);
  if (std::strcmp(what, "early") == 0) std::printf("%d\n", early.has_begun);
  wait_for_file(rank);
  MPI_Finalize();
  return 0;
}
