#pragma once

// Private to paths/.
// Operations on elements and on paths, joints included, as bodies of messages:
//
//     request   [from, sequence, tuple, template]    tuple: of write and exchange; encoded, or no bytes
//     reply     [sequence, missed, tuple]            tuple: of read, take and exchange; the same

#include <memory>

#include "paths/bodies/target_client.h"
#include "paths/bodies/target_kind.h"

namespace eventspace {

/// The asking end. Stateless.
class ElementClient final : public TargetClient {
 public:
  void write_request(const Operation& operation, wire::Message& request) const override;
  [[nodiscard]] std::string read_reply(Operation& operation, const ReplyBody& reply) override;
};

/// The serving end: takes every verb but Verb::pull; `open` makes the stages.
[[nodiscard]] std::shared_ptr<const TargetKind> element_kind(TargetFactory open);

/// How many bytes an encoded tuple may have for the reply with it to have `message_bytes` at most.
[[nodiscard]] std::size_t most_tuple_bytes(std::size_t message_bytes) noexcept;

}  // namespace eventspace
