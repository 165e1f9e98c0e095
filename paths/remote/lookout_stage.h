#pragma once

// Private to paths/.

#include <memory>
#include <utility>

#include "paths/remote/lookout.h"
#include "paths/stage.h"

namespace eventspace {

/// The end of a path to an element that another process's thread is at the other end of: who waits here for
/// that thread would wait for ever once its process is gone, as nothing travels that could fail. So a wait
/// ends as Status::closed, with the reason, when that process is lost; what came before is taken first. A
/// process that was never there is waited for.
class LookoutStage final : public Stage {
 public:
  /// `end`: an ElementStage or a SharedElementStage, which can be asked to finish again after it timed out.
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
