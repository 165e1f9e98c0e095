#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "paths/parameters.h"
#include "scopes/scope_tree.h"
#include "tuplespace/view.h"

namespace eventspace {

/// What a scope wrapper does to the view that its children's views make together. Pure: no socket, no
/// clock.
class ViewOperator {
 public:
  virtual ~ViewOperator() = default;
  virtual void apply(View& view) = 0;
  /// False: it neither looks at records nor adds, drops or moves any. Some may be in View::blocks when it is
  /// applied, and some may have gone ahead (Pull::ahead).
  [[nodiscard]] virtual bool acts_on_records() const noexcept { return true; }
};

/// A path into a joint of a collective, by its numbers in the plan.
struct CollectivePath {
  std::uint32_t path{0};
  std::uint32_t collective{0};
  std::uint32_t joint{0};                    ///< where it leads
  std::optional<std::uint32_t> uplink_of{};  ///< the joint whose path up it is; nothing: a thread's
};

/// Resolves the plan's numbers to names; implemented by whoever has a plan. Numbers come from records, so
/// unknown ones happen: they have the name "?". Thread-safe.
class PlanNames {
 public:
  virtual ~PlanNames() = default;
  [[nodiscard]] virtual std::string_view thread_name(std::uint32_t thread) const = 0;
  [[nodiscard]] virtual std::string_view path_name(std::uint32_t path) const = 0;
  [[nodiscard]] virtual std::string_view process_name(std::uint32_t process) const = 0;
  [[nodiscard]] virtual std::string_view node_of_process(std::uint32_t process) const = 0;
  /// Where what the event collector `point` of `path` sees is recorded; nothing when the plan has no such
  /// collector.
  [[nodiscard]] virtual std::optional<SourceRef> source_of(std::uint32_t path, std::uint16_t point) const = 0;
  /// The paths of all collectives.
  [[nodiscard]] virtual std::vector<CollectivePath> collective_paths() const { return {}; }
  /// The same names, for who may outlive these; null when these live as long as the process.
  [[nodiscard]] virtual std::shared_ptr<const PlanNames> shared() const { return nullptr; }
};

/// A scope wrapper, registered by name: what a pathmap may put on a level of a scope.
struct ScopeWrapperInfo {
  std::string name;
  std::string help;
  bool combines{false};  ///< takes any number of children (gather, merge, reduce); else exactly one
  std::vector<ParameterSpec> parameters;
  /// Makes the operator; `given` is complete and checked; `names` outlives it. May throw ConfigurationError.
  std::function<std::unique_ptr<ViewOperator>(const Parameters& given, const PlanNames& names)> make;
  /// Of one that combines, and that may act on parts of its children first, and then on what these yield: the
  /// parameters for the parts, with which the whole is as if it had acted once. Empty: it must act once.
  std::function<Parameters(Parameters given)> in_parts{};
  /// Of one that is not trusted to return or not to throw: how long it may take for a view. It acts in a
  /// thread of its own, and who is late or throws is named in View::missing. Nothing: it acts where it
  /// stands.
  std::optional<std::chrono::nanoseconds> limit{};
};

/// The scope wrappers known by name: gather, merge, reduce, aggregate, filter, sort, convert, collective, and
/// what was added. "read" is not among them: it is what every branch of a tree ends in.
const std::vector<ScopeWrapperInfo>& scope_wrappers();
const ScopeWrapperInfo* find_scope_wrapper(std::string_view name) noexcept;
/// The same; `more` are those that one pathmap brings.
const ScopeWrapperInfo* find_scope_wrapper(std::string_view name,
                                           const std::vector<ScopeWrapperInfo>& more) noexcept;

/// For a wrapper that acts on parts as it does on the whole.
Parameters as_given(Parameters given);

/// Adds one, at start-up, before a pathmap is read; not thread-safe. Throws ConfigurationError when the
/// name is taken.
void add_scope_wrapper(ScopeWrapperInfo info);

}  // namespace eventspace
