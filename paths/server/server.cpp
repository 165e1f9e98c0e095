#include "paths/server/server.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>
#include <zmq.hpp>

#include "paths/links/network_context.h"
#include "paths/server/connection_guard.h"
#include "paths/server/open_targets.h"
#include "paths/server/peer_requests.h"
#include "paths/server/replies.h"
#include "paths/server/server_counters.h"
#include "paths/server/server_socket.h"
#include "paths/server/target_opener.h"
#include "paths/server/target_operations.h"
#include "paths/sockets/connection_watch.h"
#include "paths/sockets/input_poll.h"
#include "paths/sockets/loop_descriptor.h"
#include "paths/sockets/wake_queue.h"
#include "tuplespace/system/forked_copy.h"
#include "tuplespace/system/library_thread.h"

namespace eventspace {
namespace {

using std::chrono::milliseconds;

}  // namespace

class Server::Loop {
 public:
  Loop(Network& network, Config config)
      : config_(std::move(config)),
        limits_(network.limits()),
        links_(network, Progress::by_loop),
        targets_(limits_.open_targets, limits_.connections, limits_.lease),
        router_(listen_at(config_.endpoint, network, config_.name)),
        clock_(network.clock()),
        replies_(router_, counters_, clock_, limits_.message_bytes),
        operations_(targets_, woken_, replies_,
                    {limits_.message_bytes, limits_.queued_messages, limits_.answer_grace}),
        opener_({config_.name, config_.targets, config_.routes, limits_.open_targets}, links_, targets_,
                replies_),
        requests_({targets_, opener_, operations_, replies_, counters_}, config_.observable,
                  [this] { return report(); }),
        guard_({limits_.message_bytes, limits_.connections}, router_.zmq().get(zmq::sockopt::last_endpoint)),
        connections_(network.context().zmq, router_,
                     {[this](int descriptor) { guard_.accepted(descriptor); },
                      [this](int descriptor) { guard_.ended(descriptor); }}),
        has_keys_(network.security() != nullptr && config_.endpoint.starts_with("tcp://")) {}
  ~Loop() { stop_listening(router_, connections_); }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void run() {
    begin();
    while (!stopping_.load(std::memory_order_acquire))
      turn(receive_next() ? News{} : wait(Deadline::never()));
    end();
  }

  void serve(Deadline deadline) {
    if (!std::exchange(begun_, true)) begin();
    turn(wait(deadline));
  }

  void show_to(LoopDescriptor& outside, Deadline deadline) {
    if (!std::exchange(begun_, true)) begin();
    (void)fill_poll();
    outside.wait_for(poll_, earlier(deadline, Deadline::after(until_next_deadline())));
  }

  void end_serving() {
    if (std::exchange(begun_, false)) end();
  }

  void start() {
    thread_ = start_library_thread([this] { run(); });
  }

