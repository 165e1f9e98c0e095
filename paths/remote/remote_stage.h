#pragma once

// Private to paths/.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "paths/links/link_pool.h"
#include "paths/remote/pull_numbers.h"
#include "paths/stage.h"
#include "paths/views/read_positions.h"
#include "paths/wire/wire.h"

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
  /// What to open a target with that keeps read positions, so that it goes on behind these; null for others,
  /// which are opened with open.spec each time.
  std::function<std::vector<std::byte>(const std::vector<ReadPosition>&)> spec_behind{};
  std::vector<ReadPosition> begin{};  ///< behind which such a target begins
  /// Whoever forwards for somebody else leaves opening again to that one, who knows how far it has come.
  bool opens_again{true};
};

/// Carries operations to a server: the target is opened there at the first one, and again when the server has
/// lost it (it was restarted, or the lease ran out), behind the last of its views that is known to have
/// arrived. An operation that may have happened is never sent twice.
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
///
/// A target that is held (wire::OpenRequest) is opened once. When its connection is lost the server takes it
/// for left, so all later operations end as closed.
class RemoteStage final : public Stage {
 public:
  RemoteStage(LinkPool& links, RemoteTarget target);
  ~RemoteStage() override;

  void begin(Operation& operation) override;
  bool ready(Operation& operation) override;
  void finish(Operation& operation) override;
  bool await(Operation& operation) override;
  /// Both tell the server, of a target that is held; break_off also of one that is not open yet.
  void break_off(std::string_view why) override;
  void leave() override;

  /// The server has lost the target, and this does not open it again: of no more use.
  [[nodiscard]] bool is_lost() const noexcept { return lost_; }

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
  void open_again(Operation& operation, const std::string& why);
  void relate_clocks(View& view) const;
  void conclude(Operation& operation, Status status, std::string reason);
  [[nodiscard]] bool has_lost_its_place() const noexcept;
  void forget_request();
  void tell(std::string_view why);
  void give_up(Operation& operation);
  void number_pull(const Pull& pull);
  void lose_target();
  [[nodiscard]] std::string server() const;
  [[nodiscard]] std::int64_t wait_us(const Operation& operation) const;
  [[nodiscard]] Deadline patience(const Operation& operation) const;

  Link* link_;
  RemoteTarget target_;
  std::uint64_t remote_target_{0};  // 0: not open
  std::uint64_t opened_on_{0};      // which connection
  std::uint64_t request_{0};
  Step step_{Step::idle};
  bool reopened_{false};  // during this operation
  bool lost_{false};
  bool opened_{false};  // ever
  bool broken_off_{false};
  std::uint64_t opened_by_{0};  // the request whose target is to be closed, as its number is not known

  PullNumbers numbers_;
  std::vector<ReadPosition> told_;  // by the last view that arrived here
  ReadPositions confirmed_;         // by those that are known to have arrived at our parent
};

}  // namespace eventspace
