#include "pathmaps/expansion/scopes/scope_shapes.h"

#include <fmt/format.h>

namespace eventspace::expansion {

using reading::Mapping;
using reading::Value;

namespace {

using Groups = std::vector<Group>;

enum class Shape : std::uint8_t { flat, by_cluster, by_node, by_process, by_thread };
constexpr std::array<std::pair<std::string_view, Shape>, 5> shape_words{{{"flat", Shape::flat},
                                                                         {"by-cluster", Shape::by_cluster},
                                                                         {"by-node", Shape::by_node},
                                                                         {"by-process", Shape::by_process},
                                                                         {"by-thread", Shape::by_thread}}};

Groups groups_of(Shape shape) {
  switch (shape) {
    case Shape::by_cluster:
      return {Group::all, Group::cluster, Group::node};
    case Shape::by_node:
      return {Group::all, Group::node};
    case Shape::by_process:
      return {Group::all, Group::node, Group::process};
    case Shape::by_thread:
      return {Group::all, Group::node, Group::thread};
    case Shape::flat:
      break;
  }
  return {Group::all};
}

std::vector<ScopeLevel> levels_of(const Groups& groups, const WrapperUse& wrapper, const Place& place,
                                  const Plan& plan) {
  std::vector<ScopeLevel> levels;
  for (const Group group : groups) {
    ScopeLevel level;
    level.group = group;
    level.site = default_site(group);
    level.wrapping.wrappers.push_back(levels.empty() ? wrapper : in_parts(wrapper, plan));
    level.place = place;
    levels.push_back(std::move(level));
  }
  return levels;
}

// The value of `shape:` is a word, or {k-ary: K}.
std::vector<ScopeLevel> read_shape(const Mapping& scope, const WrapperUse& wrapper, const Draft& draft) {
  const Value& shape = *scope.find("shape");
  if (shape.kind == Value::Kind::mapping) {
    const Mapping k_ary(&shape, reading::k_ary_shape, draft.faults);
    const auto arity = k_ary.integer("k-ary", {min_arity, max_arity});
    auto levels = levels_of({Group::all, Group::node}, wrapper, shape.place, draft.plan);
    levels.front().arity = static_cast<std::size_t>(arity.value_or(min_arity));
    return levels;
  }
  const auto word = scope.word("shape");
  if (word && word->text == "k-ary") {
    draft.faults.add(word->place, "'k-ary' needs the number of children; expected {k-ary: K}");
    return {};
  }
  const auto known = word ? scope.choose(*word, "shape", shape_words) : std::nullopt;
  return known ? levels_of(groups_of(*known), wrapper, shape.place, draft.plan) : std::vector<ScopeLevel>{};
}

}  // namespace

std::vector<ScopeLevel> read_shape(const Mapping& scope, const Draft& draft) {
  WrapperUse wrapper{"gather", {}};
  if (const auto* const given = scope.find("wrapper"))
    wrapper = read_wrapper(*given, true, draft).value_or(std::move(wrapper));
  return read_shape(scope, wrapper, draft);
}

}  // namespace eventspace::expansion
