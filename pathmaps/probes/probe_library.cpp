// The shared library libeventspace-probes.so, for programs with probes that are not linked with EventSpace
// (include/eventspace/probe.h). The process joins the session of its environment with the first
// probe, and leaves it when it exits. Only the function of the header is a visible symbol, so that the
// library never interferes with another copy of EventSpace in the program.
#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <optional>

#include <eventspace/session.h>
#include "collectors/probes/probe_host.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

// The destructor leaves the session when the process exits; in a forked child, it does nothing.
std::optional<Session> joined_session;       // NOLINT(misc-use-internal-linkage)
std::atomic<bool> has_begun_to_join{false};  // NOLINT(misc-use-internal-linkage)

// The library prints only here, and only on request: the output of an observed program must not change, but a
// user must be able to find out why nothing is recorded.
void say(const char* why) {
  if (std::getenv("EVENTSPACE_VERBOSE") != nullptr)
    std::fprintf(stderr, "eventspace: probes do nothing: %s\n", escaped(why).c_str());
}

void join() noexcept {
  static std::once_flag once;
  std::call_once(once, [] {
    has_begun_to_join = true;
    try {
      joined_session.emplace(Session::from_environment());
    } catch (const std::exception& error) {
      say(error.what());
    }
    set_look_for_probe_host(nullptr);
  });
}

// Joining waits for the first probe: a shell that was started with this library preloaded would otherwise
// take the place of the program that it starts.
__attribute__((constructor)) void prepare() {
  set_look_for_probe_host(join);
  // A child that was forked earlier is a normal process, such as of a program that forks before it begins to
  // work.
  ::pthread_atfork(nullptr, nullptr, [] {
    if (has_begun_to_join) set_look_for_probe_host(nullptr);
  });
}

}  // namespace
}  // namespace eventspace
