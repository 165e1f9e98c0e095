#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "paths/parameters/parameters.h"
#include "paths/parameters/registry.h"
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

/// The wrappers known by name to this process. Thread-safety: see Registry.
class WrapperRegistry final : public Registry<WrapperInfo> {
 public:
  static WrapperRegistry& instance();

 private:
  WrapperRegistry();
};

}  // namespace eventspace
