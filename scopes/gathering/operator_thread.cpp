#include "scopes/gathering/operator_thread.h"

#include <utility>

namespace eventspace {

// Shared with the work, which may outlive the object.
struct OperatorThread::Kept {
  std::shared_ptr<const PlanNames> names;  // declared first, destroyed last: the operator uses them
  std::unique_ptr<ViewOperator> view_operator;
  View view;
};

OperatorThread::OperatorThread(std::unique_ptr<ViewOperator> view_operator,
                               std::shared_ptr<const PlanNames> names)
    : kept_(std::make_shared<Kept>(Kept{std::move(names), std::move(view_operator), {}})) {}

OperatorThread::~OperatorThread() = default;

void OperatorThread::start(View view, Waker* waker) {
  kept_->view = std::move(view);
  thread_.start([kept = kept_] { kept->view_operator->apply(kept->view); }, waker);
}

OperatorThread::Outcome OperatorThread::take() {
  WatchedThread::Outcome outcome = thread_.take();
  return {std::exchange(kept_->view, {}), outcome.failed, std::move(outcome.error)};
}

}  // namespace eventspace
