#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "scopes/metrics/language/built_in_metrics.h"
#include "scopes/metrics/language/definition.h"

namespace eventspace::test {

/// Evaluates a metric over all events of a run, directly from its definition: it keeps nothing between two
/// values, and shares no code with the evaluation that it is compared with. For metrics of RandomMetric.
/// Processes are numbered from 0; each has one thread. Values in SI units.
class NaiveEvaluation {
 public:
  struct Send {
    std::uint32_t process{0};
    double begin_s{0.0}, end_s{0.0};
    double bytes{0.0};
  };
  struct Passage {
    std::uint32_t process{0};
    double at_s{0.0};
    std::string probe;
    std::int64_t virtual_time{0};
    double value{0.0};
  };
  struct Run {
    std::vector<Send> sends;  ///< in the order of their ends
    std::vector<Passage> passages;
    std::uint32_t processes{0};
    double start_s{0.0};
  };

  NaiveEvaluation(const metrics::Definition& definition, const Run& run, double now_s)
      : definition_(definition), run_(run), now_s_(now_s) {}

  /// A value, by process, if the metric has one, and by virtual time. NaN is an error.
  using Values = std::map<std::pair<std::uint32_t, std::int64_t>, double>;
  Values all() {
    Values values;
    const bool is_of_one = definition_.given.contains(0) && definition_.time != 0;
    for (std::uint32_t process = 0; process < (is_of_one ? run_.processes : 1); ++process) {
      Binding binding;
      if (is_of_one) binding[definition_.given.at(0)] = process;
      add_values(process, binding, values);
    }
    return values;
  }

 private:
  using Typed = metrics::Typed;
  using Node = metrics::TypedNode;
  using Kind = Node::Kind;
  using Binding = std::map<std::uint32_t, std::int64_t>;
  /// The value of an expression: a number, nothing, or nothing yet.
  struct Value {
    enum class Is { number, absent, later } is{Is::number};
    double number{0.0};
  };
  static Value number(double value) { return {Value::Is::number, value}; }

  void add_values(std::uint32_t process, Binding& binding, Values& values) {
    if (!definition_.is_stream()) {
      const Value value = of(*definition_.result, binding);
      values[{process, 0}] = value.number;
      return;
    }
    for (const std::int64_t step : steps(*definition_.result)) {
      binding[definition_.given.at(definition_.time)] = step;
      const Value value = of(*definition_.result, binding);
      if (value.is == Value::Is::later) continue;
      if (value.is == Value::Is::number) values[{process, step}] = value.number;
    }
  }

  /// The virtual times of the probes that an expression needs.
  std::set<std::int64_t> steps(const Node& node) const {
    std::set<std::string> probes;
    add_probes(node, probes);
    std::set<std::int64_t> all;
    for (const Passage& passage : run_.passages) {
      if (probes.contains(passage.probe)) all.insert(passage.virtual_time);
    }
    return all;
  }
  void add_probes(const Node& node, std::set<std::string>& probes) const {
    if (node.kind == Kind::at) probes.insert(definition_.samplers[node.index].probe);
    for (const Typed& operand : node.operands) add_probes(*operand, probes);
  }

  Value of(const Node& node, Binding& binding) {
    switch (node.kind) {
      case Kind::number:
        return number(node.value);
      case Kind::variable:
        return number(static_cast<double>(binding.at(node.index)));
      case Kind::attribute:
        return of(*node.operands[0], binding);  // the rank is the number; times are the interval's
      case Kind::within: {
        const Value member = of(*node.operands[0], binding);
        return member.is == Value::Is::number ? number(std::isnan(member.number) ? 0.0 : 1.0) : member;
      }
      case Kind::binary:
        return binary(node, binding);
      case Kind::built_in:
        return number(built_in(node, binding, now_s_));
      case Kind::at:
        return at(node, binding);
      case Kind::aggregate:
        return aggregate(node, binding);
      case Kind::combination:
        return combination(node, binding);
      default:
        return number(std::nan(""));
    }
  }

  Value binary(const Node& node, Binding& binding) {
    const Value left = of(*node.operands[0], binding);
    const Value right = of(*node.operands[1], binding);
    if (node.op == metrics::Operator::all_of) {
      if (left.is == Value::Is::later || right.is == Value::Is::later) return {Value::Is::later};
      const auto holds = [](const Value& value) {
        return value.is == Value::Is::number && value.number == 1.0;
      };
      return number(holds(left) && holds(right) ? 1.0 : 0.0);
    }
    for (const auto is : {Value::Is::later, Value::Is::absent}) {
      if (left.is == is || right.is == is) return {is};
    }
    switch (node.op) {
      case metrics::Operator::less:
        return number(left.number < right.number ? 1.0 : 0.0);
      case metrics::Operator::plus:
        return number(left.number + right.number);
      case metrics::Operator::minus:
        return number(left.number - right.number);
      case metrics::Operator::times:
        return number(left.number * right.number);
      default:
        return number(right.number == 0.0 ? std::nan("") : left.number / right.number);
    }
  }

