#pragma once

// Private to monitors/.

#include <functional>

#include "monitors/drawing/dot_text.h"
#include "pathmaps/plan/plan.h"

namespace eventspace {

/// Draws a frame for every node of the plan, within those of their clusters, and lets `contents` fill each.
/// Nodes that `contents` has nothing for (`used` false) are left out.
void draw_nodes(DotText& dot, const Plan& plan, const std::function<bool(NodeIndex)>& used,
                const std::function<void(NodeIndex)>& contents);

/// The name in pictures of the server of a node.
std::string server_id(const Plan& plan, NodeIndex node);

}  // namespace eventspace
