#pragma once

// Private to paths/.

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "paths/links/link.h"
#include "paths/views/clock_relation.h"
#include "paths/wire/wire.h"
#include "tuplespace/operation.h"

namespace eventspace {

/// The body of a reply, as it came.
struct ReplyBody {
  Bytes body;
  std::shared_ptr<const void> message;  ///< keeps the body
  std::span<const ReplyPart> parts;     ///< that went ahead, all of them
  /// From the clock that times in the body are on to the one here; of pulls only, whose requests are timed.
  std::optional<ClockRelation> clocks;
  std::size_t most_bytes;  ///< `limits: message` here
};

/// The end of a remote target that asks: how operations look on the wire, and how results come out of
/// replies. Each RemoteStage owns one; a kind of target defines its own next to its TargetKind. Not
/// thread-safe.
class TargetClient {
 public:
  virtual ~TargetClient() = default;
  /// What to open the target with, asked each time it is opened; nothing: always with the spec that the stage
  /// was made with.
  [[nodiscard]] virtual std::optional<std::vector<std::byte>> spec() { return std::nullopt; }
  /// The parent says that a result, of which it was not known yet, has arrived.
  virtual void confirm() {}
  /// Appends the body of the request.
  virtual void write_request(const Operation& operation, wire::Message& request) const = 0;
  /// Takes the result out of a reply; operation.status is the reply's. Yields why the reply cannot be read;
  /// empty: it was. Then the operation is refused.
  [[nodiscard]] virtual std::string read_reply(Operation& operation, const ReplyBody& reply) = 0;
  /// The operation ends as operation.status and reason say, which is not ok; called after read_reply, if at
  /// all.
  virtual void fail(Operation& /*operation*/) {}
};

}  // namespace eventspace
