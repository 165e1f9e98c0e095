#include "scopes/metrics/distribution/joined_parts.h"

#include "scopes/metrics/language/place_among.h"

namespace eventspace::metrics {
namespace {

using Kind = TypedNode::Kind;

void unite(std::vector<std::uint32_t>& all, const std::vector<std::uint32_t>& more,
           const std::vector<std::uint32_t>& numbers) {
  for (const std::uint32_t each : more) (void)place_among(all, numbers[each]);
}

}  // namespace

void JoinedParts::add(const ServerPart& part, std::uint32_t metric) {
  if (requesters_.empty()) {
    whole_.start_ns = part.start_ns;
    whole_.cut = part.cut;
    whole_.definition.variables.push_back(part.definition.variables[Definition::self]);
  }
  Definition& whole = whole_.definition;
  Renumbering numbers;
  add_parameters(part, numbers);
  add_variables(part, numbers);
  Requester requester{metric};
  for (const Counter& counter : part.definition.counters) {
    numbers.counters.push_back(place_among(whole.counters, counter));
    requester.counters[numbers.counters.back()] = static_cast<std::uint32_t>(numbers.counters.size() - 1);
  }
  for (Sampler sampler : part.definition.samplers) {
    sampler.value = put(sampler.value, numbers);
    numbers.samplers.push_back(place_among(whole.samplers, std::move(sampler)));
    requester.samplers[numbers.samplers.back()] = static_cast<std::uint32_t>(numbers.samplers.size() - 1);
  }
  unite(whole_.counters, part.counters, numbers.counters);
  unite(whole_.samplers, part.samplers, numbers.samplers);
  streams_.emplace_back();
  for (const Part& stream : part.definition.streams)
    streams_.back().push_back(place_of(whole.streams, stream, numbers));
  for (std::uint32_t i = 0; i < part.definition.collections.size(); ++i)
    requester.collections[place_of(whole.collections, part.definition.collections[i], numbers)] = i;
  whole.takes_usage = whole.takes_usage || part.definition.takes_usage;
  requesters_.push_back(std::move(requester));
}

/// Numbers the streams after the samplers only now, because samplers were added since.
std::pair<ServerPart, std::vector<Requester>> JoinedParts::take() {
  const auto samplers = static_cast<std::uint32_t>(whole_.definition.samplers.size());
  for (std::size_t i = 0; i < requesters_.size(); ++i) {
    auto own = static_cast<std::uint32_t>(requesters_[i].samplers.size());
    for (const std::uint32_t stream : streams_[i]) requesters_[i].samplers[samplers + stream] = own++;
  }
  return {std::move(whole_), std::move(requesters_)};
}

void JoinedParts::add_parameters(const ServerPart& part, Renumbering& numbers) {
  std::map<ParameterKey, std::uint32_t> seen;
  Definition& whole = whole_.definition;
  for (std::uint32_t i = 0; i < part.definition.parameters.size(); ++i) {
    const MetricType& type = part.definition.parameters[i].type;
    const auto pattern = part.objects.find(i);
    ParameterKey key{type.base, type.dimensions, part.definition.given.contains(i),
                     pattern == part.objects.end() ? std::string() : pattern->second, 0};
    std::get<4>(key) = seen[key]++;
    const auto [known, is_new] =
        parameters_.try_emplace(key, static_cast<std::uint32_t>(whole.parameters.size()));
    numbers.parameters.push_back(known->second);
    if (!is_new) continue;
    whole.parameters.push_back({"", type});
    if (pattern != part.objects.end()) whole_.objects[known->second] = pattern->second;
  }
}

/// Variables of merged parameters are merged. The n-th other variable of a type in one metric is the n-th of
/// that type in all metrics.
void JoinedParts::add_variables(const ServerPart& part, Renumbering& numbers) {
  const Definition& own = part.definition;
  numbers.variables.assign(own.variables.size(), Definition::self);
  std::vector<bool> is_given(own.variables.size());
  for (const auto& [parameter, variable] : own.given) {
    const auto [known, is_new] = whole_.definition.given.try_emplace(numbers.parameters[parameter], 0);
    if (is_new) known->second = new_variable(own.variables[variable].type);
    numbers.variables[variable] = known->second;
    is_given[variable] = true;
  }
  std::map<Base, std::size_t> used;
  for (std::uint32_t i = Definition::self + 1; i < own.variables.size(); ++i) {
    if (is_given[i]) continue;
    const MetricType& type = own.variables[i].type;
    auto& of_type = free_variables_[type.base];
    const std::size_t place = used[type.base]++;
    if (place == of_type.size()) of_type.push_back(new_variable(type));
    numbers.variables[i] = of_type[place];
  }
}

std::uint32_t JoinedParts::new_variable(MetricType type) {
  whole_.definition.variables.push_back({"", type});
  return static_cast<std::uint32_t>(whole_.definition.variables.size() - 1);
}

Typed JoinedParts::put(const Typed& node, Renumbering& numbers) {
  if (!node) return node;
  const auto known = numbers.done.find(node.get());
  if (known != numbers.done.end()) return known->second;
  TypedNode made = *node;
  for (Typed& operand : made.operands) operand = put(operand, numbers);
  made.condition = put(made.condition, numbers);
  made.index = number_of(*node, numbers);
  for (std::uint32_t& bound : made.bound) bound = numbers.variables[bound];
  return numbers.done.emplace(node.get(), nodes_.make(std::move(made))).first->second;
}

std::uint32_t JoinedParts::number_of(const TypedNode& node, const Renumbering& numbers) {
  if (node.kind == Kind::parameter) return numbers.parameters[node.index];
  if (node.kind == Kind::variable) return numbers.variables[node.index];
  if (node.kind == Kind::at) return numbers.samplers[node.index];
  const bool is_counted = node.kind == Kind::built_in && node.index < Definition::first_sampled;
  return is_counted ? numbers.counters[node.index] : node.index;
}

std::uint32_t JoinedParts::place_of(std::vector<Part>& all, const Part& part, Renumbering& numbers) {
  return place_among(all, Part{put(part.value, numbers), numbers.variables[part.object],
                               numbers.variables[part.virtual_time], part.times});
}

}  // namespace eventspace::metrics
