#pragma once

// Private to monitors/.

#include <cstdint>
#include <string>

#include "monitors/drawing/scope_figures.h"
#include "pathmaps/plan/plan.h"

namespace eventspace {

// Pictures of a plan as text in Graphviz' language; pure.

/// How much of the threads the picture of the paths shows.
enum class ThreadDetail : std::uint8_t {
  collapsed,  ///< boxes are processes; paths between two of them are one arrow with their number and names
  all         ///< every thread, element and path
};

/// The application on its nodes: arrows go the way of the tuples. A path that passes gateways is drawn from
/// one to the next.
std::string draw_paths(const Plan& plan, ThreadDetail detail);

/// A scope's gather tree, its wrappers grouped by the node whose server runs them; arrows go the way of the
/// events. Siblings of the same make are one box.
std::string draw_scope(const Plan& plan, const ScopeTree& scope);

/// The same with what was measured: each part of the tree that runs in a place of its own has its times, and
/// the arrow to the part above what it yields; the wider and the redder it is, the more of a pull's time the
/// part takes. Parts that were missing are framed red. Those parts are boxes of their own, whatever their
/// make.
std::string draw_scope(const Plan& plan, const ScopeTree& scope, const ScopeFigures& figures);

}  // namespace eventspace
