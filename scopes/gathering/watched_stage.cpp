#include "scopes/gathering/watched_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace eventspace {
namespace {

using namespace std::chrono_literals;

/// While a wrapper works, a caller without a waker tests again after this time.
constexpr auto look_interval = 1ms;

}  // namespace

WatchedStage::WatchedStage(Config config, std::unique_ptr<Stage> below,
                           std::unique_ptr<OperatorThread> wrapper)
    : config_(std::move(config)), below_(std::move(below)), wrapper_(std::move(wrapper)) {}

WatchedStage::~WatchedStage() {
  if (state_ != State::asking) return;
  operation_.deadline = Deadline::now();
  below_->finish(operation_);
}

void WatchedStage::begin(Operation& operation) {
  operation.status = Status::under_way;
  (void)numbers_.settle(*operation.body);
  if (state_ == State::idle) ask(operation);
}

void WatchedStage::ask(const Operation& operation) {
  pull_ = Pull::of_child(numbers_.next(), pull_of(operation));
  operation_ = Operation{};
  operation_.verb = Verb::pull;
  operation_.body = &pull_;
  operation_.waker = operation.waker;
  operation_.deadline = deadline_below(operation.deadline);
  state_ = State::asking;
  below_->begin(operation_);
}

// Keeps some of the time for the wrapper: a tenth, at least half a millisecond, at most its limit.
Deadline WatchedStage::deadline_below(Deadline whole) const {
  if (whole.is_never() || whole.is_now()) return whole;
  const auto left = whole.left();
  const auto kept =
      std::min<std::chrono::nanoseconds>(config_.limit, std::max<std::chrono::nanoseconds>(left / 10, 500us));
  return Deadline::after(left - std::min<std::chrono::nanoseconds>(left, kept));
}

bool WatchedStage::ready(Operation& operation) {
  if (state_ == State::late) return true;  // finish does not wait for a late wrapper
  if (state_ == State::asking) {
    if (!below_->ready(operation_) && !operation_.deadline.passed()) {
      operation.look_again = earlier(operation_.deadline, operation_.look_again);
      return false;
    }
    hand_over(operation);
  }
  if (wrapper_->is_done() || end_.passed()) return true;
  operation.deadline = earlier(operation.deadline, end_);
  operation.look_again = earlier(end_, Deadline::after(look_interval));
  return false;
}

void WatchedStage::hand_over(const Operation& operation) {
  below_->finish(operation_);
  account_ = pull_.view.account();
  (void)pull_.view.records.whole();  // copying them is not part of the wrapper's time
  records_ = pull_.view.records.size();
  end_ = Deadline::after(config_.limit);
  pulls_without_ = 0;
  state_ = State::acting;
  wrapper_->start(std::move(pull_.view), operation.waker);
}

void WatchedStage::finish(Operation& operation) {
  pull_of(operation).view.clear();
  if (state_ == State::asking) {
    operation_.deadline = earlier(operation_.deadline, operation.deadline);
    hand_over(operation);
  }
  if (state_ == State::acting) wrapper_->wait(earlier(end_, operation.deadline));
  wrapper_->tell(nullptr);
  if (wrapper_->is_done()) {
    conclude(operation);
  } else {
    be_late(pull_of(operation).view);
  }
  operation.status = Status::ok;
}

void WatchedStage::conclude(Operation& operation) {
  OperatorThread::Outcome outcome = wrapper_->take();
  if (outcome.failed) {
    fail(std::move(outcome), pull_of(operation).view);
  } else {
    pull_of(operation).view = std::move(outcome.view);
  }
  if (operation_.status == Status::ok) numbers_.answered(operation.body->id);
  state_ = State::idle;
}

void WatchedStage::fail(OperatorThread::Outcome outcome, View& view) {
  view.clear();
  view.account() = std::move(account_);
  view.loss.failed += records_;
  name(view, MissingCause::failed, fmt::format("threw: {}", outcome.error));
}

void WatchedStage::be_late(View& view) {
  if (state_ == State::acting) {
    state_ = State::late;
    const auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(config_.limit);
    name(view, MissingCause::no_answer,
         fmt::format(
             "did not return within its limit of {}ms, or the pull's time; its view becomes part of a later "
             "pull",
             limit.count()));
    return;
  }
  ++pulls_without_;
  name(view, MissingCause::skipped,
       fmt::format("left out of {} {} as it has not returned since", pulls_without_,
                   pulls_without_ == 1 ? "pull" : "pulls"));
}

void WatchedStage::name(View& view, MissingCause cause, std::string detail) const {
  Missing missing = config_.known_as;
  missing.cause = cause;
  missing.detail = std::move(detail);
  view.missing.push_back(std::move(missing));
}

}  // namespace eventspace
