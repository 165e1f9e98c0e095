#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <eventspace/extend.h>
#include "pathmaps/plan/plan.h"

namespace eventspace {

/// A path generator makes the elements and paths of a regular communication pattern (a ring, a tree) from a
/// few parameters, so that a pathmap need not list them. Pathmaps use generators by name under `application:
/// generate:`. To add a generator, register its GeneratorInfo before a pathmap is read;
/// pathmaps/generators/built_in.h has the built-in ones.
///
///     GeneratorInfo log{.name = "log", .help = "all threads write to one element", .tuple = {"text"}};
///     log.make = [](const GeneratorInput& input, Generated& out) {
///       out.element("log");
///       for (std::size_t i = 0; i < input.threads.size(); ++i) out.path({i, "log", PathUse::write, "log"});
///     };
///     GeneratorRegistry::instance().add(log);
///
/// Generators throw ConfigurationError; load_plan reports it as a fault at the generator's entry. Input and
/// output belong to load_plan and are valid only during the call of GeneratorInfo::make.

/// The input of a generator. Every generator has the parameters `threads` (the participating threads,
/// required), and `tuple`, `threshold` and `when_full` (of its elements), besides those that it declares.
struct GeneratorInput {
  std::vector<std::string> threads;  ///< at least one, in the order of the pathmap
  Parameters parameters;             ///< checked, with defaults filled in
};

/// The output of a generator. Bounded, so that a short pathmap cannot exhaust memory. Not thread-safe.
class Generated {
 public:
  struct Path {
    std::size_t thread;  ///< index into GeneratorInput::threads
    std::string name;    ///< unique within the thread
    PathUse use;
    std::string element;  ///< the name of the element
  };

  /// `most`: the bound on the number of elements, and on the number of paths.
  explicit Generated(std::size_t most) : most_(most) {}

  /// Add one element or path. Throw ConfigurationError beyond the bound.
  void element(std::string name);
  void path(Path path);

  [[nodiscard]] const std::vector<std::string>& elements() const noexcept { return elements_; }
  [[nodiscard]] const std::vector<Path>& paths() const noexcept { return paths_; }

 private:
  std::size_t most_;
  std::vector<std::string> elements_;
  std::vector<Path> paths_;
};

/// The description of a generator, as registered.
struct GeneratorInfo {
  std::string name;
  std::string help;                ///< one line for users
  std::vector<std::string> tuple;  ///< default field types of its elements; empty: required in the pathmap
  std::vector<ParameterSpec> parameters;  ///< besides those that every generator has
  /// Makes the elements and paths. Throws ConfigurationError for parameters that contradict each other. Must
  /// be deterministic: every process of an application runs it and must get the same plan.
  std::function<void(const GeneratorInput&, Generated&)> make;

  /// Returns the parameters that every generator has, then `parameters`.
  [[nodiscard]] std::vector<ParameterSpec> all_parameters() const;
};

/// The generators of this process, by name. For thread-safety see Registry.
class GeneratorRegistry final : public Registry<GeneratorInfo> {
 public:
  static GeneratorRegistry& instance();

 private:
  GeneratorRegistry();
};

}  // namespace eventspace
