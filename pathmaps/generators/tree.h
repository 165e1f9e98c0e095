#pragma once

#include <functional>

#include "pathmaps/generators/generators.h"

namespace eventspace::generators {

/// An edge of a k-ary tree whose nodes are threads, numbered from 0. `child` is child number `rank`, from 0,
/// of `parent`.
struct Edge {
  std::size_t child;
  std::size_t parent;
  std::size_t rank;
};

/// Calls `visit` for each edge of the tree, in ascending order of parents. Thread 0 is the root.
void for_each_edge(std::size_t threads, std::size_t arity, const std::function<void(const Edge&)>& visit);

/// Returns the parameters of generators that make trees: `name`, with this default, and `arity`.
std::vector<ParameterSpec> tree_parameters(std::string_view default_name);

/// Makes the elements and paths along the edges of a tree, with the names that built_in.h documents. Input
/// and output must outlive it.
class TreePaths {
 public:
  TreePaths(const GeneratorInput& input, Generated& out);
  void up(const Edge& edge);    ///< makes the element from child to parent, and its paths
  void down(const Edge& edge);  ///< makes the element from parent to child, and its paths
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
