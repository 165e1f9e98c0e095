#include "scopes/tree/scope_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include <eventspace/error.h>

namespace eventspace {
namespace {

/// The totals of all nodes of a tree.
struct Contents {
  std::vector<SourceRef> sources;
  std::vector<ProcessRange> ranges;
  std::size_t nodes{0};
  std::size_t threads{0};
};

void check_node(const ScopeNode& node) {
  if (node.route.size() > ScopeBounds::hops) {
    throw ConfigurationError(fmt::format("{}: a route of {} servers; a scope may pass {}", node.name,
                                         node.route.size(), ScopeBounds::hops));
  }
  if (node.timeout.count() < 0 || node.first_skip.count() < 0 || node.longest_skip.count() < 0)
    throw ConfigurationError(fmt::format("{}: a time of the scope is negative", node.name));
}

void collect(const ScopeNode& node, Contents& contents) {
  check_node(node);
  ++contents.nodes;
  if (node.asking == Asking::threads) contents.threads += node.threads;
  contents.sources.insert(contents.sources.end(), node.sources.begin(), node.sources.end());
  if (node.dynamic.count > 0) contents.ranges.push_back(node.dynamic);
  for (const ScopeNode& child : node.children) collect(child, contents);
}

void check_sources(std::vector<SourceRef>& sources, const HasSource& has_source) {
  for (const SourceRef& source : sources) {
    if (has_source && !has_source(source)) {
      throw ConfigurationError(
          fmt::format("the pathmap has no trace element {} in process {}", source.trace, source.process));
    }
  }
  std::ranges::sort(sources);
  const auto twice = std::ranges::adjacent_find(sources);
  if (twice != sources.end()) {
    throw ConfigurationError(
        fmt::format("the scope names trace element {} of process {} twice", twice->trace, twice->process));
  }
}

void check_ranges(std::vector<ProcessRange>& ranges) {
  std::ranges::sort(ranges, {}, &ProcessRange::first);
  const auto overlap = std::ranges::adjacent_find(
      ranges, [](const ProcessRange& a, const ProcessRange& b) { return b.first - a.first < a.count; });
  if (overlap != ranges.end())
    throw ConfigurationError("two nodes of the scope read the same processes without a plan");
}

void check_numbers(const Contents& contents) {
  const std::size_t most = ScopeBounds::nodes + ScopeBounds::nodes_of_a_source *
                                                    (contents.sources.size() + contents.ranges.size());
  if (contents.nodes > most) {
    throw ConfigurationError(fmt::format("a scope of {} nodes for {} trace elements; it may have {}",
                                         contents.nodes, contents.sources.size(), most));
  }
  if (contents.threads > ScopeBounds::threads) {
    throw ConfigurationError(fmt::format("the scope asks with {} threads in all; a server allows {}",
                                         contents.threads, ScopeBounds::threads));
  }
}

void check_positions(const ScopeTree& tree) {
  if (tree.resume.size() > ScopeBounds::positions) {
    throw ConfigurationError(
        fmt::format("{} read positions; a scope may have {}", tree.resume.size(), ScopeBounds::positions));
  }
}

void check_look(const ScopeTree& tree) {
  if (tree.look.count() == 0) return;
  if (tree.look < ScopeBounds::shortest_look || tree.look > ScopeBounds::longest_look)
    throw ConfigurationError(fmt::format(
        "a subscription that is evaluated each {} ns; a server allows each {} ms to {} h", tree.look.count(),
        ScopeBounds::shortest_look.count(), ScopeBounds::longest_look.count()));
}

}  // namespace

void check_scope_tree(const ScopeTree& tree, const HasSource& has_source) {
  Contents contents;
  collect(tree.root, contents);
  check_numbers(contents);
  check_sources(contents.sources, has_source);
  check_ranges(contents.ranges);
  check_positions(tree);
  check_look(tree);
}

}  // namespace eventspace
