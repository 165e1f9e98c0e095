#include "paths/links/target_listeners.h"

#include <optional>

namespace eventspace {

void TargetListeners::set(std::uint64_t target, LinkListener* listener) {
  if (listener != nullptr) {
    listeners_[target] = listener;
  } else {
    listeners_.erase(target);
  }
}

TargetListeners::Delivery TargetListeners::deliver(const wire::ParsedHeader& parsed) {
  const bool is_push = parsed.header.kind == wire::Kind::pushed;
  const auto push = is_push ? wire::decode<wire::Push>(parsed.envelope) : std::nullopt;
  const auto credit = is_push ? std::nullopt : wire::decode<wire::Credit>(parsed.envelope);
  if (!push && !credit) return Delivery::malformed;
  const auto found = listeners_.find(push ? push->target : credit->target);
  if (found == listeners_.end()) return Delivery::late;
  if (credit) {
    found->second->on_credit(credit->up_to);
    return Delivery::done;
  }
  return found->second->on_push(parsed.body) ? Delivery::done : Delivery::malformed;
}

// Takes the first listener each time instead of iterating: a listener may remove others when it is called.
void TargetListeners::lose_all() {
  while (!listeners_.empty()) {
    LinkListener* const listener = listeners_.begin()->second;
    listeners_.erase(listeners_.begin());
    listener->on_loss();
  }
}

}  // namespace eventspace
