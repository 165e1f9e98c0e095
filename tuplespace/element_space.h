#pragma once

#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "tuplespace/element.h"

namespace eventspace {

/// The elements that one tuple server hosts, by name. Elements keep their addresses until the space goes.
/// Thread-safe; nobody may be inside an element when the space is destroyed.
class ElementSpace {
 public:
  /// Throws ConfigurationError when the name is empty or taken, or for what Element refuses.
  Element& create(ElementConfig config);
  /// Null when there is none of that name.
  [[nodiscard]] Element* find(std::string_view name) const;
  /// Closes every element, and from the start those created later.
  void close_all();
  [[nodiscard]] std::vector<std::string> names() const;  ///< sorted

 private:
  mutable std::shared_mutex mutex_;  // guards all below
  std::map<std::string, std::unique_ptr<Element>, std::less<>> elements_;
  bool closed_{false};
};

}  // namespace eventspace
