#include <chrono>
#include <cstring>
#include <iostream>
#include <thread>

#include <eventspace/error.h>
#include <eventspace/session.h>
#include "monitors/cli/stop_signals.h"

// An application for tests: threads of process "writers" write to their path "queue" forever, and wait when
// it is full. A thread of process "readers" reads (argument "read") or takes ("take") from it, or does
// nothing.
namespace {

using namespace eventspace;

void write_for_ever(SessionThread& thread) {
  std::int64_t number = 0;
  while (thread.path("queue").write(Tuple::of({++number})) == Status::ok) thread.set_virtual_time(number);
}

void use(SessionThread& thread, const char* verb) {
  const bool takes = std::strcmp(verb, "take") == 0;
  const bool reads = std::strcmp(verb, "read") == 0;
  while (takes && thread.path("queue").take().status == Status::ok) continue;
  while (reads && thread.path("queue").read().status == Status::ok)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // a loop that polls for a tuple
}

int run(const char* verb) {
  StopSignals signals;
  auto session = Session::from_environment();
  std::vector<std::thread> threads;
  for (const std::string& name : session.threads()) {
    threads.emplace_back([&session, name, verb] {
      SessionThread& thread = session.thread(name);
      session.process() == "writers" ? write_for_ever(thread) : use(thread, verb);
    });
  }
  std::cout << "ready " << session.process() << std::endl;
  signals.wait();
  session.close();
  for (std::thread& thread : threads) thread.join();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? argv[1] : "nothing");
  } catch (const eventspace::Error& error) {
    std::cerr << "queue_app: " << error.what() << '\n';
    return 3;
  }
}
