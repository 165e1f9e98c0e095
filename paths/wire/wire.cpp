#include "paths/wire/wire.h"

#include <array>
#include <type_traits>

#include "paths/wire/little_endian.h"
#include "paths/wire/msgpack_body.h"
#include "paths/wire/view_codec.h"
#include "tuplespace/system/error.h"

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
    case Kind::opened:
    case Kind::closed:
    case Kind::done:
    case Kind::report:
    case Kind::part:
    case Kind::failed:
      return true;
  }
  return false;
}

bool is_reply(Kind kind) noexcept { return kind >= Kind::opened; }

/// `expected_bytes`: of the body, about; room that need not be made while it is written.
template <class Fill>
Message make(Kind kind, std::uint64_t id, Timing timing, Fill fill, std::size_t expected_bytes = 100) {
  const bool timed = timing == Timing::timed;
  const std::size_t body_offset = header_bytes + (timed && is_reply(kind) ? times_bytes : 0);
  Message message;
  message.reserve(body_offset + expected_bytes);
  message.resize(body_offset);
  msgpack_body::pack_into(message, fill);
  std::copy(magic.begin(), magic.end(), message.begin());
  message[4] = static_cast<std::byte>(protocol_version);
  message[5] = static_cast<std::byte>(kind);
  store<std::uint16_t>(message.data() + flags_offset, timed ? timed_flag : 0);
  store<std::uint64_t>(message.data() + 8, id);
  store<std::uint32_t>(message.data() + 16, static_cast<std::uint32_t>(message.size() - body_offset));
  return message;
}

template <class Read>
auto decode(Bytes body, Read read) -> std::optional<std::invoke_result_t<Read, Entries&>> {
  try {
    msgpack_body::Body whole(body);
    Entries entries(whole);
    auto value = read(entries);
    entries.expect_end();
    whole.expect_end();
    return value;
  } catch (const BodyError&) {
    return std::nullopt;
  } catch (const ConfigurationError&) {  // a tuple that is none
    return std::nullopt;
  }
}

Tuple read_tuple(Bytes encoded) { return encoded.empty() ? Tuple() : Tuple::decode(encoded); }

// Each entry is [formal, type or value].
struct PackEntry {
  Packer& packer;
  void operator()(FieldType type) const { packer.pack(static_cast<std::uint8_t>(type)); }
  void operator()(const std::vector<std::byte>& value) const { msgpack_body::pack_bytes(packer, value); }
  void operator()(double value) const { msgpack_body::pack_real(packer, value); }
  template <class T>
  void operator()(const T& value) const {
    packer.pack(value);
  }
};

void pack_template(Packer& packer, const std::optional<Template>& match) {
  packer.pack_array(match ? static_cast<std::uint32_t>(match->entries().size()) : 0);
  if (!match) return;
  for (const Template::Entry& entry : match->entries()) {
    packer.pack_array(2);
    packer.pack(std::holds_alternative<FieldType>(entry));
    std::visit(PackEntry{packer}, entry);
  }
}

Template::Entry read_template_value(Entries& entries) {
  switch (entries.type()) {
    case Entries::Type::boolean:
      return entries.boolean();
    case Entries::Type::real:
      return entries.real();
    case Entries::Type::text:
      return std::string(entries.text());
    case Entries::Type::bytes: {
      const Bytes bytes = entries.bytes();
      return std::vector<std::byte>(bytes.begin(), bytes.end());
    }
    default:
      return entries.integer<std::int64_t>();
  }
}

std::optional<Template> read_template(Entries list) {
  if (!list.more()) return std::nullopt;
  std::vector<Template::Entry> template_entries;
  while (list.more()) {
    Entries entry = list.array();
    if (entry.boolean()) {
      template_entries.emplace_back(entry.enumeration(FieldType::boolean, FieldType::bytes));
    } else {
      template_entries.push_back(read_template_value(entry));
    }
    entry.expect_end();
  }
  if (template_entries.size() > Signature::max_fields) throw BodyError();
  return Template(std::move(template_entries));
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
  }
  return "?";
}

