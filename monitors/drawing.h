#pragma once

#include <cstdint>
#include <string>

#include "pathmaps/plan.h"

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

}  // namespace eventspace
