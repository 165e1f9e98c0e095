#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "scopes/tree/scope_tree.h"

namespace eventspace {

/// A path into a joint of a collective, by its numbers in the plan.
struct CollectivePath {
  std::uint32_t path{0};
  std::uint32_t collective{0};
  std::uint32_t joint{0};                    ///< the joint to which the path leads
  std::optional<std::uint32_t> uplink_of{};  ///< the joint whose uplink it is; none: a thread's path
};

/// Resolves the plan's numbers, such as those in records, to names. A process that has a plan implements it.
/// Records can hold any number, so an unknown one is no error: its name is "?". Returned names are valid as
/// long as this object. Thread-safe; no function blocks.
class PlanNames {
 public:
  virtual ~PlanNames() = default;
  [[nodiscard]] virtual std::string_view thread_name(std::uint32_t thread) const = 0;
  [[nodiscard]] virtual std::string_view path_name(std::uint32_t path) const = 0;
  [[nodiscard]] virtual std::string_view process_name(std::uint32_t process) const = 0;
  [[nodiscard]] virtual std::string_view node_of_process(std::uint32_t process) const = 0;
  /// The trace element that the event collector at `point` of `path` writes; none if the plan has no such
  /// collector.
  [[nodiscard]] virtual std::optional<SourceRef> source_of(std::uint32_t path, std::uint16_t point) const = 0;
  /// The paths of all collectives.
  [[nodiscard]] virtual std::vector<CollectivePath> collective_paths() const { return {}; }
  /// The same names, for a user that may outlive this object; null if this object lives as long as the
  /// process.
  [[nodiscard]] virtual std::shared_ptr<const PlanNames> shared() const { return nullptr; }
};

}  // namespace eventspace
