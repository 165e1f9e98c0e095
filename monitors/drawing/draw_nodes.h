#pragma once

#include <functional>

#include "monitors/drawing/dot_text.h"
#include "pathmaps/plan/plan.h"

namespace eventspace {

/// "node n1  10.0.0.1:7000"
std::string node_title(const NodePlan& node);

/// Calls `draw` for each node of the plan, inside the frame of its cluster.
void draw_in_clusters(DotText& dot, const Plan& plan, const std::function<void(NodeIndex)>& draw);

/// Draws the frame of a node, with other attributes if `look` has any, and calls `contents` to fill it.
void draw_node(DotText& dot, const NodePlan& node, const std::function<void()>& contents,
               const DotText::Attributes& look = {});

/// The name of the server of a node in pictures.
std::string server_id(const Plan& plan, NodeIndex node);

}  // namespace eventspace
