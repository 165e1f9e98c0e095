#pragma once

// Private to monitors/.

#include <string>

#include "monitors/top/terminal/frame.h"

namespace eventspace::top {

/// The bytes that make a terminal which shows `shown` show `next`: only what differs is written, so nothing
/// flickers and little goes over a slow line. Null, or another size: the terminal is cleared and all is
/// written. They are ECMA-48's (CUP, ED, SGR with the eight colours), which every terminal of today
/// understands. Pure.
///
/// Without `colour` styles are told apart by bold, underlined and reversed text alone, where that matters.
std::string write_difference(const Frame* shown, const Frame& next, bool colour);

}  // namespace eventspace::top
