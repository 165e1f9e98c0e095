#include "scopes/streams/child_links.h"

#include <algorithm>

namespace eventspace::streams {

Child ChildLinks::add(PushOutlet& outlet, const std::string& endpoint, bool is_process) {
  const Child child = next_++;
  const auto made = children_.try_emplace(child, any_marked_, endpoint, is_process).first;
  made->second.link.connect(outlet);
  return child;
}

ChildLink* ChildLinks::find(Child child) {
  const auto found = children_.find(child);
  return found == children_.end() ? nullptr : &found->second;
}

bool ChildLinks::has_control() const {
  return std::ranges::any_of(children_, [](const auto& one) { return !one.second.link.control().empty(); });
}

void ChildLinks::post_to_all(const Frame& frame) {
  for (auto& [child, one] : children_) one.link.post(frame);
}

}  // namespace eventspace::streams
