#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "monitors/wait_states/run_activities.h"

namespace eventspace {

/// Finds the calls that belong together: the two ends of a message, and the members of a collective
/// operation; and links them. Calls may come in any order. Memory is bounded: beyond the limits, the oldest
/// unmatched ends and operations are given up, which is counted; their calls may have waited for something
/// unknown. Pure. Not thread-safe.
class Partners {
 public:
  struct Limits {
    std::size_t signals{std::size_t{1} << 18};  ///< of which one end is known
    std::size_t meetings{65536};                ///< that lack members
  };
  /// `run` must outlive it.
  explicit Partners(RunActivities& run) : Partners(run, Limits{}) {}
  Partners(RunActivities& run, const Limits& limits) : run_(&run), limits_(limits) {}

  /// Something that one call provides and others await: number `number` of a channel of the caller.
  struct Signal {
    std::uint64_t channel{0};
    std::uint64_t number{0};
    friend auto operator<=>(const Signal&, const Signal&) = default;  // NOLINT(modernize-use-nullptr)
  };
  /// `needs_end`: others wait until the call has ended; else until it has begun.
  void give(const Signal& signal, const ActivityRef& by, bool needs_end);
  void await(const Signal& signal, const ActivityRef& by, WaitKind kind);

  /// A message was sent by the call `by`.
  void send(std::uint64_t message, const ActivityRef& by);
  /// The call `by` may last until the receive of the message has begun.
  void await_receive(std::uint64_t message, const ActivityRef& by);
  /// A message was received by the call `taken`; the receive began with the call `posted`.
  void receive(std::uint64_t message, const ActivityRef& taken, const ActivityRef& posted);

  /// A collective operation: a communicator, a function or 0, and the number of the operation.
  struct Operation {
    std::uint32_t group{0};
    std::uint32_t function{0};
    std::uint64_t number{0};
    friend auto operator<=>(const Operation&, const Operation&) = default;  // NOLINT
  };
  struct Form {
    WaitKind kind{WaitKind::barrier};
    std::size_t members{0};
    std::uint32_t root{0};  ///< a member, for early_reduce and late_broadcast
  };
  struct Member {
    Operation operation{};
    Form form{};
    std::uint32_t number{0};  ///< its rank in the group
  };
  /// A member has come with this call, and has left when its part is complete.
  void come(const Member& member, const ActivityRef& by);
  void leave(const Member& member, const ActivityRef& by);

  /// Call once, after all calls: marks calls whose partner did not come as unknown. `may_lack_receives`:
  /// records are missing, so that a send without a receive may have waited for one; it is marked as not
  /// followed.
  void finish(bool may_lack_receives);
  /// Ends and operations that were given up because of the limits.
  [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }

 private:
  struct Waiter {
    ActivityRef by{};
    WaitKind kind{WaitKind::late_sender};
  };
  struct Ends {
    std::optional<std::pair<ActivityRef, bool>> given{};  // needs_end
    std::vector<Waiter> waiters{};
  };
  struct Open {
    Form form{};
    std::map<std::uint32_t, Meeting::Member> members{};
    std::size_t left{0};
  };
  using Opens = std::map<Operation, Open>;

  Ends& ends_of(const Signal& signal);
  [[nodiscard]] bool is_after_first(const Ends& ends, const ActivityRef& by) const;
  void forget(const Signal& signal);
  void give_up(const Ends& ends, bool may_lack_receives);
  Meeting::Member& member_of(const Member& member);
  Open& open_of(const Operation& operation, const Form& form);
  void close_if_whole(const Operation& operation);
  [[nodiscard]] static bool have_all_come(const Open& open);
  void close(const Operation& operation, const Open& open);
  void link_in_order(const Open& open);
  [[nodiscard]] bool is_later(const Meeting::Member& a, const Meeting::Member& b) const;
  void give_up(const Open& open);
  void forget_oldest_signals();
  void forget_oldest_meeting();

  RunActivities* run_;
  Limits limits_;
  std::map<Signal, Ends> signals_;
  std::deque<Signal> order_;  // of signals_; may include removed ones
  Opens meetings_;
  std::deque<Operation> order_of_meetings_;  // may include removed ones
  std::uint64_t left_out_{0};
};

}  // namespace eventspace
