#include "scopes/gathering/overlapped_round.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace eventspace {

OverlappedRound::OverlappedRound(Branches& branches, ReadyList& list, std::unique_ptr<Crew> crew)
    : branches_(&branches), list_(&list), crew_(std::move(crew)), seen_(branches.size()) {
  ends_.reserve(branches.size());
  if (crew_ == nullptr) return;
  for (const auto& branch : branches) {
    if (branch->is_local()) local_.push_back(branch.get());
  }
}

void OverlappedRound::begin(Operation& operation) {
  open_ = waited_for_ = 0;
  quiet_.clear();
  ends_.clear();
  looks_.clear();
  list_->take(taken_);  // drops entries from before this pull: all branches are tested anyway
  for (const auto& branch : *branches_) {
    Seen& seen = seen_[branch->place()];
    seen = {};
    seen.open = branch->begin(operation);
    if (!seen.open) continue;
    ++open_;
    look(*branch);
    // Without a waker each call of ready tests all branches, so none is held back for ask_quiet.
    if (branch->is_elsewhere() && operation.waker != nullptr) {
      quiet_.push_back(branch.get());
    } else {
      list_->note(*branch);
    }
  }
  constexpr std::chrono::milliseconds quiet_for{5};
  if (!quiet_.empty()) quiet_until_ = Deadline::after(quiet_for);
  notify_times(operation);
}

bool OverlappedRound::ready(Operation& operation) {
  if (operation.waker == nullptr) {
    ask_all();
  } else {
    ask_noted();
    ask_due();
    ask_quiet();
  }
  if (open_ == 0 || latest_end().passed()) return true;
  notify_times(operation);
  return false;
}

void OverlappedRound::ask_noted() {
  list_->take(taken_);
  for (ReadyList::Entry* const entry : taken_) ask(static_cast<Branch&>(*entry));
}

void OverlappedRound::ask_all() {
  for (const auto& branch : *branches_) ask(*branch);
}

void OverlappedRound::ask_due() {
  if (looks_.empty()) return;
  std::vector<std::size_t> due;
  const auto now = Deadline::Clock::now();
  for (const auto& [time, place] : looks_) {
    if (time > now) break;
    due.push_back(place);
  }
  for (const std::size_t place : due) ask(*(*branches_)[place]);
}

// Tests one more branch on a server when no tested branch is open, and all of them when quiet_until_ has
// passed. A branch that was never tested does not have a waker, so its replies do not wake a thread.
void OverlappedRound::ask_quiet() {
  if (quiet_.empty()) return;
  const bool all = quiet_until_.passed();
  while (!quiet_.empty() && (all || waited_for_ == 0)) {
    Branch& branch = *quiet_.back();
    quiet_.pop_back();
    ask(branch);
  }
}

void OverlappedRound::ask(Branch& branch) {
  Seen& seen = seen_[branch.place()];
  if (!seen.open) return;
  if (!std::exchange(seen.asked, true)) ++waited_for_;
  if (branch.ready()) {
    close(branch.place());
  } else {
    look(branch);
  }
}

void OverlappedRound::look(const Branch& branch) {
  Seen& seen = seen_[branch.place()];
  if (!seen.ends || branch.deadline().time() != seen.end.time()) {
    seen.ends = true;
    seen.end = branch.deadline();
    ends_.push_back({seen.end, branch.place()});
    std::push_heap(ends_.begin(), ends_.end());
  }
  if (branch.look_again().time() == seen.look.time()) return;
  if (!seen.look.is_never()) looks_.erase({seen.look.time(), branch.place()});
  seen.look = branch.look_again();
  if (!seen.look.is_never()) looks_.emplace(seen.look.time(), branch.place());
}

void OverlappedRound::close(std::size_t place) {
  Seen& seen = seen_[place];
  if (!seen.look.is_never()) looks_.erase({seen.look.time(), place});
  seen.open = false;
  --open_;
  --waited_for_;
}

// Without an open branch nothing has to be waited for, so the end is now.
Deadline OverlappedRound::latest_end() {
  while (!ends_.empty()) {
    const End& last = ends_.front();
    const Seen& seen = seen_[last.place];
    if (seen.open && seen.end.time() == last.at.time()) return last.at;
    std::pop_heap(ends_.begin(), ends_.end());
    ends_.pop_back();
  }
  return Deadline::now();
}

void OverlappedRound::notify_times(Operation& operation) {
  operation.deadline = earlier(operation.deadline, latest_end());
  operation.look_again = looks_.empty() ? Deadline::never() : seen_[looks_.begin()->second].look;
  if (!quiet_.empty()) operation.look_again = earlier(operation.look_again, quiet_until_);
}

void OverlappedRound::finish(Operation& operation) {
  const Deadline until = operation.deadline;
  if (crew_ != nullptr) {
    crew_->run(local_.size(), [&](std::size_t i) { local_[i]->finish(operation, until); });
  }
  for (const auto& branch : *branches_) {
    if (crew_ == nullptr || !branch->is_local()) branch->finish(operation, until);
  }
}

}  // namespace eventspace
