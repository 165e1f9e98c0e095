#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "paths/parameters/parameters.h"
#include "paths/stage.h"

namespace eventspace {

/// A kind of wrapper that pathmaps can put on a path (`stages:`).
struct WrapperInfo {
  std::string name;  ///< the word in pathmaps
  std::string help;  ///< one line, without a full stop
  std::vector<ParameterSpec> parameters;
  /// Makes a wrapper in front of `next` and passes ownership of both to the caller. `given` has been checked
  /// against `parameters` and has their defaults filled in.
  std::function<std::unique_ptr<Stage>(const Parameters& given, std::unique_ptr<Stage> next)> make;
};

/// The wrappers that this process knows, by name. Built-in wrappers are registered from the start.
///
///     WrapperRegistry::instance().add({"count", "counts operations", {}, make_counting_wrapper});
///
/// Lookups are thread-safe with each other, but not with add(): call add() at start-up, before a pathmap is
/// read.
class WrapperRegistry {
 public:
  static WrapperRegistry& instance();

  /// Throws ConfigurationError if the name is registered already.
  void add(WrapperInfo info);
  /// Returns null if there is no wrapper of that name. The pointer is valid until the next add().
  [[nodiscard]] const WrapperInfo* find(std::string_view name) const noexcept;
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  WrapperRegistry();
  std::vector<WrapperInfo> wrappers_;
};

}  // namespace eventspace
