#pragma once

// Private to paths/.
// How its loops wait for what seldom has news.

#include "tuplespace/system/mapping.h"

namespace eventspace {

/// Descriptors that are waited for as one (epoll(7)): an InputPoll asks the system for each that it is given,
/// at each wait. Not thread-safe.
class DescriptorSet {
 public:
  /// Throws EnvironmentError when there are no descriptors left.
  DescriptorSet();

  /// Readable while one of the members is.
  [[nodiscard]] int descriptor() const noexcept { return handle_.get(); }

  /// A descriptor is in the set for as long as this exists; it, and the set, must outlive this.
  class Member {
   public:
    /// Throws EnvironmentError when it cannot be a member.
    Member(DescriptorSet& set, int descriptor);
    ~Member();
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;

   private:
    int set_;
    int descriptor_;
  };

 private:
  FileHandle handle_;
};

}  // namespace eventspace
