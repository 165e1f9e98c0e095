#include "scopes/gathering/branch.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace eventspace {

Branch::Branch(ReadyList& list, std::size_t place, Child child,
               std::optional<CombineStage::Config::Skip> skip)
    : Entry(list), place_(place), child_(std::move(child)) {
  if (skip) back_off_.emplace(skip->first, skip->longest);
}

Branch::~Branch() {
  if (state_ != State::idle) give_up();
}

// HopNumbers keeps the parent's confirmations; the child receives them with its next pull.
void Branch::settle(const Pull& parent) { (void)numbers_.settle(parent); }

bool Branch::begin(const Operation& parent) {
  if (state_ == State::late) {
    if (back_off_->left(Clock::now()).count() > 0 || ready()) return false;
    give_up();
  }
  const bool own_limit = child_.timeout.count() > 0;
  ask(parent, own_limit ? earlier(parent.deadline, Deadline::after(child_.timeout)) : parent.deadline);
  return true;
}

void Branch::ask(const Operation& parent, Deadline until) {
  pull_ = Pull::of_child(numbers_.next(), pull_of(parent));
  operation_ = Operation{};
  operation_.verb = Verb::pull;
  operation_.body = &pull_;
  wakes_ = parent.waker != nullptr;
  // A child elsewhere gets its waker with the first ready(): until then its replies need not wake a thread.
  if (wakes_ && !is_elsewhere()) operation_.waker = this;
  operation_.deadline = until;
  state_ = State::asked;
  child_.stage->begin(operation_);
}

bool Branch::ready() {
  if (wakes_) operation_.waker = this;
  return child_.stage->ready(operation_);
}

void Branch::finish(const Operation& parent, Deadline until) {
  if (state_ == State::late) {
    if (ready()) return conclude(pull_of(parent));
    return be_skipped();
  }
  operation_.deadline = earlier(operation_.deadline, until);
  if (back_off_ && !child_.stage->await(operation_)) return be_late();
  conclude(pull_of(parent));
}

void Branch::conclude(const Pull& parent) {
  if (records_go_ahead_) pull_.ahead = parent.ahead;
  child_.stage->finish(operation_);
  state_ = State::idle;
  view_ = std::move(pull_.view);
  if (operation_.status != Status::ok) return;
  numbers_.answered(parent.id);
  pulls_without_ = 0;
  if (back_off_) back_off_->answered();
}

bool Branch::ask_for_subscription(const Operation& parent, std::chrono::nanoseconds patience) {
  if (state_ != State::idle) return false;
  ask(parent, Deadline::after(patience));
  return true;
}

void Branch::take_for_subscription(const Operation& parent) {
  if (ready() || operation_.deadline.passed()) {
    conclude(pull_of(parent));
    missing_ = view_.missing;
  } else {
    view_.clear();
    view_.missing = missing_;
  }
}

void Branch::be_late() {
  state_ = State::late;
  back_off_->late(Clock::now());
  name(MissingCause::no_answer, "no answer in time; a late answer becomes part of a later pull");
}

void Branch::be_skipped() {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(back_off_->left(Clock::now()));
  ++pulls_without_;
  name(MissingCause::skipped,
       fmt::format("left out of {} {} since it was late; it is asked again once it answers, or in {}ms",
                   pulls_without_, pulls_without_ == 1 ? "pull" : "pulls", left.count()));
}

void Branch::leave_out(std::string why) { name(MissingCause::late, std::move(why)); }

void Branch::name(MissingCause cause, std::string detail) {
  view_.clear();
  Missing missing = child_.known_as;
  missing.cause = cause;
  missing.detail = std::move(detail);
  view_.missing.push_back(std::move(missing));
}

void Branch::give_up() {
  operation_.deadline = Deadline::now();
  child_.stage->finish(operation_);
  state_ = State::idle;
}

}  // namespace eventspace
