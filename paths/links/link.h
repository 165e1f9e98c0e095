#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "paths/links/network.h"
#include "paths/links/server_clock.h"
#include "paths/wire/wire.h"
#include "tuplespace/operation.h"

namespace zmq {
class message_t;
}

namespace eventspace {

/// A message that went ahead of a reply: its body, and what keeps it.
struct ReplyPart {
  std::shared_ptr<const void> message;
  Bytes body;
};

/// What became of a request: its reply, as kind, envelope and body; or that none will come, as the connection
/// was lost first.
class Reply {
 public:
  static Reply lost(bool sent) noexcept {
    Reply reply;
    reply.sent = sent;
    return reply;
  }
  /// `parsed` lies in `message`.
  Reply(const wire::ParsedHeader& parsed, std::shared_ptr<const void> message, std::uint64_t came_on,
        std::vector<ReplyPart> came_ahead = {}) noexcept
      : kind(parsed.header.kind),
        connection(came_on),
        parts(std::move(came_ahead)),
        message_(std::move(message)),
        envelope_(parsed.envelope),
        body_(parsed.body) {}

  wire::Kind kind{};
  bool sent{true};               ///< the request may have reached the server
  std::uint64_t connection{0};   ///< on which it came, see Link::send
  std::vector<ReplyPart> parts;  ///< that came ahead of it
  [[nodiscard]] bool is_lost() const noexcept { return message_ == nullptr; }
  [[nodiscard]] Bytes envelope() const noexcept { return envelope_; }
  [[nodiscard]] Bytes body() const noexcept { return body_; }
  /// Keeps envelope and body.
  [[nodiscard]] const std::shared_ptr<const void>& message() const noexcept { return message_; }

 private:
  Reply() = default;
  std::shared_ptr<const void> message_;  // as it was received
  Bytes envelope_;
  Bytes body_;
};

/// The end of an open target that takes messages which answer nothing. Called while the link makes progress.
class LinkListener {
 public:
  /// False: the message was more than what was granted; it counts as malformed.
  virtual bool hear_push(Bytes body) = 0;
  virtual void hear_credit(std::uint64_t up_to) = 0;
  /// The connection was lost: the link forgets the listener with this call.
  virtual void hear_loss() = 0;

 protected:
  ~LinkListener() = default;
};

class DescriptorSet;
class InputPoll;

/// Who looks after links while their requests are under way.
enum class Progress : std::uint8_t {
  by_callers,  ///< whoever asks for a reply or waits for it
  by_loop      ///< an event loop: asking for a reply looks at what the loop has filed, and at nothing else
};

/// One connection to a server. Requests are numbered; replies are filed under the number they answer, so
/// that many requests can be under way.
///
/// 1. A request is handed to the network only while the connection stands: until then it waits here, and
///    forgetting it takes it back.
/// 2. When the connection is lost, the replies that came first are filed; then each request that was handed
///    to the network and has no reply is told to be lost. Those that wait here stay, but for those about what
///    was opened on that connection.
/// 3. The connection is made again by itself, unless the network says WhenLost::end: then all requests, later
///    ones too, are lost.
///
/// Each timed request and its reply compare the server's clock with this one; what is known of it survives
/// lost connections. A request after a pause has to wake threads at both ends, and its reply may be large:
/// such an exchange is slow, and tells little. So when the last fast one is a while ago
/// (ServerClock::is_stale) a timed request on an idle link waits until pings, one after the other, have
/// compared the clocks: until one was fast, or some milliseconds have passed, or pings_at_most, or another
/// request comes that is not timed. Counts has their bytes, and their replies only if these are late or
/// malformed.
///
/// 4. Parts of a result (paths/wire/wire.h) wait here for the reply and go with it; no waker is told of them.
/// Once
///    those of one reply have more bytes than one message may have, or are more than may wait for a peer, the
///    rest of them counts as malformed.
///
/// 5. While no reply is outstanding, messages that answer nothing any more may lie in the socket unread: to
///    find it empty, and to be told of what comes to one found empty, cost calls of the system at both ends.
///    They are read before the next reply, or by progress.
///
/// A loss is noticed by progress and by whatever calls it; by send, unless a timed reply came within the last
/// millisecond, and by wait within some milliseconds. A server's process that is stopped is not lost.
/// Not thread-safe: belongs to the thread of its LinkPool.
class Link {
 public:
  /// `connections`, which must outlive it, gets what tells of its connection, for loops with many links.
  Link(Network& network, std::string endpoint, Progress progress = Progress::by_callers,
       DescriptorSet* connections = nullptr);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  [[nodiscard]] const std::string& endpoint() const noexcept { return endpoint_; }
  [[nodiscard]] const Network& network() const noexcept { return *network_; }

