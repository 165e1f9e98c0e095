#include "paths/sockets/loop_descriptor.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include <eventspace/error.h>
#include "paths/sockets/input_poll.h"

namespace eventspace {

LoopDescriptor::LoopDescriptor()
    : set_(::epoll_create1(EPOLL_CLOEXEC)),
      timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {
  if (!set_.valid() || !timer_.valid() || !add(timer_.get()))
    throw EnvironmentError::from_errno("cannot make a descriptor for an event loop", errno);
}

bool LoopDescriptor::add(int descriptor) const noexcept {
  epoll_event readable{};
  readable.events = EPOLLIN;
  return ::epoll_ctl(set_.get(), EPOLL_CTL_ADD, descriptor, &readable) == 0 || errno == EEXIST;
}

// A closed member has left the set by itself, and its number may be reused, so all members are added each
// time.
void LoopDescriptor::wait_for(const InputPoll& poll, Deadline deadline) noexcept {
  // If the kernel refuses a member, the loop polls all of them after this time.
  constexpr std::chrono::milliseconds instead{10};
  std::vector<int> wanted = poll.descriptors();
  bool has_all = true;
  for (const int descriptor : wanted) has_all = add(descriptor) && has_all;
  for (const int member : members_) {
    if (std::ranges::find(wanted, member) == wanted.end())
      ::epoll_ctl(set_.get(), EPOLL_CTL_DEL, member, nullptr);
  }
  members_ = std::move(wanted);
  if (!has_all) deadline = earlier(deadline, Deadline::after(instead));
  arm(poll.any_ready() ? Deadline::now() : deadline);
}

void LoopDescriptor::arm(Deadline deadline) const noexcept {
  constexpr std::int64_t ns_of_a_second = 1'000'000'000;
  itimerspec time{};
  if (!deadline.is_never()) {
    const std::int64_t left =
        std::max<std::int64_t>(1, std::chrono::nanoseconds(deadline.left()).count());  // 0 would be never
    time.it_value.tv_sec = left / ns_of_a_second;
    time.it_value.tv_nsec = left % ns_of_a_second;
  }
  ::timerfd_settime(timer_.get(), 0, &time, nullptr);
}

}  // namespace eventspace
