#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "monitors/mpi/job_look.h"
#include "paths/views/rank_set.h"

namespace eventspace {

/// An ended call that begins or ends an epoch of one-sided communication.
struct WindowCall {
  enum class Sort : std::uint8_t {
    none,      ///< without effect on the waits of others
    post,      ///< `group` may access the window of the process
    start,     ///< the process will access the windows of `group`
    complete,  ///< the process has ended that access
    wait,      ///< all of `group` have completed their access
    lock,      ///< of the window of `target`, or of all without a target
    unlock
  };
  Sort sort{Sort::none};
  std::uint32_t window{0};                ///< its number, among those of communicators
  std::optional<std::uint32_t> target{};  ///< rank in MPI_COMM_WORLD
  bool is_exclusive{false};
  RankSet group{};            ///< ranks in MPI_COMM_WORLD
  bool is_whole_group{true};  ///< otherwise the group has more members
};
/// The sort of the function with this name.
WindowCall::Sort window_sort(std::string_view function) noexcept;

/// The epochs of one-sided communication that the ranks of a job have begun and ended. They determine the
/// processes for which calls of class `window` wait:
///
///     MPI_Win_start, MPI_Win_complete   the members of the group that have not posted since the rank's last
///                                       MPI_Win_complete
///     MPI_Win_wait                      the members of the group that have not completed an epoch since the
///                                       rank's last MPI_Win_post
///     MPI_Win_lock and the like         the ranks that have the window of the target locked, if they or the
///                                       waiting one have it for themselves; else the target, which must take
///                                       part where the network cannot do without
///
/// MPI may let MPI_Win_lock and MPI_Win_start return at once; the call that ends the epoch then waits. A rank
/// that is itself in a call for the lock of the same target may not have the lock, and is not waited for.
/// Pure. Not thread-safe.
class WindowHistory {
 public:
  static constexpr std::size_t max_entries = 1 << 20;  ///< of each map; entries beyond it are left out

  /// Adds an ended call of `rank`; the times are in nanoseconds since 1970.
  void add(std::uint32_t rank, const WindowCall& call, std::int64_t began_ns, std::int64_t ended_ns);
  /// Sets the awaited processes of the calls of class `window` in flight.
  void complete(JobLook& look) const;

 private:
  /// When a call began or ended an epoch, and with which ranks.
  struct Epoch {
    std::int64_t at_ns{0};
    RankSet group{};
    bool is_whole_group{true};
    [[nodiscard]] bool is_with(std::uint32_t rank) const { return !is_whole_group || group.contains(rank); }
  };
  struct Epochs {
    std::optional<Epoch> posted{};     // when MPI_Win_post began last
    std::optional<Epoch> started{};    // when MPI_Win_start began last
    std::optional<Epoch> completed{};  // when MPI_Win_complete ended last
  };
  using RankOfWindow = std::pair<std::uint32_t, std::uint32_t>;           // window, rank
  using Target = std::pair<std::uint32_t, std::optional<std::uint32_t>>;  // window, target; nullopt means all

  void await(JobCall& call, std::uint32_t rank, std::optional<Epoch> Epochs::*given,
             std::optional<Epoch> Epochs::*since) const;
  void await_locks(const JobLook& look, JobCall& call, std::uint32_t rank) const;
  [[nodiscard]] RankSet holders(const JobLook& look, const JobCall& call, std::uint32_t rank) const;

  std::map<RankOfWindow, Epochs> epochs_;
  std::map<Target, std::map<std::uint32_t, bool>> locks_;  // by rank; true if exclusive
};

}  // namespace eventspace
