#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <eventspace/operation.h>
#include "paths/links/link.h"
#include "paths/views/clock_relation.h"
#include "paths/wire/wire.h"

namespace eventspace {

/// The body of a reply, and the parts sent ahead of it, as received.
struct ReplyBody {
  Bytes body;
  std::shared_ptr<const void> message;  ///< owns the bytes of `body`
  std::span<const ReplyPart> parts;     ///< all parts sent ahead, in the order sent
  /// Converts times in the body to this process's clock. Only for pulls, whose requests are timed.
  std::optional<ClockRelation> clocks;
  std::size_t max_bytes;  ///< `limits: message` of this process
};

/// The client's end of a kind of target: encodes requests and decodes replies. A kind of target defines it
/// beside its TargetKind. Each RemoteStage owns one. Not thread-safe.
class TargetClient {
 public:
  virtual ~TargetClient() = default;
  /// The spec to open the target with; called each time the target is opened. Without a value the stage uses
  /// the spec that it was constructed with.
  [[nodiscard]] virtual std::optional<std::vector<std::byte>> spec() { return std::nullopt; }
  /// Called when the parent confirms that it has received another result.
  virtual void confirm() {}
  /// Appends the body of the request.
  virtual void write_request(const Operation& operation, wire::Message& request) const = 0;
  /// Moves the result from a reply into the operation, whose status is set to the reply's. Returns an empty
  /// text on success, otherwise why the reply cannot be read; the stage then ends the operation with
  /// Status::refused.
  [[nodiscard]] virtual std::string read_reply(Operation& operation, const ReplyBody& reply) = 0;
  /// Called when an operation ends with a status other than ok; status and reason are set. If there was a
  /// reply, read_reply was called before.
  virtual void fail(Operation& /*operation*/) {}
};

}  // namespace eventspace
