#pragma once

// Private to scopes/.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "paths/remote/hop_numbers.h"
#include "paths/stage.h"
#include "paths/views/view.h"
#include "scopes/gathering/back_off.h"
#include "scopes/gathering/combine_stage.h"
#include "scopes/gathering/ready_list.h"

namespace eventspace {

/// One child of a combining stage, and how far it is in being asked.
///
///     idle --begin--> asked --finish--> idle
///                        \---------------> late --finish--> idle         its answer came after all
///                        its time is up       \---begin---> asked        given up, after a rest
///
/// Without `skip` nobody is late for longer than a pull: what has not answered in time is given up
/// and names itself in the view. With it, the child's operation is left under way: until it is answered the
/// pulls that come meanwhile do without the child, and name it as skipped. The late answer is part of the
/// first pull that finds it.
///
/// The child's pulls have numbers of their own (HopNumbers) and tell it which of its views arrived:
/// Pull::after names the last one that was part of a view that did. So a view that is given up, or waits
/// here, is neither lost nor repeated.
///
/// Not thread-safe but for wake(); a branch whose stage is local may be finished by another thread, after a
/// happens-before.
class Branch final : public ReadyList::Entry {
 public:
  using Clock = BackOff::Clock;

  using Child = CombineStage::Child;

  /// `place`: which of the parent's branches it is.
  Branch(ReadyList& list, std::size_t place, Child child, std::optional<CombineStage::Config::Skip> skip);
  ~Branch() override;

  /// To be told of each of the parent's pulls, also of those in which it is not asked.
  void settle(const Pull& parent);
  /// Asks the child on behalf of `parent`, or does without it when that is late and rests: says whether it
  /// was asked. Its answer, or what is known instead, comes with finish.
  bool begin(const Operation& parent);
  /// Whether finish would not wait; if not, this is noted when that may have changed. Only for one that was
  /// asked.
  bool ready();
  /// Waits until `until`, or the child's own deadline, for a child that was asked; never for another. The
  /// result is in view().
  void finish(const Operation& parent, Deadline until);
  /// From now on the child may let records go ahead of the parent's view (Pull::ahead) in finish, if it is
  /// local; what others do may go on when the parent's pull has ended.
  void let_records_go_ahead() noexcept { records_go_ahead_ = child_.is_local; }
  /// The parent had no time left to ask it.
  void leave_out(std::string why);

  [[nodiscard]] View& view() noexcept { return view_; }
  [[nodiscard]] std::size_t place() const noexcept { return place_; }
  [[nodiscard]] bool is_local() const noexcept { return child_.is_local; }
  [[nodiscard]] bool is_elsewhere() const noexcept { return child_.is_elsewhere; }
  /// Of the child's operation; for one that was asked.
  [[nodiscard]] Deadline deadline() const noexcept { return operation_.deadline; }
  [[nodiscard]] Deadline look_again() const noexcept { return operation_.look_again; }

 private:
  enum class State : std::uint8_t { idle, asked, late };

  void ask(const Operation& parent);
  void conclude(const Pull& parent);
  void be_late();
  void be_skipped();
  void name(MissingCause cause, std::string detail);
  void give_up();

  std::size_t place_;
  Child child_;
  std::optional<BackOff> back_off_;  // nothing: who is late is given up
  bool records_go_ahead_{false};
  State state_{State::idle};
  Pull pull_;
  Operation operation_;
  bool tells_{false};  // of news
  View view_;
  std::uint64_t pulls_without_{0};  // since it was late
  HopNumbers numbers_;
};

}  // namespace eventspace
