#include <atomic>
#include <iostream>
#include <thread>
#include <vector>

#include <eventspace/error.h>
#include <eventspace/session.h>
#include "monitors/cli/signal_waiter.h"

// campaign_app PATHMAP PROCESS: each thread of the process writes to its paths in bursts at full speed, with
// pauses in between, until SIGHUP. Then the process keeps its segment, without recording, until SIGTERM.
namespace eventspace {
namespace {

using namespace std::chrono_literals;

void record(Session& session, const std::string& name, const std::atomic<bool>& stopped) {
  constexpr int burst = 500;
  SessionThread& thread = session.thread(name);
  Path& often = thread.path("often");
  Path& seldom = thread.path("seldom");
  for (std::int64_t round = 0; !stopped; ++round) {
    for (int i = 0; i < burst; ++i) (void)often.write(Tuple::of({round}));
    (void)seldom.write(Tuple::of({round}));
    std::this_thread::sleep_for(2ms);
  }
}

int run(const std::string& pathmap, const std::string& process) {
  SignalWaiter signals{SIGHUP, SIGTERM};
  Session session = Session::join(pathmap, process);
  std::atomic<bool> stopped{false};
  std::vector<std::thread> threads;
  for (const std::string& name : session.threads())
    threads.emplace_back([&, name] { record(session, name, stopped); });
  const auto first = signals.next(24h);
  stopped = true;
  for (std::thread& thread : threads) thread.join();
  std::cout << "stopped" << std::endl;
  if (first == SIGHUP) (void)signals.next(24h);
  return 0;
}

}  // namespace
}  // namespace eventspace

int main(int argc, char** argv) {
  try {
    return argc == 3 ? eventspace::run(argv[1], argv[2]) : 2;
  } catch (const eventspace::Error& error) {
    std::cerr << "campaign_app: " << error.what() << '\n';
    return 3;
  }
}
