#include "monitors/drawing/draw_command.h"
#include "monitors/metrics/draw_metric.h"

namespace eventspace {

// Here rather than in drawing/, which metrics use.
Command draw_command(const CommandContext& /*context*/) { return make_draw_command(draw_metric); }

}  // namespace eventspace
