#pragma once

// The message bodies of operations on elements, paths and joints (msgpack arrays):
//
//     request   [from, sequence, tuple, template]    tuple: of write and exchange
//     reply     [sequence, missed, tuple]            tuple: of read, take and exchange
//
// A tuple is its encoding as bytes; empty bytes mean no tuple.

#include <functional>
#include <memory>
#include <string>

#include "paths/bodies/target_client.h"
#include "paths/bodies/target_kind.h"

namespace eventspace {

/// The client's end: encodes requests and decodes replies. Stateless.
class ElementClient final : public TargetClient {
 public:
  void write_request(const Operation& operation, wire::Message& request) const override;
  [[nodiscard]] std::string read_reply(Operation& operation, const ReplyBody& reply) override;
};

/// See TargetKind::single_use.
using SingleUse = std::function<std::string(Bytes spec)>;

/// The server's end: accepts every verb except Verb::pull. `open` makes the stages (TargetKind::open);
/// without `single_use` any number of peers may use a target.
[[nodiscard]] std::shared_ptr<const TargetKind> element_kind(TargetFactory open, SingleUse single_use = {});

/// The largest encoded tuple, in bytes, that fits into a reply of `message_bytes`.
[[nodiscard]] std::size_t max_tuple_bytes(std::size_t message_bytes) noexcept;

}  // namespace eventspace
