#pragma once

// Private to scopes/.

#include <cstddef>

#include "scopes/gathering/round.h"

namespace eventspace {

/// One branch after another: each is begun when the one before it is finished, so that only one of them works
/// at a time. The time-outs of the branches count from their own beginnings. Those that the pull's time does
/// not last for are named as late.
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
  bool asked_{false};  // the current one, so that it is waited for
};

}  // namespace eventspace
