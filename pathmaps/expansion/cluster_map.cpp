#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "pathmaps/expansion/machines.h"
#include "pathmaps/expansion/priorities.h"
#include "pathmaps/expansion/steps.h"
#include "pathmaps/reading/names.h"
#include "tuplespace/parsing/words.h"

namespace eventspace::expansion {

using reading::Entry;
using reading::Mapping;

namespace {

constexpr std::size_t longest_host = 253;
constexpr std::string_view usual_host = "127.0.0.1";

// Not allowed as names of nodes: these words have a meaning under `on:` of a scope's level.
constexpr std::array<std::string_view, 3> reserved{"consumer", "gateway", "server"};

bool is_host(std::string_view host) {
  return host.size() <= longest_host && has_only_letters_digits_or(".-_:", host);
}

class ClusterMap {
 public:
  ClusterMap(const Mapping& pathmap, Draft& draft)
      : draft_(draft), map_(pathmap.find("cluster"), reading::cluster_shape, draft.faults) {
    draft.usual_priority = read_priority(pathmap);
  }

  void read() {
    for (const auto& entry : map_.entries("nodes")) read_node(entry);
    if (map_.is_empty("nodes"))
      draft_.faults.add(map_.place("nodes"), "found no nodes; a pathmap needs at least one");
    for (const auto& entry : map_.entries("clusters")) read_cluster(entry);
  }

 private:
  void read_node(const Entry& entry) {
    const Word name{entry.key, entry.place};
    const Mapping node(entry.value, reading::node_shape, draft_.faults);
    check_node_name(name);
    draft_.nodes.add(name, draft_.faults);
    NodePlan plan;
    plan.name = entry.key;
    if (const auto host = read_host(node)) plan.host = *host;
    if (const auto port = node.integer("port", {1, 65535})) plan.port = static_cast<std::uint16_t>(*port);
    plan.launch = read_launch(node, plan.host);
    draft_.node_ports.push_back(node.place("port"));
    draft_.node_priorities.push_back(read_priority(node));
    draft_.plan.nodes.push_back(std::move(plan));
  }

  void check_node_name(const Word& name) {
    if (!check_name(name, reading::NameKind::simple, draft_.faults)) return;
    if (std::ranges::find(reserved, name.text) != reserved.end())
      draft_.faults.add(name.place,
                        fmt::format("a node cannot be named '{}': scopes use the word", name.text));
  }

  std::optional<std::string> read_host(const Mapping& node) {
    const auto host = node.word("host");
    if (!host) return std::string(usual_host);
    if (is_host(host->text)) return host->text;
    draft_.faults.add(host->place,
                      fmt::format("found '{}' for 'host'; expected a host name or an address", host->text));
    return std::nullopt;
  }

  static std::vector<std::string> read_launch(const Mapping& node, const std::string& host) {
    std::vector<std::string> launch;
    for (auto& word : node.words("launch")) launch.push_back(std::move(word.text));
    if (node.find("launch") != nullptr || host.empty() || is_loopback(host)) return launch;
    return {"ssh", "-o", "BatchMode=yes", host};
  }

  void read_cluster(const Entry& entry) {
    const Word name{entry.key, entry.place};
    const Mapping group(entry.value, reading::node_group_shape, draft_.faults);
    check_name(name, reading::NameKind::simple, draft_.faults);
    draft_.clusters.add(name, draft_.faults);
    draft_.plan.clusters.push_back({.name = entry.key, .gateway = std::nullopt});
    for (const auto& glob : group.words("nodes")) join_nodes(glob);
    if (const auto gateway = group.word("gateway")) read_gateway(*gateway);
  }

  void join_nodes(const Word& glob) {
    for (const auto node : draft_.nodes.select(glob, draft_.faults)) join(node, glob.place);
  }

  void read_gateway(const Word& name) {
    const auto node = draft_.nodes.require(name, draft_.faults);
    if (!node) return;
    draft_.plan.clusters.back().gateway = node;
    join(*node, name.place);
  }

  /// Adds a node to the cluster that was read last.
  void join(NodeIndex node, const Place& place) {
    const auto cluster = draft_.plan.clusters.index_of(draft_.plan.clusters.back());
    auto& joined = draft_.plan.nodes[node].cluster;
    if (joined.value_or(cluster) != cluster)
      draft_.faults.add(place,
                        fmt::format("node '{}' is already in cluster '{}'; a node can be in only one cluster",
                                    draft_.plan.nodes[node].name, draft_.plan.clusters[*joined].name));
    else
      joined = cluster;
  }

  Draft& draft_;
  Mapping map_;
};

}  // namespace

void read_cluster_map(const Mapping& pathmap, Draft& draft) { ClusterMap(pathmap, draft).read(); }

}  // namespace eventspace::expansion
