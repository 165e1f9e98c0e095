#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "pathmaps/plan/plan.h"
#include "paths/parameters/parameters.h"

namespace eventspace {

/// A path generator: the elements and paths of a regular pattern of communication, from a few
/// parameters. Pathmaps use them by name under `application: generate:`. To add one, write a function
/// such as those in pathmaps/generators/ and register it before a pathmap is read.

/// Besides the parameters that a generator declares, each has: `threads` (which take part, required),
/// `tuple`, `threshold` and `when_full` (of its elements).
struct GeneratorInput {
  std::vector<std::string> threads;  ///< at least one, in the order of the pathmap
  Parameters parameters;             ///< complete and checked
};

/// Takes what a generator makes, within bounds.
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

  /// Those of every generator and its own.
  [[nodiscard]] std::vector<ParameterSpec> all_parameters() const;
};

/// The generators known by name to this process. Lookups are thread-safe; add is not, do it at start-up.
class GeneratorRegistry {
 public:
  static GeneratorRegistry& instance();

  /// Throws ConfigurationError when the name is taken.
  void add(GeneratorInfo info);
  [[nodiscard]] const GeneratorInfo* find(std::string_view name) const noexcept;
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  GeneratorRegistry();
  std::vector<GeneratorInfo> generators_;
};

}  // namespace eventspace
