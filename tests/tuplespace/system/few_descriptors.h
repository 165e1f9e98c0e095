#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

namespace eventspace::test {

// UBSan opens a pipe to see whether there is memory at an address, and takes it for not there if it cannot.
#if defined(__has_feature)
#if __has_feature(undefined_behavior_sanitizer)
#define EVENTSPACE_NEEDS_DESCRIPTORS
#endif
#endif

/// While it lives, this process can open no more than `left` descriptors beside those that it has.
class FewDescriptors {
 public:
#ifdef EVENTSPACE_NEEDS_DESCRIPTORS
  static constexpr bool possible = false;
#else
  static constexpr bool possible = true;
#endif
  static constexpr const char* why_not = "the sanitizer needs descriptors itself";

  explicit FewDescriptors(int left = 0) {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    const rlimit few{static_cast<rlim_t>(end_of_the_next(left)), before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  }
  ~FewDescriptors() { EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before_), 0); }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;

 private:
  // A descriptor gets the lowest number that is free.
  static int end_of_the_next(int count) {
    int end = 0;
    std::vector<int> taken;
    for (; count > 0; --count) taken.push_back(::dup(STDERR_FILENO));
    for (const int descriptor : taken) end = std::max(end, descriptor + 1);
    for (const int descriptor : taken) ::close(descriptor);
    return end;
  }

  rlimit before_{};
};

}  // namespace eventspace::test
