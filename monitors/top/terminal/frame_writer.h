#pragma once

#include <string>

#include "monitors/top/terminal/frame.h"

namespace eventspace::top {

/// Returns the bytes that change a terminal from showing `shown` to showing `next`. Only differences are
/// written, so nothing flickers and a slow line carries little. If `shown` is null or of another size, clears
/// the terminal and writes everything. Uses control sequences of ECMA-48 (CUP, ED, SGR with the eight
/// colours), which all current terminals understand. Pure.
///
/// Without `colour`, important styles differ only by bold, underlined and reversed text.
std::string write_difference(const Frame* shown, const Frame& next, bool colour);

}  // namespace eventspace::top
