#pragma once

// Private to pathmaps/.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "collectors/clock.h"
#include "collectors/probes/probe_host.h"

/// What the libraries that are preloaded into programs of a message library (MPI, PVM) have in common. Each
/// library compiles these sources for itself.
namespace eventspace::preloading {

/// What a library records. Each library defines one.
struct Recorded {
  const char* what;               ///< "calls of MPI"
  std::string_view paths;         ///< the name of the threads' paths: "mpi"
  const char* kept_variable;      ///< of the environment: how many records are kept of each thread
  std::uint32_t kept;             ///< unless the variable is another number between the bounds below
  std::string (*process_name)();  ///< empty: the name is "PROGRAM:PID", or that of $EVENTSPACE_PROCESS
  void (*register_thread)();      ///< registers the calling thread, as ThreadUse::recorder() does
};
extern const Recorded recorded;
/// A record takes 64 bytes.
inline constexpr std::uint32_t least_kept = 16;
inline constexpr std::uint32_t most_kept = 500'000;

/// Joins the session of the environment without a pathmap, once. If the process cannot join, its calls are
/// not recorded; the reason is printed if $EVENTSPACE_VERBOSE is set.
void join() noexcept;
/// Whether join() was called, in this process or the one that it was forked from.
bool has_tried_to_join() noexcept;
/// Whether the process has joined, and is not a forked child of the one that has.
bool has_joined() noexcept;
/// Names a place in the program in the session. May call the system. Returns whether there was room.
bool name_site(std::uint16_t number, std::string_view place) noexcept;
/// A part of the session for the calling thread; none if there is no room for one. May call the system.
std::optional<ProbeHost::Thread> add_own_thread() noexcept;

/// A thread's use of the session. It ends with the thread, whose trace element another thread may get then.
template <class Recorder>
class ThreadUse {
 public:
  /// The calling thread's recorder; null if there is no room for one, or the thread is ending. The first call
  /// by a thread registers it with the session; later ones only look.
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
    static thread_local ThreadUse use;  // the others have no destructor, so that they can be read at any time
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
