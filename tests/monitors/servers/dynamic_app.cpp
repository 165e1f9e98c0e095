#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <thread>

#include <eventspace/error.h>
#include <eventspace/probe.h>
#include <eventspace/session.h>
#include "monitors/cli/stop_signals.h"

namespace {

int queue(eventspace::SessionThread& thread) {
  using namespace eventspace;
  Path& path = thread.path("queue");
  if (path.write(Tuple::of({std::int64_t{1}})) != Status::ok) return 1;
  const Received received = path.read(From::newest);
  std::cout << "tuple " << received.sequence << std::endl;
  return received ? 0 : 1;
}

// Writes once more when a signal comes.
int queue_again(eventspace::SessionThread& thread, eventspace::StopSignals& signals) {
  using namespace eventspace;
  if (queue(thread) != 0) return 1;
  signals.wait();
  const Deadline deadline = Deadline::after(std::chrono::seconds(60));
  Path& path = thread.path("queue");
  if (path.write(Tuple::of({std::int64_t{2}}), deadline) != Status::ok) return 4;
  const Received received = path.read(From::newest, deadline);
  std::cout << "later tuple " << received.sequence << std::endl;
  return received ? 0 : 5;
}

// Hundreds of thousands of events a second, each with some work.
int work(eventspace::StopSignals& signals) {
  std::uint64_t sum = 1;
  for (int step = 0; step % 65536 != 0 || !signals.stopped(); step = (step + 1) % (1 << 30)) {
    EVENTSPACE_PROBE("busy", step);
    for (int i = 0; i < 3000; ++i) sum = sum * 6364136223846793005ULL + 1442695040888963407ULL;
  }
  return sum == 0 ? 1 : 0;  // the sum is used, so that the work is not optimised away
}

}  // namespace

// A program without a pathmap, for tests: its thread "main" passes probes until a signal stops it, and its
// thread "sleeper" stays in a region permanently. Arguments:
//
//     name          it only writes the name of its session
//     queue         it writes a tuple to an element of the session, and how many there are
//     queue-again   as queue, and once more after a signal
//     pass N        it passes a probe N times, as fast as it can, and ends
//     busy          it passes a probe every few microseconds of work, until a signal stops it
//     off           it switches its own collecting off
int main(int argc, char** argv) {
  using namespace eventspace;
  try {
    StopSignals signals;
    auto session = Session::from_environment();
    if (argc > 1 && std::strcmp(argv[1], "name") == 0) {
      std::cout << session.name() << std::endl;
      return 0;
    }
    if (argc > 1 && std::strcmp(argv[1], "off") == 0) session.set_collecting(false);
    if (argc > 1 && std::strcmp(argv[1], "queue") == 0) return queue(session.thread("main"));
    if (argc > 1 && std::strcmp(argv[1], "queue-again") == 0)
      return queue_again(session.thread("main"), signals);
    session.thread("main");
    if (argc > 2 && std::strcmp(argv[1], "pass") == 0) {
      const int times = std::atoi(argv[2]);
      for (int i = 0; i < times; ++i) EVENTSPACE_PROBE("step", i);
      return 0;
    }
    if (argc > 1 && std::strcmp(argv[1], "busy") == 0) return work(signals);
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
    std::cerr << "dynamic_app: " << error.what() << '\n';
    return 3;
  }
}
