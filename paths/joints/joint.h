#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <eventspace/operation.h>
#include <eventspace/stage.h>
#include "paths/joints/joint_rule.h"

namespace eventspace {

/// The connection of a joint that is not the root to the joint above it.
struct Uplink {
  /// Makes the joint's own path up: for the first operation, and again when a new collective begins after a
  /// broken one. May throw; the collective is then broken.
  std::function<std::unique_ptr<Stage>()> make;
  /// Blocks, for a bounded time, until the message of Stage::break_off has been sent. May be empty.
  std::function<void()> flush;
  /// Called from any thread when drive() may have work: for a joint that belongs to an event loop, which must
  /// not block. If empty, a thread that waits at the joint makes progress with the operation above.
  std::function<void()> call_loop;
  /// How long after its deadline the loop waits for the outcome of the operation above; used only with a
  /// loop.
  std::chrono::nanoseconds grace{};
};

/// The point where the paths of a collective operation meet. Each child contributes a tuple (Verb::exchange).
/// When the last child arrives, the joint joins the contributions and passes the result to the joint above,
/// if there is one; then it hands the outcome down to all children.
///
///     gathering --the last child arrives--> above --result--> handed down, gathering the next operation
///         |                                   |
///         +--a child gives up, leaves or is refused--> broken --all members have left--> gathering
///
/// 1. No child has a result before all have contributed. Contributions are joined in the order of the
///    children.
/// 2. Each child has at most one operation under way, so the joint holds one contribution or result for it.
/// 3. A child becomes a member of the collective with its first contribution. A member that leaves breaks the
///    collective, which stays broken until all members have left; then a new one begins. A child that leaves
///    without being a member is ignored.
/// 4. Once the collective is broken, every exchange under way and every later one ends with Status::closed
///    and the same reason, except that exchanges whose deadline has passed end with Status::timed_out.
///    Results that were handed down before stay valid.
/// 5. The path up is used without the lock, by one thread at a time: the thread that has set `driven_` with
///    the lock held. If a stage of it throws, the collective is broken, with the exception's text as the
///    reason.
///
/// Thread-safe; each child is used like a Stage, by one thread at a time. No thread may be inside a member
/// function when the joint is destroyed.
class Joint {
 public:
  explicit Joint(JointConfig config, std::optional<Uplink> uplink = {});
  ~Joint();
  Joint(const Joint&) = delete;
  Joint& operator=(const Joint&) = delete;

  [[nodiscard]] const JointConfig& config() const noexcept { return rule_.config(); }

  // Called by the stages of the children (JointStage); see Stage.
  void begin(std::size_t child, Operation& operation);
  bool ready(std::size_t child, Operation& operation);
  void finish(std::size_t child, Operation& operation);
  void call(std::size_t child, Operation& operation);
  void break_off(std::size_t child, std::string_view why);
  void leave(std::size_t child);

  // Called by the event loop that the joint belongs to. They do not block.
  /// Makes progress with the operation to the joint above.
  void drive();
  /// When to call drive() even if call_loop was not called.
  [[nodiscard]] Deadline due();
  /// Called when the loop ends: breaks the collective and destroys the path up.
  void end();

  /// Ends every exchange under way, and every later one, with Status::closed.
  void close();

 private:
  using Lock = std::unique_lock<std::mutex>;
  using Clock = std::chrono::steady_clock;
  struct Place;
  class Woken;
  class UplinkWaker;

  // Called with the lock held. Functions with a Lock parameter release it while they use the path up.
  void arrive(std::size_t child, Operation& operation, Woken& woken);
  void pass_on(Lock& lock, Woken& woken);
  void pass_up(Lock& lock, Tuple joined, Woken& woken);
  template <class Use>
  std::optional<std::string> use_above(Lock& lock, Use use);
  void go_on(Lock& lock, Woken& woken, bool wait);
  void on_from_above(Woken& woken);
  void hand_down(std::uint64_t number, const Tuple& down, Woken& woken);
  void break_up(std::string why, Woken& woken);
  void notify_above(Lock& lock, Woken& woken);
  void renew_if_empty(Lock& lock);
  void give_up(std::size_t child, Woken& woken);
  bool fetch(std::size_t child, Operation& operation);
  void wait(Lock& lock, std::size_t child, Deadline deadline);
  void nudge(Woken& woken);
  void wake_for_uplink();

  [[nodiscard]] bool is_to_be_driven() const noexcept { return passing_ && !driven_; }
  [[nodiscard]] bool belongs_to_loop() const noexcept { return uplink_ && uplink_->call_loop; }
  [[nodiscard]] std::string missing() const;
  [[nodiscard]] std::string at_operation() const;

  const JointRule rule_;
  const std::optional<Uplink> uplink_;
  const std::unique_ptr<UplinkWaker> waker_;

  // Used only by the thread that has set driven_.
  std::unique_ptr<Stage> above_;
  Operation up_;
  Deadline overdue_{Deadline::never()};  // when a loop gives the operation above up

  std::mutex mutex_;  // guards all members below
  std::vector<Place> places_;
  std::size_t arrived_{0};
  std::size_t members_{0};
  std::uint64_t completed_{0};
  bool passing_{false};                // an operation is under way to the joint above
  bool driven_{false};                 // a thread uses the path up
  std::optional<std::string> broken_;  // the reason
  bool must_notify_above_{false};  // the joint above has not been notified yet that the collective is broken
  bool closed_{false};
};

/// The last stage of a path to a joint: performs exchanges as one of its children, and leaves the joint when
/// it is destroyed. The joint must outlive it.
class JointStage final : public Stage {
 public:
  JointStage(Joint& joint, std::size_t child) noexcept : joint_(&joint), child_(child) {}
  ~JointStage() override { joint_->leave(child_); }
  JointStage(const JointStage&) = delete;
  JointStage& operator=(const JointStage&) = delete;

  void begin(Operation& operation) override { joint_->begin(child_, operation); }
  bool ready(Operation& operation) override { return joint_->ready(child_, operation); }
  void finish(Operation& operation) override { joint_->finish(child_, operation); }
  void call(Operation& operation) override { joint_->call(child_, operation); }
  void break_off(std::string_view why) override { joint_->break_off(child_, why); }
  void leave() override { joint_->leave(child_); }

 private:
  Joint* joint_;
  std::size_t child_;
};

}  // namespace eventspace
