#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "paths/link.h"
#include "paths/stage.h"
#include "paths/wire.h"

namespace eventspace {

/// What a remote stage stands for, and where.
struct RemoteTarget {
  std::string endpoint;  ///< of the server to ask
  wire::OpenRequest open;
  std::string node;          ///< for messages: whose server that is
  std::string what;          ///< for messages: what is there, such as "scope heartbeat"
  std::uint32_t sources{0};  ///< for Missing: how many trace elements lie behind it
  /// How long past an operation's deadline to wait for the server's word; see NetworkLimits. A stage in
  /// a server's loop must not wait at all: 0. The loop asks it until then; a pull is given less time instead.
  std::chrono::nanoseconds answer_grace{};
};

/// Carries operations to a server: the target is opened there at the first one, and again when the server has
/// lost it (it was restarted, or the lease ran out). An operation that may have happened is never sent twice.
///
/// A pull that gets no answer in time finishes as Status::timed_out with the target named in View::missing;
/// records that the server read for it are asked for again by the next pull.
///
/// The reports of a view tell the clocks of their processes as they are read here: each pull compares the
/// server's clock with this one.
///
/// When the connection is lost, what was under way ends at once: a pull as one without answer, any other
/// operation as Status::closed, with a reason that says when it may have happened all the same. An operation
/// that the server cannot have heard of waits for the next connection.
class RemoteStage final : public Stage {
 public:
  RemoteStage(LinkPool& links, RemoteTarget target);
  ~RemoteStage() override;

  void begin(Operation& operation) override;
  bool ready(Operation& operation) override;
  void finish(Operation& operation) override;
  bool await(Operation& operation) override;

 private:
  enum class Step : std::uint8_t { idle, opening, operating };

  void request_open(Operation& operation);
  void request_operation(Operation& operation);
  void send(Operation& operation, std::uint64_t id, wire::Message message, Step step);
  void handle(Operation& operation, const Reply& reply);
  void handle_opened(Operation& operation, const Reply& reply);
  void handle_done(Operation& operation, const Reply& reply);
  void handle_failure(Operation& operation, const Reply& reply);
  void handle_loss(Operation& operation, bool sent);
  void relate_clocks(View& view) const;
  void conclude(Operation& operation, Status status, std::string reason);
  void give_up(Operation& operation);
  void number_pull(const Pull& pull);
  [[nodiscard]] std::string server() const;
  [[nodiscard]] std::int64_t wait_us(const Operation& operation) const;
  [[nodiscard]] Deadline patience(const Operation& operation) const;

  Link* link_;
  RemoteTarget target_;
  std::uint64_t remote_target_{0};  // 0: not open
  std::uint64_t request_{0};
  Step step_{Step::idle};
  bool reopened_{false};  // during this operation

  // Pull numbers on our side of the server, and the parent's pulls they stood for; see Pull.
  struct Delivered {
    std::uint64_t parent{0};
    std::uint64_t own{0};
  };
  std::uint64_t last_pull_{0};
  Delivered newest_;     // the last view that arrived here
  Delivered confirmed_;  // the last that is known to have arrived at our parent
};

}  // namespace eventspace
