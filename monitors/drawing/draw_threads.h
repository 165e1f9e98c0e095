#pragma once

#include "monitors/drawing/drawing.h"

namespace eventspace {

/// The part of picture_of_paths() for the details `grouped` and `all`: threads and elements in their
/// processes. Pure.
PathsPicture draw_threads(const Plan& plan, const PathsView& view);

}  // namespace eventspace
