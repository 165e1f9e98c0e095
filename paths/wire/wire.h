#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "paths/views/clock_relation.h"
#include "tuplespace/operation.h"

/// The wire format between a remote stage and a server, version 8. One ZeroMQ frame is one message: a header,
/// an envelope for the two ends of one hop, and a body for the two ends of the whole way.
///
///     0   magic "EVSP"     4   version : 8   kind : 8   timed : 1   reserved : 15 (zero)
///     8   id : 64          of a request: rises with each request of one connection; a reply repeats it
///     16  bytes : 32       of envelope and body together
///     20  envelope bytes : 32
///     24  in timed replies only: received : 64   answered : 64   clock : 64, see ServerTimes
///     24 or 48  envelope: one msgpack array, see the structs below
///               body: any bytes; only operate, done, part, push and pushed have one
///
/// *Envelope.* Each server on the way reads it and writes its own: how long to wait, which operation this is
/// and which result has arrived, whose clock times are on, how many messages went ahead, how it ended and
/// why. *Body.* Request and result of an operation, as the target's kind defines them (paths/bodies/): an
/// operation on an element, a pull, later a stream's packet. A gateway forwards bodies without decoding them,
/// so it need not know the kind.
///
/// A timed request asks for the server's times, a timed reply has them: requests to open, to pull and to ping
/// are timed, so that each pull compares the clocks of both ends at the cost of two readings of each.
///
/// A large result may travel ahead of its reply, in messages of the kind `part` with the request's id. The
/// reply says how many there were, so none can be missing unnoticed. The parts of a reply and the reply have
/// together no more bytes than one message may have, and are no more than may wait for a peer.
///
/// Messages that answer nothing (`push` to the server, `pushed` from it) belong to an open target. Each end
/// sends as many as the other has granted with `credit` or `credited`, and no more: so neither end ever
/// queues more than it offered to.
///
/// Integers of the header are little-endian. Whatever arrives is distrusted: every length is checked before
/// it is used, and nothing allocates more than a small multiple of the message's size.
namespace eventspace::wire {

inline constexpr std::uint8_t protocol_version = 8;
inline constexpr std::size_t header_bytes = 24;
inline constexpr std::size_t times_bytes = 24;

enum class Kind : std::uint8_t {
  open = 1,     ///< OpenRequest -> Opened
  close = 2,    ///< CloseRequest -> Closed (empty envelope)
  operate = 3,  ///< OperateRequest and body -> Done and body
  ping = 4,     ///< empty -> ServerReport
  push = 5,     ///< Push and body; no reply unless it is refused
  credit = 6,   ///< Credit, for `pushed`; no reply unless it is refused
  opened = 17,
  closed = 18,
  done = 19,
  report = 20,
  part = 21,      ///< empty envelope and body: goes ahead of the Done that answers the same request
  pushed = 22,    ///< Push and body; its id counts those of the target, from 1
  credited = 23,  ///< Credit, for `push`
  failed = 31     ///< Failure, instead of any of the replies
};

/// Why a message was refused.
enum class Fault : std::uint8_t {
  truncated = 1,  ///< shorter than its header, or than its header says
  foreign,        ///< does not start with the magic, or reserved bits are set
  version,
  oversized,
  kind,      ///< unknown, or not what is expected here
  body,      ///< not what the kind promises
  replayed,  ///< a request id that is not above the connection's last one
  target,    ///< no such open target, or nothing of that name to open
  busy,      ///< too many open targets or connections, or an operation is under way on the target
  verb,      ///< the target's kind does not take this verb
  credit     ///< more pushes than were granted
};
std::string_view to_string(Fault fault) noexcept;
inline constexpr std::size_t fault_count = 12;

struct Header {
  Kind kind{};
  std::uint64_t id{0};
  bool timed{false};
};

/// When a server had a request and answered it, in nanoseconds of its NodeClock, and whose clock that is.
struct ServerTimes {
  std::uint64_t received_ns{0};
  std::uint64_t answered_ns{0};
  std::uint64_t clock{0};  ///< NodeClock::identity
  friend bool operator==(const ServerTimes&, const ServerTimes&) = default;
};

struct ParsedHeader {
  std::optional<Fault> fault;
  Header header;                       ///< id is right whenever the header was long enough and ours
  Bytes envelope{};                    ///< into the message
  Bytes body{};                        ///< into the message
  std::optional<ServerTimes> times{};  ///< of a timed reply
};
ParsedHeader parse_header(Bytes message, std::size_t max_message_bytes) noexcept;

/// Opens a target, on which operations can be done.
struct OpenRequest {
  std::string kind;                ///< registered with the server: "element", "path", "scope"
  std::vector<std::byte> spec;     ///< says which one, as its kind defines it
  std::vector<std::string> route;  ///< servers to pass, each forwarding to the next
  /// The target stands for the peer's part in something that others share: however long it is unused, it is
  /// open while the peer is connected, and not a moment longer.
  bool held{false};
};
struct Opened {
  std::uint64_t target{0};
};
struct CloseRequest {
  std::uint64_t target{0};
  /// With target 0: the one that this request opened, whose reply has not come yet.
  std::uint64_t opened_by{0};
  /// When it is not empty, of a held target: that stays open, and is broken off (Stage::break_off).
  std::string why{};
};

/// An operation on an open target; the body is its kind's.
struct OperateRequest {
  std::uint64_t target{0};
  Verb verb{Verb::read};
  std::int64_t wait_us{-1};  ///< how long the server may take; -1 for ever, 0 not at all
  std::uint64_t id{0};       ///< OperationBody::id; 0: the operation has no body
  std::uint64_t after{0};    ///< OperationBody::after
};

/// The outcome of an operation; the body is its kind's, and may be empty unless the status is ok.
struct Done {
  Status status{Status::ok};
  std::string reason{};    ///< unless ok: what was wrong, when it is known
  std::uint64_t parts{0};  ///< messages that went ahead of this one
  /// From the clock that times in the body are on to the answering server's; nothing: they are on the
  /// server's, or there are none.
  std::optional<ClockRelation> clocks{};
};

/// A message that answers nothing, from or to an open target.
struct Push {
  std::uint64_t target{0};
};
/// Says how many pushes of the target the peer may have sent in all, since it was opened.
struct Credit {
  std::uint64_t target{0};
  std::uint64_t up_to{0};
};

struct Failure {
  Fault fault{};
  std::string text;
};

/// What a server says of itself.
struct ServerReport {
  std::string name;
  std::string session;
  std::uint64_t fingerprint{0};
  std::int32_t pid{0};
  std::uint64_t requests{0};
  std::uint64_t open_targets{0};
  std::uint64_t connections{0};
  std::uint64_t handshakes_refused{0};  ///< connections that did not speak ZeroMQ's protocol
  std::uint64_t undeliverable{0};       ///< replies whose receiver was gone or did not drain
  std::vector<std::uint64_t> refused;   ///< by Fault, fault_count entries
};

using Message = std::vector<std::byte>;

/// Whether a reply has room for the times of its server, which set_times fills in.
enum class Timing : bool { untimed = false, timed = true };

Message encode(Kind kind, std::uint64_t id);  ///< with an empty envelope
Message encode(std::uint64_t id, const OpenRequest& request);
Message encode(std::uint64_t id, const Opened& reply, Timing timing = Timing::untimed);
Message encode(std::uint64_t id, const CloseRequest& request);
Message encode(std::uint64_t id, const OperateRequest& request);
Message encode(std::uint64_t id, const Done& reply, Timing timing = Timing::untimed);
Message encode(Kind kind, std::uint64_t id, const Push& push);      ///< push or pushed
Message encode(Kind kind, std::uint64_t id, const Credit& credit);  ///< credit or credited
Message encode(std::uint64_t id, const Failure& reply);
Message encode(std::uint64_t id, const ServerReport& reply, Timing timing = Timing::untimed);

/// To be called after a body was appended to what encode made: the header then counts it.
void seal(Message& message) noexcept;

/// How many bytes a part has at most beside its body.
inline constexpr std::size_t part_overhead = header_bytes + 1;
/// How many bytes the body of a Done may have for the message to have `message_bytes` at most, whatever else
/// is in the envelope but reason, parts and clocks.
[[nodiscard]] std::size_t most_body_bytes(std::size_t message_bytes) noexcept;

/// Whether `message`, which encode made, is timed.
[[nodiscard]] bool is_timed(const Message& message) noexcept;
/// Of a timed reply that encode made.
void set_times(Message& reply, const ServerTimes& times) noexcept;

/// Each yields nothing when the envelope is not what its kind promises.
std::optional<OpenRequest> decode_open(Bytes envelope);
std::optional<Opened> decode_opened(Bytes envelope);
std::optional<CloseRequest> decode_close(Bytes envelope);
std::optional<OperateRequest> decode_operate(Bytes envelope);
std::optional<Done> decode_done(Bytes envelope);
std::optional<Push> decode_push(Bytes envelope);
std::optional<Credit> decode_credit(Bytes envelope);
std::optional<Failure> decode_failure(Bytes envelope);
std::optional<ServerReport> decode_report(Bytes envelope);

}  // namespace eventspace::wire
