// The aggregates of Evaluator: over objects, and over virtual times.

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "scopes/metrics/evaluation/evaluator.h"

namespace eventspace::metrics {
namespace {

using Kind = TypedNode::Kind;

std::uint64_t partial_ones(std::span<const Datum> values) {
  return static_cast<std::uint64_t>(std::ranges::count_if(values, &Datum::is_partial));
}

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

Datum Evaluator::aggregate(const Node& node, Binding& binding) {
  for (const std::uint32_t variable : node.what->bound) {
    if (definition_.variables[variable].type.base == Base::virtual_time)
      return over_steps(node, variable, binding);
  }
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

Datum Evaluator::over_steps(const Node& node, std::uint32_t variable, Binding& binding) {
  Progress& progress = progress_[key_of(*node.leader, binding)];
  take_steps(*node.leader, variable, binding, progress);
  const auto span = node.condition == nullptr ? std::nullopt : span_in(*node.condition);
  const Progress::Taken& taken = progress.taken[node.place];
  return over_interval(span == Span::since_last ? taken.last->result() : taken.start->result(), span);
}

/// An aggregate over the virtual times of an interval covers that interval, and not only the time from its
/// first value to its last: n passages of a probe are n - 1 steps apart.
Datum Evaluator::over_interval(Datum value, std::optional<Span> span) const {
  if (!span) return value;
  if (value.is_timeless()) value.time_ns = moments_.now_ns;
  value.begin_ns = span == Span::since_last ? moments_.last_ns : moments_.start_ns;
  value.end_ns = moments_.now_ns;
  return value;
}

/// SUM and COUNT of the same values, as in a mean, take each value once.
void Evaluator::join_others(Node& aggregate) const {
  aggregate.leader = &aggregate;
  for (const auto& [what, other] : nodes_) {
    if (other == nullptr || other->leader != other.get() || other.get() == &aggregate) continue;
    const bool takes_same = other->what->kind == Kind::aggregate && other->operands == aggregate.operands &&
                            other->condition == aggregate.condition &&
                            other->what->bound == aggregate.what->bound;
    if (takes_same) aggregate.leader = other.get();
  }
  aggregate.place = aggregate.leader->together.size();
  aggregate.leader->together.push_back(aggregate.what);
}

/// As in SUM(x[vt] WHERE x[vt].time IN time).
bool Evaluator::is_by_own_time(const Node& aggregate) {
  const Node* const condition = aggregate.condition;
  if (condition == nullptr || condition->what->kind != Kind::within) return false;
  const Node& member = *condition->operands[0];
  return condition->operands[1]->what->type.base == Base::time_interval &&
         member.what->kind == Kind::attribute && member.what->attribute == Attribute::time &&
         member.operands[0] == aggregate.operands[0];
}

void Evaluator::take_steps(Node& leader, std::uint32_t variable, Binding& binding, Progress& progress) {
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
  for_new_steps(progress, leader, binding, variable, [&] {
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

Tally Evaluator::newly_collected(const Part& collection, std::uint32_t object) {
  const Node& node = *nodes_.at(collection.value.get());
  const auto is_time = [this](std::uint32_t variable) {
    return definition_.variables[variable].type.base == Base::virtual_time;
  };
  Binding binding = empty_binding();
  binding.objects[collection.object] = object;
  Progress& progress = progress_[key_of(*node.leader, binding)];
  take_steps(*node.leader, *std::ranges::find_if(node.what->bound, is_time), binding, progress);
  return *std::exchange(progress.taken[node.place].last, std::nullopt);
}

std::uint64_t Evaluator::unmatched() const noexcept {
  std::uint64_t most = 0;
  for (const auto& [what, node] : nodes_) most = std::max(most, node->unmatched);
  return unmatched_results_ + most;
}

std::uint64_t Evaluator::unmatched(const Part& collection) const {
  return nodes_.at(collection.value.get())->leader->unmatched;
}

std::uint64_t Evaluator::given_up(const Part& part) const {
  const Node& node = *nodes_.at(part.value.get());
  return node.leader == nullptr ? node.given_up : node.leader->given_up;
}

bool Evaluator::are_taken_together(const Part& one, const Part& other) const {
  const Node* const leader = nodes_.at(one.value.get())->leader;
  return leader != nullptr && leader == nodes_.at(other.value.get())->leader;
}

void Evaluator::receive(std::uint32_t collection, std::uint32_t object, const Tally::State& collected) {
  std::vector<Progress::Taken>& of_objects = received_[collection];
  if (of_objects.size() <= object) of_objects.resize(object + 1);
  const TypedNode& what = *definition_.collections[collection].value;
  for (std::optional<Tally>* const tally : {&of_objects[object].start, &of_objects[object].last}) {
    if (!*tally) tally->emplace(what.aggregate, what.value);
    (*tally)->add(collected);
  }
}

/// The tallies that servers collected for the object; empty until the first arrives.
Datum Evaluator::received(const Node& node, Binding& binding) {
  const Datum object = of(*node.operands[0], binding);
  if (!object.is_good()) return object;
  const Node& collection = *nodes_.at(definition_.collections[node.what->index].value.get());
  const auto span = collection.condition == nullptr ? std::nullopt : span_in(*collection.condition);
  const auto number = static_cast<std::size_t>(object.number);
  const std::vector<Progress::Taken>& of_objects = received_[node.what->index];
  const std::optional<Tally> none;
  const std::optional<Tally>& taken = number >= of_objects.size() ? none
                                      : span == Span::since_last  ? of_objects[number].last
                                                                  : of_objects[number].start;
  return over_interval(
      taken ? taken->result() : Tally(collection.what->aggregate, collection.what->value).result(), span);
}

/// The interval that a condition names, or nothing.
std::optional<Span> Evaluator::span_in(const Node& condition) const {
  if (condition.what->kind == Kind::within && condition.operands[1]->what->type.base == Base::time_interval)
    return span_of(*condition.operands[1]);
  for (const Node* const operand : condition.operands) {
    if (const auto span = operand->what->type.base == Base::boolean ? span_in(*operand) : std::nullopt)
      return span;
  }
  return std::nullopt;
}

Datum::State Evaluator::over_objects(const Node& node, Binding& binding, std::vector<Datum>& taken,
                                     std::vector<Datum>& without) {
  for (bool is_one = first_choice(node, binding); is_one; is_one = next_choice(node, binding)) {
    // The condition also evaluates the value: once is enough.
    if (node.condition != nullptr && !node.is_by_own_time) {
      const Datum holds = of(*node.condition, binding);
      if (holds.state == Datum::State::later && !is_giving_up_) return Datum::State::later;
      if (holds.state == Datum::State::missed || holds.state == Datum::State::unseen)
        without.push_back(holds);
      if (!holds.is_true()) continue;
    }
    const Datum value = of(*node.operands[0], binding);
    if (value.state == Datum::State::later && !is_giving_up_) return Datum::State::later;
    if (is_chosen(node, value))
      taken.push_back(value);
    else if (!value.is_present())
      without.push_back(value);
  }
  return Datum::State::present;
}

bool Evaluator::first_choice(const Node& node, Binding& binding) const {
  for (const std::uint32_t variable : node.what->bound) {
    const Base base = definition_.variables[variable].type.base;
    if (base == Base::virtual_time) continue;
    if (history_.objects().count(base) == 0) return false;
    binding.objects[variable] = 0;
  }
  return true;
}

bool Evaluator::next_choice(const Node& node, Binding& binding) const {
  for (const std::uint32_t variable : node.what->bound) {
    const Base base = definition_.variables[variable].type.base;
    if (base == Base::virtual_time) continue;
    if (++binding.objects[variable] < history_.objects().count(base)) return true;
    binding.objects[variable] = 0;
  }
  return false;
}

template <class Take>
void Evaluator::for_new_steps(Progress& progress, Node& node, Binding& binding, std::uint32_t variable,
                              const Take& take) {
  const auto steps = steps_after(progress.done, node, binding);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    binding.steps[variable] = steps[i];
    if (!take()) {
      if (steps.size() - i <= max_waiting) return;
      // Without the objects that have not reached it.
      ++given_up_;
      ++node.given_up;
      is_giving_up_ = true;
      ++now_known_;
      (void)take();
      ++now_known_;
      is_giving_up_ = false;
    }
    progress.done = steps[i];
  }
}

// --- columns -------------------------------------------------------------------------------------

template <class Use>
void Evaluator::for_columns(Progress& progress, const Node& of_steps, Node& node, Binding& binding,
                            std::uint32_t variable, const Use& use) {
  if (!node.has_column) return;
  const auto steps = steps_after(progress.done, of_steps, binding);
  for (std::size_t from = 0; from < steps.size(); from += max_in_column) {
    const auto some = std::span(steps).subspan(from, std::min(max_in_column, steps.size() - from));
    ++columns_;
    const auto values = column(node, binding, variable, some);
    const auto first_later = std::ranges::find(values, Datum::State::later, &Datum::state);
    const auto ready = static_cast<std::size_t>(first_later - values.begin());
    use(some.first(ready), values.first(ready));
    if (ready > 0) progress.done = some[ready - 1];
    if (ready < some.size()) return;
  }
}

/// Takes columns if the aggregate takes one value for each virtual time.
void Evaluator::take_columns(Node& leader, std::uint32_t variable, Binding& binding, Progress& progress,
                             std::vector<Tally>& tallies) {
  if (leader.what->bound.size() != 1 || (leader.condition != nullptr && !leader.is_by_own_time)) return;
  std::vector<Datum> taken;
  for_columns(progress, leader, *leader.operands[0], binding, variable,
              [&](std::span<const Step>, std::span<const Datum> values) {
                taken.clear();
                for (const Datum& value : values)
                  if (is_chosen(leader, value)) taken.push_back(value);
                leader.unmatched += partial_ones(values);
                tallies[0].add(taken);
                for (Tally& tally : std::span(tallies).subspan(1)) tally.add(taken, tallies[0]);
              });
}

/// Whether an aggregate takes a value, if it does not depend on its other variables.
bool Evaluator::is_chosen(const Node& aggregate, const Datum& value) const {
  if (!aggregate.is_by_own_time) return value.is_present();
  return value.is_good() && is_in_interval(time_of(value));
}

void Evaluator::stream_results(Binding& binding, const std::vector<std::uint32_t>& objects,
                               std::vector<Result>& results) {
  const std::uint32_t variable = definition_.given.at(definition_.time);
  Progress& progress = progress_[{nullptr, {objects.begin(), objects.end()}}];
  for_columns(progress, *root_, *root_, binding, variable,
              [&](std::span<const Step> steps, std::span<const Datum> values) {
                for (std::size_t i = 0; i < steps.size(); ++i)
                  if (values[i].is_present()) results.push_back({objects, steps[i], values[i]});
                unmatched_results_ += partial_ones(values);
              });
  for_new_steps(progress, *root_, binding, variable, [&] {
    const Datum value = of(*root_, binding);
    if (value.state == Datum::State::later && !is_giving_up_) return false;
    if (value.is_present()) results.push_back({objects, binding.steps[variable], value});
    if (value.is_partial()) ++unmatched_results_;
    return true;
  });
}

std::vector<std::pair<Step, Datum>> Evaluator::new_values(const Part& stream, std::uint32_t object) {
  Binding binding = empty_binding();
  binding.objects[stream.object] = object;
  Node& node = *nodes_.at(stream.value.get());
  std::vector<std::pair<Step, Datum>> made;
  const auto keep = [&made](const Step& step, const Datum& value) { made.emplace_back(step, value); };
  Progress& progress = progress_[{&node, {object}}];
  for_columns(progress, node, node, binding, stream.virtual_time,
              [&](std::span<const Step> steps, std::span<const Datum> values) {
                for (std::size_t i = 0; i < steps.size(); ++i) keep(steps[i], values[i]);
              });
  for_new_steps(progress, node, binding, stream.virtual_time, [&] {
    const Datum value = of(node, binding);
    if (value.state == Datum::State::later && !is_giving_up_) return false;
    keep(binding.steps[stream.virtual_time], value);
    return true;
  });
  return made;
}

std::optional<Step> Evaluator::reached(const Part& stream, std::uint32_t object) const {
  const Node& node = *nodes_.at(stream.value.get());
  std::optional<Step> least;
  for (const auto& [sampler, shift] : node.asked) {
    const Samples* const samples = history_.samples().find(sampler, object);
    if (samples == nullptr || !samples->last()) return std::nullopt;
    const Step step{samples->last()->epoch, samples->last()->virtual_time - shift};
    least = least ? std::min(*least, step) : step;
  }
  const auto progress = progress_.find({&node, {object}});
  const bool has_value = progress != progress_.end() && progress->second.done;
  return has_value && least && *least <= *progress->second.done ? std::nullopt : least;
}

void Evaluator::add_steps(const Samples& samples, const std::optional<Step>& done,
                          std::vector<Step>& steps) const {
  const auto all = samples.steps();
  steps.insert(steps.end(), done ? std::ranges::upper_bound(all, *done) : all.begin(), all.end());
}

std::vector<Step> Evaluator::steps_after(const std::optional<Step>& done, const Node& node,
                                         const Binding& binding) const {
  std::vector<Step> steps;
  for (const std::uint32_t sampler : node.samplers) {
    if (node.passer != nothing) {
      const Samples* const own = history_.samples().find(sampler, binding.objects[node.passer]);
      if (own != nullptr) add_steps(*own, done, steps);
      continue;
    }
    for (const Samples& samples : history_.samples().of_all(sampler)) add_steps(samples, done, steps);
  }
  if (std::ranges::is_sorted(steps, std::ranges::less_equal())) return steps;
  std::ranges::sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

}  // namespace eventspace::metrics
