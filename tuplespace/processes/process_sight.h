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

/// The known state of a process.
enum class Presence : std::uint8_t {
  running,
  stopped,  ///< by a signal or a debugger
  hidden,   ///< alive, because it locks its file; /proc does not show whether it is stopped
  gone,
  unknown  ///< /proc does not show it, and its file system lacks locks: it may be alive
};
/// Whether the process's files must be kept.
constexpr bool may_live(Presence presence) noexcept { return presence != Presence::gone; }

/// The view of this process on a process that identifies itself in a file:
///
///     its PID namespace             found in /proc         what tells that it lives
///     that of this process's /proc  by its id              /proc
///     inside that one               by its id there        /proc; its lock, if /proc does not have it
///     any other, or another boot    not                    the lock on its file
///
/// An id is only looked up in its own namespace. Start times are compared in the time namespace of this
/// process.
///
/// Thread-safe.
class ProcessSight {
 public:
  /// A view on no process, which counts as gone.
  ProcessSight() = default;
  /// Reads files in /proc: of every process, if its ids belong to another namespace.
  explicit ProcessSight(const ProcessIdentity& process);
  ProcessSight(const ProcessSight&) = delete;
  ProcessSight& operator=(const ProcessSight&) = delete;

  /// `lock` checks the lock on the file (lock_on()); it is called only if /proc does not decide.
  [[nodiscard]] Presence look(const std::function<FileLock()>& lock) const;
  /// Whether its ids belong to this process's /proc, so that it is gone if /proc does not show it.
  [[nodiscard]] bool has_ids_of_here() const noexcept { return has_ids_of_here_; }
  /// Whether /proc had the process, and its file there could be opened.
  [[nodiscard]] bool is_found() const noexcept { return main_.found(); }

  // The process's id and start time in this /proc, for queries of the kernel. Without is_found() they are
  // from its own namespace, and the start time differs from all processes here.
  [[nodiscard]] std::int32_t pid() const noexcept { return pid_; }
  [[nodiscard]] std::uint64_t start_ticks() const noexcept { return start_ticks_; }
  /// The id here of the thread with id `tid` in the process's namespace; 0 if unknown.
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
  mutable std::map<std::int32_t, std::int32_t> tids_;  // ids here, by ids in its namespace
};

/// The same for a single check.
Presence presence_of(const ProcessIdentity& process, const std::function<FileLock()>& lock);

/// Returns the last number of the line "NSpid:" in the text of /proc/PID/status, the id of the process in its
/// own namespace, and the number of namespaces in the line; zeros without such a line. Pure.
struct NamespaceIds {
  std::int32_t innermost{0};
  std::size_t count{0};
};
NamespaceIds namespace_ids_in(std::string_view status);

}  // namespace eventspace