  /// The number for the next request; encode the message with it. Those between are for the link's pings.
  [[nodiscard]] std::uint64_t next_id() noexcept { return last_id_ += 1 + pings_at_most; }
  static constexpr std::uint64_t pings_at_most = 4;  ///< before a request
  /// Sends the request, or keeps it until the connection stands. `waker` (may be null) is told of the reply,
  /// or of the loss. False, and nothing is kept, when the message is larger than the network's limit.
  ///
  /// What a server has opened belongs to one connection, and to the next server its number may mean something
  /// else: a request about it names the connection, Reply::connection of the reply that told the number. When
  /// that is not the one that stands any more the request is lost, and was not sent.
  [[nodiscard]] bool send(std::uint64_t id, wire::Message message, Waker* waker,
                          std::optional<std::uint64_t> only_on = std::nullopt);
  /// Sends a message whose reply nobody waits for; it is counted as late.
  void post(std::uint64_t id, wire::Message message, std::optional<std::uint64_t> only_on = std::nullopt);
  /// Nobody waits for the reply any more, but the request goes out.
  void detach(std::uint64_t id);
  /// Changes who is told. A loop leaves replies alone while all of them are to requests of which nobody is
  /// told; whoever polls for them finds them.
  void watch(std::uint64_t id, Waker* waker);
  /// What became of request `id`, once; never waits. Makes progress if it is not known, unless a loop does.
  std::optional<Reply> poll(std::uint64_t id);
  /// What became of request `id`, once; waits until the deadline for it, or until the network is closed.
  std::optional<Reply> wait(std::uint64_t id, Deadline deadline);
  /// Messages that answer nothing and belong to `target`, which was opened on the connection that stands, go
  /// to `listener`, until that is replaced or the connection is lost; null: they are dropped and count as
  /// late. While there are listeners the link reads all that comes.
  void listen(std::uint64_t target, LinkListener* listener);
  /// Takes the request back if it was not sent; its reply, should one come, is dropped and counted.
  void forget(std::uint64_t id);

  /// Looks after the connection, sends what waits and files what has come, without waiting.
  void progress();
  /// Where a loop's InputPoll has what this link waits for; nowhere what it does not, or what `connections`
  /// has.
  struct Places {
    std::size_t socket;
    std::size_t connection;
  };
  /// For event loops of paths/: adds what has to be waited for; after the wait, progress where there is news,
  /// and everywhere if `connections` has some. `alone`: with replies of which nobody is told, and without
  /// `connections`.
  Places add_to(InputPoll& poll, bool alone = false);
  void progress(const InputPoll& poll, Places places);
  /// Whether something waits for the connection; what waits for the clocks to be compared does not.
  [[nodiscard]] bool has_unsent() const noexcept { return !unsent_.empty() && held_ == 0; }
  /// Whether no reply is outstanding.
  [[nodiscard]] bool is_idle() const noexcept { return open_ == 0; }
  /// After a loss; so that who ends each connection at once is not asked for the next without a rest.
  static constexpr std::chrono::milliseconds between_connections{100};
  /// Whether there is a connection, or one is being made.
  [[nodiscard]] bool is_open() const noexcept { return socket_ != nullptr; }
  /// Whether the connection was lost and is not made again.
  [[nodiscard]] bool has_ended() const noexcept { return ended_; }

