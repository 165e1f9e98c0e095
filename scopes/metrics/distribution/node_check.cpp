#include "scopes/metrics/distribution/node_check.h"

#include <algorithm>
#include <unordered_set>

namespace eventspace::metrics {
namespace {

using Kind = TypedNode::Kind;

bool is_number(const TypedNode& node) {
  return node.type.dimensions == 0 && (node.type.base == Base::value || node.type.base == Base::boolean);
}
bool is_one_object(const TypedNode& node) { return node.type.dimensions == 0 && is_object(node.type.base); }
bool is_interval(const TypedNode& node) {
  const bool can_be = node.kind == Kind::interval || node.kind == Kind::parameter;
  return can_be && node.type.is(Base::time_interval);
}
bool are_several_objects(const TypedNode& node) {
  return node.kind == Kind::parameter && node.type.dimensions == 1 && is_object(node.type.base);
}

bool is_sound_parameter(const TypedNode& node, const Definition& definition) {
  if (node.index >= definition.parameters.size()) return false;
  const MetricType& type = definition.parameters[node.index].type;
  const bool can_be =
      are_several_objects(node) || node.type.is(Base::time_interval) || node.type.is(Base::time_point);
  return can_be && type.base == node.type.base && type.dimensions == node.type.dimensions;
}

bool is_sound_variable(const TypedNode& node, const Definition& definition) {
  if (node.index >= definition.variables.size()) return false;
  const MetricType& type = definition.variables[node.index].type;
  return type.base == node.type.base && type.dimensions == 0 && node.type.dimensions == 0;
}

bool is_sound_attribute(const TypedNode& node) {
  const TypedNode& owner = *node.operands[0];
  const Base base = owner.type.base;
  const bool is_of_process = is_one_object(owner) && (base == Base::process || base == Base::thread);
  switch (node.attribute) {
    case Attribute::rank:
      return is_of_process && node.type.is(Base::value);
    case Attribute::node:
      return is_of_process && node.type.is(Base::node);
    case Attribute::process:
      return is_one_object(owner) && base == Base::thread && node.type.is(Base::process);
    case Attribute::name:
      return is_one_object(owner) && node.type.is(Base::text);
    case Attribute::time:
      return is_number(owner) && node.type.is(Base::time_point);
    case Attribute::begin:
    case Attribute::end:
      return is_interval(owner) && node.type.is(Base::time_point);
    case Attribute::length:
      return is_interval(owner) && node.type.is(Base::value);
    case Attribute::site:
      return (is_of_process || (is_one_object(owner) && base == Base::node)) && node.type.is(Base::site);
  }
  return false;
}

bool is_sound_unary(const TypedNode& node) {
  const bool is_of_value = is_number(*node.operands[0]) && is_number(node);
  return is_of_value && (node.op == Operator::negates || node.op == Operator::negative);
}

bool is_sound_binary(const TypedNode& node) {
  const TypedNode& left = *node.operands[0];
  const TypedNode& right = *node.operands[1];
  if (left.type.dimensions != 0 || right.type.dimensions != 0) return false;
  if (node.op <= Operator::all_of) return node.type.is(Base::boolean) && is_number(left) && is_number(right);
  const bool is_text = left.type.base == Base::text || right.type.base == Base::text;
  if (node.op == Operator::matches || is_text) {
    const bool can_be =
        node.op == Operator::matches || node.op == Operator::equal || node.op == Operator::unequal;
    return can_be && node.type.is(Base::boolean) && left.type.base == right.type.base && is_text;
  }
  if (node.op >= Operator::equal && node.op <= Operator::at_least) return node.type.is(Base::boolean);
  const bool calculates = node.op >= Operator::plus && node.op <= Operator::modulo;
  return calculates && (is_number(node) || node.type.is(Base::time_point));
}

bool is_sound_within(const TypedNode& node) {
  const TypedNode& member = *node.operands[0];
  const TypedNode& all = *node.operands[1];
  if (!node.type.is(Base::boolean)) return false;
  if (is_interval(all)) return member.type.is(Base::time_point);
  return are_several_objects(all) && is_one_object(member) && member.type.base == all.type.base;
}

bool is_sound_built_in(const TypedNode& node, const Definition& definition) {
  if (!node.type.is(Base::value)) return false;
  if (node.index == Definition::the_clock) return true;
  if (node.index >= definition.counters.size() || node.operands.size() < 2 || node.operands.size() > 3)
    return false;
  const bool has_partners = node.operands.size() == 3;
  const Counter& counter = definition.counters[node.index];
  // The front-end evaluates counts that are limited to regions.
  if (has_partners != counter.by_partner || counter.by_region || !is_interval(*node.operands.back()))
    return false;
  return std::all_of(node.operands.begin(), node.operands.end() - 1, [](const Typed& operand) {
    return is_one_object(*operand) || are_several_objects(*operand);
  });
}

bool is_sound_at(const TypedNode& node, const Definition& definition) {
  if (node.index >= definition.samplers.size()) return false;
  const Sampler& sampler = definition.samplers[node.index];
  return is_one_object(*node.operands[0]) && node.operands[0]->type.base == sampler.object &&
         node.operands[1]->type.is(Base::virtual_time) && is_number(node) && sampler.value &&
         sampler.value->type.base == node.type.base;
}

/// `seen`: visited nodes.
bool has_aggregate(const TypedNode& node, std::unordered_set<const TypedNode*>& seen) {
  if (!seen.insert(&node).second) return false;
  return node.kind == Kind::aggregate || std::ranges::any_of(node.operands, [&](const Typed& operand) {
           return has_aggregate(*operand, seen);
         });
}

/// Only aggregates over virtual times are sound, since the front-end evaluates aggregates over objects. Only
/// one virtual time is allowed: with several, the time to evaluate would have no bound.
bool is_sound_aggregate(const TypedNode& node, const Definition& definition) {
  const bool is_over_steps =
      !node.bound.empty() && std::ranges::all_of(node.bound, [&](std::uint32_t variable) {
        return variable < definition.variables.size() &&
               definition.variables[variable].type.is(Base::virtual_time);
      });
  const bool has_condition = node.condition != nullptr;
  std::unordered_set<const TypedNode*> seen;
  if (has_aggregate(*node.operands[0], seen) || (has_condition && has_aggregate(*node.condition, seen)))
    return false;
  return is_over_steps && is_number(*node.operands[0]) && is_number(node) &&
         (!has_condition || node.condition->type.is(Base::boolean));
}

/// The number of operands that a kind needs; built-in metrics and combinations take any number.
std::size_t operands_needed(const TypedNode& node) {
  switch (node.kind) {
    case Kind::interval:
    case Kind::binary:
    case Kind::within:
    case Kind::at:
      return 2;
    case Kind::shifted:
    case Kind::attribute:
    case Kind::unary:
    case Kind::aggregate:
    case Kind::rate:
      return 1;
    case Kind::built_in:
    case Kind::combination:
      return node.operands.size();
    default:
      return 0;
  }
}

bool are_numbers(const TypedNode& node) {
  return is_number(node) &&
         std::ranges::all_of(node.operands, [](const Typed& operand) { return is_number(*operand); });
}

bool is_only_of(const TypedNode& node, const std::vector<std::uint32_t>& variables) {
  return std::ranges::all_of(node.free_variables, [&](std::uint32_t variable) {
    return std::ranges::find(variables, variable) != variables.end();
  });
}

}  // namespace

bool is_sound(const TypedNode& node, const Definition& definition) {
  if (node.operands.size() != operands_needed(node)) return false;
  if (node.condition && node.kind != Kind::aggregate) return false;
  switch (node.kind) {
    case Kind::number:
      return is_number(node);
    case Kind::text:
      return node.type.is(Base::text);
    case Kind::moment:
      return node.type.is(Base::time_point);
    case Kind::interval:
      return node.type.is(Base::time_interval) && node.operands[0]->kind == Kind::moment &&
             node.operands[1]->kind == Kind::moment;
    case Kind::parameter:
      return is_sound_parameter(node, definition);
    case Kind::variable:
      return is_sound_variable(node, definition);
    case Kind::probe_value:
      return node.type.is(Base::value) && node.index < 8;
    case Kind::shifted:
      return node.type.is(Base::virtual_time) && node.operands[0]->type.is(Base::virtual_time);
    case Kind::attribute:
      return is_sound_attribute(node);
    case Kind::unary:
      return is_sound_unary(node);
    case Kind::binary:
      return is_sound_binary(node);
    case Kind::within:
      return is_sound_within(node);
    case Kind::built_in:
      return is_sound_built_in(node, definition);
    case Kind::at:
      return is_sound_at(node, definition);
    case Kind::aggregate:
      return is_sound_aggregate(node, definition);
    case Kind::combination:
    case Kind::rate:
      return are_numbers(node);
    case Kind::metric:
    case Kind::received:
      break;
  }
  return false;
}

bool is_sound_sampler(const Sampler& sampler, const Definition& definition) {
  // The number of the object that passes the probe stands for `self`, so `self` must have its type.
  const bool is_of_object = (sampler.object == Base::process || sampler.object == Base::thread) &&
                            (!sampler.value || sampler.value->free_variables.empty() ||
                             definition.variables[Definition::self].type.is(sampler.object));
  return is_of_object && sampler.value && is_number(*sampler.value) && !sampler.value->is_event_triggered() &&
         is_only_of(*sampler.value, {Definition::self});
}

bool is_sound_stream(const Part& part, const Definition& definition) {
  const std::vector<Parameter>& variables = definition.variables;
  if (part.object >= variables.size() || part.virtual_time >= variables.size()) return false;
  const Base object = variables[part.object].type.base;
  const bool is_of_object = object == Base::process || object == Base::thread;
  return is_of_object && variables[part.virtual_time].type.is(Base::virtual_time) && is_number(*part.value) &&
         part.value->streams == std::vector{part.virtual_time} &&
         is_only_of(*part.value, {part.object, part.virtual_time});
}

bool is_sound_collection(const Part& part, const Definition& definition) {
  if (part.object >= definition.variables.size()) return false;
  const Base object = definition.variables[part.object].type.base;
  const bool is_of_object = object == Base::process || object == Base::thread;
  return is_of_object && part.value->kind == Kind::aggregate && part.value->bound.size() == 1 &&
         is_only_of(*part.value, {part.object});
}

}  // namespace eventspace::metrics
