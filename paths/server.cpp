#include "paths/server.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <unordered_map>
#include <utility>
#include <zmq.hpp>

#include "paths/connection_watch.h"
#include "paths/input_poll.h"
#include "paths/loop_socket.h"
#include "paths/network_context.h"
#include "paths/open_targets.h"
#include "paths/remote_stage.h"
#include "paths/server_counters.h"
#include "paths/wake_queue.h"
#include "tuplespace/error.h"
#include "tuplespace/view.h"

namespace eventspace {
namespace {

using std::chrono::milliseconds;
using wire::Fault;

// An operation on an open target that is not finished yet.
class PendingOperation final : public Waker {
 public:
  PendingOperation(WakeQueue& queue, std::uint64_t token) noexcept : queue_(&queue), token_(token) {}
  void wake() noexcept override { queue_->push(token_); }

  std::string peer;
  std::uint64_t request{0};
  std::uint64_t target{0};
  Operation operation;
  Deadline overdue{Deadline::never()};  // when the loop ends it, ready or not
  std::optional<Template> match;
  std::optional<Pull> pull;

 private:
  WakeQueue* queue_;
  std::uint64_t token_;
};

Deadline deadline_of(const wire::OperateRequest& request) {
  if (request.wait_us < 0) return Deadline::never();
  if (request.wait_us == 0) return Deadline::now();
  constexpr std::int64_t longest_us = std::int64_t{365} * 24 * 3600 * 1'000'000;
  return Deadline::after(std::chrono::microseconds(std::min(request.wait_us, longest_us)));
}

void fill(PendingOperation& pending, wire::OperateRequest request, std::size_t most_message_bytes) {
  pending.target = request.target;
  pending.match = std::move(request.match);
  Operation& operation = pending.operation;
  operation.verb = request.verb;
  operation.from = request.from;
  operation.sequence = request.sequence;
  operation.deadline = deadline_of(request);
  operation.most_bytes = wire::most_tuple_bytes(most_message_bytes);
  operation.tuple = std::move(request.tuple);
  operation.match = pending.match ? &*pending.match : nullptr;
  operation.waker = &pending;
  if (request.verb == Verb::pull) {
    pending.pull.emplace();
    pending.pull->id = request.pull_id;
    pending.pull->after = request.pull_after;
    pending.pull->with_threads = request.with_threads;
    operation.pull = &*pending.pull;
  }
}

wire::Done outcome(PendingOperation& pending) {
  Operation& operation = pending.operation;
  wire::Done done{
      operation.status, operation.sequence, operation.missed, std::move(operation.reason), {}, {}};
  const bool fetched = operation.verb == Verb::read || operation.verb == Verb::take;
  if (fetched && operation.status == Status::ok) done.tuple = std::move(operation.tuple);
  if (pending.pull) done.view = std::move(pending.pull->view);
  return done;
}

LoopSocket bind(Network& network, const Server::Config& config) {
  LoopSocket router(network.context().zmq, zmq::socket_type::router);
  zmq::socket_t& socket = router.zmq();
  const NetworkLimits& limits = network.limits();
  socket.set(zmq::sockopt::linger, 200);  // for the last replies to leave
  socket.set(zmq::sockopt::router_mandatory, true);
  // What is a little too large is answered; what is far too large ends the connection before it is stored.
  socket.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(limits.message_bytes + (1u << 20)));
  socket.set(zmq::sockopt::sndhwm, static_cast<int>(limits.queued_messages));
  socket.set(zmq::sockopt::rcvhwm, static_cast<int>(limits.queued_messages));
  router.notice_vanished_hosts();
  try {
    socket.bind(config.endpoint);
  } catch (const zmq::error_t& error) {
    if (error.num() == EADDRINUSE) {
      throw EnvironmentError(fmt::format(
          "{} cannot listen on {}: the port is taken; end what uses it, or change the port in the pathmap",
          config.name, config.endpoint));
    }
    throw EnvironmentError(
        fmt::format("{} cannot listen on {}: {}", config.name, config.endpoint, error.what()));
  }
  return router;
}

}  // namespace

class Server::Loop {
 public:
  Loop(Network& network, Config config)
      : config_(std::move(config)),
        limits_(network.limits()),
        links_(network, Progress::by_loop),
        targets_(limits_.open_targets, limits_.connections, limits_.lease),
        router_(bind(network, config_)),
        connections_(network.context().zmq, router_) {}

