#include "scopes/gathering/standing_round.h"

#include <vector>

namespace eventspace {

void StandingRound::begin(Operation& operation) {
  list_->take(taken_);  // all branches are tested anyway
  open_.clear();
  for (const auto& branch : *branches_) {
    if (branch->is_elsewhere()) {
      branch->ask_standing(operation, patience);
    } else if (branch->begin(operation)) {
      open_.push_back(branch.get());
    }
  }
}

bool StandingRound::ready(Operation& operation) {
  std::erase_if(open_, [](Branch* branch) { return branch->ready(); });
  operation.look_again = Deadline::never();
  for (const Branch* const branch : open_)
    operation.look_again = earlier(operation.look_again, earlier(branch->look_again(), branch->deadline()));
  return open_.empty();
}

void StandingRound::finish(Operation& operation) {
  for (const auto& branch : *branches_) {
    if (branch->is_elsewhere()) {
      branch->take_standing(operation);
    } else {
      branch->finish(operation, operation.deadline);
    }
  }
}

}  // namespace eventspace
