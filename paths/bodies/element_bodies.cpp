#include "paths/bodies/element_bodies.h"

#include <optional>
#include <utility>

#include <eventspace/error.h>
#include "paths/bodies/element_layouts.h"

namespace eventspace {
namespace {

constexpr const char* unreadable = "the server's reply cannot be read";

// Nullopt: the bytes are not an encoded tuple.
std::optional<Tuple> read_tuple(Bytes encoded) {
  if (encoded.empty()) return Tuple();
  try {
    return Tuple::decode(encoded);
  } catch (const ConfigurationError&) {
    return std::nullopt;
  }
}

constexpr bool sends_tuple(Verb verb) noexcept { return verb == Verb::write || verb == Verb::exchange; }
constexpr bool receives_tuple(Verb verb) noexcept {
  return verb == Verb::read || verb == Verb::take || verb == Verb::exchange;
}

class ServedElementOperation final : public ServedOperation {
 public:
  /// Returns false if the body is malformed.
  bool read(Bytes body, Operation& operation) {
    auto request = wire::decoded<wire::ElementRequest>(body);
    auto tuple = request ? read_tuple(request->tuple) : std::nullopt;
    if (!tuple) return false;
    operation.from = request->from;
    operation.sequence = request->sequence;
    operation.tuple = *std::move(tuple);
    match_ = std::move(request->match.received);
    operation.match = match_ ? &*match_ : nullptr;
    return true;
  }

  void write_reply(Operation& operation, wire::Message& reply) override {
    const bool has_tuple = receives_tuple(operation.verb) && operation.status == Status::ok;
    const Bytes tuple = has_tuple ? operation.tuple.encoded() : Bytes{};
    reply.reserve(reply.size() + tuple.size() + 32);
    wire::append(reply, wire::ElementReply{operation.sequence, operation.missed, tuple});
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
  wire::append(request,
               wire::ElementRequest{operation.from, operation.sequence, tuple, {.sent = operation.match}});
}

std::string ElementClient::read_reply(Operation& operation, const ReplyBody& reply) {
  // A gateway that could not reach the next server replies without a body.
  if (operation.status != Status::ok && reply.body.empty()) return {};
  const auto read = wire::decoded<wire::ElementReply>(reply.body);
  auto tuple = read ? read_tuple(read->tuple) : std::nullopt;
  if (!tuple) return unreadable;
  operation.sequence = read->sequence;
  operation.missed = read->missed;
  if (receives_tuple(operation.verb)) operation.tuple = *std::move(tuple);
  return {};
}

std::shared_ptr<const TargetKind> element_kind(TargetFactory open, SingleUse single_use) {
  return std::make_shared<ElementKind>(std::move(open), std::move(single_use));
}

std::size_t max_tuple_bytes(std::size_t message_bytes) noexcept {
  // The bytes besides those of the tuple: the array, two integers, the header of the bytes.
  constexpr std::size_t rest = 1 + 2 * wire::Integer::bounds<std::uint64_t>.most + wire::largest_entry_header;
  const std::size_t body = wire::max_body_bytes(message_bytes);
  return body > rest ? body - rest : 0;
}

}  // namespace eventspace
