#pragma once

#include <vector>

#include <eventspace/deadline.h>
#include "tuplespace/system/mapping.h"

namespace eventspace {

class InputPoll;

/// One descriptor that is readable when an event loop of paths/ has something to do, for the event loops of
/// other programs (poll(2), epoll(7), libuv, a GUI): when it is readable, they call the function that runs
/// the loop once without waiting, and wait for it again. It may occasionally be readable without need. Used
/// by the thread of the loop.
class LoopDescriptor {
 public:
  /// Throws EnvironmentError if the process has no descriptors left.
  LoopDescriptor();
  LoopDescriptor(const LoopDescriptor&) = delete;
  LoopDescriptor& operator=(const LoopDescriptor&) = delete;

  /// Not to be read from. Valid until destruction.
  [[nodiscard]] int get() const noexcept { return set_.get(); }
  /// Makes the descriptor readable when a member of `poll` has news, or the deadline has passed. Call after
  /// each turn of the loop.
  void wait_for(const InputPoll& poll, Deadline deadline) noexcept;

 private:
  [[nodiscard]] bool add(int descriptor) const noexcept;
  void arm(Deadline deadline) const noexcept;

  FileHandle set_;    // an epoll(7) of the descriptors of the loop, and
  FileHandle timer_;  // of the timer
  std::vector<int> members_;
};

}  // namespace eventspace
