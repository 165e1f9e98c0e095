#include "scopes/combine_stage.h"

#include <algorithm>

namespace eventspace {
namespace {

Deadline earlier(Deadline a, Deadline b) { return a.time() <= b.time() ? a : b; }

}  // namespace

CombineStage::CombineStage(std::string timed_as, std::vector<Child> children,
                           std::vector<std::unique_ptr<ViewOperator>> operators)
    : timed_as_(std::move(timed_as)), operators_(std::move(operators)) {
  branches_.reserve(children.size());  // operations stay where they are
  for (Child& child : children) branches_.push_back({std::move(child), {}, {}, false});
}

void CombineStage::begin(Operation& operation) {
  begun_ = std::chrono::steady_clock::now();
  operation.status = Status::under_way;
  for (Branch& branch : branches_) {
    branch.pull.id = operation.pull->id;
    branch.pull.after = operation.pull->after;
    branch.pull.with_threads = operation.pull->with_threads;
    branch.operation = Operation{};
    branch.operation.verb = Verb::pull;
    branch.operation.pull = &branch.pull;
    branch.operation.waker = operation.waker;
    const bool own_limit = branch.child.timeout.count() > 0;
    branch.operation.deadline =
        own_limit ? earlier(operation.deadline, Deadline::after(branch.child.timeout)) : operation.deadline;
    branch.ready = false;
    branch.child.stage->begin(branch.operation);
  }
  bring_deadline_forward(operation);
}

// There is nothing to wait for once no child is waited for: who polls this stage learns when that is.
void CombineStage::bring_deadline_forward(Operation& operation) const {
  Deadline last = Deadline::now();
  for (const Branch& branch : branches_) {
    if (!branch.ready && last.time() < branch.operation.deadline.time()) last = branch.operation.deadline;
  }
  operation.deadline = earlier(operation.deadline, last);
}

bool CombineStage::ready(Operation& operation) {
  bool all = true;
  for (Branch& branch : branches_) {
    branch.ready =
        branch.ready || branch.operation.deadline.passed() || branch.child.stage->ready(branch.operation);
    all = all && branch.ready;
  }
  if (!all) bring_deadline_forward(operation);
  return all;
}

void CombineStage::finish(Operation& operation) {
  View& view = operation.pull->view;
  view.clear();
  for (Branch& branch : branches_) {
    branch.operation.deadline = earlier(branch.operation.deadline, operation.deadline);
    branch.child.stage->finish(branch.operation);
    view.append(std::move(branch.pull.view));
  }
  for (const auto& view_operator : operators_) view_operator->apply(view);
  if (!timed_as_.empty()) view.levels.push_back({timed_as_, std::chrono::steady_clock::now() - begun_});
  operation.status = Status::ok;
}

}  // namespace eventspace
