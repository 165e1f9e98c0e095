#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <eventspace/operation.h>
#include <eventspace/stage.h>
#include "paths/links/link_pool.h"
#include "paths/views/clock_relation.h"
#include "paths/wire/wire.h"

namespace eventspace {

/// Makes the stage behind a target, see TargetKind::open.
using TargetFactory = std::function<std::unique_ptr<Stage>(Bytes spec, LinkPool& links)>;

/// Sends parts of a large result ahead of the reply to one operation, so that the transfer overlaps with
/// reading the rest. Used only by the server's thread; valid while the operation is under way.
class PartSink {
 public:
  /// Number of further parts that may be sent.
  [[nodiscard]] virtual std::size_t parts_left() const noexcept = 0;
  /// Bytes that the messages of all further parts and of the reply may have together.
  [[nodiscard]] virtual std::size_t bytes_left() const noexcept = 0;
  /// Sends one part, whose body `write` appends to the message. Never blocks. If the part cannot be sent,
  /// because it exceeds the limits or the peer is gone or does not read, the server drops all later parts and
  /// refuses the operation.
  virtual void send(const std::function<void(wire::Message&)>& write) = 0;

 protected:
  ~PartSink() = default;
};

/// One operation that a peer requested: owns the objects that the operation points to, and encodes its result
/// as the body of the reply. Used by the server's thread, for one operation.
class ServedOperation {
 public:
  virtual ~ServedOperation() = default;
  /// Called after the operation has finished and before write_reply: sends the parts of a large result.
  virtual void send_parts(Operation& /*operation*/) {}
  /// Appends the body of the reply. May move the result out of the operation.
  virtual void write_reply(Operation& operation, wire::Message& reply) = 0;
  /// See wire::Done::clocks. Valid after the operation has finished.
  [[nodiscard]] virtual std::optional<ClockRelation> clocks() const { return std::nullopt; }
};

/// A kind of target that a server offers, such as elements or scopes: which verbs it accepts, how a target is
/// opened, and how requests and replies are encoded. A new kind is registered with the server by name;
/// nothing else in paths/ refers to it:
///
///     config.targets.emplace("element", element_kind(open_element));
///
/// The client's end of a kind is a TargetClient (paths/bodies/target_client.h). Immutable; used by the
/// server's thread, which it must not block.
class TargetKind {
 public:
  virtual ~TargetKind() = default;
  /// Whether targets of this kind accept `verb`. The server refuses other verbs before a stage sees them.
  [[nodiscard]] virtual bool takes(Verb verb) const noexcept = 0;
  /// Makes the stage that `spec` names. The spec comes from a peer and must be validated. `links` belong to
  /// the server's thread and outlive the stage. Throws Error, with a text for the peer, if the target does
  /// not exist or cannot be opened.
  [[nodiscard]] virtual std::unique_ptr<Stage> open(Bytes spec, LinkPool& links) const = 0;
  /// If only one peer at a time may use what `spec` names: its name, such as "the path t1/box"; otherwise
  /// empty. A target of that name is opened for another peer only after the first peer has closed it or is
  /// gone. The spec comes from a peer. Throws Error like open.
  [[nodiscard]] virtual std::string single_use(Bytes /*spec*/) const { return {}; }
  /// Fills in the operation from `body`, which also comes from a peer; verb, deadline and waker are already
  /// set. Returns null if the body cannot be read. `parts` is valid as long as the returned object.
  [[nodiscard]] virtual std::unique_ptr<ServedOperation> read_request(Bytes body, Operation& operation,
                                                                      PartSink& parts) const = 0;
};

}  // namespace eventspace
