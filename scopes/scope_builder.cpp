#include "scopes/scope_builder.h"

#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

#include "paths/remote_stage.h"
#include "scopes/combine_stage.h"
#include "scopes/read_stage.h"
#include "scopes/scope_codec.h"
#include "tuplespace/error.h"

namespace eventspace {
namespace {

class Builder {
 public:
  Builder(const ScopeTree& tree, const ScopeSurroundings& here)
      : tree_(tree), here_(here), sources_(count_sources(tree.root)) {
    for (const ReadPosition& position : tree.resume)
      resume_.emplace(SourceRef{position.trace, position.process}, position);
  }

  // `node` as it runs here, whatever placement it names.
  std::unique_ptr<Stage> local(const ScopeNode& node, bool timed) {
    if (node.wrapper == "read") {
      return std::make_unique<ReadStage>(
          node.sources, ReadMode{tree_.next, tree_.batch, share_of(node, tree_.most, sources_)},
          *here_.segments, *here_.names, positions_below(node));
    }
    std::vector<std::unique_ptr<ViewOperator>> operators;
    const ScopeNode& combining = collect_operators(node, operators);
    std::vector<CombineStage::Child> children;
    for (const ScopeNode& child : combining.children) children.push_back(child_of(combining, child));
    CombineStage::Config config{timed ? node.name : "", combining.asking, combining.threads, {}};
    if (combining.when_late == WhenLate::skip) config.skip = {combining.first_skip, combining.longest_skip};
    return std::make_unique<CombineStage>(std::move(config), std::move(children), std::move(operators));
  }

 private:
  CombineStage::Child child_of(const ScopeNode& parent, const ScopeNode& child) {
    CombineStage::Child made;
    made.stage = stage(child);
    if (parent.when_late != WhenLate::wait) made.timeout = child.timeout;
    made.known_as = {child.node,
                     child.endpoint.empty() ? child.name : server_of(child),
                     {},
                     "",
                     static_cast<std::uint32_t>(count_sources(child))};
    made.is_local = child.endpoint.empty() && runs_in_one_place(child);
    return made;
  }

  static std::string server_of(const ScopeNode& node) { return fmt::format("server of node {}", node.node); }

  std::unique_ptr<Stage> stage(const ScopeNode& node) {
    return node.endpoint.empty() ? local(node, false) : remote(node);
  }

  // A chain of wrappers with one child each, all in one place and without time-outs of their own, is one
  // stage with several operators: the innermost acts first. Yields the node whose children the stage asks.
  const ScopeNode& collect_operators(const ScopeNode& node,
                                     std::vector<std::unique_ptr<ViewOperator>>& operators) {
    const ScopeNode* innermost = &node;
    const bool chained = node.children.size() == 1 && node.children.front().endpoint.empty() &&
                         node.children.front().wrapper != "read" &&
                         node.children.front().timeout.count() == 0;
    if (chained) innermost = &collect_operators(node.children.front(), operators);
    operators.push_back(make_operator(node));
    return *innermost;
  }

  std::unique_ptr<ViewOperator> make_operator(const ScopeNode& node) {
    const ScopeWrapperInfo* const info = find_scope_wrapper(node.wrapper);
    if (info == nullptr) throw ConfigurationError(fmt::format("unknown scope wrapper '{}'", node.wrapper));
    if (!info->combines && node.children.size() != 1) {
      throw ConfigurationError(fmt::format("{}: the wrapper {} has {} children; it takes one", node.name,
                                           node.wrapper, node.children.size()));
    }
    return info->make(complete_parameters(info->parameters, node.parameters, node.wrapper), *here_.names);
  }

  std::unique_ptr<Stage> remote(const ScopeNode& node) {
    RemoteTarget target;
    std::vector<std::string> hops = node.route;
    hops.push_back(node.endpoint);
    target.endpoint = hops.front();
    if (!here_.endpoints.contains(target.endpoint)) {
      throw ConfigurationError(fmt::format("{} is no server of this pathmap", target.endpoint));
    }
    target.open.kind = scope_target;
    target.open.route.assign(hops.begin() + 1, hops.end());
    if (tree_.next) {
      target.begin = positions_below(node);
      target.spec_behind = [there = part(node)](const std::vector<ReadPosition>& positions) mutable {
        there.resume = positions;
        return encode(there);
      };
    } else {
      target.open.spec = encode(part(node));
    }
    target.node = node.node;
    target.what = server_of(node);
    target.sources = static_cast<std::uint32_t>(count_sources(node));
    return std::make_unique<RemoteStage>(*here_.links, std::move(target));
  }

  [[nodiscard]] ScopeTree part(const ScopeNode& node) const {
    ScopeTree part{tree_.scope, tree_.fingerprint, tree_.next, tree_.batch, 0, tree_.since, node};
    part.most = share_of(node, tree_.most, sources_);
    part.root.endpoint.clear();
    part.root.route.clear();
    return part;
  }

  [[nodiscard]] std::vector<ReadPosition> positions_below(const ScopeNode& node) const {
    std::vector<ReadPosition> positions;
    if (!resume_.empty()) collect_positions(node, positions);
    return positions;
  }
  void collect_positions(const ScopeNode& node, std::vector<ReadPosition>& positions) const {
    for (const SourceRef& source : node.sources) {
      if (const auto found = resume_.find(source); found != resume_.end()) positions.push_back(found->second);
    }
    for (const ScopeNode& child : node.children) collect_positions(child, positions);
  }

  const ScopeTree& tree_;
  const ScopeSurroundings& here_;
  std::size_t sources_;
  std::map<SourceRef, ReadPosition> resume_;
};

}  // namespace

std::unique_ptr<Stage> build_scope(const ScopeTree& tree, const ScopeSurroundings& here) {
  if (tree.fingerprint != here.fingerprint) {
    throw ConfigurationError(fmt::format(
        "scope {} comes from another version of the pathmap ({:016x}) than the one in use here ({:016x}); "
        "restart what still uses the old one",
        tree.scope, tree.fingerprint, here.fingerprint));
  }
  return Builder(tree, here).local(tree.root, true);
}

TargetFactory scope_target_factory(const PlanNames& names, LocalSegments& segments, std::uint64_t fingerprint,
                                   std::set<std::string> endpoints) {
  return [&names, &segments, fingerprint, endpoints = std::move(endpoints)](Bytes spec, LinkPool& links) {
    return build_scope(decode_scope_tree(spec), {&links, &segments, &names, fingerprint, endpoints});
  };
}

}  // namespace eventspace
