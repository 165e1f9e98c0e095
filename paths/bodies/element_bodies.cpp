#include "paths/bodies/element_bodies.h"

#include <optional>
#include <utility>
#include <vector>

#include "paths/wire/msgpack_body.h"
#include "tuplespace/system/error.h"

namespace eventspace {
namespace {

using msgpack_body::BodyError;
using msgpack_body::Entries;
using msgpack_body::Packer;

// Each entry of a template is [formal, type or value].
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

void pack_template(Packer& packer, const Template* match) {
  packer.pack_array(match != nullptr ? static_cast<std::uint32_t>(match->entries().size()) : 0);
  if (match == nullptr) return;
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
  if (list.left() > Signature::max_fields) throw BodyError();
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
  return Template(std::move(template_entries));
}

Tuple read_tuple(Bytes encoded) {
  if (encoded.empty()) return {};
  try {
    return Tuple::decode(encoded);
  } catch (const ConfigurationError&) {  // the bytes are not an encoded tuple
    throw BodyError();
  }
}

constexpr bool sends_tuple(Verb verb) noexcept { return verb == Verb::write || verb == Verb::exchange; }
constexpr bool receives_tuple(Verb verb) noexcept {
  return verb == Verb::read || verb == Verb::take || verb == Verb::exchange;
}

// Returns false if the body does not have the format that `read` expects.
template <class Read>
bool read_body(Bytes body, Read read) {
  const auto sound = msgpack_body::read_array(body, [&](Entries& entries) {
    read(entries);
    return true;
  });
  return sound.has_value();
}

class ServedElementOperation final : public ServedOperation {
 public:
  bool read(Bytes body, Operation& operation) {
    return read_body(body, [&](Entries& entries) {
      operation.from = entries.enumeration(From::oldest, From::after);
      operation.sequence = entries.integer<std::uint64_t>();
      operation.tuple = read_tuple(entries.bytes());
      match_ = read_template(entries.array());
      operation.match = match_ ? &*match_ : nullptr;
    });
  }

  void write_reply(Operation& operation, wire::Message& reply) override {
    const bool has_tuple = receives_tuple(operation.verb) && operation.status == Status::ok;
    const Bytes tuple = has_tuple ? operation.tuple.encoded() : Bytes{};
    reply.reserve(reply.size() + tuple.size() + 32);
    msgpack_body::pack_into(reply, [&](Packer& packer) {
      packer.pack_array(3);
      packer.pack(operation.sequence);
      packer.pack(operation.missed);
      msgpack_body::pack_bytes(packer, tuple);
    });
  }

 private:
  std::optional<Template> match_;
};

class ElementKind final : public TargetKind {
 public:
  ElementKind(TargetFactory open, SingleUse single_use)
      : open_(std::move(open)), single_use_(std::move(single_use)) {}

  [[nodiscard]] bool takes(Verb verb) const noexcept override { return verb != Verb::pull; }
  [[nodiscard]] std::unique_ptr<Stage> open(Bytes spec, LinkPool& links) const override {
    return open_(spec, links);
  }
  [[nodiscard]] std::string single_use(Bytes spec) const override {
    return single_use_ ? single_use_(spec) : std::string();
  }
  [[nodiscard]] std::unique_ptr<ServedOperation> read_request(Bytes body, Operation& operation,
                                                              PartSink& parts) const override {
    auto served = std::make_unique<ServedElementOperation>();
    if (!served->read(body, operation)) return nullptr;
    operation.max_bytes = max_tuple_bytes(parts.bytes_left());
    return served;
  }

 private:
  TargetFactory open_;
  SingleUse single_use_;
};

}  // namespace

void ElementClient::write_request(const Operation& operation, wire::Message& request) const {
  const Bytes tuple = sends_tuple(operation.verb) ? operation.tuple.encoded() : Bytes{};
  request.reserve(request.size() + tuple.size() + 64);
  msgpack_body::pack_into(request, [&](Packer& packer) {
    packer.pack_array(4);
    packer.pack(static_cast<std::uint8_t>(operation.from));
    packer.pack(operation.sequence);
    msgpack_body::pack_bytes(packer, tuple);
    pack_template(packer, operation.match);
  });
}

std::string ElementClient::read_reply(Operation& operation, const ReplyBody& reply) {
  // A gateway that could not reach the next server replies without a body.
  if (operation.status != Status::ok && reply.body.empty()) return {};
  std::uint64_t sequence = 0;
  std::uint64_t missed = 0;
  Tuple tuple;
  const bool sound = read_body(reply.body, [&](Entries& entries) {
    sequence = entries.integer<std::uint64_t>();
    missed = entries.integer<std::uint64_t>();
    tuple = read_tuple(entries.bytes());
  });
  if (!sound) return "the server's reply cannot be read";
  operation.sequence = sequence;
  operation.missed = missed;
  if (receives_tuple(operation.verb)) operation.tuple = std::move(tuple);
  return {};
}

std::shared_ptr<const TargetKind> element_kind(TargetFactory open, SingleUse single_use) {
  return std::make_shared<ElementKind>(std::move(open), std::move(single_use));
}

std::size_t max_tuple_bytes(std::size_t message_bytes) noexcept {
  // The headers in msgpack: the array, two 64-bit integers, the length of the tuple's bytes.
  constexpr std::size_t rest = 1 + 9 + 9 + 5;
  const std::size_t body = wire::max_body_bytes(message_bytes);
  return body > rest ? body - rest : 0;
}

}  // namespace eventspace
