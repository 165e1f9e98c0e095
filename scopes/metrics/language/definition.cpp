#include "scopes/metrics/language/definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <eventspace/error.h>
#include "scopes/metrics/language/built_in_metrics.h"
#include "scopes/metrics/language/metric_text.h"
#include "scopes/metrics/language/place_among.h"

namespace eventspace::metrics {
namespace {

using Kind = TypedNode::Kind;

/// Replaces one node by another in a graph.
class Replacement {
 public:
  Replacement(NodeTable& nodes, const Typed& old, Typed made)
      : nodes_(nodes), done_{{old.get(), std::move(made)}} {}

  Typed in(const Typed& node) {
    if (!node) return node;
    const auto known = done_.find(node.get());
    if (known != done_.end()) return known->second;
    TypedNode copy = *node;
    for (Typed& operand : copy.operands) operand = in(operand);
    copy.condition = in(copy.condition);
    Typed made = nodes_.make(std::move(copy));
    done_.emplace(node.get(), made);
    return made;
  }

 private:
  NodeTable& nodes_;
  std::unordered_map<const TypedNode*, Typed> done_;
};

/// Inlines the metrics that a metric uses.
class Definer {
 public:
  Definer(std::span<const Metric> library, const Metric& metric, const std::set<std::uint32_t>& each)
      : library_(library) {
    made_.name = metric.name;
    made_.unit = metric.unit;
    made_.parameters = metric.parameters;
    for (const std::uint32_t parameter : each) made_.parameters[parameter].type.dimensions = 0;
    made_.time = metric.time;
    made_.variables.push_back({"self", {Base::process}});
    Call call{metric, {}, {}, {}};
    for (std::uint32_t i = 0; i < metric.parameters.size(); ++i) call.arguments.push_back(parameter(i));
    made_.result = result_of(call);
  }

  Definition take() { return std::move(made_); }

 private:
  /// One use of a metric: the values of its parameters and variables.
  struct Call {
    const Metric& metric;
    std::vector<Typed> arguments;
    std::vector<Typed> variables;
    std::unordered_map<const TypedNode*, Typed> done;
  };

  /// Bounds the time and the stack, whatever the text.
  class Level {
   public:
    explicit Level(Definer& definer) : definer_(definer) {
      if (++definer_.made_.steps > Definition::max_steps) definer_.refuse_large();
      if (definer_.depth_ >= Definition::max_depth)
        throw ConfigurationError(
            fmt::format("metric {} is nested deeper than {} levels when the metrics that it uses are put in",
                        definer_.made_.name, Definition::max_depth));
      ++definer_.depth_;
    }
    ~Level() { --definer_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Definer& definer_;
  };

  /// The parameter of the metric itself: a variable if a single value is given for it.
  Typed parameter(std::uint32_t number) {
    const Parameter& declared = made_.parameters[number];
    const bool is_one = declared.type.dimensions == 0 &&
                        (is_object_or_region(declared.type.base) || declared.type.base == Base::virtual_time);
    if (is_one) {
      made_.given[number] = add_variable(declared);
      return variable(made_.given[number]);
    }
    TypedNode node;
    node.kind = Kind::parameter;
    node.type = declared.type;
    node.index = number;
    return make(std::move(node));
  }

  Typed result_of(Call& call) {
    for (const Parameter& declared : call.metric.variables)
      call.variables.push_back(variable(add_variable(declared)));
    return put(call.metric.result, call);
  }

  Typed put(const Typed& node, Call& call) {
    if (!node) return node;
    const auto known = call.done.find(node.get());
    if (known != call.done.end()) return known->second;
    const Level level(*this);
    Typed made = made_from(*node, call);
    call.done.emplace(node.get(), made);
    return made;
  }