  void join() {
    if (thread_.joinable()) thread_.join();
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
  static constexpr milliseconds between_expiries{100};
  static constexpr milliseconds first_look_pause{50};
  static constexpr milliseconds longest_look_pause{60'000};
  static constexpr std::uint64_t in_a_row_ns{1'000'000};
  static constexpr std::uint64_t token_of_attendant{0};  // the tokens of operations begin at 1

  void begin() {
    woken_.belong_to_this_thread();
    if (config_.attendant != nullptr)
      config_.attendant->begin(links_, [this] { woken_.push(token_of_attendant); });
  }

  void end() {
    operations_.close();
    targets_.clear();
    if (config_.attendant != nullptr) config_.attendant->end();
  }

  // --- waiting -------------------------------------------------------------------------------------

  struct News {
    bool requests{false};
    bool connections{false};
    bool tokens{false};
  };

  /// While requests follow each other at once, only waits for the next request, which takes fewer system
  /// calls than waiting for all events; these get their turn every few milliseconds. Returns whether there
  /// was a request.
  bool receive_next() {
    constexpr milliseconds soon = LoopSocket::soon;
    if (!in_a_row_ || !links_.is_empty() || !operations_.is_idle()) return false;
    if (Clock::now() > looked_ + soon || until_next_deadline() < soon) return false;
    poll_.clear();
    zmq::message_t peer;
    if (router_.receive_soon(peer) && receive_of(peer)) return true;
    in_a_row_ = false;
    return false;
  }

  void turn(News news) {
    if (news.connections) look_at_connections();
    guard_.look();
    links_.progress(poll_);  // notices lost connections before requests are forwarded on them
    if (news.requests) receive_all();
    for (const std::uint64_t token : news.tokens ? woken_.drain() : woken_.take())
      token == token_of_attendant ? config_.attendant->attend() : operations_.ask(token);
    if (next_attendance().passed()) config_.attendant->attend();
    look_at_peers();
    opener_.look_again();
    operations_.attend_due();
    expire();
  }

  struct Places {
    InputPoll::Place requests;
    InputPoll::Place connections;
    InputPoll::Place tokens;
  };
  Places fill_poll() {
    poll_.clear();
    const Places places{poll_.add(router_), poll_.add(connections_.socket()), poll_.add(woken_.descriptor())};
    if (guard_.awaits_reports()) poll_.add(guard_.descriptor());
    links_.add_to(poll_);
    return places;
  }

  News wait(Deadline deadline) {
    looked_ = Clock::now();
    const Places places = fill_poll();
    poll_.wait(std::min(until_next_deadline(), time_until(deadline, milliseconds(500))));
    return {poll_.has_news(places.requests), poll_.has_news(places.connections),
            poll_.has_news(places.tokens)};
  }

  [[nodiscard]] milliseconds until_next_deadline() const {
    if (woken_.has_tokens()) return milliseconds(0);
    constexpr milliseconds whatever_happens{500};  // the loop runs at least this often
    const bool looks = look_pause_ > milliseconds(0);
    const milliseconds longest = looks ? std::min(look_pause_, whatever_happens) : whatever_happens;
    const Deadline next = earlier(operations_.next_due(), earlier(opener_.next_look(), guard_.next_look()));
    return time_until(earlier(next, next_attendance()), longest);
  }

  [[nodiscard]] Deadline next_attendance() const {
    return config_.attendant != nullptr ? config_.attendant->due() : Deadline::never();
  }

  void look_at_connections() {
    const ConnectionWatch::News news = connections_.read();
    counters_.handshakes_refused.fetch_add(news.refused, std::memory_order_relaxed);
    // ZeroMQ reports the end of a connection before it removes the peer from the socket: shortly before, or
    // seconds if its thread waits for a processor. So the peers are checked repeatedly, at growing intervals.
    // Refused connections also count, because ConnectionWatch may confuse connections.
    if (news.left + news.refused > 0) look_pause_ = first_look_pause;
  }

  void look_at_peers() {
    const Clock::time_point now = Clock::now();
    if (look_pause_ == milliseconds(0) || now < looked_at_peers_ + look_pause_) return;
    looked_at_peers_ = now;
    look_pause_ = 2 * look_pause_ <= longest_look_pause ? 2 * look_pause_ : milliseconds(0);
    operations_.release_gone_peers();
    counters_.open_targets.store(targets_.size());
    counters_.connections.store(targets_.peers());
  }

  // --- requests ------------------------------------------------------------------------------------

  void receive_all() {
    constexpr int max_in_a_row = 256;  // or a busy peer could delay the deadlines of others
    for (int i = 0; i < max_in_a_row; ++i) {
      zmq::message_t peer;
      if (!router_.receive(peer) || !receive_of(peer)) return;
    }
  }

  // Receives the rest of the message whose first frame is `peer`. Returns false if the rest is missing.
  bool receive_of(const zmq::message_t& peer) {
    zmq::message_t message;
    if (peer.more() && !router_.receive(message)) return false;
    const bool single = peer.more() && !message.more();
    from_ = ::zmq_msg_get(message.handle(), ZMQ_SRCFD);
    guard_.received(from_, message.size() + drain_frames(message.more()));
    receive(peer.to_string(), role_of(message),
            single ? Bytes(static_cast<const std::byte*>(message.data()), message.size()) : Bytes{});
    return true;
  }

  // The authenticator's decision when the peer connected. Without keys, all peers are owners.
  [[nodiscard]] Role role_of(zmq::message_t& message) const {
    if (!has_keys_) return Role::owner;
    const char* const user = zmq_msg_gets(message.handle(), "User-Id");
    return user != nullptr && user == to_string(Role::owner) ? Role::owner : Role::observer;
  }

  std::size_t drain_frames(bool more) {
    zmq::message_t surplus;
    std::size_t bytes = 0;
    for (; more && router_.receive(surplus); more = surplus.more()) bytes += surplus.size();
    return bytes;
  }

  void receive(const std::string& peer, Role role, Bytes message) {
    ServerCounters::add(counters_.requests);
    const wire::ParsedHeader parsed = wire::parse_header(message, limits_.message_bytes);
    if (parsed.fault) return replies_.refuse_message(peer, parsed, message.size());
    Asked asked{peer, parsed.header.id, {}, role};
    if (parsed.header.timed) {
      asked.received_ns = clock_.now_ns();
      in_a_row_ = *asked.received_ns < std::exchange(received_ns_, *asked.received_ns) + in_a_row_ns;
    }
    if (!requests_.admit(asked)) return;
    guard_.proved(from_);
    requests_.perform(asked, parsed);
  }

  void expire() {
    const Clock::time_point now = Clock::now();
    if (now < next_expiry_) return;
    next_expiry_ = now + between_expiries;
    links_.tidy();
    targets_.expire(now);
    counters_.open_targets.store(targets_.size(), std::memory_order_relaxed);
  }

  const Config config_;
  const NetworkLimits limits_;
  ServerCounters counters_;
  std::atomic<bool> stopping_{false};
  WakeQueue woken_;
  LinkPool links_;
  OpenTargets targets_;  // after links_, which its stages use until they are destroyed
  LoopSocket router_;
  const NodeClock clock_;
  Replies replies_;
  TargetOperations operations_;
  TargetOpener opener_;
  PeerRequests requests_;
  ConnectionGuard guard_;
  ConnectionWatch connections_;
  int from_{-1};  // the connection of the current message
  const bool has_keys_;
  bool begun_{false};  // by serve()
  InputPoll poll_;
  Clock::time_point looked_;      // when wait() last waited for all events
  std::uint64_t received_ns_{0};  // when the last timed request came
  bool in_a_row_{false};          // it came soon after the previous one
  milliseconds look_pause_{0};    // from the last check of the peers until the next; 0 if not needed
  Clock::time_point looked_at_peers_;
  Clock::time_point next_expiry_;
  std::thread thread_;  // if start() was called
};

Server::Server(Network& network, Config config)
    : loop_(std::make_unique<Loop>(network, std::move(config))), owner_(::getpid()) {}

Server::~Server() {
  if (owner_ != ::getpid()) {
    leave_to_parent(loop_);
    return;
  }
  stop();
  loop_->join();
}

void Server::run() { loop_->run(); }
void Server::start() { loop_->start(); }
void Server::serve(Deadline deadline) { loop_->serve(deadline); }
void Server::show_to(LoopDescriptor& outside, Deadline deadline) { loop_->show_to(outside, deadline); }
void Server::end_serving() { loop_->end_serving(); }
void Server::stop() noexcept { loop_->stop(); }
wire::ServerReport Server::report() const { return loop_->report(); }

}  // namespace eventspace
