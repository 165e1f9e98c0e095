#include "pathmaps/mpi/joined_process.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <optional>
#include <string>

#include "collectors/clock.h"
#include "collectors/probes/eventspace_probe.h"
#include "collectors/probes/probe_host.h"
#include "pathmaps/jobs/job_server.h"
#include "pathmaps/sessions/run_report.h"
#include "pathmaps/sessions/session.h"
#include "scopes/tree/own_numbers.h"
#include "tuplespace/system/error.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace::mpi {
namespace {

// Left by the destructor when the process exits. In a forked child, Session does nothing then.
std::optional<Session> joined_session;       // NOLINT(misc-use-internal-linkage)
std::atomic<bool> has_begun_to_join{false};  // NOLINT(misc-use-internal-linkage)
std::atomic<bool> is_in_session{false};      // NOLINT(misc-use-internal-linkage)

// As pathmaps/probes/probe_library.cpp: a program that is observed must not find words in its output that
// are not its own.
void say(const char* why) {
  if (std::getenv("EVENTSPACE_VERBOSE") != nullptr)
    std::fprintf(stderr, "eventspace: calls of MPI are not recorded: %s\n", escaped(why).c_str());
}

bool is_number(const std::string& text) {
  constexpr std::size_t longest = 10;
  return !text.empty() && text.size() <= longest && text.find_first_not_of("0123456789") == std::string::npos;
}

// Of Open MPI, of PMIx, of MPICH.
std::string rank_in_environment() {
  for (const char* const variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) {
    const char* const value = std::getenv(variable);
    if (value != nullptr && is_number(value)) return value;
  }
  return {};
}

std::string process_name() {
  constexpr std::size_t longest = 48;
  const std::string rank = rank_in_environment();
  if (rank.empty() || std::getenv("EVENTSPACE_PROCESS") != nullptr) return {};
  return fmt::format("{}.{}", made_plain(program_invocation_short_name, longest), rank);
}

Session open_session() {
  const char* const name = std::getenv("EVENTSPACE_SESSION");
  if (name == nullptr || *name == '\0')
    throw ConfigurationError("EVENTSPACE_SESSION is not set; start the program with `eventspace run`");
  const char* const pathmap = std::getenv("EVENTSPACE_PATHMAP");
  if (pathmap != nullptr && *pathmap != '\0')
    throw ConfigurationError("the process is one of a pathmap; start it in a session without one");
  // A program that is linked with EventSpace has a copy of its own, and the process is in a session once.
  if (::dlsym(RTLD_NEXT, "eventspace_probes_v1") != nullptr ||
      ::dlsym(RTLD_DEFAULT, "eventspace_probes_v1") != reinterpret_cast<void*>(eventspace_probes_v1))
    throw ConfigurationError("the program uses EventSpace itself");
  return Session::open(name, {.process = process_name()});
}

/// A thread's use of the session. It ends with the thread, whose trace element another thread may get then.
struct Use {
  ~Use();
  std::optional<ProbeHost::Thread> thread;
  std::optional<MpiRecorder> recorder;  // none: the session had no room
};

enum class Usage : std::uint8_t { not_yet, registered, ended };
constinit thread_local Usage usage = Usage::not_yet;            // NOLINT(misc-use-internal-linkage)
constinit thread_local MpiRecorder* recorder_of_use = nullptr;  // NOLINT(misc-use-internal-linkage)
thread_local Use use;                                           // NOLINT(misc-use-internal-linkage)

Use::~Use() {
  usage = Usage::ended;
  recorder_of_use = nullptr;
}

std::uint32_t kept_calls() noexcept {
  const char* const text = std::getenv("EVENTSPACE_MPI_CALLS");
  if (text == nullptr) return calls_threshold;
  const unsigned long calls = is_number(text) ? std::strtoul(text, nullptr, 10) : 0;
  if (calls >= least_calls_threshold && calls <= most_calls_threshold)
    return static_cast<std::uint32_t>(calls);
  if (std::getenv("EVENTSPACE_VERBOSE") != nullptr)
    std::fprintf(stderr, "eventspace: EVENTSPACE_MPI_CALLS is '%s'; expected %u to %u; %u calls are kept\n",
                 escaped(text).c_str(), least_calls_threshold, most_calls_threshold, calls_threshold);
  return calls_threshold;
}

void register_thread() noexcept {
  usage = Usage::registered;
  try {
    const auto host = probe_host();
    if (host == nullptr) return;
    use.thread = host->add_thread_of({.name = "mpi", .threshold = kept_calls(), .names_first_thread = true});
    if (!use.thread) return;
    recorder_of_use = &use.recorder.emplace(use.thread->writer, use.thread->identity, *use.thread->recorded,
                                            Clock::instance());
  } catch (...) {  // the thread's calls are not recorded
  }
}

// Before a probe makes it a thread with another name: probes and calls of a thread are recorded as one.
void name_main_thread() noexcept {
  if (::gettid() == ::getpid() && usage == Usage::not_yet) register_thread();
}

// What the process records does not depend on it.
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
  set_look_for_probe_host(join_once);  // programs with probes find those of this library
  // A child that was forked before is a process like others; one that was forked later has the trace
  // elements of its parent.
  ::pthread_atfork(nullptr, nullptr, [] { is_in_session.store(false, std::memory_order_relaxed); });
}

}  // namespace

void join() noexcept { join_once(); }
bool has_joined() noexcept { return is_in_session.load(std::memory_order_acquire); }

MpiRecorder* own_recorder() noexcept {
  if (usage == Usage::not_yet) [[unlikely]]
    register_thread();
  return recorder_of_use;
}

void name_communicator(const OwnName& name) noexcept {
  static std::atomic<std::uint32_t> named{0};
  if (named.load(std::memory_order_relaxed) >= 2 * most_communicator_names) return;
  named.fetch_add(1, std::memory_order_relaxed);
  try {
    if (const auto host = probe_host()) (void)host->give_name(name);
  } catch (...) {  // it is shown without its name
  }
}

bool name_site(std::uint16_t number, std::string_view place) noexcept {
  try {
    const auto host = probe_host();
    // A number of the process's own, which readers replace by one that is unique in the session.
    return host != nullptr && host->give_name({OwnNameOf::site, *own_numbers_of(unplanned_process) + number,
                                               std::string(place)});
  } catch (...) {
    return false;
  }
}

}  // namespace eventspace::mpi