  Typed made_from(TypedNode node, Call& call) {
    if (node.kind == Kind::parameter) return call.arguments[node.index];
    if (node.kind == Kind::variable) return call.variables[node.index];
    for (Typed& operand : node.operands) operand = put(operand, call);
    node.condition = put(node.condition, call);
    for (std::uint32_t& bound : node.bound) bound = call.variables[bound]->index;
    if (node.kind == Kind::metric) return used_metric(node);
    if (node.kind == Kind::within && node.operands[1]->kind == Kind::variable) return is_the(std::move(node));
    if (node.kind == Kind::built_in) return counted(std::move(node));
    if (node.kind == Kind::at) return sampled(std::move(node), call);
    return make(std::move(node));
  }

  /// A metric that is used twice for the same objects is inlined once.
  Typed used_metric(const TypedNode& node) {
    const auto key = std::make_pair(node.index, node.operands);
    const auto known = used_.find(key);
    if (known != used_.end()) return known->second;
    Call call{library_[node.index], node.operands, {}, {}};
    Typed made = result_of(call);
    used_.emplace(key, made);
    return made;
  }

  /// Replaces membership among several objects by equality with the one that is given in their place.
  Typed is_the(TypedNode node) {
    node.kind = Kind::binary;
    node.op = Operator::equal;
    return make(std::move(node));
  }

  Typed counted(TypedNode node) {
    const BuiltInMetric& metric = built_in_metrics()[node.index];
    Counter counter{node.index, "", metric.condition};
    std::vector<Typed> kept;
    for (const Typed& operand : node.operands) {
      counter.by_region = counter.by_region || operand->type.base == Base::region;
      counter.by_partner = counter.by_partner || (is_object(operand->type.base) && !kept.empty());
      if (!operand->type.is(Base::text)) {
        kept.push_back(operand);
      } else if (metric.source == Source::quantity && counter.quantity.empty()) {
        counter.quantity = operand->text;
      } else {
        counter.condition = operand->text;
      }
    }
    check_interval(*kept.back());
    node.operands = std::move(kept);
    if (metric.is_sampled()) {
      made_.takes_usage = true;
      node.index += Definition::first_sampled;
      return make(std::move(node));
    }
    node.index = metric.source == Source::time ? Definition::the_clock : place_among(made_.counters, counter);
    return make(std::move(node));
  }

  void check_interval(const TypedNode& when) const {
    if (when.kind != Kind::interval) return;
    const TypedNode& begin = *when.operands[0];
    const TypedNode& end = *when.operands[1];
    const bool is_known = begin.kind == Kind::moment && begin.moment != Moment::now &&
                          end.kind == Kind::moment && end.moment == Moment::now;
    if (!is_known)
      throw ConfigurationError(fmt::format(
          "metric {}: a measured interval must begin with START or LAST and end with NOW", made_.name));
  }

  Typed sampled(TypedNode node, const Call& call) {
    const Probe& probe = call.metric.probes[node.index];
    const Typed self = make(variable_node(Definition::self, {probe.object}));
    Typed value = Replacement(nodes_, node.operands[1], self).in(node.operands[0]);
    Seen seen;
    // The checker finds this only where it is written before AT, and not in a metric that is used there.
    if (has_part(*value, seen, is_of_samples))
      throw ConfigurationError(
          fmt::format("metric {}: at the probe {}, sampled values cannot be used, because they are read when "
                      "a server is polled, not when the probe is passed",
                      made_.name, probe.name));
    seen.clear();
    if (has_part(*value, seen, is_in_regions))
      throw ConfigurationError(
          fmt::format("metric {}: at the probe {}, counts cannot be limited to regions, because the contents "
                      "of a region are known only when it ends",
                      made_.name, probe.name));
    seen.clear();
    if (takes_others(*value, seen))
      throw ConfigurationError(
          fmt::format("metric {}: at the probe {}, only values of the {} that passes it can be used",
                      made_.name, probe.name, described({probe.object}).substr(2)));
    node.index = place_among(made_.samplers, Sampler{probe.name, probe.object, value});
    node.operands = {node.operands[1], node.operands[2]};
    return make(std::move(node));
  }

