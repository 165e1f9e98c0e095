#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

namespace eventspace::test {

// UBSan opens a pipe to check whether an address is mapped, and reports it as unmapped if that fails.
#if defined(__has_feature)
#if __has_feature(undefined_behavior_sanitizer)
#define EVENTSPACE_NEEDS_DESCRIPTORS
#endif
#endif

/// During its lifetime, this process can open at most `left` more descriptors.
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
  // A new descriptor gets the lowest free number.
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
