#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "scopes/metrics/history/observed_objects.h"
#include "scopes/metrics/language/definition.h"

namespace eventspace::metrics {

/// A node of a graph; its operands are in Graph::operands.
struct GraphNode {
  enum class Role : std::uint8_t {
    part,      ///< the operation `what` on its operands; for an AT: value, probe, object, virtual time
    probe,     ///< the probe of sampler `index`
    object,    ///< object `index` of the type of `what`
    constant,  ///< `number`, from partial evaluation
    text,      ///< text `index` of Graph::texts, from partial evaluation
    guard,     ///< operand 0, where operand 1 holds
    joined  ///< the aggregate `what`, or the sum of a built-in metric, over the operands: one for each object
  };

  Role role{Role::part};
  const TypedNode* what{nullptr};  ///< belongs to the Definition
  std::uint32_t index{0};
  double number{0.0};
  std::uint32_t first{0};  ///< place of its first operand
  std::uint32_t count{0};
};

/// A metric as a graph for the steps of the compiler (grid-distributed-evaluation, sections 6.3 to 6.5): a
/// directed acyclic graph whose nodes come after their operands. The Definition from which it was made must
/// outlive it. Plain data.
struct Graph {
  std::vector<GraphNode> nodes;
  std::vector<std::uint32_t> operands;
  std::vector<std::uint32_t> roots;       ///< one; once defined for objects, one for each choice of objects
  std::vector<std::string> root_names{};  ///< the objects of each choice: "p0, p1"; empty before
  std::vector<std::string> texts;

  static constexpr std::size_t max_nodes = 8'000'000;
  static constexpr std::size_t max_nodes_of_tree = 20'000;

  [[nodiscard]] std::span<const std::uint32_t> operands_of(std::uint32_t node) const {
    return std::span(operands).subspan(nodes[node].first, nodes[node].count);
  }
  /// Returns the number of the new node. Throws ConfigurationError beyond max_nodes.
  std::uint32_t add(GraphNode node, std::span<const std::uint32_t> of);
};

// The first steps. All are pure.

/// The expression of the metric as a tree, in which shared parts are repeated. Throws ConfigurationError
/// beyond max_nodes_of_tree.
Graph tree_of(const Definition& definition);
/// Joins equal leaves: parameters, variables, constants, probes.
Graph with_shared_leaves(const Graph& tree);
/// Joins all equal subgraphs (common subexpression elimination).
Graph without_common_parts(const Graph& graph);
/// The same graph as without_common_parts(tree_of()), even if the tree would be too large.
Graph graph_of(const Definition& definition);

/// A short text of one node, without its operands, as in pictures: "SUM[vt]", "Send_volume", "-". `objects`
/// has the names of objects; null if the graph has no objects.
std::string label(const GraphNode& node, const Graph& graph, const Definition& definition,
                  const ObservedObjects* objects);

}  // namespace eventspace::metrics
