// idle_application: a process of any pathmap, for `eventspace run`. Each of its threads reads once, without
// waiting, from the element of each of its paths, so that each trace element at the threads has an event.
// Then it does nothing until SIGTERM.
#include <csignal>
#include <cstdio>
#include <exception>

#include <eventspace/session.h>
#include "pathmaps/plan/plan.h"

int main() {
  using namespace eventspace;
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  sigprocmask(SIG_BLOCK, &ends, nullptr);  // inherited by all threads started later
  try {
    Session session = Session::from_environment();
    const Plan& plan = session.plan();
    for (const PathPlan& path : plan.paths) {
      const ThreadPlan& thread = plan.threads[path.thread];
      if (!thread.is_thread() || thread.host() != Host(*plan.find_process(session.process()))) continue;
      (void)session.thread(thread.name).path(path.name).read(From::newest, Deadline::now());
    }
    std::puts("idle");
    std::fflush(stdout);
    int signal = 0;
    sigwait(&ends, &signal);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "idle_application: %s\n", error.what());
    return 1;
  }
}