  /// The value up to a time.
  double built_in(const Node& node, Binding& binding, double until_s) {
    if (node.index == metrics::Definition::the_clock) return until_s;
    const Node& owner = *node.operands[0];
    const auto source = metrics::built_in_metrics()[definition_.counters[node.index].built_in].source;
    double sum = 0.0;
    for (const Send& send : run_.sends) {
      const bool is_own = owner.type.dimensions == 1 || send.process == of(owner, binding).number;
      if (!is_own || send.end_s > until_s || send.end_s < run_.start_s) continue;
      sum += source == metrics::Source::count    ? 1.0
             : source == metrics::Source::volume ? send.bytes
                                                 : send.end_s - std::max(send.begin_s, run_.start_s);
    }
    return sum;
  }

  Value at(const Node& node, Binding& binding) {
    const auto process = static_cast<std::uint32_t>(of(*node.operands[0], binding).number);
    std::int64_t shift = 0;
    const Node* when = node.operands[1].get();
    for (; when->kind == Kind::shifted; when = when->operands[0].get()) shift += when->shift;
    const std::int64_t step = binding.at(when->index) + shift;
    const metrics::Sampler& sampler = definition_.samplers[node.index];
    std::int64_t last = -1;
    for (const Passage& passage : run_.passages) {
      if (passage.process != process || passage.probe != sampler.probe) continue;
      last = std::max(last, passage.virtual_time);
      if (passage.virtual_time == step) return number(sample(*sampler.value, passage));
    }
    return {last < step ? Value::Is::later : Value::Is::absent};
  }

  double sample(const Node& node, const Passage& passage) {
    Binding binding{{metrics::Definition::self, passage.process}};
    switch (node.kind) {
      case Kind::number:
        return node.value;
      case Kind::probe_value:
        return passage.value;
      case Kind::built_in:
        return built_in(node, binding, passage.at_s);
      default:
        return sample(*node.operands[0], passage) / sample(*node.operands[1], passage);
    }
  }

  Value aggregate(const Node& node, Binding& binding) {
    std::vector<double> taken;
    if (!range(node, binding, taken)) return {Value::Is::later};
    if (taken.empty() && node.is_event_triggered()) return {Value::Is::absent};
    return number(reduced(node, taken));
  }

  /// Ranges over the virtual times until one does not exist yet, and, for each, over the processes. False
  /// means that a value that does not range over virtual times does not exist yet.
  bool range(const Node& node, Binding& binding, std::vector<double>& taken) {
    std::optional<std::uint32_t> time;
    std::optional<std::uint32_t> object;
    for (const std::uint32_t variable : node.bound)
      (definition_.variables[variable].type.base == metrics::Base::virtual_time ? time : object) = variable;
    if (!time) return over_processes(node, binding, object, taken);
    for (const std::int64_t step : steps(node)) {
      binding[*time] = step;
      std::vector<double> of_step;
      if (!over_processes(node, binding, object, of_step)) break;
      taken.insert(taken.end(), of_step.begin(), of_step.end());
    }
    return true;
  }

  bool over_processes(const Node& node, Binding& binding, std::optional<std::uint32_t> object,
                      std::vector<double>& taken) {
    bool is_there = true;
    for (std::uint32_t process = 0; process < (object ? run_.processes : 1); ++process) {
      if (object) binding[*object] = process;
      if (node.condition) {
        const Value holds = of(*node.condition, binding);
        is_there = is_there && holds.is != Value::Is::later;
        if (holds.is != Value::Is::number || holds.number == 0.0) continue;
      }
      const Value value = of(*node.operands[0], binding);
      is_there = is_there && value.is != Value::Is::later;
      if (value.is == Value::Is::number) taken.push_back(value.number);
    }
    return is_there;
  }

  Value combination(const Node& node, Binding& binding) {
    std::vector<double> taken;
    for (const Typed& operand : node.operands) {
      const Value value = of(*operand, binding);
      if (value.is != Value::Is::number) return value;
      taken.push_back(value.number);
    }
    return number(reduced(node, taken));
  }

  static double reduced(const Node& node, std::vector<double> taken) {
    using metrics::Aggregate;
    const auto count = static_cast<double>(taken.size());
    if (node.aggregate == Aggregate::count) return count;
    if (std::ranges::any_of(taken, [](double value) { return std::isnan(value); })) return std::nan("");
    long double sum = 0.0;
    for (const double value : taken) sum += value;
    if (node.aggregate == Aggregate::sum) return static_cast<double>(sum);
    if (taken.empty()) return std::nan("");
    std::ranges::sort(taken);
    long double squares = 0.0;
    for (const double value : taken) squares += (value - sum / count) * (value - sum / count);
    switch (node.aggregate) {
      case Aggregate::least:
        return taken.front();
      case Aggregate::greatest:
        return taken.back();
      case Aggregate::mean:
        return static_cast<double>(sum / count);
      case Aggregate::deviation:
        return static_cast<double>(std::sqrt(squares / count));
      default:
        return taken[static_cast<std::size_t>(std::ceil(node.value / 100.0 * count)) - 1];
    }
  }

  const metrics::Definition& definition_;
  const Run& run_;
  double now_s_;
};

}  // namespace eventspace::test
