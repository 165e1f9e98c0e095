#include "monitors/heartbeat/element_fills.h"

#include <map>

#include <eventspace/error.h>

namespace eventspace {

AskedFills::AskedFills(std::shared_ptr<const Plan> plan, std::string session)
    : plan_(std::move(plan)), session_(std::move(session)) {}

void AskedFills::fill(std::vector<ElementWait>& waits, std::chrono::nanoseconds patience) {
  std::vector<ElementIndex> elements;
  for (const ElementWait& wait : waits)
    if (can_be_asked(*plan_, wait.element)) elements.push_back(wait.element);
  if (elements.empty()) return;
  if (asker_ == nullptr) asker_ = std::make_unique<ElementAsker>(plan_, session_);
  std::map<std::string, ElementFill> fills;
  for (const ElementAnswer& answer : asker_->ask(elements, patience))
    for (const ElementState& state : answer.states)
      if (state.is_known) fills[state.name] = {state.kept, state.capacity};
  for (ElementWait& wait : waits) {
    const auto found = fills.find(plan_->elements[wait.element].name);
    if (found != fills.end()) wait.fill = found->second;
  }
}

}  // namespace eventspace