  /// Visited nodes: shared nodes are visited once.
  using Seen = std::unordered_set<const TypedNode*>;

  /// Whether a value needs other objects than its own. The partners of a count may be other objects, if there
  /// are several: the count belongs to the object itself.
  static bool takes_others(const TypedNode& node, Seen& seen) {
    if (!seen.insert(&node).second) return false;
    if (node.kind == Kind::built_in && node.operands.size() == 3 && node.operands[1]->type.dimensions == 1)
      return node.operands[0]->kind != Kind::variable || node.operands[0]->index != Definition::self;
    const bool is_other = node.kind == Kind::variable && node.index != Definition::self;
    const bool is_several = node.kind == Kind::parameter && is_object(node.type.base);
    const bool is_not_own =
        node.kind == Kind::built_in && node.operands.size() > 1 && node.operands[0]->kind != Kind::variable;
    return is_other || is_several || is_not_own || node.kind == Kind::aggregate ||
           std::ranges::any_of(node.operands,
                               [&seen](const Typed& operand) { return takes_others(*operand, seen); });
  }

  static bool has_part(const TypedNode& node, Seen& seen, bool (*is_meant)(const TypedNode&)) {
    if (!seen.insert(&node).second) return false;
    return is_meant(node) || std::ranges::any_of(node.operands, [&](const Typed& operand) {
             return has_part(*operand, seen, is_meant);
           });
  }
  static bool is_of_samples(const TypedNode& node) {
    return node.kind == Kind::built_in && Definition::is_sampled(node.index);
  }
  static bool is_in_regions(const TypedNode& node) {
    return node.kind == Kind::built_in && std::ranges::any_of(node.operands, [](const Typed& operand) {
             return operand->type.base == Base::region;
           });
  }

  std::uint32_t add_variable(const Parameter& declared) {
    made_.variables.push_back(declared);
    return static_cast<std::uint32_t>(made_.variables.size() - 1);
  }

  Typed variable(std::uint32_t number) { return make(variable_node(number, made_.variables[number].type)); }

  Typed make(TypedNode node) {
    if (nodes_.size() >= Definition::max_nodes) refuse_large();
    return nodes_.make(std::move(node));
  }

  [[noreturn]] void refuse_large() const {
    throw ConfigurationError(
        fmt::format("metric {} has more than {} parts when the metrics that it uses are put in", made_.name,
                    Definition::max_nodes));
  }

  std::span<const Metric> library_;
  NodeTable nodes_;
  std::map<std::pair<std::uint32_t, std::vector<Typed>>, Typed> used_;
  Definition made_;
  int depth_{0};
};

/// A passage of a probe, as an AT names it: the probe, the object, the virtual time.
using Passed = std::tuple<std::string_view, const TypedNode*, const TypedNode*>;

/// Collects the passages at which a value is taken. `seen`: visited nodes.
void note_passages(const TypedNode& node, const Definition& definition,
                   std::unordered_set<const TypedNode*>& seen, std::set<Passed>& passed) {
  if (!seen.insert(&node).second) return;
  if (node.kind == Kind::at) {
    passed.emplace(definition.samplers[node.index].probe, node.operands[0].get(), node.operands[1].get());
    return;
  }
  for (const Typed& operand : node.operands) note_passages(*operand, definition, seen, passed);
}

}  // namespace

bool Definition::is_over_time() const {
  if (parameters[time].type.base == Base::time_point) return false;
  if (!is_stream()) return true;
  std::unordered_set<const TypedNode*> seen;
  std::set<Passed> passed;
  note_passages(*result, *this, seen, passed);
  return passed.size() > 1;
}

Definition define(std::span<const Metric> library, std::uint32_t number,
                  const std::set<std::uint32_t>& each) {
  Definition made = Definer(library, library[number], each).take();
  made.source = self_contained_text(library, number);
  made.each.assign(each.begin(), each.end());
  return made;
}

}  // namespace eventspace::metrics
