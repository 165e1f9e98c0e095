// A program that is at a place that a test knows: in a chain of functions that never ends, or in one blocking
// system call. Exits with 0 if the call ended by its time-out, and with 1 if it was interrupted.

#include <sys/epoll.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <string>
#include <thread>

namespace {

volatile unsigned long sink;

// The statement after each call keeps the compiler from making it a tail call, which would not have a frame.
[[gnu::noinline]] void innermost() {
  while (sink + 1 != 0) sink = sink + 1;  // takes centuries, which the compiler must not find out
}
[[gnu::noinline]] void middle(int depth) {
  if (depth > 0)
    middle(depth - 1);
  else
    innermost();
  sink = sink + 1;
}
[[gnu::noinline]] void outer(int depth) {
  middle(depth);
  sink = sink + 1;
}

int ended(long result, int expected_error) {
  if (result < 0 && errno == EINTR) return 1;
  return result < 0 && errno != expected_error ? 2 : 0;
}

int wait_in(const std::string& call) {
  constexpr int seconds = 1;
  if (call == "epoll") {
    ::epoll_event event{};
    return ended(::epoll_wait(::epoll_create1(0), &event, 1, seconds * 1000), 0);
  }
  if (call == "receive") {
    int pair[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return 2;
    const ::timeval time{seconds, 0};
    ::setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
    char byte = 0;
    return ended(::recv(pair[0], &byte, 1, 0), EAGAIN);
  }
  const ::timespec time{seconds, 0};
  if (call == "semaphore") {
    const int set = ::semget(IPC_PRIVATE, 1, 0600);
    ::sembuf take{0, -1, 0};
    const int result = ended(::semtimedop(set, &take, 1, &time), EAGAIN);
    ::semctl(set, 0, IPC_RMID);
    return result;
  }
  if (call == "signal") {
    ::sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, SIGUSR1);
    ::sigprocmask(SIG_BLOCK, &set, nullptr);
    return ended(::sigtimedwait(&set, nullptr, &time), EAGAIN);
  }
  if (call == "sleep") return ended(::nanosleep(&time, nullptr), 0);
  return 3;
}

}  // namespace

int main(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "";
  const int depth = count > 2 ? std::stoi(words[2]) : 0;
  if (what == "spin") outer(depth);
  if (what == "thread") std::thread([depth] { outer(depth); }).join();
  return wait_in(what);
}
