#include "monitors/wait_states/partners.h"

#include <algorithm>
#include <limits>

namespace eventspace {
namespace {

// Channels of this class; callers use smaller numbers.
constexpr std::uint64_t of_messages = std::uint64_t{1} << 62;
constexpr std::uint64_t of_receives = of_messages + 1;

constexpr ActivityRef nowhere{.number = std::numeric_limits<std::uint64_t>::max()};

}  // namespace

// --- signals ----------------------------------------------------------------------------------------------

Partners::Ends& Partners::ends_of(const Signal& signal) {
  const auto [known, is_new] = signals_.try_emplace(signal);
  if (is_new) order_.push_back(signal);
  return known->second;
}

void Partners::give(const Signal& signal, const ActivityRef& by, bool needs_end) {
  Ends& ends = ends_of(signal);
  ends.given = {by, needs_end};
  for (const Waiter& waiter : ends.waiters)
    run_->link({.kind = waiter.kind, .needs_end = needs_end, .waiting = waiter.by, .cause = by});
  const bool is_over = signal.channel >= of_messages && !ends.waiters.empty();
  ends.waiters.clear();
  if (is_over) signals_.erase(signal);
  forget_oldest_signals();
}

void Partners::await(const Signal& signal, const ActivityRef& by, WaitKind kind) {
  Ends& ends = ends_of(signal);
  if (ends.given)
    run_->link({.kind = kind, .needs_end = ends.given->second, .waiting = by, .cause = ends.given->first});
  else if (!is_after_first(ends, by))
    ends.waiters.push_back({by, kind});
  if (ends.given && signal.channel >= of_messages) signals_.erase(signal);
  forget_oldest_signals();
}

// Whether another call has had the signal when this one began: it was given before, and this one did not wait
// for it. So a tuple that was written before recording began, and is read again and again, takes no memory.
bool Partners::is_after_first(const Ends& ends, const ActivityRef& by) const {
  if (ends.waiters.empty()) return false;
  const Activity* const first = run_->find(ends.waiters.front().by);
  const Activity* const now = run_->find(by);
  return first == nullptr || (now != nullptr && now->begin_ns >= first->end_ns);
}

// One call awaits a message. Others may await a tuple that was read before, so that its signal is kept until
// it is the oldest.
void Partners::forget_oldest_signals() {
  while (signals_.size() > limits_.signals || order_.size() > 4 * limits_.signals) {
    const auto oldest = signals_.find(order_.front());
    order_.pop_front();
    if (oldest == signals_.end()) continue;
    left_out_ += oldest->second.waiters.size();
    give_up(oldest->second, true);
    signals_.erase(oldest);
  }
}

// A send without a receive usually did not wait, since the message was not received before the run ended.
void Partners::give_up(const Ends& ends, bool may_lack_receives) {
  for (const Waiter& waiter : ends.waiters) {
    if (waiter.kind != WaitKind::late_receiver)
      run_->mark_unknown(waiter.by);
    else if (may_lack_receives)
      run_->mark_unfollowed(waiter.by);
  }
}

// --- messages ---------------------------------------------------------------------------------------------

void Partners::send(std::uint64_t message, const ActivityRef& by) { give({of_messages, message}, by, false); }

void Partners::await_receive(std::uint64_t message, const ActivityRef& by) {
  await({of_receives, message}, by, WaitKind::late_receiver);
}

void Partners::receive(std::uint64_t message, const ActivityRef& taken, const ActivityRef& posted) {
  await({of_messages, message}, taken, WaitKind::late_sender);
  give({of_receives, message}, posted, false);
}

// --- collective operations --------------------------------------------------------------------------------

Partners::Open& Partners::open_of(const Operation& operation, const Form& form) {
  const auto [known, is_new] = meetings_.try_emplace(operation);
  if (!is_new) return known->second;
  known->second.form = form;
  order_of_meetings_.push_back(operation);
  forget_oldest_meeting();
  return meetings_[operation];
}

Meeting::Member& Partners::member_of(const Member& member) {
  auto& members = open_of(member.operation, member.form).members;
  return members.try_emplace(member.number, Meeting::Member{nowhere, nowhere}).first->second;
}

void Partners::come(const Member& member, const ActivityRef& by) {
  member_of(member).comes = by;
  close_if_whole(member.operation);
}

void Partners::leave(const Member& member, const ActivityRef& by) {
  Meeting::Member& of = member_of(member);
  if (of.leaves == nowhere) ++meetings_.at(member.operation).left;
  of.leaves = by;
  close_if_whole(member.operation);
}

bool Partners::have_all_come(const Open& open) {
  return open.members.size() >= open.form.members &&
         std::ranges::none_of(open.members, [](const auto& one) { return one.second.comes == nowhere; });
}

void Partners::close_if_whole(const Operation& operation) {
  const auto known = meetings_.find(operation);
  if (known == meetings_.end() || known->second.left < known->second.form.members) return;
  if (!have_all_come(known->second)) return;
  close(operation, known->second);
  meetings_.erase(known);
}

void Partners::close(const Operation& operation, const Open& open) {
  const WaitKind kind = open.form.kind;
  if (kind == WaitKind::late_broadcast || kind == WaitKind::early_scan) return link_in_order(open);
  Meeting meeting{.kind = kind, .group = operation.group};
  for (const auto& [number, member] : open.members) {
    const bool may_wait = kind != WaitKind::early_reduce || number == open.form.root;
    meeting.members.push_back({member.comes, member.leaves, may_wait && member.leaves != nowhere});
  }
  run_->meet(std::move(meeting));
}

// Members of a broadcast wait for its root, and members of a prefix operation for the last of lower rank.
void Partners::link_in_order(const Open& open) {
  const WaitKind kind = open.form.kind;
  const bool has_root = kind == WaitKind::late_broadcast;
  const auto root = open.members.find(open.form.root);
  if (has_root && root == open.members.end()) return give_up(open);
  const Meeting::Member* cause = has_root ? &root->second : nullptr;
  for (const auto& [number, member] : open.members) {
    if (cause != nullptr && cause != &member && member.leaves != nowhere)
      run_->link({.kind = kind, .waiting = member.leaves, .cause = cause->comes});
    if (!has_root && (cause == nullptr || is_later(member, *cause))) cause = &member;
  }
}

bool Partners::is_later(const Meeting::Member& a, const Meeting::Member& b) const {
  const Activity* const of_a = run_->find(a.comes);
  const Activity* const of_b = run_->find(b.comes);
  return of_a != nullptr && of_b != nullptr && of_a->begin_ns > of_b->begin_ns;
}

void Partners::give_up(const Open& open) {
  for (const auto& [number, member] : open.members) {
    const bool waits = open.form.kind == WaitKind::early_reduce     ? number == open.form.root
                       : open.form.kind == WaitKind::late_broadcast ? number != open.form.root
                                                                    : true;
    if (waits && member.leaves != nowhere) run_->mark_unknown(member.leaves);
  }
}

void Partners::forget_oldest_meeting() {
  while (meetings_.size() > limits_.meetings || order_of_meetings_.size() > 4 * limits_.meetings) {
    const auto oldest = meetings_.find(order_of_meetings_.front());
    order_of_meetings_.pop_front();
    if (oldest == meetings_.end()) continue;
    give_up(oldest->second);
    ++left_out_;
    meetings_.erase(oldest);
  }
}

void Partners::finish(bool may_lack_receives) {
  for (const auto& [signal, ends] : signals_) give_up(ends, may_lack_receives);
  for (const auto& [operation, open] : meetings_) {
    if (have_all_come(open))
      close(operation, open);
    else
      give_up(open);
  }
  signals_.clear();
  meetings_.clear();
}

}  // namespace eventspace
