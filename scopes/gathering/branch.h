#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include <eventspace/stage.h>
#include "paths/remote/hop_numbers.h"
#include "paths/views/view.h"
#include "scopes/gathering/back_off.h"
#include "scopes/gathering/combine_stage.h"
#include "scopes/gathering/ready_list.h"

namespace eventspace {

/// One child of a combining stage and the state of its operation.
///
///     idle --begin--> asked --finish--> idle
///                        \---------------> late --finish--> idle         its answer arrived
///                        its time is up       \---begin---> asked        given up, after a rest
///
/// In a subscription (ScopeTree::look) a child on a server stays asked from pull to pull, until it answers.
/// In other scopes, without `skip`, an operation that does not end in time is given up in the same pull, and
/// the child's stage lists the missing parts. With `skip`, the operation stays under way: later pulls
/// continue without the child and list it as skipped, and the answer becomes part of the first pull that
/// finds it.
///
/// The child's pulls are numbered separately (HopNumbers), so that the child learns which of its views
/// arrived: Pull::after is the number of the last view that was part of a parent's view that arrived. So a
/// view that is given up, or that waits here, is neither lost nor repeated.
///
/// Not thread-safe, except for wake(). Another thread may finish a branch whose child is local, if a
/// happens-before relation separates it from other calls.
class Branch final : public ReadyList::Entry {
 public:
  using Clock = BackOff::Clock;

  using Child = CombineStage::Child;

  /// `place` is its index among the parent's branches.
  Branch(ReadyList& list, std::size_t place, Child child, std::optional<CombineStage::Config::Skip> skip);
  ~Branch() override;

  /// Takes over what `parent` confirms. Call it for each of the parent's pulls, even if the child is not
  /// pulled.
  void settle(const Pull& parent);
  /// Begins the child's pull for `parent`, unless the child is late and rests. Returns whether it began. In
  /// both cases finish must follow.
  bool begin(const Operation& parent);
  /// Returns whether finish would not wait. If it would, the branch is added to the ready list when that may
  /// have changed. Requires that begin returned true.
  bool ready();
  /// Completes the pull; view() is then its result. If the child's pull began, waits until the earlier of
  /// `until` and the child's own deadline; otherwise does not wait.
  void finish(const Operation& parent, Deadline until);
  /// From now on the child may send records ahead of the parent's view (Pull::ahead) in finish, if it is
  /// local. The operation of another child may continue after the parent's pull, and with it the sink, has
  /// ended.
  void let_records_go_ahead() noexcept { records_go_ahead_ = child_.is_local; }
  /// For a subscription, instead of begin and finish: begins a pull of the child, unless one is still
  /// unanswered. Returns whether it began. The child has the time `patience` to answer, however short the
  /// parent's pull is.
  bool ask_for_subscription(const Operation& parent, std::chrono::nanoseconds patience);
  /// Never waits. If the child has answered, or its time is up, completes its pull, and view() is the result.
  /// Otherwise view() only repeats the missing parts of the last one, and the child's pull stays under way.
  void take_for_subscription(const Operation& parent);

  /// Lists the child as missing, because the parent had no time left to pull from it.
  void leave_out(std::string why);

  [[nodiscard]] View& view() noexcept { return view_; }
  [[nodiscard]] std::size_t place() const noexcept { return place_; }
  [[nodiscard]] bool is_local() const noexcept { return child_.is_local; }
  [[nodiscard]] bool is_elsewhere() const noexcept { return child_.is_elsewhere; }
  /// Times of the child's operation. They require that begin returned true.
  [[nodiscard]] Deadline deadline() const noexcept { return operation_.deadline; }
  [[nodiscard]] Deadline look_again() const noexcept { return operation_.look_again; }

 private:
  enum class State : std::uint8_t { idle, asked, late };

  void ask(const Operation& parent, Deadline until);
  void conclude(const Pull& parent);
  void be_late();
  void be_skipped();
  void name(MissingCause cause, std::string detail);
  void give_up();

  std::size_t place_;
  Child child_;
  std::optional<BackOff> back_off_;  // none: a late operation is given up
  bool records_go_ahead_{false};
  State state_{State::idle};
  Pull pull_;
  Operation operation_;
  bool wakes_{false};  // whether the operation has a waker, because the parent's has one
  View view_;
  std::uint64_t pulls_without_{0};  // pulls since it was late
  std::vector<Missing> missing_;    // in the last view, for a subscription
  HopNumbers numbers_;
};

}  // namespace eventspace
