#pragma once

// Private to paths/.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "paths/joints/joint_rule.h"
#include "paths/stage.h"
#include "tuplespace/operation.h"

namespace eventspace {

/// The way of a joint that is not the root to the joint above it.
struct Uplink {
  /// The joint's own path up; made at the first operation, and again when a broken collective starts anew.
  std::function<std::unique_ptr<Stage>()> make;
  /// Sees to it that what Stage::break_off had to say is sent; waits some time at most. May be empty.
  std::function<void()> flush;
  /// Called when there may be something to do for drive(), from any thread: the joint belongs to an event
  /// loop. Empty: whichever thread waits at the joint goes on with what is under way to the joint above.
  std::function<void()> call_loop;
  /// How long past its deadline the word from above may take; only with a loop.
  std::chrono::nanoseconds grace{};
};

/// Where the paths of a collective operation meet. Each child contributes a tuple (Verb::exchange); the last
/// one to come has them joined and passed on up; what comes back is handed down to all of them.
///
///     gathering --the last child comes--> above --result--> handed down, gathering the next
///         |                                 |
///         +--a child gives up, leaves, is refused--> broken --all who had come have left--> gathering
///
/// 1. Nobody has a result before all have contributed; contributions are joined in the order of the children.
/// 2. Each child has one operation under way at most, so the joint holds one contribution or result for it.
/// 3. A child that leaves without having contributed since the joint began is none yet; any other breaks it.
///    What is broken stays so for as long as one of them is there.
/// 4. Once broken, every exchange under way and later ends as closed, with the same reason. Only those whose
///    deadline has passed are timed_out. Results that were handed down before stay.
/// 5. The path up is used without a lock held, by one thread at a time, with a happens-before between them.
///
/// Thread-safe; a child is used as a Stage is. Nobody may be inside when it is destroyed.
class Joint {
 public:
  explicit Joint(JointConfig config, std::optional<Uplink> uplink = {});
  ~Joint();
  Joint(const Joint&) = delete;
  Joint& operator=(const Joint&) = delete;

  [[nodiscard]] const JointConfig& config() const noexcept { return rule_.config(); }

  // For the stages of its children (JointStage).
  void begin(std::size_t child, Operation& operation);
  bool ready(std::size_t child, Operation& operation);
  void finish(std::size_t child, Operation& operation);
  void call(std::size_t child, Operation& operation);
  void break_off(std::size_t child, std::string_view why);
  void leave(std::size_t child);

  // For the event loop it belongs to: never wait.
  /// Goes on with what is under way to the joint above.
  void drive();
  /// When that is due though nobody called for it.
  [[nodiscard]] Deadline due();
  /// The loop ends: the path up goes, and the collective is broken.
  void end();

  /// Ends all waiting with Status::closed, and every later operation too.
  void close();

 private:
  using Lock = std::unique_lock<std::mutex>;
  using Clock = std::chrono::steady_clock;
  struct Place;
  class Woken;
  class UplinkWaker;

  // All of these are called with the lock held; those with a Lock release it meanwhile.
  void arrive(std::size_t child, Operation& operation, Woken& woken);
  void pass_on(Lock& lock, Woken& woken);
  void pass_up(Lock& lock, Tuple joined, Woken& woken);
  void go_on(Lock& lock, Woken& woken, bool wait);
  void hear_from_above(Woken& woken);
  void hand_down(std::uint64_t number, const Tuple& down, Woken& woken);
  void break_up(std::string why, Woken& woken);
  void tell_above(Lock& lock, Woken& woken);
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

  // Used by whoever has set driven_.
  std::unique_ptr<Stage> above_;
  Operation up_;
  Deadline overdue_{Deadline::never()};  // when what is under way is given up by a loop

  std::mutex mutex_;  // guards all below
  std::vector<Place> places_;
  std::size_t arrived_{0};
  std::size_t members_{0};
  std::uint64_t completed_{0};
  bool passing_{false};  // an operation is under way to the joint above
  bool driven_{false};   // somebody uses the path up
  std::optional<std::string> broken_;
  bool to_be_told_{false};  // the joint above has to hear that it is broken
  bool closed_{false};
};

/// The end of a path to a joint: does exchanges as one of its children. The joint must outlive it.
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
