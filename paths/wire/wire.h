#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "paths/views/view.h"
#include "tuplespace/operation.h"

/// The wire format between a remote stage and a server, version 7. One ZeroMQ frame is one message:
///
///     0   magic "EVSP"     4   version : 8   kind : 8   timed : 1   reserved : 15 (zero)
///     8   request id : 64 (rises with each request of one connection; a reply repeats it)
///     16  body bytes : 32  20  reserved : 32 (zero)
///     24  in timed replies only: received : 64   answered : 64   clock : 64, see ServerTimes
///     24 or 48  body: one msgpack array, see the structs below
///
/// A timed request asks for the server's times, a timed reply has them: those to open something, to pull and
/// to ping are, so that each pull compares the clocks of both ends at the cost of two readings of each.
///
/// Integers of the header are little-endian, and so are the numbers of a process, one block of words
/// (process_codec.cpp). Trace tuples travel as one binary block with layout version and
/// byte order beside it; a reader of the other order swaps the words.
///
/// Records of a large view travel ahead of the reply that has the rest of it, in messages of the kind `part`
/// with the request's id: they are on their way while the server reads on. The reply says how many there
/// were, so that none can be missing unnoticed. A part has one record at least; the parts of a view and its
/// reply have together no more bytes than one message may have, and are no more than may wait for a peer.
///
/// Whatever arrives is distrusted: every length is checked before it is used, and nothing allocates more than
/// a small multiple of the message's size.
namespace eventspace::wire {

inline constexpr std::uint8_t protocol_version = 7;
inline constexpr std::size_t header_bytes = 24;
inline constexpr std::size_t times_bytes = 24;

enum class Kind : std::uint8_t {
  open = 1,     ///< OpenRequest -> Opened
  close = 2,    ///< CloseRequest -> Closed (empty body)
  operate = 3,  ///< OperateRequest -> Done
  ping = 4,     ///< empty -> ServerReport
  opened = 17,
  closed = 18,
  done = 19,
  report = 20,
  part = 21,   ///< records of a view whose Done follows, see encode_part
  failed = 31  ///< Failure, instead of any of the replies
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
  busy       ///< too many open targets or connections, or an operation is under way on the target
};
std::string_view to_string(Fault fault) noexcept;
inline constexpr std::size_t fault_count = 10;

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
  Bytes body;                          ///< into the message
  std::optional<ServerTimes> times{};  ///< of a timed reply
};
ParsedHeader parse_header(Bytes message, std::size_t max_message_bytes) noexcept;

/// Opens what operations can be done on. `route`: servers to pass, each forwarding to the next.
struct OpenRequest {
  std::string kind;  ///< registered with the server: "element", "path", "scope"
  std::vector<std::byte> spec;
  std::vector<std::string> route;
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

/// An operation on an open target. `wait_us`: how long the server may take; -1 for ever, 0 not at all.
struct OperateRequest {
  std::uint64_t target{0};
  Verb verb{Verb::read};
  From from{From::oldest};
  std::uint64_t sequence{0};
  std::int64_t wait_us{-1};
  Tuple tuple;
  std::optional<Template> match;
  std::uint64_t pull_id{0};
  std::uint64_t pull_after{0};
  bool with_threads{false};
  std::chrono::nanoseconds look_back{std::chrono::nanoseconds::max()};
};

/// The outcome. `view` for Verb::pull only.
struct Done {
  Status status{Status::ok};
  std::uint64_t sequence{0};
  std::uint64_t missed{0};
  std::string reason;
  Tuple tuple;
  std::optional<View> view;
};

/// How many bytes the tuple of a Done may have for the message to have `message_bytes` at most, whatever else
/// is in it but reason and view.
[[nodiscard]] std::size_t most_tuple_bytes(std::size_t message_bytes) noexcept;

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

Message encode(Kind kind, std::uint64_t id);  ///< with an empty body
Message encode(std::uint64_t id, const OpenRequest& request);
Message encode(std::uint64_t id, const Opened& reply, Timing timing = Timing::untimed);
Message encode(std::uint64_t id, const CloseRequest& request);
Message encode(std::uint64_t id, const OperateRequest& request);
Message encode(std::uint64_t id, const Done& reply, Timing timing = Timing::untimed);
Message encode(std::uint64_t id, const Failure& reply);
Message encode(std::uint64_t id, const ServerReport& reply, Timing timing = Timing::untimed);

/// How many bytes a part has at most beside its records.
inline constexpr std::size_t part_overhead = header_bytes + 8;

/// Trace tuples in this machine's byte order, from several places, for whoever gets the view in `order`.
Message encode_part(std::uint64_t id, std::span<const Bytes> pieces, ByteOrder order);

/// Whether `message`, which encode made, is timed.
[[nodiscard]] bool is_timed(const Message& message) noexcept;
/// Of a timed reply that encode made.
void set_times(Message& reply, const ServerTimes& times) noexcept;

/// Each yields nothing when the body is not what its kind promises.
std::optional<OpenRequest> decode_open(Bytes body);
std::optional<Opened> decode_opened(Bytes body);
std::optional<CloseRequest> decode_close(Bytes body);
std::optional<OperateRequest> decode_operate(Bytes body);
/// `message` keeps the body: records stay in it, as a block of the view. Null: they are copied.
std::optional<Done> decode_done(Bytes body, const std::shared_ptr<const void>& message = nullptr);
/// `message` keeps the body.
std::optional<RecordBlock> decode_part(Bytes body, const std::shared_ptr<const void>& message);
std::optional<Failure> decode_failure(Bytes body);
std::optional<ServerReport> decode_report(Bytes body);

}  // namespace eventspace::wire
