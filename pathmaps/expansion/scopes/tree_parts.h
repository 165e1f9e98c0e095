#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pathmaps/expansion/scopes/scope_wrapping.h"

namespace eventspace::expansion {

/// Indexes of trace elements, ascending.
using Traces = std::vector<TraceIndex>;
/// The place in which a node of a scope tree runs: the server of a node, or (empty) the consumer.
using Position = std::optional<NodeIndex>;

/// A subtree of a scope tree with its place, but without a parent yet.
struct Planted {
  ScopeNode node;
  Position at;
};

/// Makes the nodes of scope trees. Used for scopes with levels and for scopes with `tree:`.
class TreeParts {
 public:
  /// `direct`: the consumer reads the segments itself. `plan` must outlive this object.
  TreeParts(const Plan& plan, bool direct) : plan_(plan), direct_(direct) {}

  /// Returns the nodes that read `traces` for `owner`: one on each server whose node holds some of them; with
  /// `direct`, a single one in the place of its parent.
  [[nodiscard]] std::vector<Planted> reads(const Traces& traces, const std::string& owner) const;

  /// Returns a chain of nodes, one for each wrapper. The first wrapper is innermost and has `children`.
  [[nodiscard]] static ScopeNode wrap(const std::string& name, const ScopeWrapping& wrapping,
                                      std::vector<ScopeNode> children);

  /// Turns subtrees into children of a node in the place `parent`, by setting their endpoints and routes.
  [[nodiscard]] ScopeNode below(Position parent, Planted part) const;
  [[nodiscard]] std::vector<ScopeNode> below(Position parent, std::vector<Planted> parts) const;

 private:
  [[nodiscard]] ScopeNode read(std::string name, const Traces& traces) const;

  const Plan& plan_;
  bool direct_;
};

/// Returns true if any of `children` runs in the place of its parent. Only such children give work to the
/// threads of `ask: {threads: N}`.
bool has_work_for_threads(const std::vector<ScopeNode>& children);

}  // namespace eventspace::expansion
