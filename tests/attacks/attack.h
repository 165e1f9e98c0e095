#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>
#include <zmq.hpp>

#include "paths/security/session_security.h"
#include "paths/wire/wire.h"
#include "tests/attacks/raw_peer.h"

namespace eventspace::test {

/// The total amount of an attack; spread evenly over its time.
struct AttackSize {
  std::chrono::seconds time;
  int mutated;    ///< messages
  int half_open;  ///< connections
};

/// An admitted peer that misbehaves in all ways: sends randomly changed messages, half-open connections,
/// frames that are announced but never sent, messages of endless frames, and connections that send one byte
/// at a time.
class Attack {
 public:
  /// Makes valid messages, which the attack changes. `target`: an open target.
  using Messages = std::function<std::vector<wire::Message>(std::uint64_t target)>;
  /// `frame`: the size of each frame of endless messages, within the server's limit of a message. `keys`: for
  /// the changed messages; may be null. Everything else is done by hand, without keys.
  Attack(std::string endpoint, Messages make, std::size_t frame, std::uint64_t seed,
         std::shared_ptr<const SessionSecurity> keys = nullptr);

  /// Attacks for `size.time`.
  void run(const AttackSize& size);
  [[nodiscard]] std::uint64_t floods_ended() const noexcept { return floods_ended_; }
  [[nodiscard]] std::uint64_t floods() const noexcept { return floods_; }
  [[nodiscard]] std::uint64_t targets_opened() const noexcept { return opened_; }

 private:
  void send_mutated();
  void renew_socket();
  void hear_replies();
  [[nodiscard]] wire::Message mutated();
  void open_half();
  void announce();
  void flood();
  void trickle();

  std::string endpoint_;
  std::shared_ptr<const SessionSecurity> keys_;
  Messages make_;
  std::vector<wire::Message> good_;
  std::vector<std::byte> frame_;
  std::mt19937_64 random_;
  zmq::context_t context_;
  std::unique_ptr<zmq::socket_t> socket_;
  std::uint64_t sent_{0};
  std::uint64_t id_{0};
  std::uint64_t opened_{0};
  std::deque<RawPeer> half_open_;
  std::deque<RawPeer> announced_;
  std::vector<RawPeer> slow_;
  std::uint64_t floods_{0};
  std::uint64_t floods_ended_{0};
};

}  // namespace eventspace::test
