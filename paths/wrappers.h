#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "paths/parameters/parameters.h"
#include "paths/stage.h"

namespace eventspace {

/// A wrapper that pathmaps may put on a path (`stages:`), registered by name.
struct WrapperInfo {
  std::string name;
  std::string help;
  std::vector<ParameterSpec> parameters;
  /// Makes the stage in front of `next`; `given` is complete and checked.
  std::function<std::unique_ptr<Stage>(const Parameters& given, std::unique_ptr<Stage> next)> make;
};

/// The wrappers known by name to this process. Built-in ones are there from the start; add more before a
/// pathmap is read. Lookups are thread-safe; add is not, do it at start-up.
class WrapperRegistry {
 public:
  static WrapperRegistry& instance();

  /// Throws ConfigurationError when the name is taken.
  void add(WrapperInfo info);
  [[nodiscard]] const WrapperInfo* find(std::string_view name) const noexcept;
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  WrapperRegistry();
  std::vector<WrapperInfo> wrappers_;
};

}  // namespace eventspace
