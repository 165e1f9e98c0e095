#pragma once

// The messages that a link receives.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "paths/links/network.h"
#include "paths/links/open_requests.h"
#include "paths/links/outbox.h"
#include "paths/links/server_connection.h"
#include "paths/links/target_listeners.h"
#include "paths/wire/wire.h"

namespace eventspace {

/// Checks each message of a server and passes it to the object that waits for it: the request that it
/// answers, the comparison of clocks, or the listener of its target. Messages that nothing waits for and
/// malformed messages are counted. A message of another version of the protocol answers all requests that
/// were sent with a failure, since none of the server's messages can be read.
///
/// Not thread-safe. Listeners that it calls may use the link, and may lose its connection.
class Inbox {
 public:
  /// All must outlive it.
  Inbox(const Network& network, ServerConnection& connection, OpenRequests& requests, Outbox& outbox,
        TargetListeners& listeners) noexcept
      : network_(&network),
        connection_(&connection),
        requests_(&requests),
        outbox_(&outbox),
        listeners_(&listeners) {}

  /// Takes a message of the current connection.
  void file(zmq::message_t& received);

  struct Dropped {
    std::uint64_t late{0};  ///< answer no open request, or concern a target without a listener
    std::uint64_t malformed{0};
  };
  [[nodiscard]] const Dropped& dropped() const noexcept { return dropped_; }

 private:
  void file(const wire::ParsedHeader& parsed, std::shared_ptr<const void> message);
  void file_unasked(const wire::ParsedHeader& parsed);
  void file_part(const wire::ParsedHeader& parsed, std::shared_ptr<const void> message);
  void refuse_version(std::uint8_t version);

  const Network* network_;
  ServerConnection* connection_;
  OpenRequests* requests_;
  Outbox* outbox_;
  TargetListeners* listeners_;
  Dropped dropped_;
};

}  // namespace eventspace
