#include <chrono>
#include <filesystem>
#include <iostream>
#include <random>
#include <string>
#include <thread>

#include <eventspace/error.h>
#include <eventspace/probe.h>
#include <eventspace/session.h>
#include "monitors/cli/stop_signals.h"

// An application for tests: process "pN" has a thread "tN", which writes to its path "log" and passes the
// probes `begin` and `end`, at random (argument SEED), in pieces: piece K begins when the file "pieceK"
// appears in the directory DIRECTORY; at its end the process prints "pN done K".
namespace {

using namespace eventspace;

class Actor {
 public:
  Actor(SessionThread& thread, std::uint64_t seed) : thread_(&thread), random_(seed) {}

  void act() {
    const std::uint64_t steps = below(5);
    write();
    for (std::uint64_t i = 0; i < steps; ++i) step();
  }

 private:
  std::uint64_t below(std::uint64_t end) { return random_() % end; }

  void step() {
    step_ += 1 + (below(5) == 0 ? 1 : 0);
    thread_->set_virtual_time(step_);
    if (below(8) != 0) EVENTSPACE_PROBE("begin");
    if (below(2) == 0) write();
    std::this_thread::sleep_for(std::chrono::microseconds(200 + below(2000)));  // it needs some time
    const auto value = static_cast<double>(below(100));
    EVENTSPACE_PROBE("end", value);
    if (below(3) == 0) write();
  }
  void write() {
    const Tuple tuple = Tuple::of({std::string(1 + below(1000), 'x')});
    if (thread_->path("log").write(tuple) != Status::ok) throw EnvironmentError("cannot write");
  }

  SessionThread* thread_;
  std::mt19937_64 random_;
  std::int64_t step_{0};
};

void run(std::uint64_t seed, const std::filesystem::path& directory) {
  StopSignals signals;
  auto session = Session::from_environment();
  const std::string process = session.process();
  Actor actor(session.thread(session.threads().front()), seed * 1000 + std::stoul(process.substr(1)));
  std::cout << "ready " << process << std::endl;
  for (int piece = 1; !signals.wait_for(std::chrono::milliseconds(1));) {
    if (!std::filesystem::exists(directory / ("piece" + std::to_string(piece)))) continue;
    actor.act();
    std::cout << process << " done " << piece << std::endl;
    ++piece;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    run(std::stoull(argv[1]), argv[2]);
    return 0;
  } catch (const Error& error) {
    std::cerr << "metric_app: " << error.what() << '\n';
    return 3;
  }
}