  void run() {
    while (!stopping_.load(std::memory_order_acquire)) {
      const News news = wait();
      if (news.connections) look_at_connections();
      if (news.requests) receive_all();
      links_.progress(poll_);
      if (news.tokens || woken_.has_tokens()) {
        for (const std::uint64_t token : woken_.drain()) try_again(token);
      }
      look_at_peers();
      finish_overdue();
      expire();
    }
    close_all();
  }

  void stop() noexcept {
    stopping_.store(true, std::memory_order_release);
    woken_.interrupt();
  }

  [[nodiscard]] wire::ServerReport report() const {
    wire::ServerReport report;
    report.name = config_.name;
    report.session = config_.session;
    report.fingerprint = config_.fingerprint;
    report.pid = ::getpid();
    report.requests = counters_.requests.load();
    report.open_targets = counters_.open_targets.load();
    report.connections = counters_.connections.load();
    report.handshakes_refused = counters_.handshakes_refused.load();
    report.undeliverable = counters_.undeliverable.load();
    for (const auto& count : counters_.refused) report.refused.push_back(count.load());
    return report;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr milliseconds look_interval{100};

  // --- waiting -------------------------------------------------------------------------------------

  struct News {
    bool requests;
    bool connections;
    bool tokens;
  };

  News wait() {
    poll_.clear();
    const InputPoll::Place requests = poll_.add(router_);
    const InputPoll::Place connections = poll_.add(connections_.socket());
    const InputPoll::Place tokens = poll_.add(woken_.descriptor());
    links_.add_to(poll_);
    poll_.wait(until_next_deadline());
    return {poll_.has_news(requests), poll_.has_news(connections), poll_.has_news(tokens)};
  }

  [[nodiscard]] milliseconds until_next_deadline() const {
    milliseconds longest = looks_at_peers_ > 0 ? look_interval : milliseconds(500);
    for (const auto& [token, pending] : pending_) {
      const Deadline end = overdue(*pending);
      if (!end.is_never()) longest = std::min(longest, std::chrono::ceil<milliseconds>(end.left()));
    }
    return longest;
  }

  // A stage may bring the deadline forward, see CombineStage.
  static Deadline overdue(const PendingOperation& pending) {
    return pending.operation.pull != nullptr ? pending.operation.deadline : pending.overdue;
  }

  void look_at_connections() {
    const ConnectionWatch::News news = connections_.read();
    counters_.handshakes_refused.fetch_add(news.refused, std::memory_order_relaxed);
    // A connection's end is told a moment before its peer is gone from the socket: look more than once.
    if (news.left > 0) looks_at_peers_ = 3;
  }

  void look_at_peers() {
    if (looks_at_peers_ == 0 || Clock::now() < next_look_) return;
    --looks_at_peers_;
    next_look_ = Clock::now() + look_interval;
    release_gone_peers();
  }

  // What a peer that is gone left under way must not take a tuple that others wait for.
  void release_gone_peers() {
    std::set<std::string> peers;
    for (const auto& [token, pending] : pending_) peers.insert(pending->peer);
    for (const std::string& peer : peers) {
      if (is_there(peer)) continue;
      for (const std::uint64_t token : tokens_of(peer)) finish_now(token);
    }
  }

  // Answers nothing: a message to who is gone is refused here.
  bool is_there(const std::string& peer) { return transmit(peer, wire::encode(wire::Kind::closed, 0)); }

  [[nodiscard]] std::vector<std::uint64_t> tokens_of(const std::string& peer) const {
    std::vector<std::uint64_t> tokens;
    for (const auto& [token, pending] : pending_) {
      if (pending->peer == peer) tokens.push_back(token);
    }
    return tokens;
  }

  // --- requests ------------------------------------------------------------------------------------

  void receive_all() {
    constexpr int most_in_a_row = 256;  // so that no peer keeps the loop from the others' deadlines
    for (int i = 0; i < most_in_a_row; ++i) {
      zmq::message_t peer;
      if (!router_.receive(peer)) return;
      zmq::message_t message;
      if (peer.more() && !router_.receive(message)) return;
      const bool single = peer.more() && !message.more();
      drain_frames(message.more());
      receive(peer.to_string(),
              single ? Bytes(static_cast<const std::byte*>(message.data()), message.size()) : Bytes{});
    }
  }

  void drain_frames(bool more) {
    zmq::message_t surplus;
    while (more && router_.receive(surplus)) more = surplus.more();
  }

  void receive(const std::string& peer, Bytes message) {
    ServerCounters::add(counters_.requests);
    const wire::ParsedHeader parsed = wire::parse_header(message, limits_.message_bytes);
    if (parsed.fault)
      return refuse(peer, parsed.header.id, *parsed.fault, describe(*parsed.fault, message.size()));
    const bool fresh = targets_.admit(peer, parsed.header.id);
    counters_.connections.store(targets_.peers());
    if (!fresh) {
      return refuse(peer, parsed.header.id, Fault::replayed,
                    fmt::format("request {} is not above the last one of this connection", parsed.header.id));
    }
    dispatch(peer, parsed);
  }

  [[nodiscard]] std::string describe(Fault fault, std::size_t size) const {
    switch (fault) {
      case Fault::version:
        return fmt::format("this server speaks version {} of the protocol", wire::protocol_version);
      case Fault::oversized:
        return fmt::format("a message of {} bytes; `limits: message` allows {}", size, limits_.message_bytes);
      default:
        return fmt::format("the message is malformed ({})", wire::to_string(fault));
    }
  }

  void dispatch(const std::string& peer, const wire::ParsedHeader& parsed) {
    const std::uint64_t id = parsed.header.id;
    switch (parsed.header.kind) {
      case wire::Kind::open:
        return open(peer, id, wire::decode_open(parsed.body));
      case wire::Kind::close:
        return close(peer, id, wire::decode_close(parsed.body));
      case wire::Kind::operate:
        return operate(peer, id, wire::decode_operate(parsed.body));
      case wire::Kind::ping:
        return send(peer, wire::encode(id, report()));
      default:
        return refuse(peer, id, Fault::kind, "this kind of message is a reply");
    }
  }

  void open(const std::string& peer, std::uint64_t id, std::optional<wire::OpenRequest> request) {
    if (!request) return refuse(peer, id, Fault::body, "the open request cannot be read");
    if (targets_.full()) {
      return refuse(
          peer, id, Fault::busy,
          fmt::format("{} targets are open here; `limits: open_targets` allows no more", targets_.size()));
    }
    try {
      const std::uint64_t target = add_target(peer, std::move(*request));
      counters_.open_targets.store(targets_.size());
      send(peer, wire::encode(id, wire::Opened{target}));
    } catch (const std::exception& error) {
      refuse(peer, id, Fault::target, error.what());
    }
  }

  std::uint64_t add_target(const std::string& peer, wire::OpenRequest request) {
    const bool forwards = !request.route.empty();
    return targets_.add(peer, forwards ? forward(std::move(request)) : make_target(request), forwards);
  }

  std::unique_ptr<Stage> make_target(const wire::OpenRequest& request) {
    const auto factory = config_.targets.find(request.kind);
    if (factory == config_.targets.end()) {
      throw ConfigurationError(fmt::format("{} has nothing of the kind '{}'", config_.name, request.kind));
    }
    return factory->second(request.spec, links_);
  }

  std::unique_ptr<Stage> forward(wire::OpenRequest request) {
    const std::string next = request.route.front();
    if (!config_.routes.contains(next)) {
      throw ConfigurationError(fmt::format("{} does not forward to {}", config_.name, next));
    }
    request.route.erase(request.route.begin());
    const std::string what = request.kind;
    return std::make_unique<RemoteStage>(links_, RemoteTarget{next, std::move(request), next, what, 0, {}});
  }

  void close(const std::string& peer, std::uint64_t id, std::optional<wire::CloseRequest> request) {
    if (!request) return refuse(peer, id, Fault::body, "the close request cannot be read");
    OpenTarget* const target = targets_.find(peer, request->target);
    if (target == nullptr) return refuse(peer, id, Fault::target, "no such target is open");
    if (target->pending != 0) finish_now(target->pending);
    targets_.remove(peer, request->target);
    counters_.open_targets.store(targets_.size());
    send(peer, wire::encode(wire::Kind::closed, id));
  }

  // --- operations ----------------------------------------------------------------------------------

  void operate(const std::string& peer, std::uint64_t id, std::optional<wire::OperateRequest> request) {
    if (!request) return refuse(peer, id, Fault::body, "the operation cannot be read");
    OpenTarget* const target = targets_.find(peer, request->target);
    if (target == nullptr) return refuse(peer, id, Fault::target, "no such target is open");
    // Who asks again has given the first operation up.
    if (target->pending != 0) finish_now(target->pending);
    const std::uint64_t token = ++last_token_;
    auto pending = std::make_unique<PendingOperation>(woken_, token);
    pending->peer = peer;
    pending->request = id;
    fill(*pending, std::move(*request), limits_.message_bytes);
    // The word of the server that an operation is forwarded to comes after the deadline that it keeps.
    const Deadline deadline = pending->operation.deadline;
    pending->overdue = target->forwards && !deadline.is_never()
                           ? Deadline::after(deadline.left() + limits_.answer_grace)
                           : deadline;
    target->pending = token;
    PendingOperation& stored = *pending_.emplace(token, std::move(pending)).first->second;
    target->stage->begin(stored.operation);
    try_again(token);
  }

  void try_again(std::uint64_t token) {
    const auto found = pending_.find(token);
    if (found == pending_.end()) return;
    OpenTarget* const target = targets_.find(found->second->target);
    if (target->stage->ready(found->second->operation)) finish(token);
  }

  void finish_overdue() {
    std::vector<std::uint64_t> tokens;
    for (const auto& [token, pending] : pending_) {
      if (Loop::overdue(*pending).passed()) tokens.push_back(token);
    }
    for (const std::uint64_t token : tokens) finish(token);
  }

  void finish_now(std::uint64_t token) {
    if (const auto found = pending_.find(token); found != pending_.end()) {
      found->second->operation.deadline = Deadline::now();
      finish(token);
    }
  }

  void finish(std::uint64_t token) {
    const auto found = pending_.find(token);
    const std::unique_ptr<PendingOperation> pending = std::move(found->second);
    pending_.erase(found);
    OpenTarget* const target = targets_.find(pending->target);
    target->pending = 0;
    target->stage->finish(pending->operation);
    if (stopping_.load(std::memory_order_acquire)) say_closed(pending->operation);
    send(pending->peer, wire::encode(pending->request, outcome(*pending)));
  }

  // Who waited must not be told that there was nothing to wait for.
  static void say_closed(Operation& operation) {
    const Status status = operation.status;
    if (status != Status::empty && status != Status::full && status != Status::timed_out) return;
    operation.status = Status::closed;
    operation.reason = "the server has ended";
  }

  void expire() {
    const Clock::time_point now = Clock::now();
    if (now < next_expiry_) return;
    next_expiry_ = now + look_interval;
    targets_.expire(now);
    counters_.open_targets.store(targets_.size(), std::memory_order_relaxed);
  }

  void close_all() {
    std::vector<std::uint64_t> tokens;
    for (const auto& [token, pending] : pending_) tokens.push_back(token);
    for (const std::uint64_t token : tokens) finish_now(token);
    targets_.clear();
  }

  // --- replies -------------------------------------------------------------------------------------

  void refuse(const std::string& peer, std::uint64_t id, Fault fault, const std::string& text) {
    counters_.refuse(fault);
    send(peer, wire::encode(id, wire::Failure{fault, text}));
  }

  void send(const std::string& peer, wire::Message message) {
    if (message.size() > limits_.message_bytes) {
      const wire::ParsedHeader parsed = wire::parse_header(message, message.size());
      return refuse(peer, parsed.header.id, Fault::oversized, describe(Fault::oversized, message.size()));
    }
    if (!transmit(peer, message)) ServerCounters::add(counters_.undeliverable);
  }

  // False when the peer is gone, or does not drain what it is sent.
  bool transmit(const std::string& peer, const wire::Message& message) {
    try {
      return router_.send(zmq::buffer(peer), zmq::send_flags::sndmore) && router_.send(zmq::buffer(message));
    } catch (const zmq::error_t&) {
      return false;
    }
  }

  const Config config_;
  const NetworkLimits limits_;
  ServerCounters counters_;
  std::atomic<bool> stopping_{false};
  WakeQueue woken_;
  LinkPool links_;
  OpenTargets targets_;  // after links_: its stages use them
  std::uint64_t last_token_{0};
  std::unordered_map<std::uint64_t, std::unique_ptr<PendingOperation>> pending_;
  LoopSocket router_;
  ConnectionWatch connections_;
  InputPoll poll_;
  int looks_at_peers_{0};
  Clock::time_point next_look_;
  Clock::time_point next_expiry_;
};

Server::Server(Network& network, Config config) : loop_(std::make_unique<Loop>(network, std::move(config))) {}

Server::~Server() {
  stop();
  if (thread_.joinable()) thread_.join();
}

void Server::run() { loop_->run(); }
void Server::start() {
  thread_ = std::thread([this] { loop_->run(); });
}
void Server::stop() noexcept { loop_->stop(); }
wire::ServerReport Server::report() const { return loop_->report(); }

}  // namespace eventspace
