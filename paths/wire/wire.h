#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <eventspace/operation.h>
#include "paths/views/clock_relation.h"

/// The wire format between a remote stage and a server, version 16. One ZeroMQ frame is one message: a
/// header, an envelope for the two ends of one hop, and a body for the two ends of the whole way. The
/// functions here encode and decode messages; they are pure and thread-safe, and report malformed input as
/// values.
///
///     0   magic "EVSP"     4   version : 8   kind : 8   timed : 1   reserved : 15 (zero)
///     8   id : 64          rises with each request of one connection; a reply repeats the id of its request
///     16  bytes : 32       of envelope and body together
///     20  envelope bytes : 32
///     24  in timed replies only: received : 64   answered : 64   clock : 64, see ServerTimes
///     24 or 48  envelope: one msgpack array, see the structs below
///               body: any bytes; only operate, done, part, push and pushed have one
///
/// *Envelope.* Each server on the way reads it and writes a new one. It holds the time to wait, the number of
/// the operation and of the last result that arrived, the clock relation, the number of parts sent ahead, the
/// status and the reason. *Body.* The request and the result of an operation, as the target's kind defines
/// them (paths/bodies/): an operation on an element, a pull, later a stream's packet. A gateway forwards
/// bodies without decoding them, so it need not know the kind.
///
/// A timed request requests the server's times, and a timed reply contains them. Requests to open, to pull
/// and to ping are timed, so that each pull compares the clocks of both ends at the cost of two readings of
/// each.
///
/// Parts of a large result may be sent ahead of its reply, in messages of the kind `part` with the request's
/// id. The reply has their number, so a missing part is noticed. A reply and its parts together have at most
/// NetworkLimits::message_bytes, and are at most NetworkLimits::queued_messages messages.
///
/// Messages that are not replies (`push` to the server, `pushed` from it) belong to an open target. Each end
/// sends at most as many as the other has granted with `credit` or `credited`, so neither end queues more
/// than it offered to.
///
/// Integers of the header are little-endian. Received messages are not trusted: every length is checked
/// before it is used, and decoding allocates no more than a small multiple of the message's size.
namespace eventspace::wire {

inline constexpr std::uint8_t protocol_version = 16;
inline constexpr std::size_t header_bytes = 24;
inline constexpr std::size_t times_bytes = 24;

enum class Kind : std::uint8_t {
  open = 1,     ///< OpenRequest -> Opened
  close = 2,    ///< CloseRequest -> Closed (empty envelope)
  operate = 3,  ///< OperateRequest and body -> Done and body
  ping = 4,     ///< empty -> ServerReport
  push = 5,     ///< Push and body; no reply unless it is refused
  credit = 6,   ///< Credit, for `pushed`; no reply unless it is refused
  cancel = 7,   ///< Cancel; no reply unless it is refused, as the operation has one
  opened = 17,
  closed = 18,
  done = 19,
  report = 20,
  part = 21,      ///< empty envelope, and body; sent ahead of the Done that answers the same request
  pushed = 22,    ///< Push and body; its id counts the pushes of the target, from 1
  credited = 23,  ///< Credit, for `push`
  failed = 31     ///< Failure, instead of any other reply
};

/// Why a message was refused.
enum class Fault : std::uint8_t {
  truncated = 1,  ///< shorter than its header, or than the size in its header
  foreign,        ///< does not start with the magic, or reserved bits are set
  version,
  oversized,
  kind,      ///< unknown, or not expected by the receiver
  body,      ///< envelope or body do not have the format of the message's kind
  replayed,  ///< a request id that is not larger than the connection's last id
  target,    ///< the target is not open, or cannot be opened
  busy,      ///< too many open targets, or a part of the result could not be sent
  verb,      ///< the target's kind does not accept this verb
  credit     ///< more pushes than were granted
};
std::string_view to_string(Fault fault) noexcept;
inline constexpr std::size_t fault_count = 12;

struct Header {
  Kind kind{};
  std::uint64_t id{0};
  bool timed{false};
};

/// The times when a server received a request and answered it, in nanoseconds of its NodeClock.
struct ServerTimes {
  std::uint64_t received_ns{0};
  std::uint64_t answered_ns{0};
  std::uint64_t clock{0};  ///< NodeClock::identity
  friend bool operator==(const ServerTimes&, const ServerTimes&) = default;
};

/// The sections of a message. If there is a fault, only the header's id is valid, and only if the message has
/// a header of this protocol; with Fault::version also the version.
struct ParsedHeader {
  std::optional<Fault> fault;
  Header header;
  Bytes envelope{};                        ///< into the message
  Bytes body{};                            ///< into the message
  std::optional<ServerTimes> times{};      ///< of a timed reply
  std::uint8_t version{protocol_version};  ///< that the sender uses
};
ParsedHeader parse_header(Bytes message, std::size_t max_message_bytes) noexcept;
/// Whether a message, which is not checked, claims to be a push or a grant, which does not answer a request.
[[nodiscard]] bool may_be_unasked(Bytes message) noexcept;

/// Requests to open a target, on which operations can then be performed.
struct OpenRequest {
  std::string kind;                            ///< registered with the server: "element", "path", "scope"
  std::vector<std::byte> spec;                 ///< names the target, in the format of its kind
  std::vector<std::string> route;              ///< endpoints of servers to pass; each forwards to the next
  static constexpr std::size_t max_hops = 16;  ///< in `route`; more are refused
  /// Ties the target to the connection: it is without a lease and stays open, however long it is unused,
  /// until the peer closes it or is gone. For a peer's membership in a collective.
  bool held{false};
};
struct Opened {
  std::uint64_t target{0};
};
struct CloseRequest {
  std::uint64_t target{0};
  /// If `target` is 0: id of the open request of the target, for a peer that does not know its number yet.
  std::uint64_t opened_by{0};
  /// If not empty, the target, which must be held, stays open and is broken off (Stage::break_off).
  std::string why{};
};

/// An operation on an open target; the body is its kind's.
struct OperateRequest {
  std::uint64_t target{0};
  Verb verb{Verb::read};
  std::int64_t wait_us{
      -1};                 ///< how long the server may wait, in microseconds; -1 without limit, 0 not at all
  std::uint64_t id{0};     ///< OperationBody::id; 0 if the operation is without a body
  std::uint64_t after{0};  ///< OperationBody::after
};

/// The outcome of an operation; the body is its kind's, and may be empty unless the status is ok.
struct Done {
  Status status{Status::ok};
  std::string reason{};    ///< unless the status is ok: the cause, if known
  std::uint64_t parts{0};  ///< number of parts that were sent ahead of this message
  /// Converts times in the body to the clock of the answering server. Nullopt if they are already by that
  /// clock, or if there are none.
  std::optional<ClockRelation> clocks{};
};

/// Ends an operation early: its server answers it at once, with what has happened. Without effect if the
/// server has answered it before.
struct Cancel {
  std::uint64_t target{0};
  std::uint64_t request{0};  ///< the header's id of the operation
};

/// A message from or to an open target that is not a reply.
struct Push {
  std::uint64_t target{0};
};
/// Grants the receiver `up_to` pushes in all since the target was opened.
struct Credit {
  std::uint64_t target{0};
  std::uint64_t up_to{0};
};

struct Failure {
  Fault fault{};
  std::string text;
};

/// A server's description of itself, and its counters.
struct ServerReport {
  std::string name;
  std::string session;
  std::uint64_t fingerprint{0};
  std::int32_t pid{0};
  std::uint64_t requests{0};
  std::uint64_t open_targets{0};
  std::uint64_t connections{0};
  std::uint64_t handshakes_refused{0};  ///< connections that did not speak ZeroMQ's protocol
  std::uint64_t undeliverable{0};       ///< messages to peers that were gone or did not read
  std::vector<std::uint64_t> refused;   ///< by Fault, fault_count entries
};

using Message = std::vector<std::byte>;

/// Whether a reply has room for the server's times, which set_times fills in.
enum class Timing : bool { untimed = false, timed = true };

Message encode(Kind kind, std::uint64_t id);  ///< with an empty envelope
Message encode(std::uint64_t id, const OpenRequest& request);
Message encode(std::uint64_t id, const Opened& reply, Timing timing = Timing::untimed);
Message encode(std::uint64_t id, const CloseRequest& request);
Message encode(std::uint64_t id, const OperateRequest& request);
Message encode(std::uint64_t id, const Done& reply, Timing timing = Timing::untimed);
Message encode(std::uint64_t id, const Cancel& request);
Message encode(Kind kind, std::uint64_t id, const Push& push);      ///< push or pushed
Message encode(Kind kind, std::uint64_t id, const Credit& credit);  ///< credit or credited
Message encode(std::uint64_t id, const Failure& reply);
Message encode(std::uint64_t id, const ServerReport& reply, Timing timing = Timing::untimed);

/// Writes the final size into the header. Must be called after a body was appended to an encoded message.
void seal(Message& message) noexcept;

/// The maximum size of a part besides its body, in bytes.
inline constexpr std::size_t part_overhead = header_bytes + 1;
/// The largest body of a Done, in bytes, that fits into a message of `message_bytes` if the envelope has no
/// reason, parts or clocks.
[[nodiscard]] std::size_t max_body_bytes(std::size_t message_bytes) noexcept;

/// Whether an encoded message is timed.
[[nodiscard]] bool is_timed(const Message& message) noexcept;
/// Writes the times into an encoded timed reply.
void set_times(Message& reply, const ServerTimes& times) noexcept;

/// Decodes an envelope: one of the structs above that `encode` takes. Returns nothing if the envelope does
/// not have their format.
template <class Envelope>
[[nodiscard]] std::optional<Envelope> decode(Bytes envelope);

}  // namespace eventspace::wire
