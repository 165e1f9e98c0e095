#include "monitors/probing/function_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "monitors/probing/code/entry_check.h"
#include "monitors/probing/symbols/function_names.h"
#include "monitors/text/code_places.h"
#include "monitors/text/demangled.h"
#include "paths/parameters/glob.h"

namespace eventspace {
namespace {

std::string hexadecimal(std::uint64_t number) { return fmt::format("{:#x}", number); }

std::string probe_text(EntryRefusal refusal) {
  if (!can_decode()) return "not known: this build is without Zydis";
  return refusal == EntryRefusal::none ? "possible" : fmt::format("no: {}", to_string(refusal));
}

std::string pids_text(const std::vector<std::int32_t>& pids) {
  return fmt::format("{}", fmt::join(pids, " "));
}

/// "f" of the function in which the address is; empty: none is known.
std::string function_at(const ModuleSymbols& symbols, std::uint64_t address) {
  const auto next = std::ranges::upper_bound(symbols.functions, address, {}, &Function::address);
  if (next == symbols.functions.begin()) return {};
  const Function& function = *std::prev(next);
  return address - function.address < function.size ? demangled(function.name) : std::string();
}

}  // namespace

ResultTable function_table() {
  return ResultTable({"module", "address", "size", "processes", "probe", "source", "function"});
}

FunctionTally add_functions(ResultTable& table, const ListedModule& module, const FunctionChoice& choice) {
  const EntryCheck check(module.symbols);
  const auto callers =
      choice.callers_of.empty()
          ? std::vector<std::uint64_t>()
          : check.callers_of([&](const Function& called) { return name_matches(choice.callers_of, called); });
  FunctionTally tally;
  for (const Function& function : module.symbols.functions) {
    ++tally.looked_at;
    if (!name_matches(choice.pattern, function)) continue;
    if (!choice.callers_of.empty() && !std::ranges::binary_search(callers, function.address)) continue;
    const EntryRefusal refusal = check.refusal_of(function);
    if (choice.can_be_probed_only && refusal != EntryRefusal::none) continue;
    const std::string source = CodePlaces::instance().source_of(module.file.string(), function.address);
    table.add({module.path, hexadecimal(function.address), function.size, pids_text(module.pids),
               probe_text(refusal), source, demangled(function.name)});
    ++tally.shown;
  }
  return tally;
}

ResultTable summary_table() {
  return ResultTable({"module", "build_id", "processes", "functions", "possible", "refused"});
}

void add_summary(ResultTable& table, const ListedModule& module) {
  const EntryCheck check(module.symbols);
  std::map<EntryRefusal, std::size_t> counts;
  for (const Function& function : module.symbols.functions) ++counts[check.refusal_of(function)];
  std::string refused;
  for (const auto& [refusal, count] : counts) {
    if (refusal == EntryRefusal::none) continue;
    refused += fmt::format("{}{}: {}", refused.empty() ? "" : "; ", count, to_string(refusal));
  }
  table.add({module.path, module.symbols.build_id, pids_text(module.pids), module.symbols.functions.size(),
             can_decode() ? Json(counts[EntryRefusal::none]) : Json(), refused});
}

ResultTable user_probe_table() {
  return ResultTable(
      {"module", "address", "processes", "provider", "user_probe", "arguments", "semaphore", "function"});
}

std::size_t add_user_probes(ResultTable& table, const ListedModule& module, const std::string& pattern) {
  std::size_t added = 0;
  for (const UserProbe& probe : module.symbols.user_probes) {
    const std::string whole = fmt::format("{}:{}", probe.provider, probe.name);
    if (!pattern.empty() && !glob_match(pattern, cut_for_glob(probe.name)) &&
        !glob_match(pattern, cut_for_glob(whole)))
      continue;
    table.add({module.path, hexadecimal(probe.address), pids_text(module.pids), probe.provider, probe.name,
               probe.arguments, probe.semaphore == 0 ? Json() : Json(hexadecimal(probe.semaphore)),
               function_at(module.symbols, probe.address)});
    ++added;
  }
  return added;
}

}  // namespace eventspace
