#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collectors/event_record.h"
#include "monitors/delays/delay_origins.h"
#include "monitors/delays/delay_paths.h"
#include "monitors/moments/moment.h"
#include "pathmaps/plan/plan.h"
#include "paths/views/view.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// Makes the steps of DelayOrigins from the records of operations on the paths of a plan:
///
///     a read or take of tuple n      awaits its write
///     a write of tuple n to an element of T tuples that waits when it is full
///                                    awaits the take of tuple n - T
///     operation n of a collective    awaits the last thread to come to it
///
/// If a path is recorded at several points, the first counts. Repeated reads or takes on one path that find
/// nothing form a single wait. Operations on elements whose other users are not recorded have an unknown
/// cause.
///
/// Reads only views. Not thread-safe.
class PathDelays {
 public:
  static constexpr std::size_t max_records = 1 << 20;  ///< held back; beyond this, the earliest are used

  /// `plan` and `names` must outlive it.
  PathDelays(const Plan& plan, const PlanNames& names);

  /// How late a record may be seen after its end: threads are preempted before they publish it.
  static constexpr std::chrono::milliseconds unpublished{10};

  /// Adds unread events. They are held back, because others of the same thread may still be unread.
  void add(const View& view);
  /// Call after adding all events that existed when the first view since the last call was made. Uses the
  /// events that ended by then.
  void settle();
  /// Call after the last view: uses the held events, and gives up steps that still wait.
  void finish();

  [[nodiscard]] DelayOrigins& origins() noexcept { return origins_; }
  [[nodiscard]] const DelayOrigins& origins() const noexcept { return origins_; }

 private:
  struct Held {
    EventRecord record;
    Moment begin{};
    Moment end{};
    bool follows_gap{false};
  };
  using Path = DelayPath;

  void follow_runs(const View& view);
  bool follow_gap(const EventRecord& record);
  [[nodiscard]] std::uint32_t node_number(std::string_view node);
  void use_until(std::int64_t until);
  void use(const Held& held);
  void add_exchange(const Path& path, const Held& held);
  void add_operation(const Path& path, const Held& held);
  [[nodiscard]] Moment begin_of_wait(const Held& held);

  const PlanNames* names_;
  std::map<std::uint32_t, Path> paths_;
  std::map<std::uint64_t, std::size_t> givers_;  // of the channels of collectives
  std::map<std::string, std::uint32_t, std::less<>> nodes_;
  std::map<std::uint32_t, std::pair<std::int32_t, std::uint64_t>> runs_;   // pid and start, by process
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> next_;  // by path and process
  // A series of unsuccessful reads or takes: its path, and its begin.
  struct Vain {
    std::uint32_t path{0};
    Moment begin{};
  };
  std::map<std::uint32_t, Vain> in_vain_;  // by thread
  std::vector<Held> held_;
  std::optional<std::int64_t> seen_until_;  // until when all events were in the views since the last settle()
  DelayOrigins origins_;
};

}  // namespace eventspace
