#include "pathmaps/preloading/joined_process.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <eventspace/error.h>
#include <eventspace/probe.h>
#include <eventspace/session.h>
#include "collectors/probes/probe_host.h"
#include "pathmaps/jobs/job_server.h"
#include "pathmaps/sessions/run_report.h"
#include "scopes/tree/local_ids.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace::preloading {
namespace {

// The destructor leaves the session when the process exits; in a forked child, it does nothing.
std::optional<Session> joined_session;       // NOLINT(misc-use-internal-linkage)
std::atomic<bool> has_begun_to_join{false};  // NOLINT(misc-use-internal-linkage)
std::atomic<bool> is_in_session{false};      // NOLINT(misc-use-internal-linkage)
// Kept until the process ends: other copies of EventSpace may ask later than the destructors above.
const char* joined_name = nullptr;  // NOLINT(misc-use-internal-linkage)

// As in pathmaps/probes/probe_library.cpp: the output of an observed program must not change.
void say(const char* why) {
  if (std::getenv("EVENTSPACE_VERBOSE") != nullptr)
    std::fprintf(stderr, "eventspace: %s are not recorded: %s\n", recorded.what, escaped(why).c_str());
}

bool is_number(const std::string& text) {
  constexpr std::size_t longest = 10;
  return !text.empty() && text.size() <= longest && text.find_first_not_of("0123456789") == std::string::npos;
}

std::string process_name() {
  return std::getenv("EVENTSPACE_PROCESS") == nullptr ? recorded.process_name() : std::string();
}

/// Whether the function belongs to libeventspace.so, and that has no session. The program may use only its
/// probes, which find this library first. If the program opens the same session later, Session::open()
/// refuses it (require_not_joined_by_preloaded_library).
bool is_unused_library(void* function) {
  Dl_info place{};
  if (::dladdr(function, &place) == 0 || place.dli_fname == nullptr) return false;
  const std::string_view file(place.dli_fname);
  if (!file.substr(file.rfind('/') + 1).starts_with("libeventspace.so")) return false;
  return reinterpret_cast<eventspace_source>(function)() == nullptr;
}

/// Whether the program has joined, or may join, with another copy of EventSpace that cannot see this one: a
/// process joins a session only once.
bool has_another_copy() {
  if (::dlsym(RTLD_DEFAULT, "eventspace_probes_v1") != reinterpret_cast<void*>(eventspace_probes_v1))
    return true;
  void* const other = ::dlsym(RTLD_NEXT, "eventspace_probes_v1");
  return other != nullptr && !is_unused_library(other);
}

Session open_session() {
  const char* const name = std::getenv("EVENTSPACE_SESSION");
  if (name == nullptr || *name == '\0')
    throw ConfigurationError("EVENTSPACE_SESSION is not set; start the program with `eventspace run`");
  const char* const pathmap = std::getenv("EVENTSPACE_PATHMAP");
  if (pathmap != nullptr && *pathmap != '\0')
    throw ConfigurationError("the process belongs to a pathmap; start it in a session without a pathmap");
  if (has_another_copy()) throw ConfigurationError("the program uses EventSpace itself");
  Session::OpenOptions options{.process = process_name()};
  if (const auto member = recorded.member()) {
    options.rank = member->rank;
    options.job = member->job;
  }
  return Session::open(name, options);
}

std::uint32_t kept_calls() noexcept {
  const char* const text = std::getenv(recorded.kept_variable);
  if (text == nullptr) return recorded.kept;
  const unsigned long calls = is_number(text) ? std::strtoul(text, nullptr, 10) : 0;
  if (calls >= min_kept && calls <= max_kept) return static_cast<std::uint32_t>(calls);
  if (std::getenv("EVENTSPACE_VERBOSE") != nullptr)
    std::fprintf(stderr, "eventspace: %s is '%s'; expected %u to %u; %u calls are kept\n",
                 recorded.kept_variable, escaped(text).c_str(), min_kept, max_kept, recorded.kept);
  return recorded.kept;
}

// Must come before a probe names the thread differently: probes and calls of a thread are recorded as one
// thread.
void name_main_thread() noexcept {
  if (::gettid() == ::getpid()) recorded.register_thread();
}

// Recording does not depend on it.
void serve_other_machines() noexcept {
  try {
    start_job_server(joined_session->name());
  } catch (const std::exception& error) {
    if (std::getenv("EVENTSPACE_VERBOSE") != nullptr)
      std::fprintf(stderr, "eventspace: %s\n", escaped(error.what()).c_str());
  }
}

void join_once() noexcept {
  static std::once_flag once;
  std::call_once(once, [] {
    has_begun_to_join = true;
    try {
      joined_session.emplace(open_session());
      joined_name = ::strdup(joined_session->name().c_str());
      is_in_session.store(true, std::memory_order_release);
      RunReport::tell(RunEvent::joined);
      name_main_thread();
      serve_other_machines();
    } catch (const std::exception& error) {
      say(error.what());
      RunReport::tell(RunEvent::failed, error.what());
    }
    set_look_for_probe_host(nullptr);
  });
}

__attribute__((constructor)) void prepare() {
  set_look_for_probe_host(join_once);  // programs with probes use the functions of this library
  // A child that was forked earlier is a normal process; a child forked later shares the trace elements of
  // its parent.
  ::pthread_atfork(nullptr, nullptr, [] { is_in_session.store(false, std::memory_order_relaxed); });
}

}  // namespace

void join() noexcept { join_once(); }
bool has_joined() noexcept { return is_in_session.load(std::memory_order_acquire); }

bool has_tried_to_join() noexcept { return has_begun_to_join.load(std::memory_order_relaxed); }

std::optional<ProbeHost::Thread> add_own_thread() noexcept {
  try {
    const auto host = probe_host();
    if (host == nullptr) return std::nullopt;
    return host->add_thread_of(
        {.name = recorded.paths, .threshold = kept_calls(), .names_first_thread = true});
  } catch (...) {  // the thread's calls are not recorded
    return std::nullopt;
  }
}

bool name_site(std::uint16_t number, std::string_view place) noexcept {
  try {
    const auto host = probe_host();
    // A process-local number, which readers replace by a number that is unique in the session.
    return host != nullptr &&
           host->give_name({OwnNameOf::site, *local_ids_of(dynamic_process) + number, std::string(place)});
  } catch (...) {
    return false;
  }
}

}  // namespace eventspace::preloading

const char* eventspace_preloaded_session_v1() {
  return eventspace::preloading::has_joined() ? eventspace::preloading::joined_name : nullptr;
}
