#include <atomic>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>

#include <eventspace/error.h>
#include <eventspace/session.h>
#include "monitors/cli/stop_signals.h"

// An application for tests: each thread of its process takes part in the collective "sum" about every
// millisecond, until a signal stops it.
//
//     collective_app                   all alike
//     collective_app late THREAD MS    this thread comes that much later each time
//     collective_app absent THREAD N   this thread does not come to operation N
//     collective_app times N           ends after N operations
int main(int argc, char** argv) {
  using namespace eventspace;
  using std::chrono::milliseconds;
  const std::string how = argc > 2 ? argv[1] : "";
  const std::string who = argc > 3 ? argv[2] : "";
  const long number = argc > 2 ? std::atol(argv[argc - 1]) : 0;
  try {
    StopSignals signals;
    auto session = Session::from_environment();
    std::atomic<bool> is_over{false};
    std::atomic<std::size_t> ended{0};
    std::vector<std::jthread> running;
    for (const std::string& name : session.threads()) {
      running.emplace_back([&, name] {
        Path& path = session.thread(name).path("sum");
        for (long i = 1; !is_over && (how != "times" || i <= number); ++i) {
          std::this_thread::sleep_for(milliseconds(how == "late" && who == name ? number : 1));
          while (how == "absent" && who == name && i == number && !is_over)
            std::this_thread::sleep_for(milliseconds(1));
          if (!path.exchange(Tuple::of({std::int64_t{1}}))) break;
          if (i == 1 && name == session.threads().front())
            std::cout << "ready " << session.process() << std::endl;
        }
        ++ended;
      });
    }
    while (ended < running.size() && !signals.wait_for(milliseconds(10))) {
    }
    is_over = true;
    session.close();
    return 0;
  } catch (const Error& error) {
    std::cerr << "collective_app: " << error.what() << '\n';
    return 3;
  }
}
