#pragma once

// Private to pathmaps/.

#include <functional>

#include "pathmaps/generators/generators.h"

namespace eventspace::generators {

/// One edge of a k-ary tree over threads numbered from 0: child `rank` (from 0) of `parent`.
struct Edge {
  std::size_t child;
  std::size_t parent;
  std::size_t rank;
};

/// Calls `visit` for every edge, parents in ascending order.
void for_each_edge(std::size_t threads, std::size_t arity, const std::function<void(const Edge&)>& visit);

/// `name` (with this default) and `arity`, the parameters of generators that make trees.
std::vector<ParameterSpec> tree_parameters(std::string_view default_name);

/// What a child sends to its parent, as reduce_tree describes, and what it gets back, as barrier does.
class TreePaths {
 public:
  TreePaths(const GeneratorInput& input, Generated& out);
  void up(const Edge& edge);
  void down(const Edge& edge);
  void for_each(const std::function<void(const Edge&)>& visit) const;

 private:
  [[nodiscard]] std::string element(const Edge& edge, std::string_view direction) const;
  [[nodiscard]] std::string at_parent(const Edge& edge, std::string_view direction) const;
  [[nodiscard]] std::string at_child(std::string_view direction) const;

  const GeneratorInput& input_;
  Generated& out_;
  const std::string& name_;
};

}  // namespace eventspace::generators
