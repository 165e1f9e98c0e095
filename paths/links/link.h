#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <eventspace/operation.h>
#include "paths/links/link_listener.h"
#include "paths/links/network.h"
#include "paths/links/reply.h"
#include "paths/views/clock_relation.h"
#include "paths/wire/wire.h"

namespace eventspace {

class DescriptorSet;
class InputPoll;

/// Selects the code that reads the sockets of links while requests are under way.
enum class Progress : std::uint8_t {
  by_callers,  ///< the calls that poll or wait for a reply
  by_loop      ///< an event loop, for all requests with a waker; poll() reads a socket only for the others
};

/// One connection to a server. Requests are numbered, and each reply is stored under the number of its
/// request until it is fetched, so that many requests can be under way at once.
///
///     const std::uint64_t id = link.next_id();
///     if (!link.send(id, wire::encode(wire::Kind::ping, id), nullptr)) ...  // larger than the limit
///     const std::optional<Reply> reply = link.wait(id, Deadline::after(std::chrono::seconds(1)));
///     if (!reply) link.forget(id);  // no answer in time
///
/// 1. A request is handed to the network only while there is a connection. Until then it waits in the link,
///    and forget() withdraws it.
/// 2. When the connection is lost, replies that arrived before are stored first. Then each request that was
///    handed to the network and lacks a reply is reported as lost. Requests that wait in the link stay,
///    except requests that belong to the lost connection (`only_on`).
/// 3. The link connects again by itself, unless the network is set to WhenLost::end: then all requests,
///    including later ones, are reported as lost.
/// 4. Parts of a result (paths/wire/wire.h) are stored until the reply arrives and are delivered with it;
///    they do not call the waker. Parts of one reply that exceed NetworkLimits::message_bytes or
///    queued_messages together are dropped and counted as malformed.
/// 5. A message of another version of the protocol shows that the server cannot answer: each request that was
///    sent and lacks a reply is answered with wire::Failure and Fault::version.
/// 6. When the server refuses the keys of the network, or requires keys that the network does not have, each
///    request without a reply is answered with wire::Failure, whose text has the reason. The link tries to
///    connect again.
/// 7. While no reply is outstanding, late replies may stay unread in the socket: finding it empty costs
///    system calls at both ends. They are read before the next reply, or by progress().
///
/// Each timed request and its reply compare the server's clock with the network's; the result survives lost
/// connections. After a pause, a timed request on an idle link is held back while pings compare the clocks
/// (clock_comparison.h), or until an untimed request is sent. Counts includes the bytes of pings, and their
/// replies only if late or malformed.
///
/// A lost connection is noticed by progress() and the calls that make progress, by wait() within some
/// milliseconds, and by send() unless a timed reply came within the last millisecond. A server whose process
/// is stopped is not lost. Outcomes are values. Not thread-safe: used only by the thread of its LinkPool.
class Link {
 public:
  /// The link adds its connection events to `connections`, so that a loop with many links polls them as one;
  /// null if each wait polls them itself. `network` and `connections` must outlive the link. Throws
  /// ConfigurationError for a malformed endpoint.
  Link(Network& network, std::string endpoint, Progress progress = Progress::by_callers,
       DescriptorSet* connections = nullptr);
  ~Link();

  [[nodiscard]] const std::string& endpoint() const noexcept;
  [[nodiscard]] const Network& network() const noexcept { return *network_; }

