#pragma once

// Private to paths/.
// How a gateway carries bodies of any kind from one neighbour to the next, without looking into them.

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "paths/bodies/target_client.h"
#include "paths/bodies/target_kind.h"

namespace eventspace {

/// A request's body on its way to the next server, and the reply's on its way back.
struct ForwardedBody : OperationBody {
  std::vector<std::byte> request;
  std::shared_ptr<const void> message;  ///< keeps `reply`
  Bytes reply;
  std::vector<ReplyPart> parts;
  std::optional<ClockRelation> clocks;
};

/// The end of the gateway towards the next server: for operations whose body is a ForwardedBody.
class ForwardingClient final : public TargetClient {
 public:
  void write_request(const Operation& operation, wire::Message& request) const override;
  [[nodiscard]] std::string read_reply(Operation& operation, const ReplyBody& reply) override;
};

/// The end of the gateway towards the peer that asked: gives the operation a ForwardedBody with a copy of
/// `body`.
[[nodiscard]] std::unique_ptr<ServedOperation> forward_request(Bytes body, Operation& operation,
                                                               PartSink& parts);

}  // namespace eventspace
