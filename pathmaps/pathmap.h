#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <eventspace/pathmap.h>
#include "pathmaps/plan/load_options.h"
#include "pathmaps/plan/plan.h"

namespace eventspace {

/// Reads a pathmap, the YAML that docs/pathmap.md describes, checks it, and expands it to a Plan.
///
/// All faults of a pathmap are reported, not only the first. A pathmap with a fault yields no plan. Input is
/// not trusted: a file may have at most 1 MiB, 64 levels of nesting and 200,000 values (aliases followed);
/// beyond that it is a fault. Wrappers and path generators that the pathmap names must be registered before.
///
/// The functions are blocking (they read files) and may run in several threads at once. Except require_plan,
/// they do not throw for a faulty pathmap.
///
///     const LoadResult result = load_plan("app.yaml");
///     for (const Fault& fault : result.faults) std::cerr << to_string(fault) << '\n';
///     if (result.plan) run(*result.plan);

/// A plan, or the faults that prevent it. Faults are sorted by file (the given file first, then the included
/// ones), line and column. Each is reported once, at most 100 of them; then one more fault gives the number
/// of those left out.
struct LoadResult {
  std::optional<Plan> plan;  ///< empty if there is any fault
  std::vector<Fault> faults;
  std::vector<NamedLibrary> libraries{};  ///< libraries that were loaded, or would have been (LoadOptions)
};

/// Loads `file` and the files that it includes. A missing file, or any invalid content, gives faults, never
/// an exception. Loading runs the initialization code of the shared objects that the pathmap names under
/// `wrappers:`; see LoadOptions. A shared object that another user could change or exchange is a fault and is
/// not loaded: it and all directories that lead to it must belong to the user or root, and no other user may
/// write to them, except to sticky directories such as /tmp.
LoadResult load_plan(const std::filesystem::path& file, const LoadOptions& options);
LoadResult load_plan(const std::filesystem::path& file);

/// Like load_plan, for a pathmap in memory. Faults give `name` as the file. Includes are relative to the
/// working directory.
LoadResult parse_plan(std::string_view yaml, const std::string& name, const LoadOptions& options);
LoadResult parse_plan(std::string_view yaml, const std::string& name);

/// Like load_plan, but throws ConfigurationError, with one line for each fault, if the pathmap has faults.
Plan require_plan(const std::filesystem::path& file, const LoadOptions& options);
Plan require_plan(const std::filesystem::path& file);

}  // namespace eventspace
