#pragma once

#include <memory>
#include <utility>

#include <eventspace/stage.h>
#include "paths/remote/lookout.h"

namespace eventspace {

/// The last stage of a path to an element of this node that a thread of another process reads or writes. If
/// that process ends, a wait for it would never end, because there is no connection whose loss would be
/// noticed. So this stage checks on the process now and then; if it is lost, the wait ends with
/// Status::closed and the reason. Tuples that the process wrote before are delivered first. A process that
/// has not started yet is waited for.
class LookoutStage final : public Stage {
 public:
  /// `end`: an ElementStage or a SharedElementStage; their finish can be called again after it timed out.
  LookoutStage(std::unique_ptr<Stage> end, std::unique_ptr<Lookout> lookout)
      : end_(std::move(end)), lookout_(std::move(lookout)) {}

  void begin(Operation& operation) override { end_->begin(operation); }
  bool ready(Operation& operation) override { return end_->ready(operation) || lookout_->look(); }
  void finish(Operation& operation) override;

 private:
  std::unique_ptr<Stage> end_;
  std::unique_ptr<Lookout> lookout_;
};

}  // namespace eventspace
