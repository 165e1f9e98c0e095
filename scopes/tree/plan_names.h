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

}  // namespace eventspace
