#pragma once

// How event loops wait for descriptors that are rarely readable.

#include "tuplespace/system/mapping.h"

namespace eventspace {

/// A set of descriptors that a loop polls as one (epoll(7)). The kernel examines each descriptor of an
/// InputPoll at every wait; a set costs one of them, whatever its size. Not thread-safe.
class DescriptorSet {
 public:
  /// Throws EnvironmentError if the process has no descriptors left.
  DescriptorSet();

  /// A descriptor that is readable while one of the members is.
  [[nodiscard]] int descriptor() const noexcept { return handle_.get(); }

  /// Membership of one descriptor in the set, until destruction. Descriptor and set must outlive it.
  class Member {
   public:
    /// Throws EnvironmentError if the kernel refuses the descriptor.
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
