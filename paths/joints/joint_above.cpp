#include <fmt/format.h>

#include <exception>
#include <optional>
#include <utility>

#include "paths/joints/joint_places.h"

// The path from a joint to the joint above. While `driven_` is set, its thread uses above_ and up_ without
// the lock.

namespace eventspace {

/// Calls `use`, which uses the path up, without the lock. Returns the text of the exception that it threw.
template <class Use>
std::optional<std::string> Joint::use_above(Lock& lock, Use use) {
  driven_ = true;
  lock.unlock();
  std::optional<std::string> failure;
  try {
    use();
  } catch (const std::exception& error) {
    failure = error.what();
  } catch (...) {
    failure = "an exception that is not a std::exception";
  }
  lock.lock();
  driven_ = false;
  return failure;
}

void Joint::pass_up(Lock& lock, Tuple joined, Woken& woken) {
  up_ = Operation();
  up_.verb = Verb::exchange;
  up_.tuple = std::move(joined);
  for (const Place& place : places_) up_.deadline = earlier(up_.deadline, place.deadline);
  up_.waker = waker_.get();
  overdue_ = up_.deadline.is_never() ? up_.deadline : Deadline::after(up_.deadline.left() + uplink_->grace);
  passing_ = true;
  const auto failure = use_above(lock, [this] {
    if (!above_) above_ = uplink_->make();
    above_->begin(up_);
  });
  if (failure) {
    passing_ = above_ != nullptr;  // then notify_above finishes the operation
    break_up(*failure, woken);
  } else if (belongs_to_loop()) {
    uplink_->call_loop();
  }
}

/// Makes progress with the operation above. `wait`: blocks until it has an outcome, which comes at most
/// shortly after its deadline.
void Joint::go_on(Lock& lock, Woken& woken, bool wait) {
  bool finishes = false;
  const auto failure = use_above(lock, [&] {
    finishes = wait || above_->ready(up_);
    if (finishes) above_->finish(up_);
  });
  if (finishes) passing_ = false;
  if (failure) {
    break_up(fmt::format("{}: joint {} failed to reach the joint above: {}", at_operation(), config().name,
                         *failure),
             woken);
  } else if (finishes && !broken_) {
    on_from_above(woken);
  }
  if (must_notify_above_) return notify_above(lock, woken);
  if (!belongs_to_loop()) nudge(woken);
}

void Joint::on_from_above(Woken& woken) {
  if (up_.status == Status::ok) return hand_down(up_.sequence, up_.tuple, woken);
  break_up(up_.reason.empty() ? fmt::format("the joint above {} ended {} as {}", config().name,
                                            at_operation(), to_string(up_.status))
                              : up_.reason,
           woken);
}

/// Notifies the joint above that the collective is broken, and ends the operation above.
void Joint::notify_above(Lock& lock, Woken& woken) {
  const std::string why = *broken_;
  const bool passing = passing_;
  must_notify_above_ = false;
  driven_ = true;
  lock.unlock();
  woken.unpark_all();  // first: notifying may take some time
  try {
    if (!above_) above_ = uplink_->make();
    above_->break_off(why);
    if (passing) {
      up_.deadline = Deadline::now();
      above_->finish(up_);
    }
    if (uplink_->flush) uplink_->flush();
  } catch (...) {  // without a path up, there is nothing to notify
    above_.reset();
  }
  lock.lock();
  driven_ = passing_ = false;
  renew_if_empty(lock);
}

void Joint::wake_for_uplink() {
  if (belongs_to_loop()) return uplink_->call_loop();
  Woken woken;
  const std::lock_guard lock(mutex_);
  nudge(woken);
  for (Place& place : places_) {
    if (place.arrived && place.waker != nullptr) std::exchange(place.waker, nullptr)->wake();
  }
}

void Joint::drive() {
  Woken woken;
  Lock lock(mutex_);
  if (is_to_be_driven()) go_on(lock, woken, overdue_.passed());
}

Deadline Joint::due() {
  const std::lock_guard lock(mutex_);
  return is_to_be_driven() ? earlier(overdue_, up_.look_again) : Deadline::never();
}

void Joint::end() {
  Woken woken;
  Lock lock(mutex_);
  break_up("the server has ended", woken);
  if (must_notify_above_ && !driven_) notify_above(lock, woken);
  lock.unlock();
  above_.reset();
}

}  // namespace eventspace
