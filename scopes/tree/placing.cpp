#include "scopes/tree/placing.h"

#include <algorithm>
#include <utility>

namespace eventspace {
namespace {

/// Whether the tree reads below `node` in the place where `node` runs.
bool reads_here(const ScopeNode& node) {
  if (node.wrapper == "read") return true;
  return std::ranges::any_of(
      node.children, [](const ScopeNode& child) { return child.endpoint.empty() && reads_here(child); });
}

/// `is_place`: whether the node begins a part that runs in a place of its own.
void put_on_parts(ScopeNode& node, const std::string& wrapper, const Parameters& parameters, bool is_place) {
  for (ScopeNode& child : node.children) put_on_parts(child, wrapper, parameters, !child.endpoint.empty());
  if (is_place && reads_here(node)) put_above(node, {wrapper, parameters});
}

}  // namespace

// The place and the time-out are those of the outermost wrapper, as in trees from a pathmap.
void put_above(ScopeNode& node, const Wrapping& wrapping) {
  ScopeNode outer;
  outer.name = node.name;
  outer.wrapper = wrapping.wrapper;
  outer.parameters = wrapping.parameters;
  outer.node = std::exchange(node.node, {});
  outer.endpoint = std::exchange(node.endpoint, {});
  outer.route = std::exchange(node.route, {});
  outer.timeout = std::exchange(node.timeout, {});
  outer.allowance = std::exchange(node.allowance, {});
  outer.ask_path = std::exchange(node.ask_path, {});
  outer.answer_path = std::exchange(node.answer_path, {});
  outer.children.push_back(std::move(node));
  node = std::move(outer);
}

void put_where_read(ScopeTree& tree, const std::string& wrapper, const Parameters& parameters) {
  put_on_parts(tree.root, wrapper, parameters, true);
}

}  // namespace eventspace
