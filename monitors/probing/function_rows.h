#pragma once

// Private to monitors/.

#include <cstddef>
#include <string>

#include "monitors/cli/result_table.h"
#include "monitors/probing/work/module_list.h"

namespace eventspace {

/// Which functions `eventspace functions` shows.
struct FunctionChoice {
  std::string pattern;     ///< a glob for names; empty: all
  std::string callers_of;  ///< only functions that call one whose name matches; empty: all
  bool can_be_probed_only{false};
};

/// How many functions there were, and how many of them can have a probe.
struct FunctionTally {
  std::size_t shown{0};
  std::size_t looked_at{0};
};

ResultTable function_table();
/// Adds a row for each function of the choice. With `sources`, looks up file and line.
FunctionTally add_functions(ResultTable& table, const ListedModule& module, const FunctionChoice& choice);

ResultTable summary_table();
/// Adds a row for the module: how many functions can have a probe, and why the others cannot.
void add_summary(ResultTable& table, const ListedModule& module);

ResultTable user_probe_table();
/// Adds the USDT probes of the module whose name, or PROVIDER:NAME, matches the pattern. Returns how many.
std::size_t add_user_probes(ResultTable& table, const ListedModule& module, const std::string& pattern);

}  // namespace eventspace
