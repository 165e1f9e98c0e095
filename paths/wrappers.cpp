#include "paths/wrappers.h"

#include <fmt/format.h>

#include <algorithm>

#include "paths/delay_wrapper.h"
#include "tuplespace/system/error.h"

namespace eventspace {

WrapperRegistry::WrapperRegistry() { add(delay_wrapper()); }

WrapperRegistry& WrapperRegistry::instance() {
  static WrapperRegistry registry;
  return registry;
}

void WrapperRegistry::add(WrapperInfo info) {
  if (find(info.name) != nullptr) {
    throw ConfigurationError(fmt::format("a path wrapper named '{}' is registered already", info.name));
  }
  wrappers_.push_back(std::move(info));
}

const WrapperInfo* WrapperRegistry::find(std::string_view name) const noexcept {
  const auto found = std::find_if(wrappers_.begin(), wrappers_.end(),
                                  [name](const WrapperInfo& info) { return info.name == name; });
  return found == wrappers_.end() ? nullptr : &*found;
}

std::vector<std::string> WrapperRegistry::names() const {
  std::vector<std::string> names;
  for (const WrapperInfo& info : wrappers_) names.push_back(info.name);
  return names;
}

}  // namespace eventspace
