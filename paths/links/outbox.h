#pragma once

// The messages that a link sends.

#include <cstdint>
#include <deque>
#include <optional>

#include "paths/links/clock_comparison.h"
#include "paths/links/network.h"
#include "paths/links/open_requests.h"
#include "paths/links/server_connection.h"
#include "paths/wire/wire.h"

namespace eventspace {

/// Sends requests in order. Those that cannot be sent yet wait here: for the connection, or the first of them
/// for the comparison of clocks.
///
/// 1. If messages wait, no other request is sent before them.
/// 2. While a request is held for the comparison, it is the first that waits, and nothing but pings is sent.
/// 3. A request that waits has sent == false.
///
/// Never blocks. Not thread-safe.
class Outbox {
 public:
  /// All must outlive it.
  Outbox(const Network& network, ServerConnection& connection, OpenRequests& requests) noexcept
      : clock_(&network.clock()),
        connection_(&connection),
        requests_(&requests),
        comparison_(clock_->identity()) {}

  /// Sends an open request, or keeps it until there is a connection. An untimed request ends the comparison
  /// of clocks.
  void send(std::uint64_t id, wire::Message message, OpenRequests::Request& request);
  /// Sends a message that has no reply, unless it would have to wait; false if nothing was sent or kept.
  [[nodiscard]] bool send_now(const wire::Message& message);
  /// Sends the messages that wait, as far as possible.
  void send_waiting();
  /// Removes the message of a request that waits.
  void withdraw(std::uint64_t id);
  /// Stops holding a request, and sends what waits for it.
  void end_comparison();

  /// Prepares for the loss of the connection, of which replies are still read: what waits is not sent on it.
  void release_held() noexcept { comparison_.release(); }
  /// Removes the messages that the end of the connection concerns: those valid only there or, if there is no
  /// other (`ended`), all.
  void lose_connection(bool ended);
  /// Removes all messages and stops the comparison.
  void clear();
  /// Stops expecting the reply to a ping.
  void forget_ping() noexcept { comparison_.forget_ping(); }

  /// Takes the reply to the ping that is under way, and sends the next ping or what waits for it.
  void answer_ping(const std::optional<wire::ServerTimes>& times, std::uint64_t arrived_ns);
  /// Compares the clocks by a reply to `request`, if it was timed.
  void compare(const OpenRequests::Request& request, const wire::ServerTimes& times,
               std::uint64_t arrived_ns) {
    if (request.sent_ns != 0) comparison_.compare(request.sent_ns, times, arrived_ns);
  }

  /// Whether a message waits for the connection. The comparison of clocks does not count.
  [[nodiscard]] bool has_waiting() const noexcept { return !waiting_.empty() && comparison_.held() == 0; }
  [[nodiscard]] const ClockComparison& comparison() const noexcept { return comparison_; }

 private:
  struct Waiting {
    std::uint64_t id;
    wire::Message message;
    bool only_here;  // valid on the current connection only
  };

  /// `request`: null if it was detached, or there is none.
  bool transmit(const wire::Message& message, OpenRequests::Request* request);
  bool begin_comparison(std::uint64_t id, const wire::Message& message);
  bool ping(std::uint64_t id);

  const NodeClock* clock_;
  ServerConnection* connection_;
  OpenRequests* requests_;
  ClockComparison comparison_;
  std::deque<Waiting> waiting_;
};

}  // namespace eventspace
