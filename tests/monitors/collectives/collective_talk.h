#pragma once

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "monitors/collectives/collective_shape.h"

// Simulated collective operations with known true times, and their records by clocks that are wrong within
// their bounds.

namespace eventspace::test {

/// A tree over nodes and their processes: threads meet in a joint of their process, processes in one of their
/// node, nodes at the root, which is on the first node. Process number p is on node p / processes.
struct CollectiveTree {
  CollectiveTree(std::size_t nodes, std::size_t processes_each, std::size_t threads_each) {
    shape.name = "sum";
    shape.joints.push_back({"sum", "n0"});
    clock_of_joint.push_back(0);
    for (std::size_t n = 0; n < nodes; ++n) {
      const std::string node = "n" + std::to_string(n);
      const auto first_process = static_cast<std::uint32_t>(n * processes_each);
      const std::size_t of_node = joint("sum/" + node, node, 0, first_process);
      for (std::size_t p = 0; p < processes_each; ++p) {
        const auto process = static_cast<std::uint32_t>(first_process + p);
        const std::string name = "p" + std::to_string(process);
        const std::size_t of_process = joint(shape.joints[of_node].name + "/" + name, node, of_node, process);
        for (std::size_t t = 0; t < threads_each; ++t) {
          edge({"t" + std::to_string(process * threads_each + t), node, of_process}, process);
        }
      }
    }
  }

  CollectiveShape shape;
  std::vector<std::uint32_t> clock_of_edge;   // at its lower end
  std::vector<std::uint32_t> clock_of_joint;  // at the upper ends of the edges into it
  std::vector<std::size_t> threads;           // edges

 private:
  std::size_t joint(const std::string& name, const std::string& node, std::size_t above,
                    std::uint32_t clock) {
    const std::size_t number = shape.joints.size();
    shape.joints.push_back({name, node});
    clock_of_joint.push_back(clock);
    CollectiveShape::Edge uplink{name, node, above};
    uplink.below = number;
    shape.joints[number].uplink = edge(uplink, clock);
    return number;
  }
  std::size_t edge(const CollectiveShape::Edge& added, std::uint32_t clock) {
    const std::size_t number = shape.edges.size();
    shape.edges.push_back(added);
    shape.joints[added.joint].edges.push_back(number);
    shape.edge_of_path.emplace(static_cast<std::uint32_t>(100 + number), number);
    clock_of_edge.push_back(clock);
    if (added.is_thread()) threads.push_back(number);
    return number;
  }
};

/// The true times of one operation, at both ends of each edge.
struct TrueOperation {
  struct Times {
    std::int64_t start{0};
    std::int64_t end{0};
  };
  std::uint64_t number{0};
  std::vector<Times> lower, upper;  // by edge

  [[nodiscard]] const Times& at(std::size_t edge, EdgeEnd end) const {
    return (end == EdgeEnd::lower ? lower : upper)[edge];
  }
};

/// The clocks of all processes: each reading is related to the common clock by a pull of its own, with an
/// error within the bound of the clock. Each clock by itself is exact, with an origin of its own.
struct WrongClocks {
  std::vector<std::int64_t> bound_ns, zero_ns;
  [[nodiscard]] Moment read(std::int64_t truth, std::uint32_t clock, std::mt19937_64& random) const {
    const std::int64_t bound = bound_ns[clock];
    const std::int64_t wrong = std::uniform_int_distribution<std::int64_t>(-bound, bound)(random);
    return {truth + wrong, bound, clock, truth - zero_ns[clock]};
  }
};

class CollectiveSimulation {
 public:
  CollectiveSimulation(const CollectiveTree& tree, std::uint64_t seed) : random(seed), tree_(&tree) {}

  std::int64_t any(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  }
  WrongClocks clocks(std::int64_t max_bound) {
    WrongClocks clocks;
    const std::size_t count = 1 + *std::max_element(tree_->clock_of_edge.begin(), tree_->clock_of_edge.end());
    for (std::size_t i = 0; i < count; ++i) {
      clocks.bound_ns.push_back(any(0, max_bound));
      clocks.zero_ns.push_back(any(-1'000'000'000, 1'000'000'000));
    }
    return clocks;
  }

  /// Threads come within `spread` of `begin`; every step of the way takes up to `step`.
  TrueOperation operation(std::uint64_t number, std::int64_t begin, std::int64_t spread, std::int64_t step) {
    TrueOperation made;
    made.number = number;
    made.lower.resize(tree_->shape.edges.size());
    made.upper.resize(tree_->shape.edges.size());
    for (const std::size_t thread : tree_->threads) made.lower[thread].start = begin + any(0, spread);
    const std::int64_t complete = arrive(made, 0, step);
    depart(made, 0, complete, step);
    return made;
  }

  /// All records of an operation by these clocks.
  [[nodiscard]] std::vector<EdgeRecord> records(const TrueOperation& of, const WrongClocks& clocks) {
    std::vector<EdgeRecord> all;
    for (std::size_t edge = 0; edge < of.lower.size(); ++edge) {
      for (const EdgeEnd at : {EdgeEnd::lower, EdgeEnd::upper}) {
        const std::uint32_t clock = clock_at(edge, at);
        all.push_back({edge, at, of.number, clocks.read(of.at(edge, at).start, clock, random),
                       clocks.read(of.at(edge, at).end, clock, random)});
      }
    }
    return all;
  }
  [[nodiscard]] std::uint32_t clock_at(std::size_t edge, EdgeEnd at) const {
    return at == EdgeEnd::lower ? tree_->clock_of_edge[edge]
                                : tree_->clock_of_joint[tree_->shape.edges[edge].joint];
  }

  std::mt19937_64 random;

 private:
  // When all have arrived at the joint.
  std::int64_t arrive(TrueOperation& made, std::size_t joint, std::int64_t step) {
    std::int64_t complete = INT64_MIN;
    for (const std::size_t edge : tree_->shape.joints[joint].edges) {
      if (const auto below = tree_->shape.edges[edge].below)
        made.lower[edge].start = arrive(made, *below, step) + any(1, step);
      made.upper[edge].start = made.lower[edge].start + any(1, step);
      complete = std::max(complete, made.upper[edge].start);
    }
    return complete;
  }
  void depart(TrueOperation& made, std::size_t joint, std::int64_t result, std::int64_t step) {
    for (const std::size_t edge : tree_->shape.joints[joint].edges) {
      made.upper[edge].end = result + any(1, step);
      made.lower[edge].end = made.upper[edge].end + any(1, step);
      if (const auto below = tree_->shape.edges[edge].below) depart(made, *below, made.lower[edge].end, step);
    }
  }

  const CollectiveTree* tree_;
};

}  // namespace eventspace::test