  struct Counts {
    std::uint64_t late_replies{0};  ///< to requests that were forgotten, or answered before
    std::uint64_t malformed_replies{0};
    std::uint64_t lost_connections{0};
    std::uint64_t bytes_sent{0};  ///< of messages, without what the network adds
    std::uint64_t bytes_received{0};
    Counts& operator+=(const Counts& other) noexcept;
  };
  [[nodiscard]] const Counts& counts() const noexcept { return counts_; }

  /// From the server's clock to that of this network.
  [[nodiscard]] ClockRelation clock_relation() const { return server_clock_.relation(); }

 private:
  struct Socket;
  struct Request {
    Waker* waker{nullptr};
    bool only_here{false};  ///< not on another connection than this one
    bool sent{false};
    std::uint64_t sent_ns{0};  ///< of a timed one
    std::vector<ReplyPart> parts;
    std::size_t part_bytes{0};
    std::optional<Reply> reply;
  };
  struct Unsent {
    std::uint64_t id;
    wire::Message message;
    bool only_here;  ///< of no use on another connection
  };
  using Clock = std::chrono::steady_clock;
  /// The last one of the link's own whose reply has not come; id 0: there is none.
  struct Ping {
    std::uint64_t id{0};
    std::uint64_t sent_ns{0};
  };

  void look_at_connection();
  [[nodiscard]] bool has_heard_lately() const;
  void reopen();
  void lose_connection();
  void exchange();
  void send_unsent();
  enum class Until : std::uint8_t { nothing_is_there, nothing_is_outstanding };
  void receive(Until until);
  /// `request`: null for one that nobody waits for.
  bool transmit(const wire::Message& message, Request* request);
  bool begin_comparing(std::uint64_t id, const wire::Message& message);
  void stop_comparing();
  bool ping(std::uint64_t id);
  void hear_ping(const std::optional<wire::ServerTimes>& times, std::uint64_t arrived_ns);
  template <class Change>
  void change(Request& request, Change how);
  void count(const Request& request, std::ptrdiff_t by) noexcept;
  void remove(std::uint64_t id);
  void file(zmq::message_t& received);
  void file(const wire::ParsedHeader& parsed, std::shared_ptr<const void> message);
  void file_part(const wire::ParsedHeader& parsed, std::shared_ptr<const void> message);
  void file_unasked(const wire::ParsedHeader& parsed);
  void lose_listeners();
  void settle(Request& request, Reply reply);
  void wait_for_progress(Deadline deadline);
  /// Waits a moment for a message, if there is nothing else to do, and files it. Then the connection is not
  /// looked at.
  bool receive_soon(Deadline deadline);
  std::optional<Reply> take(std::uint64_t id);
  std::optional<Reply> look_for(std::uint64_t id);

  Network* network_;
  std::string endpoint_;
  Progress progress_;
  std::size_t max_message_bytes_;
  DescriptorSet* connections_;      // null: each wait asks
  std::unique_ptr<Socket> socket_;  // null after a loss, until it is made anew
  Clock::time_point opened_;
  bool stands_{false};
  bool ended_{false};
  std::uint64_t connection_{1};  // which one it is, or will be
  std::uint64_t heard_ns_{0};    // when its last timed reply came; 0: none has
  std::uint64_t last_id_{0};
  std::deque<Unsent> unsent_;
  std::unordered_map<std::uint64_t, Request> requests_;
  std::unordered_map<std::uint64_t, LinkListener*> listeners_;  // by target
  std::ptrdiff_t open_{0};                                      // requests that have no reply yet
  std::ptrdiff_t told_{0};                                      // of these, those of which somebody is told
  Counts counts_;
  ServerClock server_clock_;
  Ping ping_;
  std::uint64_t held_{0};         // the request that waits for the clocks to be compared; 0: none
  std::uint64_t compared_ns_{0};  // when that was begun last
};

}  // namespace eventspace
