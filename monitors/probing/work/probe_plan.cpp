#include "monitors/probing/work/probe_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <eventspace/error.h>
#include "monitors/probing/processes/process_modules.h"
#include "monitors/probing/symbols/function_names.h"
#include "monitors/probing/symbols/loaded_address.h"
#include "monitors/probing/work/module_list.h"
#include "monitors/text/demangled.h"

namespace eventspace {
namespace {

/// The requirements of a plan.
struct Wanted {
  const std::string& pattern;
  const std::string& callers;
  bool has_exits;
  ModuleCache& cache;
};

std::vector<std::byte> code_at(const ElfImage& image, std::uint64_t begin, std::uint64_t bytes) {
  const Bytes code = image.bytes_at(begin, bytes);
  return {code.begin(), code.end()};
}

/// Adds the exits of a function to its probe. Returns false, and counts the reason, if they cannot be probed.
bool plan_exits(const EntryCheck& check, const Function& function, std::uint64_t moved, PlannedProbe& probe,
                ProbePlan& plan) {
  const FunctionExits exits = exits_of(check, function);
  for (const ExitSite& site : exits.sites)
    probe.exits.push_back({site.begin + moved,
                           code_at(check.module().image, site.begin, site.end - site.begin),
                           site.leaving - site.begin});
  if (exits.refusal != ExitRefusal::none) ++plan.refused_at_exits[exits.refusal];
  return exits.refusal == ExitRefusal::none;
}

/// A cold section (`.cold`) counts as its function.
bool is_caller(const std::string& pattern, const Function& function) {
  if (name_matches(pattern, function)) return true;
  return is_cold_section(function.name) &&
         name_matches(pattern, Function{std::string(whole_of(function.name)), {}});
}

void plan_calls(const ProcessModule& module, const DecodedModule& decoded, const Function& called,
                std::uint64_t moved, const Wanted& wanted, ProbePlan& plan) {
  const FunctionCalls calls = calls_of(
      decoded.check(), called, [&](const Function& caller) { return is_caller(wanted.callers, caller); },
      wanted.has_exits);
  for (const auto& [refusal, count] : calls.refused) plan.refused_calls[refusal] += count;
  const ElfImage& image = decoded.symbols.image;
  for (const CallPlace& call : calls.places) {
    PlannedProbe probe{call.address + moved,
                       code_at(image, call.address, CallPlace::bytes),
                       {module.ranges.front().begin, module.ranges.back().end}};
    probe.is_call = true;
    const std::uint64_t behind = call.address + CallPlace::bytes;
    if (wanted.has_exits)
      probe.exits.push_back({behind + moved, code_at(image, behind, call.behind_end - behind), 0});
    plan.functions.push_back({module.path,
                              fmt::format("{} from {}+{:#x}", demangled(called.name),
                                          demangled(call.caller->name), call.address - call.caller->address),
                              std::move(probe)});
  }
}

/// Whether the module is a probe region that the process already has.
bool is_of_probes(const ProcessModule& module) {
  return module.path == std::string("/memfd:") + ProbeArea::file_name;
}

void plan_module(std::int32_t pid, const ProcessModule& module, const Wanted& wanted, ProbePlan& plan) {
  constexpr std::uint64_t longest_start = 64;  // longer than a jump can replace
  const auto decoded = wanted.cache.decoded(pid, module);
  const ModuleSymbols& symbols = decoded->symbols;
  const auto moved = loaded_address(module, symbols.image);
  if (!moved) return;
  for (const Function& function : symbols.functions) {
    if (!name_matches(wanted.pattern, function)) continue;
    if (!wanted.callers.empty()) {
      plan_calls(module, *decoded, function, *moved, wanted, plan);
      continue;
    }
    const EntryCheck& check = decoded->check();
    if (const EntryRefusal refusal = check.refusal_of(function); refusal != EntryRefusal::none) {
      ++plan.refused[refusal];
      continue;
    }
    const std::uint64_t place = EntryCheck::place_in(symbols.image, function);
    const std::uint64_t left = function.size - (place - function.address);
    PlannedProbe probe{place + *moved,
                       code_at(symbols.image, place, std::min(left, longest_start)),
                       {module.ranges.front().begin, module.ranges.back().end}};
    if (wanted.has_exits && !plan_exits(check, function, *moved, probe, plan)) continue;
    plan.functions.push_back({module.path, demangled(function.name), std::move(probe)});
  }
}

}  // namespace

ProbePlan plan_probes(std::int32_t pid, const std::string& pattern, const std::string& modules,
                      bool has_exits, ModuleCache* cache, const std::string& callers) {
  ProbePlan plan;
  ModuleCache own;
  const Wanted wanted{pattern, callers, has_exits, cache == nullptr ? own : *cache};
  for (const ProcessModule& module : modules_of(mapped_ranges(pid))) {
    if (!module_matches(modules, module.path) || is_of_probes(module)) continue;
    try {
      plan_module(pid, module, wanted, plan);
    } catch (const Error& error) {
      plan.complaints.emplace_back(error.what());
    }
  }
  return plan;
}

}  // namespace eventspace
