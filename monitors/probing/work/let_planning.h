#pragma once

#include <cstdint>
#include <string>

#include "monitors/probing/work/probe_plan.h"
#include "monitors/probing/work/probed_process.h"

namespace eventspace {

/// Adds the lets of a task to the probes of a plan, and additional probes for those at functions that have
/// none in it. `modules` and `cache` as for plan_probes(). Throws EnvironmentError if a function of a let
/// cannot be probed, or a module in which there may be one cannot be read: a variable that misses some of its
/// functions would be wrong without a sign of it. Throws ConfigurationError if these are more probes than a
/// process can have.
void plan_lets(std::int32_t pid, const CompiledTask& task, const std::string& modules, ModuleCache& cache,
               ProbePlan& plan);

/// Throws EnvironmentError if a let of the plan was refused when its probe was put in.
void require_lets(const ProbePlan& plan, const CompiledTask& task, const ProbedProcess& process);

}  // namespace eventspace
