#pragma once

// Private to paths/.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "paths/bodies/target_client.h"
#include "paths/links/link_pool.h"
#include "paths/pushes.h"
#include "paths/remote/hop_numbers.h"
#include "paths/stage.h"
#include "paths/wire/wire.h"

namespace eventspace {

/// What a remote stage stands for, and where.
struct RemoteTarget {
  std::string endpoint;    ///< of the server to ask
  wire::OpenRequest open;  ///< its spec is used unless the client has another, see TargetClient::spec
  std::string node;        ///< for messages: the node whose server that is
  /// How long past an operation's deadline to wait for the server's word; see NetworkLimits. A stage in
  /// a server's loop must not wait at all: 0. The loop asks it until then; a pull is given less time instead.
  std::chrono::nanoseconds answer_grace{};
  /// False in a gateway: opening again is left to the peer, which knows how far its reading has come.
  bool opens_again{true};
};

/// Carries operations to a server: the target is opened there at the first one, and again when the server has
/// lost it (it was restarted, or the lease ran out). An operation that may have happened is never sent twice.
/// How operations look on the wire is the TargetClient's; this stage knows only envelopes.
///
/// An operation that gets no answer in time ends as Status::timed_out when it cannot have changed anything,
/// else as Status::closed.
///
/// When the connection is lost, operations under way end at once: a pull as one without answer, any other
/// as Status::closed, with a reason that says when it may have happened all the same. An operation that the
/// server cannot have heard of waits for the next connection.
///
/// A target that is held (wire::OpenRequest) is opened once. When its connection is lost the server takes it
/// for left, so all later operations end as closed.
///
/// As a PushOutlet it exchanges messages that answer nothing with the target, while that is open.
///
/// Not thread-safe: belongs to the thread of its links.
class RemoteStage final : public Stage, public PushOutlet, private LinkListener {
 public:
  /// `client`: null for an element, a path or a joint.
  RemoteStage(LinkPool& links, RemoteTarget target, std::unique_ptr<TargetClient> client = nullptr);
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

  /// From the next time the target is opened on, its messages go to `receiver`, which must outlive this or be
  /// replaced; null: they are dropped and counted as late. They arrive while the thread looks after its
  /// links.
  void receive_pushes(PushReceiver* receiver) noexcept { receiver_ = receiver; }
  [[nodiscard]] bool push(Bytes body) override;
  [[nodiscard]] std::uint64_t may_send() const noexcept override { return credit_.may_send(); }
  [[nodiscard]] std::uint64_t sent() const noexcept override { return credit_.sent(); }
  void grant(std::uint64_t total) override;

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
  void conclude(Operation& operation, Status status, std::string reason);
  [[nodiscard]] bool has_lost_its_place() const noexcept;
  void forget_request();
  void tell(std::string_view why);
  void give_up(Operation& operation);
  void lose_target();
  [[nodiscard]] std::optional<ClockRelation> clocks(const Operation& operation, const wire::Done& done) const;
  [[nodiscard]] std::string server() const;
  [[nodiscard]] std::int64_t wait_us(const Operation& operation) const;
  [[nodiscard]] Deadline patience(const Operation& operation) const;
  void listen();
  void stop_listening();

  bool hear_push(Bytes body) override;
  void hear_credit(std::uint64_t up_to) override;
  void hear_loss() override;

  Link* link_;
  RemoteTarget target_;
  std::unique_ptr<TargetClient> client_;
  std::uint64_t remote_target_{0};  // 0: not open
  std::uint64_t opened_on_{0};      // which connection
  std::uint64_t request_{0};
  Step step_{Step::idle};
  bool reopened_{false};  // during this operation
  bool lost_{false};
  bool opened_{false};  // ever
  bool broken_off_{false};
  std::uint64_t opened_by_{0};  // the request whose target is to be closed, as its number is not known

  HopNumbers numbers_;
  PushReceiver* receiver_{nullptr};
  PushCredit credit_;  // of the target that is open
  bool listens_{false};
};

}  // namespace eventspace
