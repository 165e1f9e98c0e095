#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "paths/stage.h"
#include "scopes/scope_wrappers.h"
#include "tuplespace/view.h"

namespace eventspace {

/// A node of a scope's gather tree: asks all its children (requests first, then replies), puts their views
/// together in the order of the children and applies its operators to the whole. A child that fails is named
/// in View::missing; the rest is yielded all the same, so a pull through this stage always finishes as ok.
/// Brings the pull's deadline forward to the end of the children's time-outs.
class CombineStage final : public Stage {
 public:
  struct Child {
    std::unique_ptr<Stage> stage;
    std::chrono::nanoseconds timeout{};  ///< waited for at most; 0: as long as the pull may take
  };

  /// `timed_as`: the name under which View::levels tells how long this node took; empty: not at all.
  CombineStage(std::string timed_as, std::vector<Child> children,
               std::vector<std::unique_ptr<ViewOperator>> operators);

  void begin(Operation& operation) override;
  bool ready(Operation& operation) override;
  void finish(Operation& operation) override;

 private:
  struct Branch {
    Child child;
    Pull pull;
    Operation operation;
    bool ready{false};
  };

  void bring_deadline_forward(Operation& operation) const;

  std::string timed_as_;
  std::vector<Branch> branches_;
  std::vector<std::unique_ptr<ViewOperator>> operators_;
  std::chrono::steady_clock::time_point begun_;
};

}  // namespace eventspace
