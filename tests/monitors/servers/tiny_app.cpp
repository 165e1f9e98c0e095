#include <signal.h>

#include <cstdlib>
#include <iostream>
#include <thread>

#include "monitors/cli/stop_signals.h"
#include "pathmaps/sessions/session.h"
#include "tuplespace/system/error.h"

// An application for tests: each thread of its process writes to its path "log" until a signal stops it, or
// as often as its argument says.
int main(int argc, char** argv) {
  using namespace eventspace;
  try {
    const int writes = argc > 1 ? std::atoi(argv[1]) : 1'000'000;
    StopSignals signals;
    auto session = Session::from_environment();
    for (int i = 0; i < writes && !signals.wait_for(std::chrono::milliseconds(1)); ++i) {
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