ParsedHeader parse_header(Bytes message, std::size_t max_message_bytes) noexcept {
  if (message.size() < header_bytes) return {Fault::truncated, {}, {}};
  if (!std::equal(magic.begin(), magic.end(), message.begin())) return {Fault::foreign, {}, {}};
  const auto flags = load<std::uint16_t>(message.data() + flags_offset);
  const Header header{static_cast<Kind>(message[5]), load<std::uint64_t>(message.data() + 8),
                      (flags & timed_flag) != 0};
  if (message[4] != static_cast<std::byte>(protocol_version)) return {Fault::version, header, {}};
  const bool reserved_set = (flags & ~timed_flag) != 0 || load<std::uint32_t>(message.data() + 20) != 0;
  if (reserved_set) return {Fault::foreign, header, {}};
  if (message.size() > max_message_bytes) return {Fault::oversized, header, {}};
  const bool has_times = header.timed && is_known(header.kind) && is_reply(header.kind);
  const std::size_t body_offset = header_bytes + (has_times ? times_bytes : 0);
  if (message.size() < body_offset) return {Fault::truncated, header, {}};
  const Bytes body = message.subspan(body_offset);
  if (load<std::uint32_t>(message.data() + 16) != body.size()) return {Fault::truncated, header, {}};
  if (!is_known(header.kind)) return {Fault::kind, header, {}};
  ParsedHeader parsed{std::nullopt, header, body};
  if (has_times) parsed.times = load_times(message.data() + header_bytes);
  return parsed;
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

std::optional<OpenRequest> decode_open(Bytes body) {
  return decode(body, [](Entries& entries) {
    OpenRequest request;
    request.kind = entries.text();
    const Bytes spec = entries.bytes();
    request.spec.assign(spec.begin(), spec.end());
    for (Entries route = entries.array(); route.more();) request.route.emplace_back(route.text());
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

std::optional<Opened> decode_opened(Bytes body) {
  return decode(body, [](Entries& entries) { return Opened{entries.integer<std::uint64_t>()}; });
}

Message encode(std::uint64_t id, const CloseRequest& request) {
  return make(Kind::close, id, Timing::untimed, [&](Packer& packer) {
    packer.pack_array(3);
    packer.pack(request.target);
    packer.pack(request.opened_by);
    packer.pack(request.why);
  });
}

std::optional<CloseRequest> decode_close(Bytes body) {
  return decode(body, [](Entries& entries) {
    CloseRequest request;
    request.target = entries.integer<std::uint64_t>();
    request.opened_by = entries.integer<std::uint64_t>();
    request.why = entries.text();
    return request;
  });
}

Message encode(std::uint64_t id, const OperateRequest& request) {
  const Timing timing = request.verb == Verb::pull ? Timing::timed : Timing::untimed;
  return make(Kind::operate, id, timing, [&](Packer& packer) {
    packer.pack_array(11);
    packer.pack(request.target);
    packer.pack(static_cast<std::uint8_t>(request.verb));
    packer.pack(static_cast<std::uint8_t>(request.from));
    packer.pack(request.sequence);
    packer.pack(request.wait_us);
    msgpack_body::pack_bytes(packer, request.tuple.encoded());
    pack_template(packer, request.match);
    packer.pack(request.pull_id);
    packer.pack(request.pull_after);
    packer.pack(request.with_threads);
    packer.pack(request.look_back.count());
  });
}

std::optional<OperateRequest> decode_operate(Bytes body) {
  return decode(body, [](Entries& entries) {
    OperateRequest request;
    request.target = entries.integer<std::uint64_t>();
    request.verb = entries.enumeration(Verb::write, Verb::exchange);
    request.from = entries.enumeration(From::oldest, From::after);
    request.sequence = entries.integer<std::uint64_t>();
    request.wait_us = entries.integer<std::int64_t>();
    if (request.wait_us < -1) throw BodyError();
    request.tuple = read_tuple(entries.bytes());
    request.match = read_template(entries.array());
    request.pull_id = entries.integer<std::uint64_t>();
    request.pull_after = entries.integer<std::uint64_t>();
    request.with_threads = entries.boolean();
    request.look_back = std::chrono::nanoseconds(entries.integer<std::int64_t>());
    if (request.look_back.count() < 0) throw BodyError();
    return request;
  });
}

Message encode(std::uint64_t id, const Done& reply, Timing timing) {
  const auto fill = [&](Packer& packer) {
    packer.pack_array(reply.view ? 6 : 5);
    packer.pack(static_cast<std::uint8_t>(reply.status));
    packer.pack(reply.sequence);
    packer.pack(reply.missed);
    packer.pack(reply.reason);
    msgpack_body::pack_bytes(packer, reply.tuple.encoded());
    if (reply.view) msgpack_body::pack(packer, *reply.view);
  };
  const std::size_t expected =
      100 + reply.tuple.encoded().size() + (reply.view ? msgpack_body::expected_bytes(*reply.view) : 0);
  return make(Kind::done, id, timing, fill, expected);
}

std::size_t most_tuple_bytes(std::size_t message_bytes) noexcept {
  // The array, status, two numbers of 64 bits, an empty text, the length of the tuple's bytes.
  constexpr std::size_t rest = header_bytes + 1 + 1 + 9 + 9 + 1 + 5;
  return message_bytes > rest ? message_bytes - rest : 0;
}

std::optional<Done> decode_done(Bytes body, const std::shared_ptr<const void>& message) {
  return decode(body, [&](Entries& entries) {
    Done reply;
    reply.status = entries.enumeration(Status::ok, Status::refused);
    reply.sequence = entries.integer<std::uint64_t>();
    reply.missed = entries.integer<std::uint64_t>();
    reply.reason = entries.text();
    reply.tuple = read_tuple(entries.bytes());
    if (!entries.more()) return reply;
    reply.view = msgpack_body::read_view(entries.array(), message);
    if (message == nullptr) reply.view->collect_records();
    return reply;
  });
}

Message encode_part(std::uint64_t id, std::span<const Bytes> pieces, ByteOrder order) {
  const std::size_t expected = part_overhead - header_bytes + msgpack_body::bytes_in(pieces);
  const auto fill = [&](Packer& packer) { msgpack_body::pack_records(packer, pieces, order); };
  return make(Kind::part, id, Timing::untimed, fill, expected);
}

std::optional<RecordBlock> decode_part(Bytes body, const std::shared_ptr<const void>& message) {
  return decode(body, [&](Entries& entries) {
    RecordBlock block = msgpack_body::read_records(entries, message);
    if (block.bytes.empty()) throw BodyError();
    return block;
  });
}

Message encode(std::uint64_t id, const Failure& reply) {
  return make(Kind::failed, id, Timing::untimed, [&](Packer& packer) {
    packer.pack_array(2);
    packer.pack(static_cast<std::uint8_t>(reply.fault));
    packer.pack(reply.text);
  });
}

std::optional<Failure> decode_failure(Bytes body) {
  return decode(body, [](Entries& entries) {
    Failure reply;
    reply.fault = entries.enumeration(Fault::truncated, Fault::busy);
    reply.text = entries.text();
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

std::optional<ServerReport> decode_report(Bytes body) {
  return decode(body, [](Entries& entries) {
    ServerReport reply;
    reply.name = entries.text();
    reply.session = entries.text();
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
