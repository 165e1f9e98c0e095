#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "paths/security/session_security.h"
#include "paths/server/server_counters.h"
#include "paths/sockets/loop_socket.h"
#include "paths/wire/wire.h"
#include "tuplespace/trace/node_clock.h"

namespace eventspace {

/// A request that must be answered.
struct Asked {
  std::string peer;
  std::uint64_t id{0};
  std::optional<std::uint64_t> received_ns{};  ///< of a timed request, by the server's clock
  Role role{Role::owner};                      ///< of the peer
};

/// Sends a server's replies. Never blocks: a reply to a peer that is gone, or does not read, is dropped and
/// counted as undeliverable. ZeroMQ bounds the number of messages that wait for a peer; this class bounds the
/// bytes of large messages: at most `messages_at_once` of the largest size. Not thread-safe; socket, counters
/// and clock must outlive it.
class Replies {
 public:
  Replies(LoopSocket& router, ServerCounters& counters, const NodeClock& clock,
          std::size_t max_message_bytes) noexcept
      : router_(&router), counters_(&counters), clock_(&clock), max_message_bytes_(max_message_bytes) {}

  /// Encodes `reply` and sends it.
  template <class Reply>
  void answer(const Asked& asked, const Reply& reply) {
    send(asked, wire::encode(asked.id, reply, timing_of(asked)));
  }
  /// Whether the reply must have room for the server's times.
  [[nodiscard]] static wire::Timing timing_of(const Asked& asked) noexcept {
    return asked.received_ns ? wire::Timing::timed : wire::Timing::untimed;
  }
  /// Sends a reply that was encoded with timing_of(asked), and sets its times. If the reply and its parts
  /// (`bytes_ahead`) together exceed the limit of a message, sends a refusal instead.
  void send(const Asked& asked, wire::Message message, std::size_t bytes_ahead = 0);
  /// The same for an untimed message.
  void send(const std::string& peer, wire::Message message, std::size_t bytes_ahead = 0);
  /// Sends a part. Returns false if it could not be sent, which is not counted: the caller refuses the
  /// request.
  [[nodiscard]] bool send_part(const std::string& peer, wire::Message part);
  /// Sends a message that is not a reply. Returns false if it could not be sent or exceeds the limit.
  [[nodiscard]] bool send_unasked(const std::string& peer, wire::Message message);
  void count_undeliverable() noexcept { ServerCounters::add(counters_->undeliverable); }
  /// Answers request `id` with an error, and counts it.
  void refuse(const std::string& peer, std::uint64_t id, wire::Fault fault, const std::string& text);
  /// Refuses a message of `size` bytes, which must have a fault.
  void refuse_message(const std::string& peer, const wire::ParsedHeader& parsed, std::size_t size);

  /// Whether the peer is connected, even if it does not read. Tests it with a message that answers no request
  /// (id 0).
  bool reaches(const std::string& peer);
  /// Forgets a peer that is gone.
  void forget(const std::string& peer) { held_.erase(peer); }
  static constexpr std::size_t messages_at_once = 4;

 private:
  [[nodiscard]] std::string describe(const wire::ParsedHeader& parsed, std::size_t size) const;
  enum class Delivery : std::uint8_t { sent, queue_is_full, peer_is_gone };
  Delivery deliver(const std::string& peer, wire::Message message);
  bool transmit(const std::string& peer, wire::Message message);

  [[nodiscard]] const LoopSocket::Account& account_of(const std::string& peer);

  LoopSocket* router_;
  ServerCounters* counters_;
  const NodeClock* clock_;
  std::size_t max_message_bytes_;
  std::unordered_map<std::string, LoopSocket::Account>
      held_;  // bytes held for peers that were sent large messages
};

}  // namespace eventspace
