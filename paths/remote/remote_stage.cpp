#include "paths/remote/remote_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "paths/views/view.h"

namespace eventspace {
namespace {

using std::chrono::duration_cast;
using std::chrono::microseconds;
using std::chrono::nanoseconds;

// What is kept of a deadline for the way back when no grace follows it: a tenth, at least half a millisecond.
nanoseconds margin(nanoseconds left) {
  return std::min(left, std::max<nanoseconds>(left / 10, microseconds(500)));
}

// Makes what came ahead of the view a part of it. What is wrong, if that is not all that should have come.
std::string put_in_front(const std::vector<RecordBlock>& parts, View& view, std::size_t most_bytes) {
  std::uint64_t came = 0;
  for (const RecordBlock& part : parts) came += part.bytes.size() / sizeof(TraceTuple);
  const std::uint64_t sent = std::exchange(view.gone_ahead, 0);
  if (came != sent) {
    return fmt::format(
        "of {} records that the server sent ahead of the view {} came; `limits: message` allows {} bytes "
        "here, and should be the same for all",
        sent, came, most_bytes);
  }
  view.blocks.insert(view.blocks.begin(), parts.begin(), parts.end());
  return {};
}

}  // namespace

RemoteStage::RemoteStage(LinkPool& links, RemoteTarget target)
    : link_(&links.to(target.endpoint)), target_(std::move(target)), confirmed_(target_.begin) {}

RemoteStage::~RemoteStage() {
  leave();
  if (request_ != 0) link_->forget(request_);
  if (remote_target_ == 0) return;
  const std::uint64_t id = link_->next_id();
  if (link_->send(id, wire::encode(id, wire::CloseRequest{remote_target_, 0, {}}), nullptr, opened_on_))
    link_->forget(id);
}

void RemoteStage::break_off(std::string_view why) {
  if (!target_.open.held || std::exchange(broken_off_, true)) return;
  const bool has_place = remote_target_ != 0 || request_ != 0;
  forget_request();
  if (!has_place && !opened_) {  // else its connection was lost, and the server knows
    opened_by_ = link_->next_id();
    link_->post(opened_by_, wire::encode(opened_by_, target_.open));
  }
  tell(why);
}

void RemoteStage::leave() {
  if (!target_.open.held) return;
  forget_request();
  tell({});
  remote_target_ = opened_by_ = 0;
}

/// A request to open the target goes out all the same.
void RemoteStage::forget_request() {
  if (request_ == 0) return;
  if (step_ == Step::opening) {
    opened_by_ = request_;
    link_->detach(request_);
  } else {
    link_->forget(request_);
  }
  request_ = 0;
}

void RemoteStage::tell(std::string_view why) {
  if (remote_target_ == 0 && opened_by_ == 0) return;
  const std::uint64_t id = link_->next_id();
  const auto only_on = remote_target_ != 0 ? std::optional(opened_on_) : std::nullopt;
  link_->post(id, wire::encode(id, wire::CloseRequest{remote_target_, opened_by_, std::string(why)}),
              only_on);
}

bool RemoteStage::has_lost_its_place() const noexcept {
  return target_.open.held && (broken_off_ || (remote_target_ == 0 && (opened_ || opened_by_ != 0)));
}

void RemoteStage::number_pull(const Pull& pull) {
  if (numbers_.settle(pull)) confirmed_.take(told_);
  numbers_.next();
}

void RemoteStage::begin(Operation& operation) {
  operation.status = Status::under_way;
  reopened_ = false;
  if (operation.pull != nullptr) number_pull(*operation.pull);
  if (has_lost_its_place()) {
    conclude(operation, Status::closed, fmt::format("the connection to {} was lost before", server()));
  } else if (remote_target_ == 0) {
    request_open(operation);
  } else {
    request_operation(operation);
  }
}

void RemoteStage::send(Operation& operation, std::uint64_t id, wire::Message message, Step step) {
  const std::size_t size = message.size();
  const auto only_on = step == Step::operating ? std::optional(opened_on_) : std::nullopt;
  if (!link_->send(id, std::move(message), operation.waker, only_on)) {
    return conclude(operation, Status::refused,
                    fmt::format("a message of {} bytes is larger than `limits: message` allows", size));
  }
  request_ = id;
  step_ = step;
}

void RemoteStage::request_open(Operation& operation) {
  const std::uint64_t id = link_->next_id();
  if (target_.spec_behind) target_.open.spec = target_.spec_behind(confirmed_.list());
  send(operation, id, wire::encode(id, target_.open), Step::opening);
}

void RemoteStage::request_operation(Operation& operation) {
  wire::OperateRequest request;
  request.target = remote_target_;
  request.verb = operation.verb;
  request.from = operation.from;
  request.sequence = operation.sequence;
  request.wait_us = wait_us(operation);
  if (operation.verb == Verb::write || operation.verb == Verb::exchange) request.tuple = operation.tuple;
  if (operation.match != nullptr) request.match = *operation.match;
  if (operation.pull != nullptr) {
    request.pull_id = numbers_.last();
    request.pull_after = numbers_.confirmed();
    request.with_threads = operation.pull->with_threads;
    request.look_back = operation.pull->look_back;
  }
  const std::uint64_t id = link_->next_id();
  send(operation, id, wire::encode(id, request), Step::operating);
}

std::int64_t RemoteStage::wait_us(const Operation& operation) const {
  if (operation.deadline.is_never()) return -1;
  if (operation.deadline.is_now()) return 0;
  const nanoseconds left = operation.deadline.left();
  const bool waits_for_late_word = target_.answer_grace.count() > 0 || operation.pull == nullptr;
  const nanoseconds given = waits_for_late_word ? left : left - margin(left);
  return std::max<std::int64_t>(duration_cast<microseconds>(given).count(), 1);  // 0 would not be a wait
}

Deadline RemoteStage::patience(const Operation& operation) const {
  if (operation.deadline.is_never() || target_.answer_grace.count() == 0) return operation.deadline;
  return Deadline::after(operation.deadline.left() + target_.answer_grace);
}

bool RemoteStage::ready(Operation& operation) {
  while (operation.status == Status::under_way) {
    const std::optional<Reply> reply = link_->poll(request_);
    if (!reply) {
      link_->watch(request_, operation.waker);
      return false;
    }
    handle(operation, *reply);
  }
  return true;
}

bool RemoteStage::await(Operation& operation) {
  const Deadline until = patience(operation);
  while (operation.status == Status::under_way) {
    const std::optional<Reply> reply = link_->wait(request_, until);
    if (!reply) return false;
    handle(operation, *reply);
  }
  return true;
}

void RemoteStage::finish(Operation& operation) {
  if (!await(operation)) give_up(operation);
}

void RemoteStage::handle(Operation& operation, const Reply& reply) {
  request_ = 0;
  if (reply.is_lost()) return handle_loss(operation, reply.sent);
  if (reply.kind == wire::Kind::failed) return handle_failure(operation, reply);
  if (step_ == Step::opening && reply.kind == wire::Kind::opened) return handle_opened(operation, reply);
  if (step_ == Step::operating && reply.kind == wire::Kind::done) return handle_done(operation, reply);
  conclude(operation, Status::refused, "the server's reply is not of the kind that was asked for");
}

void RemoteStage::handle_opened(Operation& operation, const Reply& reply) {
  const auto opened = wire::decode_opened(reply.body());
  if (!opened) return conclude(operation, Status::refused, "the server's reply cannot be read");
  remote_target_ = opened->target;
  opened_on_ = reply.connection;
  opened_ = true;
  request_operation(operation);
}

void RemoteStage::handle_done(Operation& operation, const Reply& reply) {
  auto done = wire::decode_done(reply.body(), reply.message());
  if (!done || done->view.has_value() != (operation.pull != nullptr)) {
    return conclude(operation, Status::refused, "the server's reply cannot be read");
  }
  if (done->view) {
    std::string incomplete = put_in_front(reply.parts, *done->view, link_->network().limits().message_bytes);
    if (!incomplete.empty()) return conclude(operation, Status::refused, std::move(incomplete));
  }
  operation.sequence = done->sequence;
  operation.missed = done->missed;
  if (operation.verb == Verb::read || operation.verb == Verb::take || operation.verb == Verb::exchange)
    operation.tuple = std::move(done->tuple);
  if (operation.pull != nullptr) {
    // A server on the way says that the one behind it did not answer; what that one is, is known here.
    if (done->status != Status::ok) {
      const auto& missing = done->view->missing;
      return conclude(operation, done->status, missing.empty() ? done->reason : missing.front().detail);
    }
    numbers_.answered(operation.pull->id);
    operation.pull->view = std::move(*done->view);
    if (!operation.pull->takes_blocks) operation.pull->view.collect_records();
    if (target_.spec_behind) told_ = operation.pull->view.positions;
    relate_clocks(operation.pull->view);
    operation.status = Status::ok;
    return;
  }
  conclude(operation, done->status, std::move(done->reason));
}

// Each hop adds its own relation: whoever is asked holds the view by its own clock.
void RemoteStage::relate_clocks(View& view) const {
  const ClockRelation to_here = link_->clock_relation();
  for (ProcessReport& process : view.processes) process.relation = process.relation.then(to_here);
}

void RemoteStage::handle_failure(Operation& operation, const Reply& reply) {
  const auto failure = wire::decode_failure(reply.body());
  if (!failure) return conclude(operation, Status::refused, "the server's reply cannot be read");
  const bool lost_target = step_ == Step::operating && failure->fault == wire::Fault::target;
  if (lost_target && target_.open.held) {
    remote_target_ = 0;
    return conclude(operation, Status::closed, fmt::format("the connection to {} was lost before", server()));
  }
  if (!lost_target) return conclude(operation, Status::refused, failure->text);
  open_again(operation, failure->text);
}

// Once in an operation, or a server that loses what it opens would be asked for ever.
void RemoteStage::open_again(Operation& operation, const std::string& why) {
  lose_target();
  if (reopened_ || lost_) return conclude(operation, Status::refused, why);
  reopened_ = true;
  request_open(operation);
}

void RemoteStage::handle_loss(Operation& operation, bool sent) {
  const bool opening = step_ == Step::opening;
  if (opening && !link_->has_ended()) return request_open(operation);
  if (!opening && !sent && !target_.open.held && !link_->has_ended() && !reopened_)
    return open_again(operation, "what was opened was lost with its connection");
  lose_target();  // the server knows its targets by their connection
  const bool certain = opening || !sent || operation.verb == Verb::read || operation.verb == Verb::pull;
  conclude(operation, operation.pull != nullptr ? Status::timed_out : Status::closed,
           fmt::format("the connection to {} was lost{}", server(),
                       certain ? "" : "; whether the operation happened is not known"));
}

void RemoteStage::lose_target() {
  remote_target_ = 0;
  lost_ = !target_.opens_again;
}

void RemoteStage::conclude(Operation& operation, Status status, std::string reason) {
  operation.status = status;
  if (operation.pull != nullptr && status != Status::ok) {
    const MissingCause cause = status == Status::timed_out || status == Status::closed
                                   ? MissingCause::no_answer
                                   : MissingCause::refused;
    operation.pull->view.clear();
    operation.pull->view.missing.push_back({target_.node, target_.what, cause, reason, target_.sources});
  }
  operation.reason = std::move(reason);
}

void RemoteStage::give_up(Operation& operation) {
  if (target_.open.held) {
    break_off(link_->network().is_closed() ? "the session was closed" : "gave up waiting for an answer");
  } else {
    link_->forget(request_);
    request_ = 0;
  }
  if (link_->network().is_closed()) {
    return conclude(operation, Status::closed, "the session was closed while waiting for the answer");
  }
  const bool certain = operation.pull != nullptr || step_ == Step::opening;
  conclude(operation, certain ? Status::timed_out : Status::closed,
           fmt::format("no answer from {} in time", server()));
}

// A server that forwards knows the next one by its endpoint only.
std::string RemoteStage::server() const {
  if (target_.node == target_.endpoint) return target_.endpoint;
  if (!target_.open.route.empty())
    return fmt::format("{}, on the way to node {},", target_.endpoint, target_.node);
  return fmt::format("{} (node {})", target_.endpoint, target_.node);
}

}  // namespace eventspace
