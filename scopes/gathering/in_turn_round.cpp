#include "scopes/gathering/in_turn_round.h"

namespace eventspace {

void InTurnRound::begin(Operation& operation) {
  turn_ = 0;
  if (!is_over()) begin_current(operation);
}

void InTurnRound::begin_current(Operation& operation) { asked_ = current().begin(operation); }

void InTurnRound::finish_current(Operation& operation) {
  current().finish(operation, operation.deadline);
  ++turn_;
}

// A loop, because the next branch may be ready as soon as it is begun.
bool InTurnRound::ready(Operation& operation) {
  while (!is_over()) {
    if (asked_ && !current().ready() && !current().deadline().passed()) {
      operation.look_again = earlier(current().deadline(), current().look_again());
      return false;
    }
    finish_current(operation);
    if (!is_over()) begin_current(operation);
  }
  return true;
}

void InTurnRound::finish(Operation& operation) {
  if (!is_over()) finish_current(operation);
  for (; !is_over(); ++turn_) {
    if (operation.deadline.passed()) {
      current().leave_out("the children asked before it used up the pull's time");
    } else {
      begin_current(operation);
      current().finish(operation, operation.deadline);
    }
  }
}

}  // namespace eventspace
