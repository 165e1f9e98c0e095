#pragma once

#include <cstddef>

#include "scopes/gathering/round.h"

namespace eventspace {

/// Pulls from one branch after the other: each begins when the previous one is finished, so only one works at
/// a time. A branch's time-out counts from its own begin. Branches for which the pull's time is not long
/// enough are listed as missing, with MissingCause::late. Not thread-safe.
class InTurnRound final : public Round {
 public:
  explicit InTurnRound(Branches& branches) noexcept : branches_(&branches) {}

  void begin(Operation& operation) override;
  bool ready(Operation& operation) override;
  void finish(Operation& operation) override;

 private:
  [[nodiscard]] bool is_over() const noexcept { return turn_ == branches_->size(); }
  [[nodiscard]] Branch& current() noexcept { return *(*branches_)[turn_]; }
  void begin_current(Operation& operation);
  void finish_current(Operation& operation);

  Branches* branches_;
  std::size_t turn_{0};
  bool asked_{false};  // the current branch has begun and has to be waited for
};

}  // namespace eventspace
