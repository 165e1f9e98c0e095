#pragma once

// Private to paths/.

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "paths/joints/joint.h"
#include "tuplespace/system/parker.h"
#include "tuplespace/tuple.h"

namespace eventspace {

// What joint.cpp, joint_outcome.cpp and joint_above.cpp share: the places of the children, and the waking of
// those who wait there.

/// What one child has at the joint.
struct Joint::Place {
  bool member{false};   // has contributed since the joint began anew
  bool arrived{false};  // its operation is under way
  bool done{false};     // its outcome is below and has to be fetched
  Tuple tuple;          // what it contributed, then what it gets
  Deadline deadline{Deadline::never()};
  std::size_t most_bytes{SIZE_MAX};
  Clock::time_point since;
  Status status{Status::ok};
  std::uint64_t sequence{0};
  std::string reason;
  Waker* waker{nullptr};    // told when it is done
  Parker* parker{nullptr};  // of its thread, which sleeps
};

/// Threads to unpark after the unlock, so that they do not run into it.
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

/// Told by what is above; takes the joint's lock, which nobody holds who calls what is above.
class Joint::UplinkWaker final : public Waker {
 public:
  explicit UplinkWaker(Joint& joint) noexcept : joint_(&joint) {}
  void wake() noexcept override { joint_->wake_for_uplink(); }

 private:
  Joint* joint_;
};

}  // namespace eventspace
