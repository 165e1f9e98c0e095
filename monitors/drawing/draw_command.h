#pragma once

#include "monitors/cli/command.h"
#include "monitors/drawing/drawing.h"

namespace eventspace {

/// `eventspace draw`; docs/commands.md describes it. `draw_metric` makes the pictures of metrics.
Command make_draw_command(DrawMetric draw_metric);

}  // namespace eventspace
