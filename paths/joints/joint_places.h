#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <eventspace/tuple.h>
#include "paths/joints/joint.h"
#include "tuplespace/system/parker.h"

namespace eventspace {

// Shared by joint.cpp, joint_outcome.cpp and joint_above.cpp: the state of each child, and the waking of
// threads that wait at the joint.

/// The state of one child. Guarded by the joint's lock.
struct Joint::Place {
  bool member{false};   // has contributed to the current collective, or broken it
  bool arrived{false};  // its operation is under way
  bool done{false};     // its outcome, below, has not been fetched yet
  Tuple tuple;          // its contribution, later its result
  Deadline deadline{Deadline::never()};
  std::size_t max_bytes{SIZE_MAX};
  Clock::time_point since;  // when it arrived
  Status status{Status::ok};
  std::uint64_t sequence{0};
  std::string reason;
  Waker* waker{nullptr};    // called when the outcome is there; may be null
  Parker* parker{nullptr};  // of the child's thread while it sleeps in wait(); else null
};

/// Collects threads to wake. They are unparked after the lock is released, so that they do not block on it at
/// once; wakers are called immediately.
class Joint::Woken {
 public:
  Woken() = default;
  Woken(const Woken&) = delete;
  Woken& operator=(const Woken&) = delete;
  ~Woken() { unpark_all(); }

  void add(Place& place) {
    if (Waker* const waker = std::exchange(place.waker, nullptr)) waker->wake();
    if (Parker* const parker = std::exchange(place.parker, nullptr)) parkers_.push_back(parker);
  }
  void unpark_all() noexcept {
    for (Parker* const parker : parkers_) parker->unpark();
    parkers_.clear();
  }

 private:
  std::vector<Parker*> parkers_;
};

/// The waker of operations to the joint above. It takes the joint's lock, which is safe because no thread
/// holds that while it uses the path up (invariant 5 of Joint).
class Joint::UplinkWaker final : public Waker {
 public:
  explicit UplinkWaker(Joint& joint) noexcept : joint_(&joint) {}
  void wake() noexcept override { joint_->wake_for_uplink(); }

 private:
  Joint* joint_;
};

}  // namespace eventspace