  /// Returns the number of the next request, to encode its message with. The numbers that it skips are for
  /// pings.
  [[nodiscard]] std::uint64_t next_id() noexcept;
  /// Sends the request, or stores it until there is a connection. Never blocks. `waker` (may be null) is
  /// called at the reply or the loss. Returns false, and stores nothing, if the message is larger than
  /// NetworkLimits::message_bytes.
  ///
  /// The number of an open target is valid only on the connection on which it was opened; after a
  /// reconnection it may belong to another target. Therefore a request about a target passes in `only_on` the
  /// Reply::connection of the reply that opened it. If the link has another connection by now, the request is
  /// reported as lost, and was not sent.
  [[nodiscard]] bool send(std::uint64_t id, wire::Message message, Waker* waker,
                          std::optional<std::uint64_t> only_on = std::nullopt);
  /// Sends a message without waiting for a reply; a reply that comes is counted as late.
  void post(std::uint64_t id, wire::Message message, std::optional<std::uint64_t> only_on = std::nullopt);
  /// Sends a message without a reply, if that is possible at once on connection `only_on`; false if nothing
  /// was sent or kept. May be called by a LinkListener.
  [[nodiscard]] bool send_now(const wire::Message& message, std::uint64_t only_on);
  /// Stops waiting for the reply to request `id`; the request is still sent.
  void detach(std::uint64_t id);
  /// Replaces the waker of request `id`; may be null. A loop does not wait for replies while no request has a
  /// waker; poll() finds them.
  void watch(std::uint64_t id, Waker* waker);
  /// Returns the outcome of request `id` if it is known, and removes it. Never blocks. If the outcome is not
  /// known, reads the socket first, unless a loop does (Progress).
  std::optional<Reply> poll(std::uint64_t id);
  /// Like poll, but blocks until the outcome is known, the deadline has passed or the network is closed.
  std::optional<Reply> wait(std::uint64_t id, Deadline deadline);
  /// Passes messages of `target` that are not replies to `listener`, which is not owned, until it is replaced
  /// or the connection is lost. `target` must be open on the current connection. With null they are dropped
  /// and counted as late. A link with listeners reads all messages as they come.
  void listen(std::uint64_t target, LinkListener* listener);
  /// Withdraws request `id` if it was not sent. A reply that still comes is dropped and counted as late.
  void forget(std::uint64_t id);

  /// Checks the connection, sends stored requests and reads all messages. Never blocks.
  void progress();
  /// The places of this link in a loop's InputPoll. InputPoll::nowhere if it does not wait, or if
  /// `connections` polls for it.
  struct Places {
    std::size_t socket;
    std::size_t connection;
  };
  /// For event loops of paths/: adds the sockets that the link waits for. After the wait, the loop calls
  /// progress(poll, places); if `connections` is readable, it calls progress() on all its links instead.
  /// `alone`: the caller waits for this link only, for any reply and without `connections`.
  Places add_to(InputPoll& poll, bool alone = false);
  void progress(const InputPoll& poll, Places places);
  /// Whether a request waits for the connection. A request that waits for the comparison of clocks does not
  /// count.
  [[nodiscard]] bool has_unsent() const noexcept;
  /// Whether no reply is outstanding.
  [[nodiscard]] bool is_idle() const noexcept;
  /// Whether there is a connection or an attempt.
  [[nodiscard]] bool is_open() const noexcept;
  /// Whether there is a connection, as of the last progress.
  [[nodiscard]] bool is_connected() const noexcept;
  /// Whether the connection was lost for good (WhenLost::end).
  [[nodiscard]] bool has_ended() const noexcept;

  struct Counts {
    std::uint64_t late_replies{0};  ///< replies to requests that were forgotten or answered before
    std::uint64_t malformed_replies{0};
    std::uint64_t lost_connections{0};
    std::uint64_t bytes_sent{0};  ///< of messages, without ZeroMQ's framing
    std::uint64_t bytes_received{0};
    std::uint64_t messages_sent{0};
    std::uint64_t messages_received{0};
    Counts& operator+=(const Counts& other) noexcept;
  };
  [[nodiscard]] Counts counts() const noexcept;

  /// Converts the server's clock to the clock of this network.
  [[nodiscard]] ClockRelation clock_relation() const;

 private:
  struct Parts;
  void check_connection();
  void lose_connection();
  void exchange();
  enum class Until : std::uint8_t { nothing_is_there, nothing_is_outstanding };
  void receive(Until until);
  void wait_for_progress(Deadline deadline);
  std::optional<Reply> look_for(std::uint64_t id);

  Network* network_;
  Progress progress_;
  std::uint64_t last_id_{0};
  std::unique_ptr<Parts> parts_;  // the connection, the requests and the listeners
};

}  // namespace eventspace
