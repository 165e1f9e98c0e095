#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>

#include <eventspace/error.h>
#include <eventspace/session.h>
#include "monitors/cli/stop_signals.h"

// An application for tests: each thread of its process that has neighbours works for 2 ms, sends a tuple to
// both of them and takes one from each, step by step, until a signal stops it. Every tenth step all threads
// meet at the barrier "meet".
//
//     ring_app               all alike
//     ring_app THREAD MS     this thread works that much longer in each step
namespace {

void run_steps(eventspace::SessionThread& thread, std::chrono::milliseconds work,
               const std::atomic<bool>& is_over) {
  using eventspace::Status;
  using eventspace::Tuple;
  eventspace::Path& north = thread.path("send/north/n");
  eventspace::Path& south = thread.path("send/south/s");
  eventspace::Path& from_north = thread.path("receive/north/s");
  eventspace::Path& from_south = thread.path("receive/south/n");
  eventspace::Path& meet = thread.path("meet");
  for (std::int64_t step = 0; !is_over; ++step) {
    std::this_thread::sleep_for(work);
    if (north.write(Tuple::of({step})) != Status::ok || south.write(Tuple::of({step})) != Status::ok) return;
    if (!from_north.take() || !from_south.take()) return;
    if (step % 10 == 9 && !meet.exchange(Tuple())) return;
    if (step == 20) std::cout << "steps of " + thread.name() + "\n" << std::flush;
  }
}

}  // namespace

int main(int argc, char** argv) {
  using std::chrono::milliseconds;
  const std::string slow = argc > 2 ? argv[1] : "";
  const long more = argc > 2 ? std::atol(argv[2]) : 0;
  try {
    eventspace::StopSignals signals;
    auto session = eventspace::Session::from_environment();
    std::atomic<bool> is_over{false};
    std::atomic<std::size_t> ended{0};
    std::vector<std::jthread> running;
    for (const std::string& name : session.threads()) {
      running.emplace_back([&, name] {
        run_steps(session.thread(name), milliseconds(2 + (name == slow ? more : 0)), is_over);
        ++ended;
      });
    }
    while (ended < running.size() && !signals.wait_for(milliseconds(10))) {
    }
    is_over = true;
    session.close();
    return 0;
  } catch (const eventspace::Error& error) {
    std::cerr << "ring_app: " << error.what() << '\n';
    return 3;
  }
}
