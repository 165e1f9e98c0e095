#include <signal.h>
#include <time.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include <eventspace/error.h>
#include <eventspace/session.h>
#include "monitors/cli/stop_signals.h"

// An application for tests: each thread of its process writes to its path "log" every millisecond until a
// signal stops it, or as often as its first argument says. If the second argument is "computing", it does not
// sleep in between: then each step takes processor time, and other load on the processor makes it slower.
namespace {

void compute_for(std::chrono::microseconds processor_time) {
  timespec now{};
  const auto used = [&] {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
  };
  const auto end = used() + processor_time;
  while (used() < end) {
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace eventspace;
  try {
    const int writes = argc > 1 ? std::atoi(argv[1]) : 1'000'000;
    StopSignals signals;
    auto session = Session::from_environment();
    const bool computes = argc > 2 && std::strcmp(argv[2], "computing") == 0;
    const std::chrono::milliseconds pause(computes ? 0 : 1);
    for (int i = 0; i < writes && !signals.wait_for(pause); ++i) {
      if (computes) compute_for(std::chrono::microseconds(200));
      for (const std::string& thread : session.threads()) {
        if (session.thread(thread).path("log").write(Tuple::of({std::int64_t{i}})) != Status::ok) return 1;
      }
      if (i == 0) std::cout << "ready " << session.process() << std::endl;
    }
    return 0;
  } catch (const Error& error) {
    std::cerr << "tiny_app: " << error.what() << '\n';
    return 3;
  }
}
