#pragma once

#include <string>

#include "monitors/drawing/drawing.h"

namespace eventspace {

/// The part of draw_paths() for the details `grouped` and `all`: threads and elements in their processes.
/// Pure.
std::string draw_threads(const Plan& plan, const PathsView& view);

}  // namespace eventspace
