// A program of hot functions for probes: eight threads compute a checksum through functions that call,
// recurse, throw and are called through pointers; signals come all the time, and it forks. Writes a line with
// the checksum of each round, which is the same in all rounds; exits with 1 at the first different one. Ends
// after the round in which SIGTERM comes. With a number as argument it runs that many rounds, stops itself
// (SIGSTOP) before the first and after the last, and sends no signals. It is killed when its parent ends.

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

// GCC would clone the function for some arguments. Clang does not, and does not support the attribute.
#ifdef __clang__
#define ONE_FUNCTION [[gnu::noinline]]
#else
#define ONE_FUNCTION [[gnu::noinline, gnu::noclone]]
#endif

extern "C" {

// The functions have plain names, and are not optimised together, so that each call is one.
ONE_FUNCTION std::uint64_t hot_mix(std::uint64_t a, std::uint64_t b) {
  a ^= b + 0x9e3779b97f4a7c15U + (a << 6) + (a >> 2);
  return a * 0xff51afd7ed558ccdU;
}
ONE_FUNCTION std::uint64_t hot_recursive(unsigned depth, std::uint64_t value) {
  if (depth == 0) return hot_mix(value, 1);
  return hot_mix(hot_recursive(depth - 1, value + depth), depth);
}
ONE_FUNCTION double hot_real(double a, double b, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += a * i + b;
  return sum;
}
ONE_FUNCTION std::uint64_t hot_throwing(std::uint64_t value) {
  if (value % 7 == 3) throw std::runtime_error("seven");
  return hot_mix(value, 7);
}
ONE_FUNCTION std::uint64_t hot_catching(std::uint64_t value) {
  try {
    return hot_throwing(value);
  } catch (const std::runtime_error&) {
    return hot_mix(value, 3);
  }
}

std::atomic<std::uint64_t> signals_seen{0};
ONE_FUNCTION void hot_handler(int /*number*/) { signals_seen.fetch_add(hot_mix(1, 2) | 1); }
}

namespace {

std::uint64_t (*volatile chosen)(std::uint64_t, std::uint64_t) = hot_mix;
std::atomic<bool> is_over{false};

std::uint64_t compute(unsigned seed) {
  std::uint64_t sum = seed;
  for (unsigned i = 0; i < 2000; ++i) {
    sum = hot_mix(sum, i);
    sum = hot_recursive(i % 5, sum);
    sum ^= static_cast<std::uint64_t>(hot_real(1.5, 0.5, static_cast<int>(i % 9)));
    sum = hot_catching(sum);
    sum = chosen(sum, i);
  }
  return sum;
}

std::uint64_t round_of_threads() {
  std::vector<std::uint64_t> sums(8);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < sums.size(); ++i) threads.emplace_back([&sums, i] { sums[i] = compute(i); });
  for (std::thread& thread : threads) thread.join();
  std::uint64_t sum = 0;
  for (const std::uint64_t one : sums) sum = sum * 31 + one;
  return sum;
}

// Returns whether a forked child computes the same checksum.
bool child_agrees(std::uint64_t expected) {
  const ::pid_t child = ::fork();
  if (child == 0) ::_exit(compute(0) == expected ? 0 : 1);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

int main(int count, char** words) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int rounds = count > 1 ? std::atoi(words[1]) : -1;
  const bool is_counted = rounds >= 0;
  if (is_counted) std::raise(SIGSTOP);
  struct ::sigaction action {};
  action.sa_handler = hot_handler;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGUSR1, &action, nullptr);
  action.sa_handler = [](int) { is_over = true; };
  ::sigaction(SIGTERM, &action, nullptr);
  std::thread sender([is_counted] {
    while (!is_over && !is_counted) {
      ::kill(::getpid(), SIGUSR1);
      ::usleep(500);
    }
  });
  const std::uint64_t first = compute(0);
  const std::uint64_t expected = round_of_threads();
  int status = 0;
  for (int i = 0; i != rounds && !is_over && status == 0; ++i) {
    const std::uint64_t sum = round_of_threads();
    if (sum != expected || !child_agrees(first)) status = 1;
    std::printf("%d %016llx\n", i, static_cast<unsigned long long>(sum));
    std::fflush(stdout);
  }
  is_over = true;
  sender.join();
  if (is_counted) std::raise(SIGSTOP);
  return status;
}
