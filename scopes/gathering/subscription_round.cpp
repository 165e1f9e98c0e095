#include "scopes/gathering/subscription_round.h"

namespace eventspace {

void SubscriptionRound::begin(Operation& operation) {
  list_->take(taken_);  // all branches are tested anyway
  open_.clear();
  asked_.clear();
  answered_by_ = Deadline::after(moment_);
  for (const auto& branch : *branches_) {
    if (branch->is_elsewhere()) {
      if (branch->ask_for_subscription(operation, patience)) asked_.push_back(branch.get());
    } else if (branch->begin(operation)) {
      open_.push_back(branch.get());
    }
  }
}

bool SubscriptionRound::ready(Operation& operation) {
  const auto is_ready = [](Branch* branch) { return branch->ready(); };
  std::erase_if(open_, is_ready);
  std::erase_if(asked_, is_ready);
  if (answered_by_.passed()) asked_.clear();
  operation.look_again = asked_.empty() ? Deadline::never() : answered_by_;
  for (const Branch* const branch : open_)
    operation.look_again = earlier(operation.look_again, earlier(branch->look_again(), branch->deadline()));
  return open_.empty() && asked_.empty();
}

void SubscriptionRound::finish(Operation& operation) {
  for (const auto& branch : *branches_) {
    if (branch->is_elsewhere()) {
      branch->take_for_subscription(operation);
    } else {
      branch->finish(operation, operation.deadline);
    }
  }
}

}  // namespace eventspace
