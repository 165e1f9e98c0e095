#pragma once

// Private to pathmaps/.

#include <optional>
#include <string>
#include <vector>

#include "pathmaps/expansion/scopes/scope_wrapping.h"

namespace eventspace::expansion {

/// Trace elements, ascending.
using Traces = std::vector<TraceIndex>;
/// A node, or nothing: the consumer.
using Position = std::optional<NodeIndex>;

/// A part of a scope's tree that knows where it runs, but not yet below what.
struct Planted {
  ScopeNode node;
  Position at;
};

/// Makes the nodes of scopes' trees, which come from levels and from trees that are written out alike.
class TreeParts {
 public:
  /// `direct`: the consumer reads the segments itself. `plan` must outlive it.
  TreeParts(const Plan& plan, bool direct) : plan_(plan), direct_(direct) {}

  /// What reads `traces` for `owner`: one part on each server that has some of them, or the one that there is
  /// with `direct`, where its parent runs.
  [[nodiscard]] std::vector<Planted> reads(const Traces& traces, const std::string& owner) const;

  /// The wrappers of one place, one around the other; the first of them asks `children`.
  [[nodiscard]] static ScopeNode wrap(const std::string& name, const ScopeWrapping& wrapping,
                                      std::vector<ScopeNode> children);

  /// The part as a child of something at `parent`.
  [[nodiscard]] ScopeNode below(Position parent, Planted part) const;
  [[nodiscard]] std::vector<ScopeNode> below(Position parent, std::vector<Planted> parts) const;

 private:
  [[nodiscard]] ScopeNode read(std::string name, const Traces& traces) const;

  const Plan& plan_;
  bool direct_;
};

/// Whether any of `children` runs where its parent does: only then threads have something to do there.
bool has_work_for_threads(const std::vector<ScopeNode>& children);

}  // namespace eventspace::expansion
