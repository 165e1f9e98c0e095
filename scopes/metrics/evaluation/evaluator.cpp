#include "scopes/metrics/evaluation/evaluator.h"

namespace eventspace::metrics {

Evaluator::Evaluator(const Definition& definition, EventHistory& history)
    : context_{definition, history},
      nodes_(definition),
      collected_(definition),
      values_(context_, nodes_, collected_, aggregates_),
      steps_(context_, values_),
      aggregates_(context_, values_, steps_),
      sampled_(definition) {
  for (const Sampler& sampler : definition.samplers)
    samplers_.push_back(sampler.value ? &nodes_.make(sampler.value) : nullptr);
  for (const Part& part : definition.streams) (void)nodes_.make(part.value);
  for (const Part& part : definition.collections) (void)nodes_.make(part.value);
  if (definition.result) root_ = &nodes_.make(definition.result);
}

void Evaluator::sample(const ProbeSamples::Passage& passage, const Moments& moments,
                       std::span<const Chosen> chosen) {
  context_.moments = moments;
  context_.chosen = chosen;
  context_.passage = &passage;
  for (const std::uint32_t i : passage.samplers) {
    if (samplers_[i] == nullptr) continue;
    const bool is_of_thread = context_.definition.samplers[i].object == Base::thread;
    const std::uint32_t object = is_of_thread ? passage.thread : passage.process;
    sampled_.objects[Definition::self] = object;
    ++context_.now_known;
    Samples& samples = context_.history.samples().of(i, object);
    if (passage.is_before) {
      samples.miss(passage.place);
      continue;
    }
    Datum value = values_.of(*samplers_[i], sampled_);
    if (value.is_present()) value.time_ns = value.begin_ns = value.end_ns = moments.now_ns;
    const Step step = samples.next(passage.place);
    samples.keep(step, value);
  }
  context_.passage = nullptr;
}

void Evaluator::begin_reading(const Moments& moments, std::span<const Chosen> chosen) {
  context_.moments = moments;
  context_.chosen = chosen;
  ++context_.now_known;
  steps_.begin_reading();
}

std::vector<MetricValue> Evaluator::read(const Moments& moments, std::span<const Chosen> chosen) {
  begin_reading(moments, chosen);
  Binding binding(context_.definition);
  std::vector<MetricValue> values;
  std::vector<std::uint32_t> objects;
  choose(0, binding, objects, values);
  collected_.end_reading();
  return values;
}

void Evaluator::choose(std::size_t parameter, Binding& binding, std::vector<std::uint32_t>& objects,
                       std::vector<MetricValue>& values) {
  const Definition& definition = context_.definition;
  if (parameter == definition.parameters.size()) {
    if (definition.is_stream())
      take_stream(binding, objects, values);
    else
      values.push_back({names_of(objects), std::nullopt, values_.of(*root_, binding)});
    return;
  }
  const auto given = definition.given.find(static_cast<std::uint32_t>(parameter));
  if (given == definition.given.end() || parameter == definition.time)
    return choose(parameter + 1, binding, objects, values);
  for (std::uint32_t object = 0; object < context_.chosen[parameter].size(); ++object) {
    if (!context_.chosen[parameter][object]) continue;
    binding.objects[given->second] = object;
    objects.push_back(object);
    choose(parameter + 1, binding, objects, values);
    objects.pop_back();
  }
}

std::vector<std::string> Evaluator::names_of(const std::vector<std::uint32_t>& objects) const {
  std::vector<std::string> names;
  names.reserve(objects.size());
  for (const auto& [parameter, variable] : context_.definition.given) {
    if (parameter == context_.definition.time) continue;
    const Base base = context_.definition.parameters[parameter].type.base;
    names.emplace_back(context_.history.objects().name(base, objects[names.size()]));
  }
  return names;
}

void Evaluator::take_stream(Binding& binding, const std::vector<std::uint32_t>& objects,
                            std::vector<MetricValue>& values) {
  const std::uint32_t variable = context_.definition.given.at(context_.definition.time);
  const std::vector<std::string> names = names_of(objects);
  Progress& progress = steps_.progress({nullptr, {objects.begin(), objects.end()}});
  steps_.for_columns(progress, *root_, *root_, binding, variable,
                     [&](std::span<const Step> steps, std::span<const Datum> made) {
                       for (std::size_t i = 0; i < steps.size(); ++i)
                         if (made[i].is_present()) values.push_back({names, steps[i].virtual_time, made[i]});
                       unmatched_results_ += partial_ones(made);
                     });
  steps_.for_each(progress, *root_, binding, variable, [&] {
    const Datum value = values_.of(*root_, binding);
    if (value.state == Datum::State::later && !context_.is_giving_up) return false;
    if (value.is_present()) values.push_back({names, binding.steps[variable].virtual_time, value});
    if (value.is_partial()) ++unmatched_results_;
    return true;
  });
}

void Evaluator::for_new_values(const Part& stream, std::uint32_t object,
                               const std::function<void(const Step&, const Datum&)>& use) {
  Binding binding(context_.definition);
  binding.objects[stream.object] = object;
  ValueNode& node = nodes_.of(stream.value);
  Progress& progress = steps_.progress({&node, {object}});
  steps_.for_columns(progress, node, node, binding, stream.virtual_time,
                     [&](std::span<const Step> steps, std::span<const Datum> values) {
                       for (std::size_t i = 0; i < steps.size(); ++i) use(steps[i], values[i]);
                     });
  steps_.for_each(progress, node, binding, stream.virtual_time, [&] {
    const Datum value = values_.of(node, binding);
    if (value.state == Datum::State::later && !context_.is_giving_up) return false;
    use(binding.steps[stream.virtual_time], value);
    return true;
  });
}

Tally Evaluator::newly_collected(const Part& collection, std::uint32_t object) {
  Binding binding(context_.definition);
  binding.objects[collection.object] = object;
  return aggregates_.newly_taken(nodes_.of(collection.value), binding);
}

std::uint64_t Evaluator::unmatched(const Part& collection) const {
  return nodes_.of(collection.value).leader->unmatched;
}

std::uint64_t Evaluator::given_up(const Part& part) const {
  const ValueNode& node = nodes_.of(part.value);
  return node.leader == nullptr ? node.given_up : node.leader->given_up;
}

bool Evaluator::are_taken_together(const Part& one, const Part& other) const {
  const ValueNode* const leader = nodes_.of(one.value).leader;
  return leader != nullptr && leader == nodes_.of(other.value).leader;
}

}  // namespace eventspace::metrics
