#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include <eventspace/operation.h>
#include "paths/views/view.h"
#include "scopes/plugins/watched_thread.h"
#include "scopes/wrappers/scope_wrapper.h"

namespace eventspace {

/// A thread that applies a view operator that may throw or never return, see WatchedThread. It processes one
/// view at a time:
///
///     idle --start--> busy --the operator returns or throws--> done --take--> idle
///
/// If this object is destroyed while the operator is busy, the thread keeps the operator, the view and the
/// names until the operator returns or the process ends.
///
/// Not thread-safe: one thread uses it.
class OperatorThread {
 public:
  /// `names`: the names with which the operator was made; null if they live as long as the process. The
  /// thread is started with the first view. Throws EnvironmentError if too many threads are abandoned.
  OperatorThread(std::unique_ptr<ViewOperator> view_operator, std::shared_ptr<const PlanNames> names);
  ~OperatorThread();
  OperatorThread(const OperatorThread&) = delete;
  OperatorThread& operator=(const OperatorThread&) = delete;

  static constexpr std::size_t max_left = WatchedThread::max_left;
  static std::size_t left_to_themselves() noexcept { return WatchedThread::left_to_themselves(); }

  /// Hands `view` to the thread. The functions are the same as in WatchedThread.
  void start(View view, Waker* waker);
  void tell(Waker* waker) { thread_.tell(waker); }
  [[nodiscard]] bool is_idle() const { return thread_.is_idle(); }
  [[nodiscard]] bool is_done() const { return thread_.is_done(); }
  bool wait(Deadline until) const { return thread_.wait(until); }

  struct Outcome {
    View view;  ///< unspecified if the operator failed
    bool failed{false};
    std::string error;  ///< the text of the exception
  };
  /// Takes the result. Requires that the operator is done.
  Outcome take();

 private:
  struct Kept;
  std::shared_ptr<Kept> kept_;
  WatchedThread thread_;
};

}  // namespace eventspace
