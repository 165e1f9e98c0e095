#pragma once

// How a gateway forwards bodies of any kind to the next server and back, without decoding them.

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "paths/bodies/target_client.h"
#include "paths/bodies/target_kind.h"

namespace eventspace {

/// The body of a request to the next server, and the body of its reply.
struct ForwardedBody : OperationBody {
  std::vector<std::byte> request;
  std::shared_ptr<const void> message;  ///< owns the bytes of `reply`
  Bytes reply;
  std::vector<ReplyPart> parts;
  std::optional<ClockRelation> clocks;
};

/// The gateway's end towards the next server, for operations whose body is a ForwardedBody.
class ForwardingClient final : public TargetClient {
 public:
  void write_request(const Operation& operation, wire::Message& request) const override;
  [[nodiscard]] std::string read_reply(Operation& operation, const ReplyBody& reply) override;
};

/// The gateway's end towards its peer: gives the operation a ForwardedBody with a copy of `body`.
[[nodiscard]] std::unique_ptr<ServedOperation> forward_request(Bytes body, Operation& operation,
                                                               PartSink& parts);

}  // namespace eventspace
