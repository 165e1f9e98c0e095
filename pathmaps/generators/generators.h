#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "pathmaps/plan/plan.h"
#include "paths/parameters/parameters.h"
#include "paths/parameters/registry.h"

namespace eventspace {

/// A path generator makes the elements and paths of a regular pattern of communication from a few parameters.
/// Pathmaps use generators by name under `application: generate:`. To add one, write a function such as those
/// in pathmaps/generators/ and register it before a pathmap is read.

/// The input of a generator. Besides the parameters that it declares, each generator has: `threads` (which
/// take part, required), `tuple`, `threshold` and `when_full` (of its elements).
struct GeneratorInput {
  std::vector<std::string> threads;  ///< at least one, in the order of the pathmap
  Parameters parameters;             ///< complete and checked
};

/// Collects the elements and paths that a generator makes, within bounds.
class Generated {
 public:
  struct Path {
    std::size_t thread;  ///< index into GeneratorInput::threads
    std::string name;
    PathUse use;
    std::string element;
  };

  explicit Generated(std::size_t most) : most_(most) {}

  /// Both throw ConfigurationError when the pathmap grows beyond its bounds.
  void element(std::string name);
  void path(Path path);

  [[nodiscard]] const std::vector<std::string>& elements() const noexcept { return elements_; }
  [[nodiscard]] const std::vector<Path>& paths() const noexcept { return paths_; }

 private:
  std::size_t most_;
  std::vector<std::string> elements_;
  std::vector<Path> paths_;
};

struct GeneratorInfo {
  std::string name;
  std::string help;
  std::vector<std::string> tuple;  ///< the default type of its elements; empty: the pathmap must give one
  std::vector<ParameterSpec> parameters;
  /// Throws ConfigurationError for parameters that do not go together.
  std::function<void(const GeneratorInput&, Generated&)> make;

  /// The parameters that every generator has, then its own.
  [[nodiscard]] std::vector<ParameterSpec> all_parameters() const;
};

/// The generators known by name to this process. Thread-safety: see Registry.
class GeneratorRegistry final : public Registry<GeneratorInfo> {
 public:
  static GeneratorRegistry& instance();

 private:
  GeneratorRegistry();
};

}  // namespace eventspace
