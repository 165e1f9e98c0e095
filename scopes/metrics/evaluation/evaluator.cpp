#include "scopes/metrics/evaluation/evaluator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "paths/parameters/glob.h"
#include "scopes/expressions/operators.h"

namespace eventspace::metrics {
namespace {

using Kind = TypedNode::Kind;

constexpr double ns_per_second = 1e9;

/// The result if one of several operands is missing, or nothing if all are present. `is_of_probes`: if one
/// operand was seen and another was not, the value is left out.
std::optional<Datum> without_all(std::span<const Datum> operands, bool is_of_probes) {
  using State = Datum::State;
  std::array<bool, 6> has{};
  std::int64_t seen_ns = 0;
  for (const Datum& operand : operands) {
    has[static_cast<std::size_t>(operand.state)] = true;
    const bool is_seen = operand.is_present() || operand.is_partial();
    if (seen_ns == 0 && is_seen) seen_ns = operand.time_ns;
  }
  for (const State state : {State::later, State::missed, State::unseen, State::before, State::absent}) {
    if (!has[static_cast<std::size_t>(state)]) continue;
    const bool can_be_partial = is_of_probes && (state == State::missed || state == State::absent);
    return can_be_partial ? Datum::partial(state, seen_ns) : Datum::without(state);
  }
  return std::nullopt;
}

/// The result of a node if the value of an operand is missing, or nothing if all have one.
std::optional<Datum> without_value(std::span<const Datum> operands, bool is_of_probes) {
  if (const auto none = without_all(operands, is_of_probes)) return none;
  const auto faulty =
      std::ranges::find_if(operands, [](const Datum& each) { return each.problem != Problem::none; });
  if (faulty != operands.end()) return with_times(Datum::wrong(faulty->problem), operands);
  return std::nullopt;
}

Datum arithmetic(Operator op, double left, double right) {
  const bool divides = op == Operator::divided || op == Operator::modulo;
  if (divides && right == 0.0) return Datum::wrong(Problem::divided_by_zero);
  const double result = expressions::calculate(op, left, right);
  return std::isfinite(result) ? Datum::of(result) : Datum::wrong(Problem::too_large);
}

/// The shift of a virtual time.
std::int64_t shift_of(const TypedNode& when) {
  return when.kind == Kind::shifted ? when.shift + shift_of(*when.operands[0]) : 0;
}

Datum of_texts(const TypedNode& node, std::string_view left, std::string_view right) {
  if (node.op == Operator::matches) return Datum::of(glob_match(right, left) ? 1.0 : 0.0);
  return Datum::of((left == right) == (node.op == Operator::equal) ? 1.0 : 0.0);
}

/// Logic with operands whose values may be missing: a missing value is not true.
Datum logic(Operator op, const Datum& left, const Datum& right) {
  if (left.state == Datum::State::later || right.state == Datum::State::later)
    return Datum::without(Datum::State::later);
  const bool result =
      op == Operator::all_of ? left.is_true() && right.is_true() : left.is_true() || right.is_true();
  return Datum::of(result ? 1.0 : 0.0);
}

}  // namespace

Evaluator::Evaluator(const Definition& definition, EventHistory& history)
    : definition_(definition),
      history_(history),
      sampled_(empty_binding()),
      received_(definition.collections.size()) {
  for (const Sampler& sampler : definition.samplers)
    samplers_.push_back(sampler.value ? &node_of(sampler.value) : nullptr);
  for (const Part& part : definition.streams) (void)node_of(part.value);
  for (const Part& part : definition.collections) (void)node_of(part.value);
  if (definition.root) root_ = &node_of(definition.root);
}

Evaluator::Binding Evaluator::empty_binding() const {
  return {std::vector<std::uint32_t>(definition_.variables.size()),
          std::vector<Step>(definition_.variables.size())};
}

Evaluator::Node& Evaluator::node_of(const Typed& expression) {
  std::unique_ptr<Node>& place = nodes_[expression.get()];
  if (place) {
    place->is_shared = !place->operands.empty();
    return *place;
  }
  place = std::make_unique<Node>();
  Node& node = *place;  // keeps its address when the table grows
  node.what = expression.get();
  for (const Typed& operand : expression->operands) node.operands.push_back(&node_of(operand));
  if (expression->condition) node.condition = &node_of(expression->condition);
  if (expression->kind == Kind::aggregate) {
    node.is_by_own_time = is_by_own_time(node);
    join_others(node);
  }
  find_passer(node);
  node.has_column = has_column(node);
  node.is_duration = is_duration(node);
  return node;
}

/// Whether a value at a probe never decreases, so that a later value less an earlier one is at least 0.
bool Evaluator::never_goes_back(const TypedNode& value) const {
  if (value.kind == Kind::binary && value.op == Operator::plus)
    return std::ranges::all_of(value.operands,
                               [this](const Typed& operand) { return never_goes_back(*operand); });
  if (value.kind != Kind::built_in) return false;
  if (value.index == Definition::the_clock) return true;
  if (Definition::is_sampled(value.index)) return false;
  return built_in_metrics()[definition_.counters[value.index].built_in].source == Source::delay;
}

/// As in Time(NOW) AT stop(p, vt) - Time(NOW) AT start(p, vt), for one object.
bool Evaluator::is_duration(const Node& node) const {
  const TypedNode& what = *node.what;
  if (what.kind != Kind::binary || what.op != Operator::minus || node.passer == nothing) return false;
  return std::ranges::all_of(what.operands, [this](const Typed& operand) {
    if (operand->kind != Kind::at) return false;
    const Sampler& sampler = definition_.samplers[operand->index];
    return sampler.value != nullptr && never_goes_back(*sampler.value);
  });
}

/// Finds the samplers that a node needs, and whether they all sample one object.
void Evaluator::find_passer(Node& node) const {
  const auto take = [&node](const Node* part) {
    if (part == nullptr || part->samplers.empty()) return;
    node.passer = node.samplers.empty() || node.passer == part->passer ? part->passer : nothing;
    node.samplers.insert(node.samplers.end(), part->samplers.begin(), part->samplers.end());
    node.asked.insert(node.asked.end(), part->asked.begin(), part->asked.end());
  };
  if (node.what->kind == Kind::at) {
    const TypedNode& object = *node.what->operands[0];
    node.samplers.push_back(node.what->index);
    const TypedNode* when = node.what->operands[1].get();
    node.shift = shift_of(*when);
    while (when->kind == Kind::shifted) when = when->operands[0].get();
    node.when = when->index;
    node.asked.emplace_back(node.what->index, node.shift);
    node.passer = object.kind == Kind::variable ? object.index : nothing;
    return;
  }
  for (const Node* const operand : node.operands) take(operand);
  take(node.condition);
  std::ranges::sort(node.samplers);
  node.samplers.erase(std::unique(node.samplers.begin(), node.samplers.end()), node.samplers.end());
  std::ranges::sort(node.asked);
  node.asked.erase(std::unique(node.asked.begin(), node.asked.end()), node.asked.end());
  if (std::ranges::count(node.what->bound, node.passer) > 0) node.passer = nothing;
}

std::size_t Evaluator::KeyHash::operator()(const Key& key) const noexcept {
  std::size_t hash = std::hash<const Node*>()(key.first);
  for (const std::int64_t part : key.second)
    hash = (hash ^ static_cast<std::size_t>(part)) * 0x9e3779b97f4a7c15U + (hash >> 29U);
  return hash;
}

/// Calls `use` with the numbers of the values of the node's free variables.
template <class Use>
void Evaluator::for_free_variables(const Node& node, const Binding& binding, const Use& use) const {
  for (const std::uint32_t variable : node.what->free_variables) {
    if (definition_.variables[variable].type.base == Base::virtual_time) {
      use(binding.steps[variable].epoch);
      use(binding.steps[variable].virtual_time);
    } else {
      use(static_cast<std::int64_t>(binding.objects[variable]));
    }
  }
}

Evaluator::Key Evaluator::key_of(const Node& node, const Binding& binding) const {
  Key key{&node, {}};
  for_free_variables(node, binding, [&key](std::int64_t part) { key.second.push_back(part); });
  return key;
}

bool Evaluator::is_known(const Node& node, const Binding& binding) const {
  if (node.known_in != now_known_) return false;
  bool is_same = true;
  std::size_t at = 0;
  for_free_variables(node, binding,
                     [&](std::int64_t part) { is_same = is_same && node.known_for[at++] == part; });
  return is_same;
}

void Evaluator::remember(Node& node, const Binding& binding, const Datum& value) const {
  node.known_in = now_known_;
  node.known_for.clear();
  for_free_variables(node, binding, [&node](std::int64_t part) { node.known_for.push_back(part); });
  node.known = value;
}

// --- samples and results -------------------------------------------------------------------------

void Evaluator::sample(const ProbeSamples::Passage& passage, const Moments& moments,
                       std::span<const Chosen> chosen) {
  moments_ = moments;
  chosen_ = chosen;
  passage_ = &passage;
  for (const std::uint32_t i : passage.samplers) {
    if (samplers_[i] == nullptr) continue;
    const std::uint32_t object =
        definition_.samplers[i].object == Base::thread ? passage.thread : passage.process;
    sampled_.objects[Definition::self] = object;
    ++now_known_;
    Samples& samples = history_.samples().of(i, object);
    if (passage.is_before) {
      samples.miss(passage.place);
      continue;
    }
    Datum value = of(*samplers_[i], sampled_);
    if (value.is_present()) value.time_ns = value.begin_ns = value.end_ns = moments.now_ns;
    const Step step = samples.next(passage.place);
    samples.keep(step, value);
  }
  passage_ = nullptr;
}

void Evaluator::begin_reading(const Moments& moments, std::span<const Chosen> chosen) {
  moments_ = moments;
  chosen_ = chosen;
  ++now_known_;
  for (auto& [key, progress] : progress_) {
    for (Progress::Taken& taken : progress.taken) taken.last.reset();
  }
}

std::vector<Evaluator::Result> Evaluator::read(const Moments& moments, std::span<const Chosen> chosen) {
  begin_reading(moments, chosen);
  Binding binding = empty_binding();
  std::vector<Result> results;
  std::vector<std::uint32_t> objects;
  choose(0, binding, objects, results);
  for (auto& of_objects : received_) {
    for (Progress::Taken& taken : of_objects) taken.last.reset();
  }
  return results;
}

/// Chooses an object for each parameter that takes one, from parameter `parameter` on.
void Evaluator::choose(std::size_t parameter, Binding& binding, std::vector<std::uint32_t>& objects,
                       std::vector<Result>& results) {
  if (parameter == definition_.parameters.size()) {
    if (definition_.is_stream())
      stream_results(binding, objects, results);
    else
      results.push_back({objects, std::nullopt, of(*root_, binding)});
    return;
  }
  const auto given = definition_.given.find(static_cast<std::uint32_t>(parameter));
  if (given == definition_.given.end() || parameter == definition_.time)
    return choose(parameter + 1, binding, objects, results);
  for (std::uint32_t object = 0; object < chosen_[parameter].size(); ++object) {
    if (!chosen_[parameter][object]) continue;
    binding.objects[given->second] = object;
    objects.push_back(object);
    choose(parameter + 1, binding, objects, results);
    objects.pop_back();
  }
}

// --- nodes ---------------------------------------------------------------------------------------

Datum Evaluator::of(Node& node, Binding& binding) {
  if (!node.is_shared) return computed(node, binding);
  if (is_known(node, binding)) return node.known;
  const Datum value = computed(node, binding);
  remember(node, binding, value);
  return value;
}

Datum Evaluator::computed(const Node& node, Binding& binding) {
  switch (node.what->kind) {
    case Kind::number:
    case Kind::text:
    case Kind::moment:
    case Kind::parameter:
    case Kind::variable:
    case Kind::shifted:
    case Kind::probe_value:
    case Kind::interval:
    case Kind::metric:
      return leaf(node, binding);
    case Kind::attribute:
      return attribute(node, binding);
    case Kind::unary:
      return unary(node, binding);
    case Kind::binary:
      return binary(node, binding);
    case Kind::within:
      return within(node, binding);
    case Kind::built_in:
      return built_in(node, binding);
    case Kind::at:
      return at(node, binding);
    case Kind::aggregate:
      return aggregate(node, binding);
    case Kind::combination:
      return combination(node, binding);
    case Kind::rate:
      return rate(node, binding);
    case Kind::received:
      return received(node, binding);
  }
  return {};
}

/// The value of a node without evaluated operands. Intervals and several objects appear only as operands, and
/// define() has inlined metrics.
Datum Evaluator::leaf(const Node& node, const Binding& binding) const {
  Datum made = Datum::of(node.what->value);
  switch (node.what->kind) {
    case Kind::number:
      return made;
    case Kind::text:
      made.text = node.what->text;
      return made;
    case Kind::moment:
      return moment(node.what->moment);
    case Kind::parameter:
      return moment(Moment::now);  // a point of time
    case Kind::variable:
    case Kind::shifted:
      return variable(node, binding);
    case Kind::probe_value:
      return probe_value(node);
    default:
      return {};
  }
}

Datum Evaluator::moment(Moment moment) const {
  const std::int64_t ns = moment == Moment::now     ? moments_.now_ns
                          : moment == Moment::start ? moments_.start_ns
                                                    : moments_.last_ns;
  return Datum::of(static_cast<double>(ns));
}

Datum Evaluator::variable(const Node& node, const Binding& binding) const {
  if (node.what->kind == Kind::shifted) {
    Datum made = variable(*node.operands[0], binding);
    made.number += node.what->shift;
    return made;
  }
  if (node.what->type.base == Base::virtual_time)
    return Datum::of(static_cast<double>(binding.steps[node.what->index].virtual_time));
  return Datum::of(binding.objects[node.what->index]);
}

Datum Evaluator::probe_value(const Node& node) const {
  const auto value = passage_ == nullptr ? std::nullopt : passage_->values[node.what->index];
  return value ? Datum::of(*value) : Datum{};
}

Datum Evaluator::attribute(const Node& node, Binding& binding) {
  const Node& owner = *node.operands[0];
  if (owner.what->type.base == Base::time_interval) return attribute_of_interval(node, owner);
  const Datum of_what = of(*node.operands[0], binding);
  if (!of_what.is_good()) return of_what;
  if (node.what->attribute == Attribute::time) return Datum::of(time_of(of_what));
  const auto number = static_cast<std::uint32_t>(of_what.number);
  const ObservedObjects& objects = history_.objects();
  Datum made = Datum::of(0.0);
  if (node.what->attribute == Attribute::name) {
    made.text = objects.name(owner.what->type.base, number);
    return made;
  }
  const Base base = owner.what->type.base;
  if (base == Base::node) return Datum::of(objects.site_of_node(number));
  const std::uint32_t process = base == Base::thread ? objects.threads()[number].process : number;
  const std::uint32_t of_process = objects.processes()[process].node;
  if (node.what->attribute == Attribute::process) return Datum::of(process);
  if (node.what->attribute == Attribute::node) return Datum::of(of_process);
  if (node.what->attribute == Attribute::site) return Datum::of(objects.site_of_node(of_process));
  const auto rank = objects.processes()[process].rank;
  return rank ? Datum::of(*rank) : Datum{};
}

double Evaluator::time_of(const Datum& value) const {
  return static_cast<double>(value.is_timeless() ? moments_.now_ns : value.time_ns);
}

Datum Evaluator::attribute_of_interval(const Node& node, const Node& interval) const {
  const std::int64_t begin = span_of(interval) == Span::since_start ? moments_.start_ns : moments_.last_ns;
  if (node.what->attribute == Attribute::begin) return Datum::of(static_cast<double>(begin));
  if (node.what->attribute == Attribute::end) return Datum::of(static_cast<double>(moments_.now_ns));
  return Datum::at(static_cast<double>(moments_.now_ns - begin) / ns_per_second, begin, moments_.now_ns);
}

Datum Evaluator::unary(const Node& node, Binding& binding) {
  Datum operand = of(*node.operands[0], binding);
  if (operand.state == Datum::State::later) return operand;
  if (node.what->op == Operator::negates) return Datum::of(operand.is_true() ? 0.0 : 1.0);
  operand.number = -operand.number;
  return operand;
}

Datum Evaluator::binary(const Node& node, Binding& binding) {
  const Datum left = of(*node.operands[0], binding);
  return of_two(node, left, of(*node.operands[1], binding));
}

Datum Evaluator::of_two(const Node& node, const Datum& left, const Datum& right) {
  if (node.what->op <= Operator::all_of) return logic(node.what->op, left, right);
  if (!left.is_good() || !right.is_good()) {
    const std::array<Datum, 2> operands{left, right};
    if (const auto none = without_value(operands, !node.samplers.empty())) return *none;
  }
  const Base base = node.operands[0]->what->type.base;
  if (base == Base::text) return of_texts(*node.what, left.text, right.text);
  if (node.what->op <= Operator::matches)
    return Datum::of(expressions::compare(node.what->op, left.number, right.number) ? 1.0 : 0.0);
  Datum made = arithmetic(node.what->op, left.number, right.number);
  if (base == Base::time_point) made.number /= ns_per_second;
  // Probes that were passed in reverse order do not belong together.
  if (node.is_duration && made.number < 0.0)
    return Datum::partial(Datum::State::missed, std::max(left.time_ns, right.time_ns));
  return with_times(made, left, right);
}

Datum Evaluator::within(const Node& node, Binding& binding) {
  const Datum member = of(*node.operands[0], binding);
  if (!member.is_good()) return member;
  const Node& all = *node.operands[1];
  if (all.what->type.base == Base::time_interval) return Datum::of(is_in_interval(member.number) ? 1.0 : 0.0);
  const Chosen& chosen = chosen_[all.what->index];
  const auto number = static_cast<std::size_t>(member.number);
  return Datum::of(number < chosen.size() && chosen[number] ? 1.0 : 0.0);
}

/// Values that are new since the last reading belong to this one, even if they were late.
bool Evaluator::is_in_interval(double time_ns) const {
  return time_ns >= static_cast<double>(moments_.start_ns);
}

Datum Evaluator::at(const Node& node, Binding& binding) {
  const TypedNode& passer = *node.operands[0]->what;
  std::uint32_t object = 0;
  if (passer.kind == Kind::variable) [[likely]] {
    object = binding.objects[passer.index];
  } else {
    const Datum found = of(*node.operands[0], binding);
    if (!found.is_good()) return found;
    object = static_cast<std::uint32_t>(found.number);
  }
  Step step = binding.steps[node.when];
  step.virtual_time += node.shift;
  const Samples* const samples = history_.samples().find(node.what->index, object);
  return samples == nullptr ? Datum::without(Datum::State::later) : samples->at(step, node.shift < 0);
}

Datum Evaluator::combination(const Node& node, Binding& binding) {
  std::vector<Datum> operands;
  for (Node* const operand : node.operands) operands.push_back(of(*operand, binding));
  if (const auto none = without_value(operands, !node.samplers.empty())) return *none;
  Tally tally(node.what->aggregate);
  for (const Datum& operand : operands) tally.add(operand);
  return tally.result();
}

Datum Evaluator::rate(const Node& node, Binding& binding) {
  Datum value = of(*node.operands[0], binding);
  if (!value.is_good()) return value;
  const auto length = static_cast<double>(value.end_ns - value.begin_ns) / ns_per_second;
  if (length <= 0.0) return Datum::wrong(Problem::no_length);
  value.number /= length;
  return value;
}

}  // namespace eventspace::metrics
