#pragma once

#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "tuplespace/element.h"

namespace eventspace {

/// The elements that one tuple server hosts, by name. The space owns its elements; their addresses stay valid
/// until it is destroyed.
///
/// Thread-safe. No thread may be inside a function of an element when the space is destroyed.
class ElementSpace {
 public:
  /// Throws ConfigurationError if the name is empty or in use, and the exceptions of Element's constructor.
  Element& create(ElementConfig config);
  /// Returns null if no element has that name.
  [[nodiscard]] Element* find(std::string_view name) const;
  /// Closes every element; an element that is created later is closed from the start.
  void close_all();
  [[nodiscard]] std::vector<std::string> names() const;  ///< sorted

 private:
  mutable std::shared_mutex mutex_;  // guards all members below
  std::map<std::string, std::unique_ptr<Element>, std::less<>> elements_;
  bool closed_{false};
};

}  // namespace eventspace
