#include "scopes/gathering/subscription_stage.h"

#include <utility>

#include "paths/views/read_positions.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;

/// From a pull that may take at least this long, a quarter is kept for the way of the view: a late view
/// counts as lost.
constexpr auto long_pull = 1s;

/// When the pull ends without news.
Deadline end_of(Deadline whole) {
  if (whole.is_never() || whole.is_now() || whole.left() < long_pull) return whole;
  return Deadline::after(whole.left() * 3 / 4);
}

/// Adds the useful contents of a view without news. Each trace element has one position, however many polls
/// there were.
void add_quiet(View& all, View&& view) {
  all.loss += view.loss;
  ReadPositions positions(all.positions);
  positions.take(view.positions);
  // ReadPositions drops processes that are over; the reader needs them.
  std::vector<ReadPosition> over;
  for (const auto* const list : {&all.positions, &view.positions}) {
    for (const ReadPosition& position : *list)
      if (position.pid == ReadPosition::over) over.push_back(position);
  }
  all.positions = std::move(over);
  const auto list = positions.list();
  all.positions.insert(all.positions.end(), list.begin(), list.end());
}

}  // namespace

SubscriptionStage::SubscriptionStage(std::unique_ptr<Stage> below, std::chrono::nanoseconds interval)
    : below_(std::move(below)), interval_(interval) {}

SubscriptionStage::~SubscriptionStage() {
  if (state_ != State::looking) return;
  operation_.deadline = Deadline::now();
  below_->finish(operation_);
}

void SubscriptionStage::begin(Operation& operation) {
  operation.status = Status::under_way;
  operation.deadline = end_of(operation.deadline);
  if (transaction_.begin(pull_of(operation))) {
    quiet_.clear();
    if (delivered_ != 0) confirmed_ = delivered_;
  } else {
    news_.forget();
  }
  delivered_ = 0;
  asked_ = Clock::now();
  operation.look_again = Deadline::after(next_look_ - asked_);
}

bool SubscriptionStage::ready(Operation& operation) {
  while (state_ != State::has_view) {
    const auto now = Clock::now();
    if (state_ == State::resting && now < next_look_) {
      operation.look_again = Deadline::after(next_look_ - now);
      return false;
    }
    if (state_ == State::resting) look(operation);
    if (!below_->ready(operation_) && !operation_.deadline.passed()) {
      operation.look_again = earlier(operation_.deadline, operation_.look_again);
      return false;
    }
    end_look();
  }
  return true;
}

void SubscriptionStage::look(const Operation& operation) {
  const auto now = Clock::now();
  next_look_ = now + interval_;
  pull_ = Pull::of_child({++last_, confirmed_}, pull_of(operation));
  // The moment to which the reader looks back does not move with time.
  if (pull_.look_back != std::chrono::nanoseconds::max()) pull_.look_back += now - asked_;
  operation_ = Operation{};
  operation_.verb = Verb::pull;
  operation_.body = &pull_;
  operation_.waker = operation.waker;
  operation_.deadline = operation.deadline;
  state_ = State::looking;
  below_->begin(operation_);
}

void SubscriptionStage::end_look() {
  below_->finish(operation_);
  if (news_.is_in(pull_.view)) {
    delivered_ = last_;
    state_ = State::has_view;
    return;
  }
  if (operation_.status == Status::ok) confirmed_ = last_;
  add_quiet(quiet_, std::move(pull_.view));
  state_ = State::resting;
}

void SubscriptionStage::finish(Operation& operation) {
  if (state_ == State::looking) {
    operation_.deadline = earlier(operation_.deadline, operation.deadline);
    end_look();
  }
  View& view = pull_of(operation).view;
  view = quiet_;  // kept until it has arrived
  if (std::exchange(state_, State::resting) == State::has_view) {
    news_.note(pull_.view);
    view.append(std::move(pull_.view));
  } else {
    view.missing = news_.missing();  // still missing
  }
  operation.status = Status::ok;
}

}  // namespace eventspace
