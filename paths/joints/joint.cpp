#include "paths/joints/joint.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "paths/joints/joint_places.h"

// The calls of the children: arriving, waiting, leaving.

namespace eventspace {
namespace {

// How often callers of ready() should poll if no thread waits at the joint and it is without a loop: only
// they then make progress with the operation above.
constexpr std::chrono::milliseconds between_looks{1};

void conclude(Operation& operation, Status status, std::string reason) {
  operation.status = status;
  operation.reason = std::move(reason);
}

}  // namespace

Joint::Joint(JointConfig config, std::optional<Uplink> uplink)
    : rule_(std::move(config)),
      uplink_(std::move(uplink)),
      waker_(std::make_unique<UplinkWaker>(*this)),
      places_(rule_.config().children.size()) {}

Joint::~Joint() = default;

void Joint::begin(std::size_t child, Operation& operation) {
  Woken woken;
  Lock lock(mutex_);
  arrive(child, operation, woken);
  if (arrived_ == places_.size()) pass_on(lock, woken);
  if (must_notify_above_ && !driven_) notify_above(lock, woken);
  if (!belongs_to_loop()) nudge(woken);
}

void Joint::call(std::size_t child, Operation& operation) {
  {
    Woken woken;
    Lock lock(mutex_);
    arrive(child, operation, woken);
    if (arrived_ == places_.size()) pass_on(lock, woken);
    if (must_notify_above_ && !driven_) notify_above(lock, woken);
    if (fetch(child, operation)) return;
  }
  finish(child, operation);
}

bool Joint::ready(std::size_t child, Operation& operation) {
  if (operation.status != Status::under_way) return true;
  Woken woken;
  Lock lock(mutex_);
  Place& place = places_[child];
  if (!place.done && is_to_be_driven() && !belongs_to_loop()) go_on(lock, woken, false);
  const bool late = operation.deadline.passed();
  if (!place.done && late && !passing_) give_up(child, woken);
  if (must_notify_above_ && !driven_) notify_above(lock, woken);
  if (fetch(child, operation)) return true;
  place.waker = operation.waker;
  operation.look_again = late ? Deadline::never() : operation.deadline;
  if (passing_ && !belongs_to_loop())
    operation.look_again = earlier(operation.look_again, Deadline::after(between_looks));
  return false;
}

void Joint::finish(std::size_t child, Operation& operation) {
  if (operation.status != Status::under_way) return;
  Woken woken;
  Lock lock(mutex_);
  wait(lock, child, operation.deadline);
  if (!places_[child].done) give_up(child, woken);
  if (must_notify_above_ && !driven_) notify_above(lock, woken);
  fetch(child, operation);
}

void Joint::break_off(std::size_t child, std::string_view why) {
  Woken woken;
  Lock lock(mutex_);
  if (!std::exchange(places_[child].member, true)) ++members_;
  const JointChild& breaker = config().children[child];
  break_up(breaker.is_joint ? std::string(why) : fmt::format("{}: {}", breaker.name, why), woken);
  if (must_notify_above_ && !driven_) notify_above(lock, woken);
}

void Joint::leave(std::size_t child) {
  Woken woken;
  Lock lock(mutex_);
  if (!std::exchange(places_[child].member, false)) return;
  --members_;
  break_up(fmt::format("{} has left or was lost at {}{}", config().children[child].name, at_operation(),
                       missing()),
           woken);
  if (must_notify_above_ && !driven_) notify_above(lock, woken);
  renew_if_empty(lock);
}

void Joint::close() {
  Woken woken;
  Lock lock(mutex_);
  closed_ = true;
  break_up("the session was closed", woken);
  if (must_notify_above_ && !driven_) notify_above(lock, woken);
}

void Joint::arrive(std::size_t child, Operation& operation, Woken& woken) {
  operation.status = Status::under_way;
  operation.missed = 0;
  if (operation.verb != Verb::exchange)
    return conclude(
        operation, Status::refused,
        fmt::format("joint {} accepts only exchanges; found a {}", config().name, to_string(operation.verb)));
  Place& place = places_[child];
  if (!std::exchange(place.member, true)) ++members_;
  operation.sequence = completed_ + 1;
  if (broken_) return conclude(operation, Status::closed, *broken_);
  if (std::string fault = rule_.fault_of(child, operation.tuple); !fault.empty()) {
    break_up(fmt::format("the contribution of {} to {} was refused: {}", config().children[child].name,
                         at_operation(), fault),
             woken);
    return conclude(operation, Status::refused, std::move(fault));
  }
  place.arrived = true;
  place.done = false;
  place.tuple = operation.tuple;
  place.deadline = operation.deadline;
  place.max_bytes = operation.max_bytes;
  place.since = Clock::now();
  ++arrived_;
}

bool Joint::fetch(std::size_t child, Operation& operation) {
  if (operation.status != Status::under_way) return true;
  Place& place = places_[child];
  if (!place.done) return false;
  place.done = false;
  place.waker = nullptr;
  operation.sequence = place.sequence;
  if (place.status == Status::ok) operation.tuple = std::move(place.tuple);
  place.tuple = {};
  conclude(operation, place.status, std::move(place.reason));
  return true;
}

/// Blocks until the child's outcome is there or its deadline has passed. Once all children have arrived, the
/// deadline no longer ends the wait: the operation above has the earliest of their deadlines and ends soon
/// after it.
void Joint::wait(Lock& lock, std::size_t child, Deadline deadline) {
  Place& place = places_[child];
  while (!place.done && !belongs_to_loop()) {
    if (is_to_be_driven()) {  // no other thread makes progress with the operation above: this one does
      Woken woken;
      go_on(lock, woken, true);
      lock.unlock();
      woken.unpark_all();
      lock.lock();
      continue;
    }
    if (!passing_ && deadline.passed()) return;
    Parker parker;
    place.parker = &parker;
    const Deadline until = passing_ ? Deadline::never() : deadline;
    lock.unlock();
    const bool unparked = parker.park_until(until);
    lock.lock();
    if (unparked || std::exchange(place.parker, nullptr) == &parker) continue;
    // Another thread took the address of `parker` from the place and will unpark it: wait for that, or it
    // would use a destroyed object.
    lock.unlock();
    parker.park();
    lock.lock();
  }
}

/// Wakes one sleeping thread, so that it makes progress with the operation above.
void Joint::nudge(Woken& woken) {
  if (!is_to_be_driven()) return;
  const auto sleeper = std::ranges::find_if(places_, [](const Place& p) { return p.parker != nullptr; });
  if (sleeper != places_.end()) woken.add(*sleeper);
}

void Joint::give_up(std::size_t child, Woken& woken) {
  Place& place = places_[child];
  const double seconds = std::chrono::duration<double>(Clock::now() - place.since).count();
  place.deadline = Deadline::now();
  break_up(fmt::format("{} gave up after {:.3g} s at {}{}", config().children[child].name, seconds,
                       at_operation(), missing()),
           woken);
}

}  // namespace eventspace
