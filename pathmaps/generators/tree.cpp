#include "pathmaps/generators/tree.h"

#include <fmt/format.h>

namespace eventspace::generators {

void for_each_edge(std::size_t threads, std::size_t arity, const std::function<void(const Edge&)>& visit) {
  for (std::size_t child = 1; child < threads; ++child)
    visit({.child = child, .parent = (child - 1) / arity, .rank = (child - 1) % arity});
}

std::vector<ParameterSpec> tree_parameters(std::string_view default_name) {
  return {{.name = "name",
           .kind = ParameterKind::text,
           .default_value = std::string(default_name),
           .help = "first part of the names of paths and elements"},
          {.name = "arity",
           .kind = ParameterKind::integer,
           .default_value = std::int64_t{2},
           .least = 1,
           .most = 1024,
           .help = "children that a thread has at most"}};
}

TreePaths::TreePaths(const GeneratorInput& input, Generated& out)
    : input_(input), out_(out), name_(parameter<std::string>(input.parameters, "name")) {}

void TreePaths::up(const Edge& edge) {
  out_.element(element(edge, "up"));
  out_.path({edge.child, at_child("up"), PathUse::write, element(edge, "up")});
  out_.path({edge.parent, at_parent(edge, "up"), PathUse::read, element(edge, "up")});
}

void TreePaths::down(const Edge& edge) {
  out_.element(element(edge, "down"));
  out_.path({edge.parent, at_parent(edge, "down"), PathUse::write, element(edge, "down")});
  out_.path({edge.child, at_child("down"), PathUse::read, element(edge, "down")});
}

void TreePaths::for_each(const std::function<void(const Edge&)>& visit) const {
  const auto arity = parameter<std::int64_t>(input_.parameters, "arity");
  for_each_edge(input_.threads.size(), static_cast<std::size_t>(arity), visit);
}

std::string TreePaths::element(const Edge& edge, std::string_view direction) const {
  return fmt::format("{}/{}/{}", name_, input_.threads[edge.child], direction);
}

std::string TreePaths::at_parent(const Edge& edge, std::string_view direction) const {
  return fmt::format("{}/child/{}/{}", name_, edge.rank, direction);
}

std::string TreePaths::at_child(std::string_view direction) const {
  return fmt::format("{}/parent/{}", name_, direction);
}

}  // namespace eventspace::generators
