#include "tests/attacks/attack.h"

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

namespace eventspace::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds round{50};
constexpr std::size_t max_half_open = 400;
constexpr std::size_t max_announced = 40;
constexpr std::size_t slow_senders = 10;
constexpr int rounds_between_floods = 20;
constexpr int frames_of_a_flood = 256;

}  // namespace

Attack::Attack(std::string endpoint, Messages make, std::size_t frame, std::uint64_t seed,
               std::shared_ptr<const SessionSecurity> keys)
    : endpoint_(std::move(endpoint)),
      keys_(std::move(keys)),
      make_(std::move(make)),
      good_(make_(1)),
      frame_(frame),
      random_(seed) {}

void Attack::run(const AttackSize& size) {
  const auto begin = steady_clock::now();
  const auto rounds = static_cast<int>(size.time / round);
  int mutated = 0;
  int half_open = 0;
  for (int done = 1; done <= rounds; ++done) {
    for (; mutated < std::int64_t{size.mutated} * done / rounds; ++mutated) send_mutated();
    for (; half_open < std::int64_t{size.half_open} * done / rounds; ++half_open) open_half();
    announce();
    trickle();
    if (done % rounds_between_floods == 1) flood();
    std::this_thread::sleep_until(begin + done * round);
  }
}

// --- messages ---------------------------------------------------------------------------------------

void Attack::renew_socket() {
  socket_ = std::make_unique<zmq::socket_t>(context_, zmq::socket_type::dealer);
  socket_->set(zmq::sockopt::linger, 0);
  socket_->set(zmq::sockopt::sndtimeo, 200);
  if (keys_ != nullptr) {
    socket_->set(zmq::sockopt::curve_serverkey, text_of(keys_->server));
    socket_->set(zmq::sockopt::curve_publickey, text_of(keys_->connecting.open));
    socket_->set(zmq::sockopt::curve_secretkey, text_of(keys_->connecting.secret.bytes()));
  }
  socket_->connect(endpoint_);
  id_ = 0;
}

void Attack::send_mutated() {
  constexpr std::uint64_t messages_of_a_connection = 100;
  if (sent_++ % messages_of_a_connection == 0) renew_socket();
  const wire::Message message = mutated();
  (void)socket_->send(zmq::buffer(message),
                      random_() % 10 == 0 ? zmq::send_flags::sndmore : zmq::send_flags::none);
  hear_replies();
}

// The attack continues with a target that it has opened.
void Attack::hear_replies() {
  for (zmq::message_t reply; socket_->recv(reply, zmq::recv_flags::dontwait);) {
    const wire::ParsedHeader parsed =
        wire::parse_header({reply.data<std::byte>(), reply.size()}, reply.size());
    if (parsed.fault || parsed.header.kind != wire::Kind::opened) continue;
    const auto opened = wire::decode<wire::Opened>(parsed.envelope);
    if (!opened) continue;
    ++opened_;
    good_ = make_(opened->target);
  }
}

// Most keep header and id, so that they are not refused for that alone.
wire::Message Attack::mutated() {
  wire::Message message = good_[random_() % good_.size()];
  const std::size_t from = random_() % 4 == 0 ? 0 : wire::header_bytes;
  const std::uint64_t changes = random_() % 4;
  for (std::uint64_t i = 0; i < changes && message.size() > from; ++i)
    message[from + random_() % (message.size() - from)] = static_cast<std::byte>(random_());
  if (random_() % 8 == 0) message.resize(random_() % (2 * message.size()));
  if (message.size() < wire::header_bytes) return message;
  if (from > 0) wire::seal(message);
  ++id_;
  std::memcpy(message.data() + 8, &id_, sizeof id_);
  return message;
}

// --- connections ------------------------------------------------------------------------------------

void Attack::open_half() {
  RawPeer peer(endpoint_);
  if (!peer.is_open()) return;
  if (random_() % 2 == 0) peer.begin_greeting(random_() % 64);
  half_open_.push_back(std::move(peer));
  if (half_open_.size() > max_half_open) half_open_.pop_front();
}

void Attack::announce() {
  RawPeer peer(endpoint_);
  if (!peer.shake_hands()) return;
  peer.announce(random_() % 2 == 0 ? frame_.size() : random_(), random_() % 2 == 0);
  announced_.push_back(std::move(peer));
  if (announced_.size() > max_announced) announced_.pop_front();
}

void Attack::flood() {
  RawPeer peer(endpoint_);
  if (!peer.shake_hands()) return;
  ++floods_;
  bool goes_on = true;
  for (int i = 0; i < frames_of_a_flood && goes_on; ++i)
    goes_on = peer.announce(frame_.size(), true) && peer.send(frame_);
  if (!goes_on || peer.was_ended()) ++floods_ended_;
}

void Attack::trickle() {
  while (slow_.size() < slow_senders) {
    RawPeer peer(endpoint_);
    if (!peer.shake_hands() || !peer.announce(frame_.size(), false)) break;
    slow_.push_back(std::move(peer));
  }
  const std::byte one{};
  for (RawPeer& peer : slow_) peer.send({&one, 1});
  std::vector<RawPeer> left;
  for (RawPeer& peer : slow_) {
    if (peer.send({&one, 1})) left.push_back(std::move(peer));
  }
  slow_ = std::move(left);
}

}  // namespace eventspace::test
