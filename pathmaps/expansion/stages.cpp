#include "pathmaps/expansion/stages.h"

#include "pathmaps/reading/parameters.h"
#include "paths/wrappers.h"

namespace eventspace::expansion {

namespace {

std::optional<StagePlan> read_stage(const reading::Value& value, Faults& faults) {
  const auto named = reading::read_named(value, "wrapper", faults);
  if (!named) return std::nullopt;
  const auto& registry = WrapperRegistry::instance();
  const auto* const info = registry.find(named->name.text);
  if (info == nullptr) {
    faults.add(named->name.place, registry.unknown("wrapper", named->name.text));
    return std::nullopt;
  }
  auto parameters = read_parameters(*named, info->parameters, faults);
  if (!parameters) return std::nullopt;
  return StagePlan{named->name.text, std::move(*parameters)};
}

}  // namespace

std::vector<StagePlan> read_stages(const reading::Mapping& row, std::string_view key) {
  std::vector<StagePlan> stages;
  for (const auto* item : row.items(key)) {
    if (auto stage = read_stage(*item, row.faults())) stages.push_back(std::move(*stage));
  }
  return stages;
}

}  // namespace eventspace::expansion
