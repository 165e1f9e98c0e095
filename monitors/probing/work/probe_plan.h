#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "monitors/probing/code/call_check.h"
#include "monitors/probing/code/entry_check.h"
#include "monitors/probing/code/exit_check.h"
#include "monitors/probing/probes/process_probes.h"
#include "monitors/probing/work/module_cache.h"

namespace eventspace {

/// A function of a process, or a call of it, that is to be probed.
struct PlannedFunction {
  std::string module;    ///< the path of its file
  std::string function;  ///< demangled; for a call "solve from step+0x1a": the caller, and the offset in it
  PlannedProbe probe;
};

struct ProbePlan {
  std::vector<PlannedFunction> functions;
  std::map<EntryRefusal, std::size_t> refused;          ///< matching functions that cannot be probed
  std::map<ExitRefusal, std::size_t> refused_at_exits;  ///< that can be probed at their entry only
  std::map<CallRefusal, std::size_t> refused_calls;
  std::vector<std::string> complaints;  ///< about modules that could not be read
};

/// Finds the functions of a process whose name matches (name_matches()), in the modules whose path or file
/// name matches `modules` (empty: all), with their addresses in the process. Throws EnvironmentError if the
/// process may not be inspected. `has_exits`: exits are probed, too. `cache`: modules that were read for
/// other processes; null: all are read. `callers`: if not empty, calls of the functions by functions that
/// match it are probed instead (calls_of()).
ProbePlan plan_probes(std::int32_t pid, const std::string& pattern, const std::string& modules,
                      bool has_exits = false, ModuleCache* cache = nullptr, const std::string& callers = {});

}  // namespace eventspace
