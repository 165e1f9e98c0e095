#include "paths/remote/remote_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include <eventspace/error.h>
#include "paths/bodies/element_bodies.h"
#include "paths/security/session_security.h"

namespace eventspace {
namespace {

// An observer reaches all servers through its gateway, or observes the gateway itself.
RemoteTarget through_gateway(RemoteTarget target, const SessionSecurity* security) {
  if (security == nullptr || security->gateway.empty() || target.endpoint == security->gateway) return target;
  target.open.route.insert(target.open.route.begin(), std::exchange(target.endpoint, security->gateway));
  return target;
}

}  // namespace

RemoteStage::RemoteStage(LinkPool& links, RemoteTarget target, std::unique_ptr<TargetClient> client)
    : target_(through_gateway(std::move(target), links.network().security())),
      link_(&links.to(target_.endpoint)),
      client_(client != nullptr ? std::move(client) : std::make_unique<ElementClient>()),
      wait_{target_.answer_grace, target_.allowance},
      pushes_(*link_) {}

RemoteStage::~RemoteStage() {
  leave();
  if (request_ != 0) link_->forget(request_);
  if (remote_target_ == 0) return;
  pushes_.receive_at(nullptr);
  pushes_.close();
  const std::uint64_t id = link_->next_id();
  if (link_->send(id, wire::encode(id, wire::CloseRequest{remote_target_, 0, {}}), nullptr, opened_on_))
    link_->forget(id);
}

void RemoteStage::break_off(std::string_view why) {
  if (!target_.open.held || std::exchange(broken_off_, true)) return;
  const bool has_place = remote_target_ != 0 || request_ != 0;
  forget_request();
  // A target that was open before was lost with its connection, which the server also noticed.
  if (!has_place && !opened_) {
    opened_by_ = link_->next_id();
    link_->post(opened_by_, wire::encode(opened_by_, target_.open));
  }
  tell(why);
}

void RemoteStage::leave() {
  if (!target_.open.held) return;
  forget_request();
  tell({});
  pushes_.close();
  remote_target_ = opened_by_ = 0;
}

/// Drops the request under way. An open request is still sent, so that the target can be closed by its
/// number.
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

void RemoteStage::begin(Operation& operation) {
  operation.status = Status::under_way;
  reopened_ = cancelled_ = false;
  known_deadline_ = operation.deadline;
  unconnected_until_ = wait_.end_unconnected(operation);
  pushes_.send_grant();
  if (operation.body != nullptr) {
    if (numbers_.settle(*operation.body)) client_->confirm();
    (void)numbers_.next();
  }
  if (has_lost_its_place()) {
    conclude(operation, Status::closed, fmt::format("the connection to {} was lost earlier", server()));
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

/// Calls before_open if its time has come. Returns false if that ended the operation.
bool RemoteStage::prepare(Operation& operation) {
  using Clock = std::chrono::steady_clock;
  if (!target_.before_open || (prepared_ && Clock::now() < *prepared_ + between_preparations)) return true;
  try {
    target_.before_open();
    prepared_ = Clock::now();
    return true;
  } catch (const Error& error) {
    prepared_ = Clock::now();
    if (const std::uint64_t waiting = std::exchange(request_, 0); waiting != 0) link_->forget(waiting);
    conclude(operation, Status::closed, error.what());
    return false;
  }
}

bool RemoteStage::waits_for_preparation() const noexcept {
  return target_.before_open && step_ == Step::opening;
}

void RemoteStage::request_open(Operation& operation) {
  if (!prepare(operation)) return;
  const std::uint64_t id = link_->next_id();
  if (auto spec = client_->spec()) target_.open.spec = std::move(*spec);
  send(operation, id, wire::encode(id, target_.open), Step::opening);
}

void RemoteStage::request_operation(Operation& operation) {
  wire::OperateRequest request;
  request.target = remote_target_;
  request.verb = operation.verb;
  request.wait_us = wait_.of_server_us(operation);
  if (operation.body != nullptr) {
    request.id = numbers_.last().id;
    request.after = numbers_.last().after;
  }
  const std::uint64_t id = link_->next_id();
  wire::Message message = wire::encode(id, request);
  client_->write_request(operation, message);
  wire::seal(message);
  send(operation, id, std::move(message), Step::operating);
}

bool RemoteStage::is_out_of_patience() const { return !link_->is_connected() && unconnected_until_.passed(); }

bool RemoteStage::ready(Operation& operation) {
  look_at_deadline(operation);
  while (operation.status == Status::under_way) {
    const std::optional<Reply> reply = link_->poll(request_);
    if (!reply) {
      if (waits_for_preparation() && !link_->is_connected() && !prepare(operation)) break;
      if (is_out_of_patience()) {
        give_up(operation);
        break;
      }
      operation.look_again = unconnected_until_.passed() ? Deadline::never() : unconnected_until_;
      link_->watch(request_, operation.waker);
      return false;
    }
    handle(operation, *reply);
  }
  return true;
}

bool RemoteStage::await(Operation& operation) {
  look_at_deadline(operation);
  const Deadline until = cancelled_ ? wait_.end_cancelled() : wait_.end(operation);
  while (operation.status == Status::under_way) {
    // The server may have ended after the last preparation, before the connection: then a loss is not
    // noticed.
    Deadline look = waits_for_preparation() ? earlier(until, Deadline::after(between_preparations)) : until;
    if (!unconnected_until_.passed()) look = earlier(look, unconnected_until_);
    if (is_out_of_patience()) look = Deadline::now();
    if (const std::optional<Reply> reply = link_->wait(request_, look)) {
      handle(operation, *reply);
      continue;
    }
    if (until.passed() || is_out_of_patience() || link_->network().is_closed()) return false;
    if (!link_->is_connected()) (void)prepare(operation);
  }
  return true;
}

// A pull is not cancelled: the server has its deadline, and a late reply costs nothing.
void RemoteStage::look_at_deadline(Operation& operation) {
  if (!operation.deadline.is_now() || known_deadline_.passed() || operation.verb == Verb::pull) return;
  known_deadline_ = operation.deadline;
  if (operation.status == Status::under_way) cancel(operation);
}

void RemoteStage::cancel(Operation& operation) {
  cancelled_ = true;
  if (step_ == Step::opening) return give_up(operation);  // nothing has happened
  if (target_.open.held) {
    if (const std::optional<Reply> reply = link_->poll(request_)) handle(operation, *reply);
    if (operation.status == Status::under_way) give_up(operation);  // for the others too
    return;
  }
  const std::uint64_t id = link_->next_id();
  link_->post(id, wire::encode(id, wire::Cancel{remote_target_, request_}), opened_on_);
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
  conclude(operation, Status::refused, "the server's reply is of the wrong kind");
}

void RemoteStage::handle_opened(Operation& operation, const Reply& reply) {
  const auto opened = wire::decode<wire::Opened>(reply.envelope());
  if (!opened) return conclude(operation, Status::refused, "the server's reply cannot be read");
  remote_target_ = opened->target;
  opened_on_ = reply.connection;
  opened_ = true;
  pushes_.open(remote_target_, opened_on_);
  request_operation(operation);
}

void RemoteStage::handle_done(Operation& operation, const Reply& reply) {
  const auto done = wire::decode<wire::Done>(reply.envelope());
  if (!done) return conclude(operation, Status::refused, "the server's reply cannot be read");
  const std::size_t max_bytes = link_->network().limits().message_bytes;
  if (done->parts != reply.parts.size()) {
    return conclude(operation, Status::refused,
                    fmt::format("the server sent {} messages ahead of its reply, but {} arrived; `limits: "
                                "message` is {} bytes here and should be the same in all processes",
                                done->parts, reply.parts.size(), max_bytes));
  }
  operation.status = done->status;
  std::string fault = client_->read_reply(
      operation, {reply.body(), reply.message(), reply.parts, clocks(operation, *done), max_bytes});
  if (!fault.empty()) return conclude(operation, Status::refused, std::move(fault));
  if (done->status == Status::ok && operation.body != nullptr) numbers_.answered(operation.body->id);
  conclude(operation, done->status, done->reason);
}

// Each hop adds its own relation. Only a timed request compares the clocks.
std::optional<ClockRelation> RemoteStage::clocks(const Operation& operation, const wire::Done& done) const {
  if (operation.verb != Verb::pull) return std::nullopt;
  const ClockRelation to_here = link_->clock_relation();
  return done.clocks ? done.clocks->then(to_here) : to_here;
}

void RemoteStage::handle_failure(Operation& operation, const Reply& reply) {
  const auto failure = wire::decode<wire::Failure>(reply.envelope());
  if (!failure) return conclude(operation, Status::refused, "the server's reply cannot be read");
  const bool lost_target = step_ == Step::operating && failure->fault == wire::Fault::target;
  if (lost_target && target_.open.held) {
    pushes_.close();
    remote_target_ = 0;
    return conclude(operation, Status::closed,
                    fmt::format("the connection to {} was lost earlier", server()));
  }
  if (!lost_target) return conclude(operation, Status::refused, failure->text);
  open_again(operation, failure->text);
}

// At most once per operation: otherwise the stage would never stop for a server that keeps losing its
// targets.
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
    return open_again(operation, "the target was lost with its connection");
  lose_target();  // a target belongs to the connection on which it was opened
  const bool certain = opening || !sent || changes_nothing(operation.verb);
  conclude(operation, operation.verb == Verb::pull ? Status::timed_out : Status::closed,
           fmt::format("the connection to {} was lost{}", server(),
                       certain ? "" : "; it is unknown whether the operation happened"));
}

void RemoteStage::lose_target() {
  pushes_.close();
  remote_target_ = 0;
  lost_ = !target_.opens_again;
}

void RemoteStage::conclude(Operation& operation, Status status, std::string reason) {
  operation.status = status;
  operation.reason = std::move(reason);
  if (status != Status::ok) client_->fail(operation);
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
  const bool certain = operation.verb == Verb::pull || step_ == Step::opening;
  conclude(operation, certain ? Status::timed_out : Status::closed,
           fmt::format("no answer from {} in time", server()));
}

// A gateway identifies the next server only by its endpoint.
std::string RemoteStage::server() const {
  if (target_.node == target_.endpoint) return target_.endpoint;
  if (!target_.open.route.empty())
    return fmt::format("{}, on the way to node {},", target_.endpoint, target_.node);
  return fmt::format("{} (node {})", target_.endpoint, target_.node);
}

}  // namespace eventspace
