#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace eventspace::test {

/// Generates pathmaps of random applications on random nodes, with or without clusters, and random scope
/// trees over their trace elements. Each thread has paths p and q to its own elements, with collectors at
/// both ends. The elements of the paths q are on the servers of random nodes.
class RandomMap {
 public:
  /// `port` returns a new port for each node and process.
  RandomMap(unsigned seed, std::size_t max_nodes, std::function<std::uint16_t()> port)
      : random_(seed), nodes_(number(1, max_nodes)), port_(std::move(port)) {
    for (std::size_t i = 0; i < nodes_; ++i) cluster_of_.push_back(number(0, 2));
    has_gateway_ = std::ranges::find(cluster_of_, with_gateway) != cluster_of_.end();
    for (std::size_t i = number(nodes_, 3 * nodes_); i > 0; --i) node_of_thread_.push_back(below(nodes_));
  }

  /// Returns the pathmap without scopes.
  std::string text() {
    return "pathmap: 1\nname: random\ncluster:\n  nodes:\n" + nodes() + clusters() +
           "application:\n  threads: [\"t[0-" + std::to_string(threads() - 1) +
           "]\"]\n"
           "  elements:\n"
           "    - {name: \"p/{thread}\", for: \"*\", tuple: [int]}\n"
           "    - {name: \"q/{thread}\", for: \"*\", tuple: [int]}\n"
           "  paths:\n"
           "    - {thread: \"*\", name: p, element: \"p/{thread}\"}\n"
           "    - {thread: \"*\", name: q, element: \"q/{thread}\"}\n"
           "placement:\n  processes:\n" +
           processes() + "  elements:\n" + elements() + "collect:\n  points: [{at: [thread, element]}]\n";
  }

  [[nodiscard]] std::size_t threads() const { return node_of_thread_.size(); }

  /// Returns levels whose nodes have at most `arity` children. The first level has `wrapper`, each level
  /// below has `inner` or a gather.
  std::string levels(const std::string& wrapper, const std::string& inner, std::size_t arity) {
    std::string text = "levels: [" + level("all", wrapper, arity);
    for (const char* const group : {"node", "process", "thread"}) {
      if (chance()) text += ", " + level(group, chance() ? inner : "gather", arity);
    }
    return text + "]";
  }

  /// Returns a `tree:` with every thread in one of its leaves, and wrappers as for levels.
  std::string tree(const std::string& wrapper, const std::string& inner) {
    std::vector<Names> leaves(number(1, 5));
    for (std::size_t i = 0; i < threads(); ++i)
      leaves[below(leaves.size())].push_back("t" + std::to_string(i));
    std::erase_if(leaves, [](const Names& leaf) { return leaf.empty(); });
    made_ = 0;
    return "tree: " + branch(leaves, wrapper, inner, "consumer");
  }

  std::string shape(const std::string& wrapper) {
    const Names shapes{"flat", "by-node", "by-process", "by-thread", "{k-ary: 2}", "{k-ary: 3}"};
    return "shape: " + shapes[below(shapes.size())] + ", wrapper: " + wrapper;
  }

 private:
  using Names = std::vector<std::string>;

  std::size_t number(std::size_t least, std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(least, most)(random_);
  }
  std::size_t below(std::size_t end) { return number(0, end - 1); }
  bool chance() { return number(0, 1) == 1; }

  static std::string node(std::size_t number) { return "n" + std::to_string(number); }
  std::string place(const std::string& host) {
    return "{" + host + ", port: " + std::to_string(port_()) + "}";
  }

  std::string nodes() {
    std::string text;
    for (std::size_t i = 0; i < nodes_; ++i)
      text += "    " + node(i) + ": " + place("host: 127.0.0.1") + "\n";
    return text;
  }

  // Cluster 0 means no cluster.
  static constexpr std::size_t with_gateway = 1;
  static constexpr std::size_t without_gateway = 2;

  std::string clusters() {
    std::string text;
    for (const std::size_t cluster : {with_gateway, without_gateway}) {
      Names members;
      for (std::size_t i = 0; i < nodes_; ++i) {
        if (cluster_of_[i] == cluster) members.push_back(node(i));
      }
      if (members.empty()) continue;
      text += "    c" + std::to_string(cluster) + ": {" +
              (cluster == with_gateway ? "gateway: " + members[below(members.size())] + ", " : "") +
              "nodes: " + list(members) + "}\n";
    }
    return text.empty() ? "" : "  clusters:\n" + text;
  }

  std::string processes() {
    std::string text;
    for (std::size_t i = 0; i < nodes_; ++i) {
      Names threads;
      for (std::size_t t = 0; t < node_of_thread_.size(); ++t) {
        if (node_of_thread_[t] == i) threads.push_back("t" + std::to_string(t));
      }
      if (!threads.empty())
        text += "    p" + std::to_string(i) + ": " +
                place("node: " + node(i) + ", threads: " + list(threads)) + "\n";
    }
    return text;
  }

  std::string elements() {
    std::string text;
    for (std::size_t i = 0; i < threads(); ++i)
      text += "    - {elements: q/t" + std::to_string(i) + ", node: " + node(below(nodes_)) + "}\n";
    return text;
  }

  std::string level(const std::string& group, const std::string& wrapper, std::size_t arity) {
    std::string text = "{group: " + group + ", wrapper: " + wrapper + ", arity: " + std::to_string(arity);
    if (chance()) text += chance() ? ", spread: here" : ", spread: children";
    return text + "}";
  }

  // Views must not flow into a cluster with a gateway. If there is a gateway, all nodes run on the consumer.
  std::string position(const std::string& above) {
    if (has_gateway_ || (above == "consumer" && chance())) return "consumer";
    return node(below(nodes_));
  }

  std::string branch(const std::vector<Names>& leaves, const std::string& wrapper, const std::string& inner,
                     const std::string& above) {
    const std::string on = position(above);
    const std::string head =
        "{name: x" + std::to_string(made_++) + ", on: " + on + ", wrapper: " + wrapper + ", ";
    const std::string next = chance() ? inner : "gather";
    if (leaves.size() == 1)
      return head + (chance() ? sources(leaves[0]) : child(leaves, next, inner, on)) + "}";
    const auto cut = leaves.begin() + static_cast<std::ptrdiff_t>(number(1, leaves.size() - 1));
    return head + "children: [" + branch({leaves.begin(), cut}, next, inner, on) + ", " +
           branch({cut, leaves.end()}, next, inner, on) + "]}";
  }
  std::string child(const std::vector<Names>& leaves, const std::string& wrapper, const std::string& inner,
                    const std::string& above) {
    return "children: [" + branch(leaves, wrapper, inner, above) + "]";
  }

  std::string sources(const Names& threads) {
    const std::string chosen = "{threads: " + list(threads);
    if (chance()) return "sources: [" + chosen + "}]";
    return "sources: [" + chosen + ", at: element}, " + chosen + ", at: thread, paths: q}, " + chosen +
           ", at: thread, paths: p}]";
  }

  static std::string list(const Names& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "[" : ", ") + name;
    return text + "]";
  }

  std::mt19937 random_;
  std::size_t nodes_;
  std::function<std::uint16_t()> port_;
  std::vector<std::size_t> cluster_of_;
  std::vector<std::size_t> node_of_thread_;
  bool has_gateway_{false};
  std::size_t made_{0};
};

}  // namespace eventspace::test
