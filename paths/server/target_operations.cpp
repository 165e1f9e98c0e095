#include "paths/server/target_operations.h"

#include <memory>
#include <utility>

namespace eventspace {
namespace {

// Who waited must not be told that there was nothing to wait for.
void say_closed(Operation& operation) {
  const Status status = operation.status;
  if (status != Status::empty && status != Status::full && status != Status::timed_out) return;
  operation.status = Status::closed;
  operation.reason = "the server has ended";
}

}  // namespace

void TargetOperations::begin(const Asked& asked, OpenTarget& target, wire::OperateRequest request) {
  PendingOperation& pending = pending_.add();
  pending.peer = asked.peer;
  pending.request = asked.id;
  pending.received_ns = asked.received_ns;
  pending.fill(std::move(request), limits_.message_bytes);
  if (Pull* const pull = pending.operation.pull) {
    const PartsAhead::Limits limits{limits_.message_bytes, limits_.queued_messages};
    pull->ahead = &pending.ahead.emplace(*replies_, asked.peer, asked.id, limits);
  }
  // The word of the server that an operation is forwarded to, or of a joint above, comes after the deadline.
  const Deadline deadline = pending.operation.deadline;
  pending.overdue = (target.forward != nullptr || target.held) && !deadline.is_never()
                        ? Deadline::after(deadline.left() + limits_.answer_grace)
                        : deadline;
  target.pending = pending.token();
  target.stage->begin(pending.operation);
  ask(pending.token());
}

void TargetOperations::ask(std::uint64_t token) {
  PendingOperation* const pending = pending_.find(token);
  if (pending == nullptr) return;
  if (targets_->find(pending->target)->stage->ready(pending->operation)) return finish(token);
  pending_.reorder(*pending);
}

void TargetOperations::attend_due() {
  for (const std::uint64_t token : pending_.due()) {
    const PendingOperation* const pending = pending_.find(token);
    if (pending != nullptr && pending->end().passed()) {
      finish(token);
    } else {
      ask(token);
    }
  }
}

void TargetOperations::end_now(std::uint64_t token) {
  PendingOperation* const pending = pending_.find(token);
  if (pending == nullptr) return;
  pending->operation.deadline = Deadline::now();
  finish(token);
}

void TargetOperations::finish(std::uint64_t token) {
  const std::unique_ptr<PendingOperation> pending = pending_.remove(token);
  OpenTarget* const target = targets_->find(pending->target);
  target->pending = 0;
  target->stage->finish(pending->operation);
  if (closing_) say_closed(pending->operation);
  if (target->forward != nullptr && target->forward->is_lost()) return finish_lost(*pending);
  answer(*pending);
  target->used = OpenTargets::Clock::now();
}

void TargetOperations::answer(PendingOperation& pending) {
  std::size_t bytes_ahead = 0;
  if (pending.ahead) {
    pending.ahead->offer(pending.operation.pull->view);
    if (pending.ahead->has_failed()) {
      return replies_->refuse(pending.peer, pending.request, wire::Fault::busy,
                              "a part of the view could not be sent: the peer is gone, or does not read");
    }
    bytes_ahead = pending.ahead->bytes();
  }
  replies_->answer({pending.peer, pending.request, pending.received_ns}, pending.outcome(), bytes_ahead);
}

// The next server has lost what was forwarded to it: whoever opened it here opens it again, at once if the
// operation did not happen.
void TargetOperations::finish_lost(PendingOperation& pending) {
  targets_->remove(pending.peer, pending.target);
  if (pending.operation.status == Status::refused) {
    return replies_->refuse(pending.peer, pending.request, wire::Fault::target, pending.operation.reason);
  }
  replies_->answer({pending.peer, pending.request, pending.received_ns}, pending.outcome());
}

void TargetOperations::release_gone_peers() {
  for (const std::string& peer : pending_.peers()) {
    if (replies_->reaches(peer)) continue;
    for (const std::uint64_t token : pending_.tokens_of(peer)) end_now(token);
  }
}

void TargetOperations::release_gone_holders() {
  const auto held = targets_->held();
  for (auto next = held.begin(); next != held.end();) {
    const auto end = held.upper_bound(next->first);
    const bool gone = !replies_->reaches(next->first);
    for (; next != end; ++next) {
      if (gone) close(next->first, next->second, {});
    }
  }
}

void TargetOperations::close(const std::string& peer, std::uint64_t number, std::string_view why) {
  OpenTarget* const target = targets_->find(number);
  if (target->held) why.empty() ? target->stage->leave() : target->stage->break_off(why);
  if (target->pending != 0) end_now(target->pending);
  if (why.empty()) targets_->remove(peer, number);
}

void TargetOperations::close() {
  closing_ = true;
  for (const std::uint64_t token : pending_.tokens()) end_now(token);
}

}  // namespace eventspace
