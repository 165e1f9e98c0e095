#pragma once

// The connections to one server, one after another.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "paths/links/network.h"
#include "paths/sockets/input_poll.h"
#include "paths/wire/wire.h"

namespace zmq {
class message_t;
}

namespace eventspace {

class DescriptorSet;

/// Connects to a server, and connects again after a loss. Connections are numbered, since what a server knows
/// of its peer ends with the connection.
///
///     no socket --reopen()--> attempt --handshake--> established --lost, end()--> no socket
///                                  `-- another program listens there ----------> no socket
///
/// 1. A message is sent only on an established connection, and only on the one whose events were read:
///    the socket takes no message after the event of the end of its first connection.
/// 2. At a loss, the socket stays until end(), so that the caller can read the messages that arrived before.
/// 3. The number changes only in end().
///
/// Only receive_soon() blocks. Not thread-safe.
class ServerConnection {
 public:
  /// Adds its events to `connections`, unless that is null. `network` and `connections` must outlive it.
  /// Throws ConfigurationError for a malformed endpoint.
  ServerConnection(Network& network, std::string endpoint, DescriptorSet* connections);
  ~ServerConnection();

  struct News {
    bool is_lost{false};  ///< the caller reads what is left, then calls end()
    std::string refusal;  ///< why the server refuses this process, with advice; empty if it was lost
  };
  /// Reads the events of the connection until one concerns the requests, and returns it. Otherwise connects
  /// again if there is no socket and the last attempt is long enough ago.
  std::optional<News> next_news();
  /// Ends the lost connection; the next one has another number. With WhenLost::end there is none.
  void end();
  /// The least time between two connections, so that a server that ends each one at once is not flooded.
  static constexpr std::chrono::milliseconds between_connections{100};

  /// Sends a message; false if there is no connection or ZeroMQ did not accept it.
  bool send(const wire::Message& message);
  /// Receives a message, if there is one.
  bool receive(zmq::message_t& message);
  /// Like receive, but blocks for LoopSocket::soon at most.
  bool receive_soon(zmq::message_t& message);

  /// Adds the socket of the connection's events, unless the descriptor set becomes readable at the next event
  /// in any case; `alone`: adds it always.
  InputPoll::Place add_events_to(InputPoll& poll, bool alone);
  /// Adds the socket of messages. `to_send`: there is news also when a message can be sent.
  InputPoll::Place add_messages_to(InputPoll& poll, bool to_send);
  /// Whether no message is in the socket, as far as is known without a system call.
  [[nodiscard]] bool is_drained() const noexcept;

  /// Whether there is a connection or an attempt.
  [[nodiscard]] bool is_open() const noexcept { return socket_ != nullptr; }
  /// Whether there is a connection, as of the last event that was read.
  [[nodiscard]] bool is_established() const noexcept { return established_; }
  /// Whether it was lost for good (WhenLost::end).
  [[nodiscard]] bool has_ended() const noexcept { return ended_; }
  /// The number of the current connection, or of the next.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  [[nodiscard]] const std::string& endpoint() const noexcept { return endpoint_; }

  /// Notes that a reply arrived at `now_ns`.
  void note_reply(std::uint64_t now_ns) noexcept { replied_ns_ = now_ns; }
  /// Whether a reply came within the last millisecond. The connection need not be checked then, which costs a
  /// system call: the wait for the next reply will notice a loss.
  [[nodiscard]] bool has_replied_lately() const;

  struct Traffic {
    std::uint64_t lost_connections{0};
    std::uint64_t bytes_sent{0};
    std::uint64_t bytes_received{0};
    std::uint64_t messages_sent{0};
    std::uint64_t messages_received{0};
  };
  [[nodiscard]] const Traffic& traffic() const noexcept { return traffic_; }

 private:
  struct Socket;
  using Clock = std::chrono::steady_clock;

  void reopen();
  bool note_received(bool received, const zmq::message_t& message) noexcept;

  Network* network_;
  std::string endpoint_;
  DescriptorSet* connections_;      // null if each wait polls the events
  std::unique_ptr<Socket> socket_;  // null after a loss, until the next connection
  Clock::time_point opened_;
  bool established_{false};
  bool ended_{false};
  int failed_handshakes_{0};  // since the last connection
  std::uint64_t number_{1};
  std::uint64_t replied_ns_{0};  // when the last timed reply came on this connection; 0 if none yet
  Traffic traffic_;
};

}  // namespace eventspace
