#include "monitors/probing/work/let_planning.h"

#include <fmt/format.h>

#include <bit>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

#include <eventspace/error.h>
#include "monitors/text/counted.h"

namespace eventspace {
namespace {

/// Adds lets to the probes of a plan, and additional probes for functions that have none.
class LetPlanning {
 public:
  explicit LetPlanning(ProbePlan& plan) : plan_(plan) {
    for (std::size_t i = 0; i < plan.functions.size(); ++i) places_.emplace(plan.functions[i].probe.place, i);
  }

  void add(PlannedFunction function, std::uint32_t bit) {
    const auto [known, is_new] = places_.emplace(function.probe.place, plan_.functions.size());
    if (is_new) {
      function.probe.lets = bit;
      function.probe.has_lets_only = true;
      return plan_.functions.push_back(std::move(function));
    }
    PlannedProbe& probe = plan_.functions[known->second].probe;
    probe.lets |= bit;
    if (probe.exits.empty()) probe.exits = std::move(function.probe.exits);
  }

 private:
  ProbePlan& plan_;
  std::map<std::uint64_t, std::size_t> places_;  // indices of functions, by the place of their probe
};

/// A let with missing functions would be wrong: inside += 1 without the -1. Throws EnvironmentError with the
/// reason.
void require_all(std::int32_t pid, const CompiledLet& let, const ProbePlan& found) {
  const auto refuse = [&](std::size_t count, std::string_view what, std::string_view why) {
    throw EnvironmentError(fmt::format(
        "process {} cannot have --set '{}': {} of '{}' cannot have a probe{}: {}; use a narrower pattern",
        pid, let.text, counted(count, "function"), let.pattern, what, why));
  };
  if (!found.complaints.empty())
    throw EnvironmentError(
        fmt::format("process {} cannot have --set '{}': functions '{}' may be in a module that cannot be "
                    "read: {}; choose modules with --module",
                    pid, let.text, let.pattern, found.complaints.front()));
  for (const auto& [refusal, count] : found.refused)
    // These are not called directly: a cold section is entered by its function only, a resolver is called by
    // the linker.
    if (refusal != EntryRefusal::cold_section && refusal != EntryRefusal::resolver)
      refuse(count, "", to_string(refusal));
  for (const auto& [refusal, count] : found.refused_at_exits)
    refuse(count, " at all exits", to_string(refusal));
  if (found.functions.empty())
    throw EnvironmentError(fmt::format("process {} has no function '{}' that can have a probe for --set '{}'",
                                       pid, let.pattern, let.text));
}

}  // namespace

void plan_lets(std::int32_t pid, const CompiledTask& task, const std::string& modules, ModuleCache& cache,
               ProbePlan& plan) {
  const auto& lets = task.lets;
  LetPlanning planning(plan);
  for (std::size_t i = 0; i < lets.size(); ++i) {
    ProbePlan more = plan_probes(pid, lets[i].pattern, modules, lets[i].is_at_exit, &cache);
    for (PlannedFunction& function : more.functions) planning.add(std::move(function), 1u << i);
    if (plan.functions.size() > ProbeArea::max_probes)
      throw ConfigurationError(
          fmt::format("with --set '{}' ({}), {} are needed; at most {} are possible at the same time",
                      lets[i].text, counted(more.functions.size(), "function"),
                      counted(plan.functions.size(), "probe"), ProbeArea::max_probes));
    require_all(pid, lets[i], more);
  }
}

void require_lets(const ProbePlan& plan, const CompiledTask& task, const ProbedProcess& process) {
  for (const ProbedProcess::Refused& refused : process.refused()) {
    const std::uint32_t lets = plan.functions[refused.function].probe.lets;
    if (lets == 0) continue;
    throw EnvironmentError(fmt::format("process {} cannot have --set '{}' at {}: {}", process.pid(),
                                       task.lets.at(static_cast<std::size_t>(std::countr_zero(lets))).text,
                                       plan.functions[refused.function].function, refused.why));
  }
}

}  // namespace eventspace
