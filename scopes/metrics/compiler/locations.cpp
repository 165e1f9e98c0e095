#include "scopes/metrics/compiler/locations.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace eventspace::metrics {
namespace {

using Kind = TypedNode::Kind;
using Role = GraphNode::Role;
using Where = Location::Kind;

constexpr Placement at_front_end(Reason reason) { return {{Where::front_end, 0}, reason, 0, false}; }

class Placing {
 public:
  Placing(const Graph& graph, const Definition& definition, const ObservedObjects* objects)
      : graph_(graph), definition_(definition), objects_(objects) {}

  std::vector<Placement> take() {
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) made_.push_back(placement(i));
    return std::move(made_);
  }

 private:
  [[nodiscard]] Placement placement(std::uint32_t number) const {
    const GraphNode& node = graph_.nodes[number];
    switch (node.role) {
      case Role::object:
        if (node.what->type.base == Base::site) return at_front_end(Reason::several);
        return {{Where::host, host_of(node)}};
      case Role::probe:
      case Role::constant:
      case Role::text:
        return {};
      case Role::guard:
        return of_operands(number);
      case Role::joined:
        return at_front_end(Reason::several);
      case Role::part:
        break;
    }
    return part(number);
  }

  [[nodiscard]] std::uint32_t host_of(const GraphNode& object) const {
    const Base base = object.what->type.base;
    if (base == Base::node) return object.index;
    const std::uint32_t process =
        base == Base::thread ? objects_->threads()[object.index].process : object.index;
    return objects_->processes()[process].node;
  }

  [[nodiscard]] Placement part(std::uint32_t number) const {
    const TypedNode& what = *graph_.nodes[number].what;
    switch (what.kind) {
      case Kind::variable:
        return variable(what);
      case Kind::parameter:
        return is_object_or_region(what.type.base) ? at_front_end(Reason::several) : of_reading();
      case Kind::moment:
      case Kind::interval:
        return of_reading();
      case Kind::built_in:
        return built_in(number);
      case Kind::at:
        return at(number);
      case Kind::within:
        return within(number);
      case Kind::aggregate:
        return aggregate(number);
      default:
        return operation(number);
    }
  }

  /// A site has several servers, and so has a region.
  static Placement variable(const TypedNode& what) {
    const Base base = what.type.base;
    if (base == Base::site || base == Base::region) return at_front_end(Reason::several);
    return is_object(base) ? Placement{{Where::host, what.index}} : Placement{};
  }

  static Placement of_reading() { return {{}, Reason::none, 0, true}; }

  [[nodiscard]] Placement of_operands(std::uint32_t number) const {
    Placement all;
    for (const std::uint32_t operand : graph_.operands_of(number)) all = joined(all, made_[operand]);
    return all;
  }

  static Placement joined(const Placement& a, const Placement& b) {
    if (a.location.kind == Where::front_end) return a;
    if (b.location.kind == Where::front_end) return b;
    Placement both = a.location.kind == Where::anywhere ? b : a;
    both.is_of_reading = a.is_of_reading || b.is_of_reading;
    const bool are_apart = a.location.kind == Where::host && b.location.kind == Where::host &&
                           a.location.host != b.location.host;
    return are_apart ? at_front_end(Reason::several) : both;
  }

  /// A built-in metric is counted at the place of its object.
  [[nodiscard]] Placement built_in(std::uint32_t number) const {
    const TypedNode& what = *graph_.nodes[number].what;
    if (what.index == Definition::the_clock) return {{}, Reason::none, 1, true};
    Placement owner = made_[graph_.operands_of(number)[0]];
    owner.is_of_reading = true;
    constexpr std::size_t with_partners = 3;
    const bool are_chosen = what.operands.size() == with_partners;
    if (are_chosen && owner.location.kind == Where::host) owner.reason = Reason::partners;
    return owner;
  }

  /// At a probe, the event is the moment, instead of a reading.
  [[nodiscard]] Placement at(std::uint32_t number) const {
    const auto of = graph_.operands_of(number);
    Placement value = made_[of[0]];
    if (value.reason == Reason::partners) return at_front_end(Reason::partners);
    value.is_of_reading = false;
    Placement all = joined(value, made_[of[2]]);
    all.times = all.location.kind == Where::host ? value.times : std::int8_t{0};
    return all;
  }

