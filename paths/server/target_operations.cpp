#include "paths/server/target_operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>

#include "paths/bodies/forwarding.h"

namespace eventspace {
namespace {

// An operation that was cut short must not look as if its target had been empty or its time up.
void say_closed(Operation& operation) {
  const Status status = operation.status;
  if (status != Status::empty && status != Status::full && status != Status::timed_out) return;
  operation.status = Status::closed;
  operation.reason = "the server has ended";
}

Deadline deadline_of(const wire::OperateRequest& request) {
  if (request.wait_us < 0) return Deadline::never();
  if (request.wait_us == 0) return Deadline::now();
  constexpr std::int64_t longest_us = std::int64_t{365} * 24 * 3600 * 1'000'000;
  return Deadline::after(std::chrono::microseconds(std::min(request.wait_us, longest_us)));
}

// Stages may belong to the application: their exceptions must not end the server.
template <class Call>
void guard(PendingOperation& pending, Call call) {
  try {
    call();
  } catch (const std::exception& error) {
    pending.fault = error.what();
  } catch (...) {
    pending.fault = "an exception that is not a std::exception";
  }
}

}  // namespace

void TargetOperations::begin(const Asked& asked, OpenTarget& target, const wire::OperateRequest& request,
                             Bytes body) {
  PendingOperation& pending = pending_.add();
  pending.peer = asked.peer;
  pending.request = asked.id;
  pending.received_ns = asked.received_ns;
  pending.target = request.target;
  if (!accept(pending, target, request, body)) {
    (void)pending_.remove(pending.token());
    return;
  }
  // The reply of the next server, or the outcome from a joint above, comes after the deadline.
  const Deadline deadline = pending.operation.deadline;
  pending.overdue = (target.forward != nullptr || target.held) && !deadline.is_never()
                        ? Deadline::after(deadline.left() + limits_.answer_grace)
                        : deadline;
  target.pending = pending.token();
  if (target.pushes != nullptr) target.pushes->start();
  guard(pending, [&] { target.stage->begin(pending.operation); });
  ask(pending.token());
}

// The only place that checks verbs and reads bodies, so that stages never see an operation that their kind
// does not support. A gateway leaves both to the last server.
bool TargetOperations::accept(PendingOperation& pending, const OpenTarget& target,
                              const wire::OperateRequest& request, Bytes body) {
  Operation& operation = pending.operation;
  operation.verb = request.verb;
  operation.deadline = deadline_of(request);
  operation.waker = &pending;
  pending.parts.emplace(*replies_, pending.peer, pending.request,
                        ReplyParts::Limits{limits_.message_bytes, limits_.queued_messages});
  if (target.kind == nullptr) {
    pending.served = forward_request(body, operation, *pending.parts);
  } else if (!target.kind->takes(request.verb)) {
    replies_->refuse(pending.peer, pending.request, wire::Fault::verb,
                     fmt::format("this target does not accept the verb {}", to_string(request.verb)));
    return false;
  } else {
    pending.served = target.kind->read_request(body, operation, *pending.parts);
  }
  if (pending.served == nullptr) {
    replies_->refuse(pending.peer, pending.request, wire::Fault::body, "the operation cannot be read");
    return false;
  }
  if (operation.body != nullptr) {
    operation.body->id = request.id;
    operation.body->after = request.after;
  }
  return true;
}

void TargetOperations::ask(std::uint64_t token) {
  PendingOperation* const pending = pending_.find(token);
  if (pending == nullptr) {
    abandoned_.erase(token);
    return;
  }
  bool is_ready = false;
  if (!pending->fault)
    guard(*pending, [&] { is_ready = targets_->find(pending->target)->stage->ready(pending->operation); });
  if (is_ready || pending->fault) return finish(token);
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

void TargetOperations::cancel(const OpenTarget& target, std::uint64_t request) {
  PendingOperation* const pending = pending_.find(target.pending);
  if (pending == nullptr || pending->request != request) return;
  if (target.forward == nullptr) return end_now(pending->token());
  // Only the next server knows what has happened: the stage cancels the operation there.
  pending->operation.deadline = Deadline::now();
  pending->overdue = Deadline::after(limits_.answer_grace);
  ask(pending->token());
}

void TargetOperations::finish(std::uint64_t token) {
  std::unique_ptr<PendingOperation> pending = pending_.remove(token);
  Operation& operation = pending->operation;
  OpenTarget* const target = targets_->find(pending->target);
  target->pending = 0;
  if (pending->fault) {
    operation.deadline = Deadline::now();
    operation.status = Status::under_way;
  }
  bool has_finished = false;
  guard(*pending, [&] {
    target->stage->finish(operation);
    has_finished = true;
  });
  if (pending->fault && !(has_finished && operation.status == Status::ok)) fail(operation, *pending->fault);
  if (closing_) say_closed(operation);
  if (target->forward != nullptr && target->forward->is_lost()) return finish_lost(*pending);
  answer(*pending);
  target->used = OpenTargets::Clock::now();
  if (!has_finished) abandoned_.emplace(token, std::move(pending));
}

void TargetOperations::fail(Operation& operation, const std::string& fault) {
  const bool is_certain = changes_nothing(operation.verb);
  operation.status = is_certain ? Status::refused : Status::closed;
  operation.reason = fmt::format("a stage of this path failed at the server: {}{}", fault,
                                 is_certain ? "" : "; it is unknown whether the operation happened");
}

void TargetOperations::answer(PendingOperation& pending) {
  const Asked asked{pending.peer, pending.request, pending.received_ns};
  Operation& operation = pending.operation;
  pending.served->send_parts(operation);
  if (pending.parts->has_failed()) {
    return replies_->refuse(pending.peer, pending.request, wire::Fault::busy,
                            "a part of the result could not be sent: it exceeds the limits, or the peer is "
                            "gone or does not read");
  }
  const wire::Done done{operation.status, std::move(operation.reason), pending.parts->sent(),
                        pending.served->clocks()};
  wire::Message reply = wire::encode(asked.id, done, Replies::timing_of(asked));
  pending.served->write_reply(operation, reply);
  wire::seal(reply);
  replies_->send(asked, std::move(reply), pending.parts->bytes());
}

// The next server has lost the target, so the peer must open it again. A refusal with Fault::target makes the
// peer do so and repeat the operation, so it is sent only if the operation did not happen. Otherwise the peer
// gets its answer now, and that refusal for its next operation.
void TargetOperations::finish_lost(PendingOperation& pending) {
  targets_->remove(pending.peer, pending.target);
  if (pending.operation.status == Status::refused) {
    return replies_->refuse(pending.peer, pending.request, wire::Fault::target, pending.operation.reason);
  }
  answer(pending);
}

void TargetOperations::release_gone_peers() {
  for (const std::string& peer : targets_->known_peers()) {
    if (replies_->reaches(peer)) continue;
    for (const std::uint64_t target : targets_->targets_of(peer)) close(peer, target, {});
    targets_->forget(peer);
    replies_->forget(peer);
  }
}

void TargetOperations::close(const std::string& peer, std::uint64_t number, std::string_view why) {
  OpenTarget* const target = targets_->find(number);
  if (target == nullptr) return;
  if (target->held) {
    try {
      why.empty() ? target->stage->leave() : target->stage->break_off(why);
    } catch (...) {  // a fault of the stage; the peer does not wait for an answer
    }
  }
  if (target->pending != 0) end_now(target->pending);
  if (why.empty()) targets_->remove(peer, number);
}

void TargetOperations::close() {
  closing_ = true;
  for (const std::uint64_t token : pending_.tokens()) end_now(token);
}

}  // namespace eventspace
