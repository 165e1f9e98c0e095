#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <eventspace/extend.h>
#include <eventspace/stage.h>

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
/// Call add() before a pathmap is read. Thread-safety: see Registry.
class WrapperRegistry final : public Registry<WrapperInfo> {
 public:
  static WrapperRegistry& instance();

 private:
  WrapperRegistry();
};

}  // namespace eventspace
