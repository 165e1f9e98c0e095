#include "monitors/probing/listing/function_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "monitors/probing/analysis_cache/analysis_cache.h"
#include "monitors/probing/code/entry_check.h"
#include "monitors/probing/symbols/function_names.h"
#include "monitors/text/code_places.h"
#include "monitors/text/demangled.h"
#include "paths/parameters/glob.h"

namespace eventspace {
namespace {

constexpr std::uint64_t not_known = std::numeric_limits<std::uint64_t>::max();

std::string hexadecimal(std::uint64_t number) { return fmt::format("{:#x}", number); }

std::string probe_text(EntryRefusal refusal) {
  if (!can_decode()) return "unknown: this build was made without Zydis";
  return refusal == EntryRefusal::none ? "possible" : fmt::format("no: {}", to_string(refusal));
}

/// The name of the function that contains the address; empty if there is none.
std::string function_at(const ModuleSymbols& symbols, std::uint64_t address) {
  const auto next = std::ranges::upper_bound(symbols.functions, address, {}, &Function::address);
  if (next == symbols.functions.begin()) return {};
  const Function& function = *std::prev(next);
  return address - function.address < function.size ? demangled(function.name) : std::string();
}

ListedRows functions_in(const FunctionChoice& choice, const ModuleSymbols& symbols,
                        const std::filesystem::path& file) {
  const EntryCheck check = AnalysisCache::of_user().check_of(symbols);
  const auto callers =
      choice.callers_of.empty()
          ? std::vector<std::uint64_t>()
          : check.callers_of([&](const Function& called) { return name_matches(choice.callers_of, called); });
  ListedRows found;
  for (const Function& function : symbols.functions) {
    ++found.looked_at;
    if (!name_matches(choice.pattern, function)) continue;
    if (!choice.callers_of.empty() && !std::ranges::binary_search(callers, function.address)) continue;
    const EntryRefusal refusal = check.refusal_of(function);
    if (choice.can_be_probed_only && refusal != EntryRefusal::none) continue;
    found.rows.push_back(
        {{function.address, function.size},
         {probe_text(refusal), CodePlaces::instance().source_of(file.string(), function.address),
          demangled(function.name)}});
  }
  return found;
}

ListedRows summary_of(const ModuleSymbols& symbols) {
  const EntryCheck check = AnalysisCache::of_user().check_of(symbols);
  std::map<EntryRefusal, std::size_t> counts;
  for (const Function& function : symbols.functions) ++counts[check.refusal_of(function)];
  std::string refused;
  for (const auto& [refusal, count] : counts) {
    if (refusal == EntryRefusal::none) continue;
    refused += fmt::format("{}{}: {}", refused.empty() ? "" : "; ", count, to_string(refusal));
  }
  const std::uint64_t possible = can_decode() ? counts[EntryRefusal::none] : not_known;
  return {{{{symbols.functions.size(), possible}, {refused}}}, symbols.functions.size()};
}

ListedRows user_probes_in(const FunctionChoice& choice, const ModuleSymbols& symbols) {
  ListedRows found;
  found.looked_at = symbols.user_probes.size();
  for (const UserProbe& probe : symbols.user_probes) {
    const std::string whole = fmt::format("{}:{}", probe.provider, probe.name);
    if (!choice.pattern.empty() && !glob_match(choice.pattern, cut_for_glob(probe.name)) &&
        !glob_match(choice.pattern, cut_for_glob(whole)))
      continue;
    found.rows.push_back(
        {{probe.address, probe.semaphore},
         {probe.provider, probe.name, probe.arguments, function_at(symbols, probe.address)}});
  }
  return found;
}

}  // namespace

RowShape shape_of(Listing listing) {
  switch (listing) {
    case Listing::functions:
      return {2, 3};  // address, size; probe, source, function
    case Listing::summary:
      return {2, 1};  // functions, possible; refused
    case Listing::user_probes:
      return {2, 4};  // address, semaphore; provider, name, arguments, function
  }
  return {0, 0};
}

ListedRows rows_of(Listing listing, const FunctionChoice& choice, const ModuleSymbols& symbols,
                   const std::filesystem::path& file) {
  switch (listing) {
    case Listing::functions:
      return functions_in(choice, symbols, file);
    case Listing::summary:
      return summary_of(symbols);
    case Listing::user_probes:
      return user_probes_in(choice, symbols);
  }
  return {};
}

std::string_view name_of(Listing listing) {
  return listing == Listing::user_probes ? "USDT probe" : "function";
}

ResultTable table_of(Listing listing) {
  switch (listing) {
    case Listing::functions:
      return ResultTable({"module", "address", "size", "processes", "probe", "source", "function"});
    case Listing::summary:
      return ResultTable({"module", "build_id", "processes", "functions", "possible", "refused"});
    case Listing::user_probes:
      return ResultTable(
          {"module", "address", "processes", "provider", "user_probe", "arguments", "semaphore", "function"});
  }
  return ResultTable({});
}

void add_row(ResultTable& table, Listing listing, const ModuleInTable& module, const ListedRow& row) {
  const auto& [numbers, texts] = row;
  switch (listing) {
    case Listing::functions:
      return table.add(
          {module.path, hexadecimal(numbers[0]), numbers[1], module.processes, texts[0], texts[1], texts[2]});
    case Listing::summary:
      return table.add({module.path, module.build_id, module.processes, numbers[0],
                        numbers[1] == not_known ? Json() : Json(numbers[1]), texts[0]});
    case Listing::user_probes:
      return table.add({module.path, hexadecimal(numbers[0]), module.processes, texts[0], texts[1], texts[2],
                        numbers[1] == 0 ? Json() : Json(hexadecimal(numbers[1])), texts[3]});
  }
}

}  // namespace eventspace
