#include <atomic>
#include <cstring>
#include <iostream>
#include <thread>

#include "collectors/probes/eventspace_probe.h"
#include "monitors/cli/stop_signals.h"
#include "pathmaps/sessions/session.h"
#include "tuplespace/system/error.h"

// A program without a pathmap, for tests: its thread "main" passes probes until a signal stops it, and its thread
// "sleeper" stays in a region all the time. With the argument "name" it only writes the name of its session.
int main(int argc, char** argv) {
  using namespace eventspace;
  try {
    StopSignals signals;
    auto session = Session::from_environment();
    if (argc > 1 && std::strcmp(argv[1], "name") == 0) {
      std::cout << session.name() << std::endl;
      return 0;
    }
    session.thread("main");
    std::atomic<bool> is_over{false};
    std::thread sleeper([&] {
      session.thread("sleeper");
      EVENTSPACE_REGION_BEGIN("rest");
      is_over.wait(false);
      EVENTSPACE_REGION_END("rest");
    });
    for (int i = 0; !signals.wait_for(std::chrono::milliseconds(1)); ++i) {
      EVENTSPACE_PROBE("tick", i);
      if (i == 3) std::cout << "ready" << std::endl;
    }
    is_over = true;
    is_over.notify_one();
    sleeper.join();
    return 0;
  } catch (const Error& error) {
    std::cerr << "probing_app: " << error.what() << '\n';
    return 3;
  }
}
