#pragma once

// Private to scopes/.

#include <cstddef>
#include <memory>
#include <string>

#include "paths/views/view.h"
#include "scopes/wrappers/scope_wrapper.h"
#include "tuplespace/operation.h"

namespace eventspace {

/// A thread that applies a view operator which is not trusted to return, or not to throw. One view at a time:
///
///     idle --start--> busy --the operator returns or throws--> done --take--> idle
///
/// A thread cannot be stopped from outside. When this goes while the operator is busy, the thread, the
/// operator and the view are left to themselves until it returns, or the process ends; how many such threads
/// there may be in a process is bounded.
///
/// Used by one thread. What was done before start is visible to the operator, and what that did to who takes.
class OperatorThread {
 public:
  /// `names` is what the operator was made with, or null when that lives as long as the process. The thread
  /// begins with the first view. Throws EnvironmentError when too many threads were left to themselves.
  OperatorThread(std::unique_ptr<ViewOperator> view_operator, std::shared_ptr<const PlanNames> names);
  ~OperatorThread();
  OperatorThread(const OperatorThread&) = delete;
  OperatorThread& operator=(const OperatorThread&) = delete;

  static constexpr std::size_t most_left = 64;
  /// Threads of this process that were left to themselves and have not returned.
  static std::size_t left_to_themselves() noexcept;

  /// Requires that it is idle. `waker`, if any, is told when it is done, unless it is forgotten before.
  void start(View view, Waker* waker);
  /// Whom to tell instead from now on; null: nobody, and nobody is being told any more.
  void tell(Waker* waker);
  [[nodiscard]] bool is_idle() const;
  [[nodiscard]] bool is_done() const;
  /// Waits until it is done, which it says, or `until`.
  bool wait(Deadline until) const;

  struct Outcome {
    View view;  ///< in any state when it failed
    bool failed{false};
    std::string error;  ///< what was thrown
  };
  /// Requires that it is done.
  Outcome take();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace eventspace
