#pragma once

// Private to monitors/.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collectors/event_record.h"
#include "monitors/delays/delay_origins.h"
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
/// Of a path that is recorded at several points, the first one counts. A read or take that fails because
/// nothing is there, followed by another one on the same path, is a wait as a whole. Operations on elements
/// whose other users are not recorded wait for something unknown.
///
/// Reads nothing but views. Not thread-safe.
class PathDelays {
 public:
  static constexpr std::size_t most_records = 1 << 20;  ///< held back; the earliest are used then

  /// `plan` and `names` must outlive it.
  PathDelays(const Plan& plan, const PlanNames& names);

  /// How late a record may be seen after its end: threads are preempted before they publish it.
  static constexpr std::chrono::milliseconds unpublished{10};

  /// Unread events. They are held back, because others of the same thread may still be unread.
  void add(const View& view);
  /// To be called when all events have been added that there were when the first view since the last call was
  /// made. Uses those that ended by then.
  void settle();
  /// To be called when no more views come: uses what is held back, and gives up what still waits.
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
  struct Path {
    std::uint32_t thread{0};
    std::uint16_t point{0};
    std::uint64_t channel{0};       // of the writes to the element, or of the collective
    std::uint64_t room_channel{0};  // of the takes from it; 0: writes do not wait for room
    std::uint64_t threshold{0};
    bool are_writes_unknown{false};
    bool are_writes_awaited{false};
    bool is_collective{false};
  };

  void describe_elements(const Plan& plan);
  void describe_collectives(const Plan& plan);
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
  // A read or take in vain: on which path of the thread, and since when it has gone on.
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
