#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <eventspace/stage.h>
#include "paths/bodies/target_client.h"
#include "paths/links/link_pool.h"
#include "paths/remote/answer_wait.h"
#include "paths/remote/hop_numbers.h"
#include "paths/remote/remote_pushes.h"
#include "paths/wire/wire.h"

namespace eventspace {

/// The target of a remote stage, and its server.
struct RemoteTarget {
  std::string endpoint;    ///< of the server
  wire::OpenRequest open;  ///< its spec is used unless TargetClient::spec returns another
  std::string node;        ///< the server's node, for messages
  /// How long after an operation's deadline to wait for the server's reply (NetworkLimits::answer_grace). 0
  /// in a server's loop, where the stage must not block: the loop itself keeps polling for that long, and for
  /// a pull the stage gives the next server less time instead.
  std::chrono::nanoseconds answer_grace{};
  /// The part of the time until an operation's deadline that is only for the server to get a processor.
  /// Without a connection, the operation ends this much earlier, so that the wait for a missing server is not
  /// longer than for a running one. An operation whose deadline is nearer than this gets all of its time.
  std::chrono::nanoseconds allowance{};
  /// Whether the stage opens the target again after the server has lost it. False in a gateway, which leaves
  /// that to its peer: only the peer knows how far it has read.
  bool opens_again{true};
  /// Called before the target is opened or reopened, and while an operation waits for that without a
  /// connection; at most once per RemoteStage::between_preparations. It may block, even beyond the
  /// operation's deadline. If it throws an Error, the operation ends with Status::closed and that reason. May
  /// be null.
  std::function<void()> before_open{};
};

/// Sends operations to a server. The stage opens the target at the first operation, and again if the server
/// has lost it (because it was restarted or the lease has ended). It never sends an operation twice that may
/// have happened. The TargetClient encodes the bodies; the stage handles only envelopes.
///
/// 1. An operation without a reply in time ends with Status::timed_out if it certainly changed nothing,
///    otherwise with Status::closed.
/// 2. An operation whose deadline is set to Deadline::now() while it is under way is cancelled: the server
///    answers at once, with what has happened, and waits no more; a tuple that it has taken is delivered. A
///    server that does not answer within AnswerWait::grace_of_cancel is not waited for.
/// 3. When the connection is lost, operations under way end at once: a pull with Status::timed_out, any other
///    with Status::closed and a reason that says if it may have happened. An operation that was not sent yet
///    waits for the next connection.
/// 4. A held target (wire::OpenRequest) is opened once. When its connection is lost, the server treats its
///    holder as gone, so all later operations end with Status::closed.
///
/// Not thread-safe: used only by the thread of its links.
class RemoteStage final : public Stage {
 public:
  /// `client` encodes the bodies; null selects the client of elements, paths and joints. `links` must outlive
  /// the stage.
  RemoteStage(LinkPool& links, RemoteTarget target, std::unique_ptr<TargetClient> client = nullptr);
  ~RemoteStage() override;

  void begin(Operation& operation) override;
  bool ready(Operation& operation) override;
  void finish(Operation& operation) override;
  bool await(Operation& operation) override;
  /// Both notify the server of a held target; break_off opens it first if necessary. They do not affect other
  /// targets.
  void break_off(std::string_view why) override;
  void leave() override;

  /// Whether the server has lost the target for good (RemoteTarget::opens_again is false). The stage is
  /// useless then.
  [[nodiscard]] bool is_lost() const noexcept { return lost_; }

  /// See RemoteTarget::before_open.
  static constexpr std::chrono::seconds between_preparations{1};

  /// The messages to and from the target that are not replies.
  [[nodiscard]] RemotePushes& pushes() noexcept { return pushes_; }

 private:
  enum class Step : std::uint8_t { idle, opening, operating };

  bool prepare(Operation& operation);
  [[nodiscard]] bool waits_for_preparation() const noexcept;
  void request_open(Operation& operation);
  void request_operation(Operation& operation);
  void send(Operation& operation, std::uint64_t id, wire::Message message, Step step);
  void look_at_deadline(Operation& operation);
  void cancel(Operation& operation);
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
  [[nodiscard]] bool is_out_of_patience() const;

  RemoteTarget target_;
  Link* link_;
  std::unique_ptr<TargetClient> client_;
  std::uint64_t remote_target_{0};  // 0 if not open
  std::uint64_t opened_on_{0};      // number of the connection that it is open on
  std::uint64_t request_{0};        // the request under way; 0 if none
  Step step_{Step::idle};
  bool reopened_{false};                           // during the current operation
  Deadline known_deadline_{Deadline::never()};     // of the current operation, as its server knows it
  bool cancelled_{false};                          // the current operation
  Deadline unconnected_until_{Deadline::never()};  // of the current operation; see RemoteTarget::allowance
  bool lost_{false};
  bool opened_{false};  // at least once
  bool broken_off_{false};
  std::optional<std::chrono::steady_clock::time_point> prepared_;  // when before_open was called last
  std::uint64_t opened_by_{0};  // an open request without a reply yet, for closing its target; 0 if none

  AnswerWait wait_;
  HopNumbers numbers_;
  RemotePushes pushes_;
};

}  // namespace eventspace
