#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string_view>

#include "tuplespace/processes/process_origin.h"
#include "tuplespace/processes/process_stat.h"
#include "tuplespace/system/file_lock.h"

namespace eventspace {

/// What is known of whether a process lives.
enum class Presence : std::uint8_t {
  running,
  stopped,  ///< by a signal or a debugger
  hidden,   ///< it lives, as it holds its file; /proc does not show whether it is stopped
  gone,
  unknown  ///< /proc does not show it, and its file system has no locks: it may live
};
/// Whether nothing that belongs to the process may be removed.
constexpr bool may_live(Presence presence) noexcept { return presence != Presence::gone; }

/// A process that identifies itself in a file, as far as this process can see it:
///
///     its PID namespace             found in /proc         what tells that it lives
///     that of this process's /proc  by its id              /proc
///     inside that one               by its id there        /proc; its lock, if /proc does not have it
///     any other, or another boot    not                    the lock on its file
///
/// An id is never looked up in another namespace than its own. Start times are compared as the time namespace
/// of this process shows them.
///
/// Thread-safe.
class ProcessSight {
 public:
  /// The sight of no process: it is gone.
  ProcessSight() = default;
  /// Reads files in /proc: of every process, if its ids are those of another namespace.
  explicit ProcessSight(const ProcessIdentity& process);
  ProcessSight(const ProcessSight&) = delete;
  ProcessSight& operator=(const ProcessSight&) = delete;

  /// `lock` looks at the lock on the file (lock_on()); it is called only if /proc does not tell.
  [[nodiscard]] Presence look(const std::function<FileLock()>& lock) const;
  /// Whether its ids are those of this process's /proc, so that one which /proc does not show is gone.
  [[nodiscard]] bool has_ids_of_here() const noexcept { return has_ids_of_here_; }
  /// Whether /proc had the process, and its file there could be opened.
  [[nodiscard]] bool is_found() const noexcept { return main_.found(); }

  // What /proc here calls the process, for what is asked of the kernel about it. Without is_found() they are
  // those of its own namespace, and the start time is one that no process here has.
  [[nodiscard]] std::int32_t pid() const noexcept { return pid_; }
  [[nodiscard]] std::uint64_t start_ticks() const noexcept { return start_ticks_; }
  /// The id here of the thread that has id `tid` in the process's namespace; 0 if it is not known.
  [[nodiscard]] std::int32_t tid(std::int32_t tid) const;

 private:
  [[nodiscard]] bool is_it(const ProcessStat& stat) const noexcept;
  [[nodiscard]] Presence judge(FileLock lock) const noexcept;
  void find_in_other_namespace();
  void adopt_start();

  ProcessIdentity process_;
  ProcessOrigin here_;
  bool has_ids_of_here_{true};
  std::int32_t pid_{0};
  std::uint64_t start_ticks_{0};
  MainThread main_;
  mutable std::mutex mutex_;
  mutable std::map<std::int32_t, std::int32_t> tids_;  // those here by those in its namespace
};

/// The same for one look.
Presence presence_of(const ProcessIdentity& process, const std::function<FileLock()>& lock);

/// Returns the last number of the line "NSpid:" in the text of /proc/PID/status, the id of the process in its
/// own namespace, and how many namespaces the line has; zeros if there is no such line. Pure.
struct NamespaceIds {
  std::int32_t innermost{0};
  std::size_t count{0};
};
NamespaceIds namespace_ids_in(std::string_view status);

}  // namespace eventspace