  /// Values after the beginning of the measurement are in its intervals, and objects are chosen by their
  /// names: both are known at the place of the object.
  [[nodiscard]] Placement within(std::uint32_t number) const {
    Placement member = made_[graph_.operands_of(number)[0]];
    member.times = 0;
    return member;
  }

  /// Places an aggregate over the virtual times of one object; an aggregate over objects is at the front-end.
  [[nodiscard]] Placement aggregate(std::uint32_t number) const {
    const GraphNode& node = graph_.nodes[number];
    const bool is_over_objects = std::ranges::any_of(node.what->bound, [&](std::uint32_t variable) {
      return is_object_or_region(definition_.variables[variable].type.base);
    });
    if (is_over_objects) return at_front_end(Reason::several);
    Placement all = operation(number);
    if (all.location.kind == Where::front_end) return all;
    const Aggregate aggregate = node.what->aggregate;
    const bool keeps_times = aggregate == Aggregate::least || aggregate == Aggregate::greatest;
    if (all.times != 0 && !keeps_times) return at_front_end(Reason::several_clocks);
    all.is_of_reading = true;
    return all;
  }

  [[nodiscard]] Placement operation(std::uint32_t number) const {
    const TypedNode& what = *graph_.nodes[number].what;
    Placement all = of_operands(number);
    if (all.location.kind == Where::front_end) return all;
    for (const std::uint32_t operand : graph_.operands_of(number))
      all.reason = std::max(all.reason, made_[operand].reason);
    const bool is_in_sampler = std::ranges::binary_search(what.free_variables, Definition::self);
    if (all.location.kind == Where::host && all.is_of_reading && !is_in_sampler)
      return at_front_end(Reason::at_reading);
    const auto times = times_of(number);
    if (!times) return at_front_end(Reason::several_clocks);
    all.times = *times;
    return all;
  }

  /// The factor of the clock's time in the value, or nothing if the value cannot be converted.
  [[nodiscard]] std::optional<std::int8_t> times_of(std::uint32_t number) const {
    const TypedNode& what = *graph_.nodes[number].what;
    std::vector<std::int8_t> of;
    for (const std::uint32_t operand : graph_.operands_of(number)) of.push_back(made_[operand].times);
    const bool are_durations = std::ranges::all_of(of, [](std::int8_t times) { return times == 0; });
    if (what.kind == Kind::attribute && what.attribute == Attribute::time) return std::int8_t{1};
    if (are_durations) return std::int8_t{0};
    if (what.kind == Kind::aggregate) return of[0];
    if (what.kind == Kind::unary) return static_cast<std::int8_t>(-of[0]);
    if (what.kind != Kind::binary) return std::nullopt;
    return times_of_pair(what.op, of[0], of[1]);
  }

  static std::optional<std::int8_t> times_of_pair(Operator op, std::int8_t left, std::int8_t right) {
    constexpr int most = 100;
    const int result = op == Operator::plus ? left + right : left - right;
    const bool is_sum = op == Operator::plus || op == Operator::minus;
    if (is_sum && std::abs(result) <= most) return static_cast<std::int8_t>(result);
    const bool compares = op >= Operator::equal && op <= Operator::at_least;
    return compares && left == right ? std::optional(std::int8_t{0}) : std::nullopt;
  }

  const Graph& graph_;
  const Definition& definition_;
  const ObservedObjects* objects_;
  std::vector<Placement> made_;
};

}  // namespace

std::string_view to_string(Reason reason) noexcept {
  switch (reason) {
    case Reason::none:
      return "";
    case Reason::several:
      return "it combines values of several objects";
    case Reason::at_reading:
      return "it combines values that are taken at the moment of the reading";
    case Reason::partners:
      return "it has partners at a probe, which can be objects of other nodes";
    case Reason::several_clocks:
      return "it uses times of the clock for more than their differences";
    case Reason::unknown:
      return "it is larger than servers accept, or has a form that they do not support";
  }
  return "?";
}

std::vector<Placement> locate(const Graph& graph, const Definition& definition,
                              const ObservedObjects* objects) {
  return Placing(graph, definition, objects).take();
}

}  // namespace eventspace::metrics
