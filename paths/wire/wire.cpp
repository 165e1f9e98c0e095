#include "paths/wire/wire.h"

#include <algorithm>
#include <array>
#include <utility>

#include "paths/wire/envelopes.h"
#include "paths/wire/little_endian.h"

namespace eventspace::wire {
namespace {

using little_endian::load;
using little_endian::store;

constexpr std::size_t flags_offset = 6;
constexpr std::uint16_t timed_flag = 1;
constexpr std::array<std::byte, 4> magic{std::byte{'E'}, std::byte{'V'}, std::byte{'S'}, std::byte{'P'}};

ServerTimes load_times(const std::byte* at) noexcept {
  return {load<std::uint64_t>(at), load<std::uint64_t>(at + 8), load<std::uint64_t>(at + 16)};
}

bool is_known(Kind kind) noexcept {
  switch (kind) {
    case Kind::open:
    case Kind::close:
    case Kind::operate:
    case Kind::ping:
    case Kind::push:
    case Kind::credit:
    case Kind::cancel:
    case Kind::opened:
    case Kind::closed:
    case Kind::done:
    case Kind::report:
    case Kind::part:
    case Kind::pushed:
    case Kind::credited:
    case Kind::failed:
      return true;
  }
  return false;
}

bool is_reply(Kind kind) noexcept { return kind >= Kind::opened; }

// The reserved bits of the header are zero.
constexpr std::size_t bytes_offset = 16;
constexpr std::size_t envelope_bytes_offset = 20;

std::size_t envelope_offset(Kind kind, bool timed) noexcept {
  return header_bytes + (timed && is_reply(kind) ? times_bytes : 0);
}

Message with_header(Kind kind, std::uint64_t id, Timing timing) {
  constexpr std::size_t expected_bytes = 100;  // of an envelope; most are smaller
  const bool timed = timing == Timing::timed;
  const std::size_t offset = envelope_offset(kind, timed);
  Message message;
  message.reserve(offset + expected_bytes);
  message.resize(offset);
  std::copy(magic.begin(), magic.end(), message.begin());
  message[4] = static_cast<std::byte>(protocol_version);
  message[5] = static_cast<std::byte>(kind);
  store<std::uint16_t>(message.data() + flags_offset, timed ? timed_flag : 0);
  store<std::uint64_t>(message.data() + 8, id);
  return message;
}

Message ended(Message message, Timing timing) {
  const auto kind = static_cast<Kind>(message[5]);
  const auto bytes =
      static_cast<std::uint32_t>(message.size() - envelope_offset(kind, timing == Timing::timed));
  store<std::uint32_t>(message.data() + bytes_offset, bytes);
  store<std::uint32_t>(message.data() + envelope_bytes_offset, bytes);
  return message;
}

template <class T>
Message make(Kind kind, std::uint64_t id, Timing timing, const T& envelope) {
  Message message = with_header(kind, id, timing);
  append(message, envelope);
  return ended(std::move(message), timing);
}

}  // namespace

std::string_view to_string(Fault fault) noexcept {
  switch (fault) {
    case Fault::truncated:
      return "truncated";
    case Fault::foreign:
      return "foreign";
    case Fault::version:
      return "version";
    case Fault::oversized:
      return "oversized";
    case Fault::kind:
      return "kind";
    case Fault::body:
      return "body";
    case Fault::replayed:
      return "replayed";
    case Fault::target:
      return "target";
    case Fault::busy:
      return "busy";
    case Fault::verb:
      return "verb";
    case Fault::credit:
      return "credit";
  }
  return "?";
}

ParsedHeader parse_header(Bytes message, std::size_t max_message_bytes) noexcept {
  if (message.size() < header_bytes) return {Fault::truncated, {}};
  if (!std::equal(magic.begin(), magic.end(), message.begin())) return {Fault::foreign, {}};
  const auto flags = load<std::uint16_t>(message.data() + flags_offset);
  const Header header{static_cast<Kind>(message[5]), load<std::uint64_t>(message.data() + 8),
                      (flags & timed_flag) != 0};
  const auto version = static_cast<std::uint8_t>(message[4]);
  if (version != protocol_version) return {Fault::version, header, {}, {}, {}, version};
  if ((flags & ~timed_flag) != 0) return {Fault::foreign, header};
  if (message.size() > max_message_bytes) return {Fault::oversized, header};
  const bool known = is_known(header.kind);
  const std::size_t offset = envelope_offset(header.kind, header.timed && known);
  if (message.size() < offset) return {Fault::truncated, header};
  const Bytes rest = message.subspan(offset);
  const auto envelope_bytes = load<std::uint32_t>(message.data() + envelope_bytes_offset);
  if (load<std::uint32_t>(message.data() + bytes_offset) != rest.size() || envelope_bytes > rest.size())
    return {Fault::truncated, header};
  if (!known) return {Fault::kind, header};
  ParsedHeader parsed{std::nullopt, header, rest.first(envelope_bytes), rest.subspan(envelope_bytes)};
  if (offset > header_bytes) parsed.times = load_times(message.data() + header_bytes);
  return parsed;
}

bool may_be_unasked(Bytes message) noexcept {
  if (message.size() < header_bytes) return false;
  const auto kind = static_cast<Kind>(message[5]);
  return kind == Kind::pushed || kind == Kind::credited;
}

void seal(Message& message) noexcept {
  const std::size_t offset = envelope_offset(static_cast<Kind>(message[5]), is_timed(message));
  store<std::uint32_t>(message.data() + bytes_offset, static_cast<std::uint32_t>(message.size() - offset));
}

bool is_timed(const Message& message) noexcept {
  return (load<std::uint16_t>(message.data() + flags_offset) & timed_flag) != 0;
}

void set_times(Message& reply, const ServerTimes& times) noexcept {
  std::byte* const at = reply.data() + header_bytes;
  store(at, times.received_ns);
  store(at + 8, times.answered_ns);
  store(at + 16, times.clock);
}

Message encode(Kind kind, std::uint64_t id) {
  const Timing timing = kind == Kind::ping ? Timing::timed : Timing::untimed;
  Message message = with_header(kind, id, timing);
  msgpack_body::write_into(message, [](EntryWriter writer) { writer.array(0); });
  return ended(std::move(message), timing);
}

Message encode(std::uint64_t id, const OpenRequest& request) {
  return make(Kind::open, id, Timing::timed, request);
}
Message encode(std::uint64_t id, const Opened& reply, Timing timing) {
  return make(Kind::opened, id, timing, reply);
}
Message encode(std::uint64_t id, const CloseRequest& request) {
  return make(Kind::close, id, Timing::untimed, request);
}
Message encode(std::uint64_t id, const OperateRequest& request) {
  const Timing timing = request.verb == Verb::pull ? Timing::timed : Timing::untimed;
  return make(Kind::operate, id, timing, request);
}
Message encode(std::uint64_t id, const Done& reply, Timing timing) {
  return make(Kind::done, id, timing, reply);
}
Message encode(std::uint64_t id, const Cancel& request) {
  return make(Kind::cancel, id, Timing::untimed, request);
}
Message encode(Kind kind, std::uint64_t id, const Push& push) {
  return make(kind, id, Timing::untimed, push);
}
Message encode(Kind kind, std::uint64_t id, const Credit& credit) {
  return make(kind, id, Timing::untimed, credit);
}
Message encode(std::uint64_t id, const Failure& reply) {
  return make(Kind::failed, id, Timing::untimed, reply);
}
Message encode(std::uint64_t id, const ServerReport& reply, Timing timing) {
  return make(Kind::report, id, timing, reply);
}

template <class Envelope>
std::optional<Envelope> decode(Bytes envelope) {
  return decoded<Envelope>(envelope);
}
template std::optional<OpenRequest> decode(Bytes envelope);
template std::optional<Opened> decode(Bytes envelope);
template std::optional<CloseRequest> decode(Bytes envelope);
template std::optional<OperateRequest> decode(Bytes envelope);
template std::optional<Done> decode(Bytes envelope);
template std::optional<Cancel> decode(Bytes envelope);
template std::optional<Push> decode(Bytes envelope);
template std::optional<Credit> decode(Bytes envelope);
template std::optional<Failure> decode(Bytes envelope);
template std::optional<ServerReport> decode(Bytes envelope);

std::size_t max_body_bytes(std::size_t message_bytes) noexcept {
  constexpr std::size_t rest = header_bytes + size_bounds<Done>.least;
  return message_bytes > rest ? message_bytes - rest : 0;
}

}  // namespace eventspace::wire
