#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "paths/links/link_pool.h"
#include "paths/stage.h"
#include "paths/views/clock_relation.h"
#include "paths/wire/wire.h"
#include "tuplespace/operation.h"

namespace eventspace {

/// Makes the stage behind a target, see TargetKind::open.
using TargetFactory = std::function<std::unique_ptr<Stage>(Bytes spec, LinkPool& links)>;

/// Sends pieces of a large result ahead of the reply to one operation, so that they are on their way while
/// the rest is still being read. Belongs to the server's thread; valid as long as the operation is under way.
class PartSink {
 public:
  /// How many more parts may be sent.
  [[nodiscard]] virtual std::size_t parts_left() const noexcept = 0;
  /// How many bytes the messages of further parts and of the reply may have together.
  [[nodiscard]] virtual std::size_t bytes_left() const noexcept = 0;
  /// Sends one part; `write` appends its body. Never waits. When it cannot be sent the peer is gone or does
  /// not read: the server then refuses the operation, and later parts are dropped.
  virtual void send(const std::function<void(wire::Message&)>& write) = 0;

 protected:
  ~PartSink() = default;
};

/// One operation that a peer asked for: keeps what the operation points to, and turns its result into the
/// body of the reply. Used by the server's thread, once.
class ServedOperation {
 public:
  virtual ~ServedOperation() = default;
  /// Called when the operation has finished, before the reply is made: sends parts, if there are any.
  virtual void send_parts(Operation& /*operation*/) {}
  /// Appends the body of the reply. May take the result out of the operation.
  virtual void write_reply(Operation& operation, wire::Message& reply) = 0;
  /// See wire::Done::clocks. Valid after the operation has finished.
  [[nodiscard]] virtual std::optional<ClockRelation> clocks() const { return std::nullopt; }
};

/// One kind of target as a server offers it: which verbs it takes, what is behind it, and how requests and
/// replies look on the wire. Registered with the server by name (Server::Config::targets); nothing else in
/// paths/ knows it. The end that asks is a TargetClient (paths/bodies/target_client.h).
///
/// Immutable; used by the server's thread.
class TargetKind {
 public:
  virtual ~TargetKind() = default;
  /// The server refuses any other verb before a stage sees the operation.
  [[nodiscard]] virtual bool takes(Verb verb) const noexcept = 0;
  /// Makes the stage that `spec` asks for. The spec comes from outside: distrust it. `links` are those of the
  /// server's thread. Throws Error, with a text for the peer, when there is no such thing.
  [[nodiscard]] virtual std::unique_ptr<Stage> open(Bytes spec, LinkPool& links) const = 0;
  /// Fills the operation, whose verb, deadline and waker are set, from the request's `body`, which comes from
  /// outside as well. Null when the body cannot be read. `parts` is valid as long as the result is.
  [[nodiscard]] virtual std::unique_ptr<ServedOperation> read_request(Bytes body, Operation& operation,
                                                                      PartSink& parts) const = 0;
};

}  // namespace eventspace
