#include "scopes/metrics/evaluation/aggregate_values.h"

#include <algorithm>
#include <utility>

namespace eventspace::metrics {
namespace {

/// Returns the unknown value of an aggregate over objects, if the value of an object that takes part is not
/// known. `without`: the data of objects without a value.
std::optional<Datum> unknown_of(std::span<const Datum> without, std::span<const Datum> taken) {
  std::optional<Datum> unknown;
  for (const Datum& value : without) {
    if (value.state != Datum::State::missed && value.state != Datum::State::unseen) continue;
    if (!unknown || value.is_partial()) unknown = value;
  }
  const auto seen = std::ranges::find_if(taken, [](const Datum& value) { return !value.is_timeless(); });
  if (unknown && seen != taken.end()) return Datum::partial(Datum::State::missed, seen->time_ns);
  return unknown;
}

}  // namespace

std::uint64_t partial_ones(std::span<const Datum> values) {
  return static_cast<std::uint64_t>(std::ranges::count_if(values, &Datum::is_partial));
}

std::optional<std::uint32_t> AggregateValues::time_of(const ValueNode& node) const {
  for (const std::uint32_t variable : node.what->bound)
    if (context_.definition.variables[variable].type.base == Base::virtual_time) return variable;
  return std::nullopt;
}

Datum AggregateValues::of(const ValueNode& node, Binding& binding) {
  if (const auto variable = time_of(node)) return over_steps(node, *variable, binding);
  std::vector<Datum> taken;
  std::vector<Datum> without;
  if (over_objects(node, binding, taken, without) == Datum::State::later)
    return Datum::without(Datum::State::later);
  if (const auto unknown = unknown_of(without, taken)) return *unknown;
  // A virtual time in which only other objects pass the probe has no value, whether they do so before or
  // after the chosen objects have progressed further.
  if (taken.empty() && node.what->is_event_triggered()) return Datum::without(Datum::State::absent);
  Tally tally(node.what->aggregate, node.what->value);
  for (const Datum& value : taken) tally.add(value);
  return tally.result();
}

Datum AggregateValues::over_steps(const ValueNode& node, std::uint32_t variable, Binding& binding) {
  Progress& progress = steps_.progress(*node.leader, binding);
  take_steps(*node.leader, variable, binding, progress);
  const auto span = context_.span_over(node);
  const Progress::Taken& taken = progress.taken[node.place];
  return context_.over_interval(span == Span::since_last ? taken.last->result() : taken.start->result(),
                                span);
}

Tally AggregateValues::newly_taken(const ValueNode& node, Binding& binding) {
  Progress& progress = steps_.progress(*node.leader, binding);
  take_steps(*node.leader, *time_of(node), binding, progress);
  return *std::exchange(progress.taken[node.place].last, std::nullopt);
}

void AggregateValues::take_steps(ValueNode& leader, std::uint32_t variable, Binding& binding,
                                 Progress& progress) {
  progress.taken.resize(leader.together.size());
  std::vector<Tally> fresh;
  for (std::size_t i = 0; i < progress.taken.size(); ++i) {
    fresh.emplace_back(leader.together[i]->aggregate, leader.together[i]->value);
    for (std::optional<Tally>* const tally : {&progress.taken[i].start, &progress.taken[i].last})
      if (!*tally) tally->emplace(fresh.back());
  }
  take_columns(leader, variable, binding, progress, fresh);
  std::vector<Datum> values;
  std::vector<Datum> without;
  steps_.for_each(progress, leader, binding, variable, [&] {
    values.clear();
    without.clear();
    if (over_objects(leader, binding, values, without) == Datum::State::later) return false;
    leader.unmatched += partial_ones(without);
    for (const Datum& value : values) {
      for (Tally& tally : fresh) tally.add(value);
    }
    return true;
  });
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    progress.taken[i].start->add(fresh[i]);
    progress.taken[i].last->add(fresh[i]);
  }
}

void AggregateValues::take_columns(ValueNode& leader, std::uint32_t variable, Binding& binding,
                                   Progress& progress, std::vector<Tally>& tallies) {
  if (leader.what->bound.size() != 1 || (leader.condition != nullptr && !leader.is_by_own_time)) return;
  std::vector<Datum> taken;
  steps_.for_columns(progress, leader, *leader.operands[0], binding, variable,
                     [&](std::span<const Step>, std::span<const Datum> values) {
                       taken.clear();
                       for (const Datum& value : values)
                         if (is_chosen(leader, value)) taken.push_back(value);
                       leader.unmatched += partial_ones(values);
                       tallies[0].add(taken);
                       for (Tally& tally : std::span(tallies).subspan(1)) tally.add(taken, tallies[0]);
                     });
}

Datum::State AggregateValues::over_objects(const ValueNode& node, Binding& binding, std::vector<Datum>& taken,
                                           std::vector<Datum>& without) {
  for (bool is_one = first_choice(node, binding); is_one; is_one = next_choice(node, binding)) {
    // The condition also evaluates the value: once is enough.
    if (node.condition != nullptr && !node.is_by_own_time) {
      const Datum holds = values_.of(*node.condition, binding);
      if (holds.state == Datum::State::later && !context_.is_giving_up) return Datum::State::later;
      if (holds.state == Datum::State::missed || holds.state == Datum::State::unseen)
        without.push_back(holds);
      if (!holds.is_true()) continue;
    }
    const Datum value = values_.of(*node.operands[0], binding);
    if (value.state == Datum::State::later && !context_.is_giving_up) return Datum::State::later;
    if (is_chosen(node, value))
      taken.push_back(value);
    else if (!value.is_present())
      without.push_back(value);
  }
  return Datum::State::present;
}

/// Whether an aggregate takes a value, if it does not depend on its other variables.
bool AggregateValues::is_chosen(const ValueNode& aggregate, const Datum& value) const {
  if (!aggregate.is_by_own_time) return value.is_present();
  return value.is_good() && context_.is_in_interval(context_.time_of(value));
}

bool AggregateValues::first_choice(const ValueNode& node, Binding& binding) const {
  for (const std::uint32_t variable : node.what->bound) {
    const Base base = context_.definition.variables[variable].type.base;
    if (base == Base::virtual_time) continue;
    if (context_.history.objects().count(base) == 0) return false;
    binding.objects[variable] = 0;
  }
  return true;
}

bool AggregateValues::next_choice(const ValueNode& node, Binding& binding) const {
  for (const std::uint32_t variable : node.what->bound) {
    const Base base = context_.definition.variables[variable].type.base;
    if (base == Base::virtual_time) continue;
    if (++binding.objects[variable] < context_.history.objects().count(base)) return true;
    binding.objects[variable] = 0;
  }
  return false;
}

}  // namespace eventspace::metrics
