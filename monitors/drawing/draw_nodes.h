#pragma once

// Private to monitors/.

#include <functional>

#include "monitors/drawing/dot_text.h"
#include "pathmaps/plan/plan.h"

namespace eventspace {

/// Draws a frame for each node of the plan, inside the frame of its cluster, and calls `contents` to fill it.
/// Leaves out nodes for which `used` returns false.
void draw_nodes(DotText& dot, const Plan& plan, const std::function<bool(NodeIndex)>& used,
                const std::function<void(NodeIndex)>& contents);

/// The name of the server of a node in pictures.
std::string server_id(const Plan& plan, NodeIndex node);

}  // namespace eventspace
