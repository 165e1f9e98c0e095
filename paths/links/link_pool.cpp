#include "paths/links/link_pool.h"

#include <algorithm>
#include <chrono>

#include "paths/links/server_connection.h"
#include "paths/sockets/descriptor_set.h"
#include "paths/sockets/input_poll.h"
#include "paths/sockets/loop_descriptor.h"

namespace eventspace {

LinkPool::LinkPool(Network& network, Progress progress) noexcept : network_(&network), progress_(progress) {}

LinkPool::~LinkPool() = default;

Link& LinkPool::to(const std::string& endpoint) {
  std::unique_ptr<Link>& link = links_[endpoint];
  if (!link) {
    try {
      if (!connections_) connections_ = std::make_unique<DescriptorSet>();
      link = std::make_unique<Link>(*network_, endpoint, progress_, connections_.get());
    } catch (...) {
      links_.erase(endpoint);
      throw;
    }
  }
  return *link;
}

Link::Counts LinkPool::counts() const noexcept {
  Link::Counts sum;
  for (const auto& [endpoint, link] : links_) sum += link->counts();
  return sum;
}

bool LinkPool::has_unsent() const noexcept {
  return std::any_of(links_.begin(), links_.end(),
                     [](const auto& entry) { return entry.second->has_unsent(); });
}

void LinkPool::wait(Deadline deadline) {
  if (!poll_) poll_ = std::make_unique<InputPoll>();
  poll_->clear();
  add_to(*poll_);
  poll_->wait(time_until(deadline, longest_wait()));
  progress(*poll_);
}

void LinkPool::show_to(LoopDescriptor& outside, Deadline deadline) {
  InputPoll poll;
  add_to(poll);
  outside.wait_for(poll, earlier(deadline, Deadline::after(longest_wait())));
}

std::chrono::milliseconds LinkPool::longest_wait() const {
  const auto is_closed = [](const auto& entry) { return !entry.second->is_open(); };
  const bool all_open = std::none_of(links_.begin(), links_.end(), is_closed);
  return all_open ? std::chrono::milliseconds(1000) : ServerConnection::between_connections;
}

void LinkPool::add_to(InputPoll& poll) {
  connections_place_ = connections_ ? poll.add(connections_->descriptor()) : InputPoll::nowhere;
  waited_for_.clear();
  for (const auto& [endpoint, link] : links_) waited_for_.emplace_back(link.get(), link->add_to(poll));
}

void LinkPool::progress(const InputPoll& poll) {
  const bool any_connection = poll.has_news(connections_place_);
  for (const auto& [link, places] : waited_for_) {
    any_connection ? link->progress() : link->progress(poll, places);
  }
}

void LinkPool::tidy() {
  for (const auto& [endpoint, link] : links_) {
    if (link->is_idle()) link->progress();
  }
}

}  // namespace eventspace
