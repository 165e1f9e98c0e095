#include "scopes/metrics/history/probe_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "collectors/probe_record.h"

namespace eventspace::metrics {
namespace {

/// Clamps virtual times so that a shift can be added without overflow.
std::int64_t virtual_time_of(std::uint64_t bits) noexcept {
  constexpr std::uint64_t greatest = std::uint64_t{1} << 62;
  return static_cast<std::int64_t>(std::min(bits, greatest));
}

/// The number of values of a probe that an expression needs, up to the last one. `seen`: visited nodes.
std::uint32_t values_needed(const TypedNode& node, std::unordered_set<const TypedNode*>& seen) {
  if (!seen.insert(&node).second) return 0;
  std::uint32_t values = node.kind == TypedNode::Kind::probe_value ? node.index + 1 : 0;
  for (const Typed& operand : node.operands) values = std::max(values, values_needed(*operand, seen));
  return values;
}

}  // namespace

ProbeSamples::ProbeSamples(const Definition& definition, const PlanNames& names)
    : definition_(&definition),
      names_(&names),
      samples_(definition.samplers.size()),
      was_passed_(definition.samplers.size()),
      left_out_(definition.samplers.size()) {
  std::unordered_set<const TypedNode*> seen;
  std::uint32_t values = 0;
  for (const Sampler& sampler : definition.samplers)
    values = std::max(values, sampler.value ? values_needed(*sampler.value, seen) : 0);
  for (std::uint32_t i = 1; i <= values; ++i) values_.emplace_back(fmt::format("value{}", i));
}

std::optional<ProbeSamples::Passage> ProbeSamples::passage(const TimedEvents::Event& event,
                                                           std::uint32_t thread, std::uint32_t process) {
  const auto* const samplers = samplers_at(probe_name_of(*event.last));
  if (samplers == nullptr || samplers->empty()) return std::nullopt;
  if (event.last->words[7] == uncounted_passage || event.is_late) {
    for (const std::uint32_t sampler : *samplers) ++left_out_[sampler];
    return std::nullopt;
  }
  if (!values_.empty()) {
    const ObservedEvent observed = event.observed();
    for (std::size_t i = 0; i < values_.size(); ++i) values_of_passage_[i] = values_[i].number(observed);
  }
  Samples::Place place{thread};
  if (const auto number = passage_in(event.last->words[7]))
    place.passage = virtual_time_of(*number);
  else
    place.virtual_time = virtual_time_of(event.last->words[7]);
  return Passage{*samplers, thread, process, place, false, values_of_passage_};
}

/// Null means that the name of the probe is not known yet.
const std::vector<std::uint32_t>* ProbeSamples::samplers_at(std::uint32_t probe) {
  if (last_probe_.second != nullptr && last_probe_.first == probe) return last_probe_.second;
  auto known = samplers_of_probes_.find(probe);
  if (known == samplers_of_probes_.end()) {
    constexpr std::size_t max_probes = 65'536;
    const std::string_view name = names_->probe_name(probe);
    if (name == "?" || samplers_of_probes_.size() >= max_probes) return nullptr;
    std::vector<std::uint32_t> samplers;
    for (std::uint32_t i = 0; i < definition_->samplers.size(); ++i) {
      if (definition_->samplers[i].probe != name) continue;
      samplers.push_back(i);
      note_passed(i);
    }
    known = samplers_of_probes_.emplace(probe, std::move(samplers)).first;
  }
  last_probe_ = {probe, &known->second};
  return &known->second;
}

Samples& ProbeSamples::of(std::uint32_t sampler, std::uint32_t object) {
  std::vector<Samples>& all = samples_[sampler];
  if (all.size() <= object) all.resize(object + 1);
  return all[object];
}

std::uint64_t ProbeSamples::left_out() const {
  return std::accumulate(left_out_.begin(), left_out_.end(), std::uint64_t{0});
}

}  // namespace eventspace::metrics
