#include "tuplespace/element_space.h"

#include <fmt/format.h>

#include <mutex>

#include <eventspace/error.h>

namespace eventspace {

Element& ElementSpace::create(ElementConfig config) {
  if (config.name.empty()) throw ConfigurationError("an element needs a name; this one's is empty");
  auto element = std::make_unique<Element>(std::move(config));
  const std::string& name = element->config().name;
  const std::lock_guard lock(mutex_);
  if (elements_.contains(name)) throw ConfigurationError(fmt::format("element '{}' exists already", name));
  // Under the lock, so that no element escapes close_all().
  if (closed_) element->close();
  return *elements_.emplace(name, std::move(element)).first->second;
}

Element* ElementSpace::find(std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto found = elements_.find(name);
  return found == elements_.end() ? nullptr : found->second.get();
}

void ElementSpace::close_all() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  for (const auto& [name, element] : elements_) element->close();
}

std::vector<std::string> ElementSpace::names() const {
  const std::shared_lock lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, element] : elements_) names.push_back(name);
  return names;
}

}  // namespace eventspace
