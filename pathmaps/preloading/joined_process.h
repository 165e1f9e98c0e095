#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "collectors/clock.h"
#include "collectors/probes/probe_host.h"
#include "tuplespace/system/job_member.h"

/// For other copies of EventSpace in the process: see preloaded_session_function.
extern "C" const char* eventspace_preloaded_session_v1();

/// The common part of the libraries that are preloaded into programs of a message library (MPI, PVM). Each
/// library compiles these sources for itself.
namespace eventspace::preloading {

/// The records of a library. Each library defines one.
struct Recorded {
  const char* what;               ///< "calls of MPI"
  std::string_view paths;         ///< the name of the threads' paths: "mpi"
  const char* kept_variable;      ///< environment variable with the number of records to keep per thread
  std::uint32_t kept;             ///< the default, unless the variable is a number within the bounds below
  std::string (*process_name)();  ///< if empty, the name is $EVENTSPACE_PROCESS or "PROGRAM:PID"
  std::optional<JobMember> (*member)();  ///< the process's place in an MPI job
  void (*register_thread)();             ///< registers the calling thread, like ThreadUse::recorder()
};
extern const Recorded recorded;
/// A record takes 64 bytes.
inline constexpr std::uint32_t min_kept = 16;
inline constexpr std::uint32_t max_kept = 500'000;

/// Joins the session of the environment without a pathmap, once. If the process cannot join, its calls are
/// not recorded; the reason is printed if $EVENTSPACE_VERBOSE is set.
void join() noexcept;
/// Whether join() was called, in this process or its parent before a fork.
bool has_tried_to_join() noexcept;
/// Whether this process has joined; false in a forked child.
bool has_joined() noexcept;
/// Names a place in the program in the session. May make system calls. Returns whether it fitted.
bool name_site(std::uint16_t number, std::string_view place) noexcept;
/// A part of the session for the calling thread; nullopt if the session is full. May make system calls.
std::optional<ProbeHost::Thread> add_own_thread() noexcept;

/// A thread's use of the session. It ends with the thread, after which another thread may get the trace
/// element.
template <class Recorder>
class ThreadUse {
 public:
  /// The calling thread's recorder; null if the session is full, or the thread is ending. The first call by a
  /// thread registers it with the session; later calls only read a variable.
  static Recorder* recorder() noexcept {
    if (usage_ == Usage::not_yet) [[unlikely]]
      begin();
    return current_;
  }
  ThreadUse() = default;
  ThreadUse(const ThreadUse&) = delete;
  ThreadUse& operator=(const ThreadUse&) = delete;
  ~ThreadUse() {
    usage_ = Usage::ended;
    current_ = nullptr;
    // A forked child has the recorder of its parent.
    if constexpr (requires(Recorder & recorder) { recorder.finish(); })
      if (recorder_ && has_joined()) recorder_->finish();
  }

 private:
  enum class Usage : std::uint8_t { not_yet, registered, ended };

  static void begin() noexcept {
    usage_ = Usage::registered;
    // The others are without destructors, so that they can be read at any time.
    static thread_local ThreadUse use;
    use.thread_ = add_own_thread();
    if (!use.thread_) return;
    current_ = &use.recorder_.emplace(use.thread_->writer, use.thread_->identity, *use.thread_->recorded,
                                      Clock::instance());
  }

  static constinit inline thread_local Usage usage_ = Usage::not_yet;
  static constinit inline thread_local Recorder* current_ = nullptr;
  std::optional<ProbeHost::Thread> thread_;
  std::optional<Recorder> recorder_;
};

}  // namespace eventspace::preloading
