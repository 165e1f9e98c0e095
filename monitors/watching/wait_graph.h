#pragma once

#include <cstddef>
#include <vector>

namespace eventspace {

/// A directed graph with an edge from each waiting node to each node that it waits for. Nodes are numbered
/// from 0. A node that waits for several others needs all of them to continue, unless it was added as one
/// that needs any of them. Pure. Not thread-safe.
class WaitGraph {
 public:
  explicit WaitGraph(std::size_t size) : awaited_(size), waiting_(size), needs_any_(size) {}

  [[nodiscard]] std::size_t size() const noexcept { return awaited_.size(); }
  /// Adds a node that does not wait for others and returns its number.
  std::size_t add();
  /// Adds a node that continues as soon as any of the nodes continues that it will wait for.
  std::size_t add_needing_any();
  void add_wait(std::size_t waiting, std::size_t awaited);

  [[nodiscard]] bool waits(std::size_t node) const { return !awaited_[node].empty(); }
  [[nodiscard]] bool is_awaited(std::size_t node) const { return !waiting_[node].empty(); }
  /// The nodes that wait for `node`, directly or through others, and `node` itself; ascending.
  [[nodiscard]] std::vector<std::size_t> all_waiting_for(std::size_t node) const;
  /// The union of all_waiting_for() over several nodes.
  [[nodiscard]] std::vector<std::size_t> all_waiting_for(const std::vector<std::size_t>& nodes) const;
  /// The nodes that wait directly for `node`, and those for which it waits directly; a node may occur twice.
  [[nodiscard]] const std::vector<std::size_t>& waiting_for(std::size_t node) const { return waiting_[node]; }
  [[nodiscard]] const std::vector<std::size_t>& awaited_by(std::size_t node) const { return awaited_[node]; }
  /// The groups of nodes that wait for each other, so that none of them can continue (the strongly connected
  /// components of more than one node); each group is ascending.
  [[nodiscard]] std::vector<std::vector<std::size_t>> circles() const;

 private:
  using Edges = std::vector<std::vector<std::size_t>>;
  static std::vector<bool> reached(const Edges& edges, std::vector<std::size_t> to_visit);
  [[nodiscard]] std::vector<bool> never_end() const;

  Edges awaited_;  // by waiting node
  Edges waiting_;  // by awaited node
  std::vector<bool> needs_any_;
};

}  // namespace eventspace
