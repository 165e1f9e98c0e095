#pragma once

// Private to monitors/.

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

/// A function of a process, or a call of it, that is to have a probe.
struct PlannedFunction {
  std::string module;    ///< the path of its file
  std::string function;  ///< demangled; of a call "solve from step+0x1a": the caller, and the place in it
  PlannedProbe probe;
};

struct ProbePlan {
  std::vector<PlannedFunction> functions;
  std::map<EntryRefusal, std::size_t> refused;          ///< functions that match and cannot have a probe
  std::map<ExitRefusal, std::size_t> refused_at_exits;  ///< of the others, those that cannot have one there
  std::map<CallRefusal, std::size_t> refused_calls;
  std::vector<std::string> complaints;  ///< about modules that could not be read
};

/// Finds the functions of a process whose name matches (name_matches()), in the modules whose path or file
/// name matches `modules` (empty: all), with their addresses in the process. Throws EnvironmentError if the
/// process must not be looked into. `has_exits`: with probes at their exits, too. `cache`: of modules that
/// are known from other processes; null: all are read. `callers`: not the functions, but their calls by those
/// that match this (calls_of()); empty: the functions.
ProbePlan plan_probes(std::int32_t pid, const std::string& pattern, const std::string& modules,
                      bool has_exits = false, ModuleCache* cache = nullptr, const std::string& callers = {});

}  // namespace eventspace
