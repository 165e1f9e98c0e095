#include "paths/wire/wire.h"

#include <array>
#include <type_traits>

#include "paths/wire/little_endian.h"
#include "paths/wire/msgpack_body.h"
#include "paths/wire/relation_codec.h"

namespace eventspace::wire {
namespace {

using little_endian::load;
using little_endian::store;
using msgpack_body::BodyError;
using msgpack_body::Entries;
using msgpack_body::Packer;

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

template <class Fill>
Message make(Kind kind, std::uint64_t id, Timing timing, Fill fill) {
  constexpr std::size_t expected_bytes = 100;  // of an envelope; most are smaller
  const bool timed = timing == Timing::timed;
  const std::size_t offset = envelope_offset(kind, timed);
  Message message;
  message.reserve(offset + expected_bytes);
  message.resize(offset);
  msgpack_body::pack_into(message, fill);
  std::copy(magic.begin(), magic.end(), message.begin());
  message[4] = static_cast<std::byte>(protocol_version);
  message[5] = static_cast<std::byte>(kind);
  store<std::uint16_t>(message.data() + flags_offset, timed ? timed_flag : 0);
  store<std::uint64_t>(message.data() + 8, id);
  const auto bytes = static_cast<std::uint32_t>(message.size() - offset);
  store<std::uint32_t>(message.data() + bytes_offset, bytes);
  store<std::uint32_t>(message.data() + envelope_bytes_offset, bytes);
  return message;
}

using RelationWriter = msgpack_body::WordWriter<msgpack_body::words_of_relation>;
using RelationReader = msgpack_body::WordReader<msgpack_body::words_of_relation>;

// A missing relation is encoded as no bytes.
void pack_clocks(Packer& packer, const std::optional<ClockRelation>& clocks) {
  if (!clocks) return msgpack_body::pack_bytes(packer, {});
  RelationWriter words;
  msgpack_body::write_relation(words, *clocks);
  msgpack_body::pack_bytes(packer, words.block());
}

std::optional<ClockRelation> read_clocks(Bytes block) {
  if (block.empty()) return std::nullopt;
  RelationReader words(block);
  return msgpack_body::read_relation(words);
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
  return make(kind, id, timing, [](Packer& packer) { packer.pack_array(0); });
}

Message encode(std::uint64_t id, const OpenRequest& request) {
  return make(Kind::open, id, Timing::timed, [&](Packer& packer) {
    packer.pack_array(4);
    packer.pack(request.kind);
    msgpack_body::pack_bytes(packer, request.spec);
    packer.pack(request.route);
    packer.pack(request.held);
  });
}

std::optional<OpenRequest> decode_open(Bytes envelope) {
  return msgpack_body::read_array(envelope, [](Entries& entries) {
    OpenRequest request;
    request.kind = entries.text();
    const Bytes spec = entries.bytes();
    request.spec.assign(spec.begin(), spec.end());
    Entries route = entries.array();
    if (route.left() > OpenRequest::max_hops)
      throw BodyError();  // each server on the route does work for
                          // it
    while (route.more()) request.route.emplace_back(route.text());
    request.held = entries.boolean();
    return request;
  });
}

Message encode(std::uint64_t id, const Opened& reply, Timing timing) {
  return make(Kind::opened, id, timing, [&](Packer& packer) {
    packer.pack_array(1);
    packer.pack(reply.target);
  });
}

std::optional<Opened> decode_opened(Bytes envelope) {
  return msgpack_body::read_array(envelope,
                                  [](Entries& entries) { return Opened{entries.integer<std::uint64_t>()}; });
}

Message encode(std::uint64_t id, const CloseRequest& request) {
  return make(Kind::close, id, Timing::untimed, [&](Packer& packer) {
    packer.pack_array(3);
    packer.pack(request.target);
    packer.pack(request.opened_by);
    packer.pack(request.why);
  });
}

std::optional<CloseRequest> decode_close(Bytes envelope) {
  return msgpack_body::read_array(envelope, [](Entries& entries) {
    CloseRequest request;
    request.target = entries.integer<std::uint64_t>();
    request.opened_by = entries.integer<std::uint64_t>();
    request.why = entries.shown_text();
    return request;
  });
}

Message encode(std::uint64_t id, const OperateRequest& request) {
  const Timing timing = request.verb == Verb::pull ? Timing::timed : Timing::untimed;
  return make(Kind::operate, id, timing, [&](Packer& packer) {
    packer.pack_array(5);
    packer.pack(request.target);
    packer.pack(static_cast<std::uint8_t>(request.verb));
    packer.pack(request.wait_us);
    packer.pack(request.id);
    packer.pack(request.after);
  });
}

std::optional<OperateRequest> decode_operate(Bytes envelope) {
  return msgpack_body::read_array(envelope, [](Entries& entries) {
    OperateRequest request;
    request.target = entries.integer<std::uint64_t>();
    request.verb = entries.enumeration(Verb::write, Verb::exchange);
    request.wait_us = entries.integer<std::int64_t>();
    if (request.wait_us < -1) throw BodyError();
    request.id = entries.integer<std::uint64_t>();
    request.after = entries.integer<std::uint64_t>();
    return request;
  });
}

Message encode(std::uint64_t id, const Done& reply, Timing timing) {
  return make(Kind::done, id, timing, [&](Packer& packer) {
    packer.pack_array(4);
    packer.pack(static_cast<std::uint8_t>(reply.status));
    packer.pack(reply.reason);
    packer.pack(reply.parts);
    pack_clocks(packer, reply.clocks);
  });
}

std::size_t max_body_bytes(std::size_t message_bytes) noexcept {
  // An array with status, empty reason, no parts and no clocks.
  constexpr std::size_t rest = header_bytes + 1 + 1 + 1 + 1 + 2;
  return message_bytes > rest ? message_bytes - rest : 0;
}

std::optional<Done> decode_done(Bytes envelope) {
  return msgpack_body::read_array(envelope, [](Entries& entries) {
    Done reply;
    reply.status = entries.enumeration(Status::ok, Status::refused);
    if (reply.status == Status::under_way) throw BodyError();  // a reply ends the operation
    reply.reason = entries.shown_text();
    reply.parts = entries.integer<std::uint64_t>();
    reply.clocks = read_clocks(entries.bytes());
    return reply;
  });
}

Message encode(Kind kind, std::uint64_t id, const Push& push) {
  return make(kind, id, Timing::untimed, [&](Packer& packer) {
    packer.pack_array(1);
    packer.pack(push.target);
  });
}

std::optional<Push> decode_push(Bytes envelope) {
  return msgpack_body::read_array(envelope,
                                  [](Entries& entries) { return Push{entries.integer<std::uint64_t>()}; });
}

Message encode(Kind kind, std::uint64_t id, const Credit& credit) {
  return make(kind, id, Timing::untimed, [&](Packer& packer) {
    packer.pack_array(2);
    packer.pack(credit.target);
    packer.pack(credit.up_to);
  });
}

std::optional<Credit> decode_credit(Bytes envelope) {
  return msgpack_body::read_array(envelope, [](Entries& entries) {
    Credit credit;
    credit.target = entries.integer<std::uint64_t>();
    credit.up_to = entries.integer<std::uint64_t>();
    return credit;
  });
}

Message encode(std::uint64_t id, const Failure& reply) {
  return make(Kind::failed, id, Timing::untimed, [&](Packer& packer) {
    packer.pack_array(2);
    packer.pack(static_cast<std::uint8_t>(reply.fault));
    packer.pack(reply.text);
  });
}

std::optional<Failure> decode_failure(Bytes envelope) {
  return msgpack_body::read_array(envelope, [](Entries& entries) {
    Failure reply;
    reply.fault = entries.enumeration(Fault::truncated, Fault::credit);
    reply.text = entries.shown_text();
    return reply;
  });
}

Message encode(std::uint64_t id, const ServerReport& reply, Timing timing) {
  return make(Kind::report, id, timing, [&](Packer& packer) {
    packer.pack_array(10);
    packer.pack(reply.name);
    packer.pack(reply.session);
    packer.pack(reply.fingerprint);
    packer.pack(reply.pid);
    packer.pack(reply.requests);
    packer.pack(reply.open_targets);
    packer.pack(reply.connections);
    packer.pack(reply.handshakes_refused);
    packer.pack(reply.undeliverable);
    packer.pack(reply.refused);
  });
}

std::optional<ServerReport> decode_report(Bytes envelope) {
  return msgpack_body::read_array(envelope, [](Entries& entries) {
    ServerReport reply;
    reply.name = entries.text();
    reply.session = entries.text();  // compared, and escaped when it is shown
    reply.fingerprint = entries.integer<std::uint64_t>();
    reply.pid = entries.integer<std::int32_t>();
    reply.requests = entries.integer<std::uint64_t>();
    reply.open_targets = entries.integer<std::uint64_t>();
    reply.connections = entries.integer<std::uint64_t>();
    reply.handshakes_refused = entries.integer<std::uint64_t>();
    reply.undeliverable = entries.integer<std::uint64_t>();
    for (Entries refused = entries.array(); refused.more();) {
      reply.refused.push_back(refused.integer<std::uint64_t>());
    }
    return reply;
  });
}

}  // namespace eventspace::wire
