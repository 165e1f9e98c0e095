#include "paths/sockets/descriptor_set.h"

#include <sys/epoll.h>

#include <cerrno>

#include <eventspace/error.h>

namespace eventspace {

DescriptorSet::DescriptorSet() : handle_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (!handle_.valid()) throw EnvironmentError::from_errno("cannot wait for the network", errno);
}

DescriptorSet::Member::Member(DescriptorSet& set, int descriptor)
    : set_(set.descriptor()), descriptor_(descriptor) {
  epoll_event readable{};
  readable.events = EPOLLIN;
  if (::epoll_ctl(set_, EPOLL_CTL_ADD, descriptor_, &readable) != 0)
    throw EnvironmentError::from_errno("cannot wait for the network", errno);
}

DescriptorSet::Member::~Member() { ::epoll_ctl(set_, EPOLL_CTL_DEL, descriptor_, nullptr); }

}  // namespace eventspace
