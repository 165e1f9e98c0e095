#pragma once

// Private to scopes/.

#include <cstddef>
#include <memory>
#include <string>

#include "paths/views/view.h"
#include "scopes/wrappers/scope_wrapper.h"
#include "tuplespace/operation.h"

namespace eventspace {

/// A thread that applies a view operator that may throw or never return. One view at a time:
///
///     idle --start--> busy --the operator returns or throws--> done --take--> idle
///
/// A thread cannot be stopped from outside. If this object is destroyed while the operator is busy, the
/// thread is abandoned: it keeps the operator, the view and the names until the operator returns or the
/// process ends. The number of abandoned threads in a process is bounded.
///
/// Not thread-safe: one thread uses it. The operator sees what that thread wrote before start, and the thread
/// sees after take what the operator wrote.
class OperatorThread {
 public:
  /// `names` are those with which the operator was made; null if they live as long as the process. The thread
  /// is started with the first view. Throws EnvironmentError if `most_left` threads are abandoned.
  OperatorThread(std::unique_ptr<ViewOperator> view_operator, std::shared_ptr<const PlanNames> names);
  ~OperatorThread();
  OperatorThread(const OperatorThread&) = delete;
  OperatorThread& operator=(const OperatorThread&) = delete;

  static constexpr std::size_t most_left = 64;
  /// Returns the number of abandoned threads of this process whose operators have not returned.
  static std::size_t left_to_themselves() noexcept;

  /// Hands `view` to the thread. Requires that it is idle. Calls `waker`, unless it is null, once when the
  /// operator is done. If no thread can be started, the result is a failure, available at once.
  void start(View view, Waker* waker);
  /// Replaces the waker; null: none. After the return the old waker is not called, and no call of it is under
  /// way.
  void tell(Waker* waker);
  [[nodiscard]] bool is_idle() const;
  [[nodiscard]] bool is_done() const;
  /// Waits until the operator is done or `until` has passed. Returns whether the operator is done.
  bool wait(Deadline until) const;

  struct Outcome {
    View view;  ///< unspecified if the operator failed
    bool failed{false};
    std::string error;  ///< the text of the exception
  };
  /// Takes the result. Requires that the operator is done.
  Outcome take();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace eventspace
