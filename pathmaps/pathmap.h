#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pathmaps/plan/fault.h"
#include "pathmaps/plan/plan.h"

namespace eventspace {

/// From the YAML of docs/pathmap.md to the expanded Plan.
///
/// Everything is checked, and every fault is reported, not only the first; a pathmap with any fault gives
/// no plan. Input is not trusted: a file may have 1 MiB, 64 levels and, with aliases followed, 200,000
/// values; what is larger is a fault. Wrappers and generators must be registered before.

/// The faults are sorted by place (the given file first, then the included ones), each reported
/// once, at most 100 and a last one that says how many more there are.
struct LoadResult {
  std::optional<Plan> plan;  ///< nothing when there is any fault
  std::vector<Fault> faults;
};

struct LoadOptions {
  /// False for who takes part in an application and runs no scope: the shared objects that `wrappers` names
  /// are not loaded into it, and when there are any the plan has no scopes.
  bool for_scopes{true};
};

/// Never throws for anything that a file may contain, nor for a file that is not there. Shared objects that
/// the pathmap names run code when they are loaded.
LoadResult load_plan(const std::filesystem::path& file, const LoadOptions& options);
LoadResult load_plan(const std::filesystem::path& file);

/// As load_plan for text; `name` stands for the file in faults, and includes are relative to the working
/// directory.
LoadResult parse_plan(std::string_view yaml, const std::string& name, const LoadOptions& options);
LoadResult parse_plan(std::string_view yaml, const std::string& name);

/// The plan, or ConfigurationError with one line for each fault.
Plan require_plan(const std::filesystem::path& file, const LoadOptions& options);
Plan require_plan(const std::filesystem::path& file);

}  // namespace eventspace
